use contract::{BrokerFailure, Environment, broker_call as call};
use napi::bindgen_prelude::Object;
use napi::{Env, Result};
use napi_derive::napi;

use crate::convert::json;
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
        let environment = Environment::from_json(&json(&environment)?);
        let reply = call(&name, json(&access)?, json(&arguments)?, &environment).await?;
        Ok::<_, BrokerFailure>(reply.value.to_text())
    })
}
