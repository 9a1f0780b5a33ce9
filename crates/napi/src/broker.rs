use contract::{Environment, TestBrokerOptions, broker_call as call, parse_json};
use napi::bindgen_prelude::Object;
use napi::{Either, Env, Result};
use napi_derive::napi;

use crate::convert::either;
use crate::failure::Failure;
use crate::promise::promise;

/// Performs the broker operation `name`, such as `can_i_deploy`. The access options (URL and credentials), the
/// arguments, and the environment variables are JSON text. Resolves with the result as JSON text.
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
        let reply = call(&name, parse_json(&access)?, parse_json(&arguments)?, environment).await?;
        Ok(reply.value.to_text())
    })
}

/// Returns the environment variables with which a test broker must be started, as a JSON array of name-value pairs. The
/// options are JSON text.
#[napi(catch_unwind)]
pub fn test_broker_variables(options: String) -> Either<String, Failure> {
    let read = TestBrokerOptions::from_text(&options);
    either(read.map(|options| contract::to_text(&options.variables())))
}
