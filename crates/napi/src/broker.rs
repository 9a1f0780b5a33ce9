use contract::{Environment, broker_call as call, parse_json};
use napi::bindgen_prelude::Object;
use napi::{Env, Result};
use napi_derive::napi;

use crate::promise::promise;

/// A call to a broker: its name, where the broker is, the arguments, the environment; all but the name as JSON text, and so is
/// the value.
#[napi(catch_unwind, ts_return_type = "Promise<string | Failure>")]
pub fn broker_call(
    env: &Env,
    name: String,
    access: String,
    arguments: String,
    environment: String,
) -> Result<Object<'_>> {
    promise(env, async move {
        let environment = Environment::from_json(&parse_json(&environment)?);
        let reply = call(&name, parse_json(&access)?, parse_json(&arguments)?, &environment).await?;
        Ok(reply.value.to_text())
    })
}
