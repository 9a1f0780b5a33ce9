//! Derives contracts from recorded traffic.

use contract::{CallSite, RecordCall};
use napi::bindgen_prelude::Object;
use napi::{Env, Result};
use napi_derive::napi;

use crate::convert::done;
use crate::failure::Failure;
use crate::promise::promise;

/// Validates the arguments of a recording, which are JSON text.
#[napi(catch_unwind)]
pub fn check_recording(operation: String) -> Option<Failure> {
    done(RecordCall::from_text(&operation).map(drop))
}

/// Derives a contract from recorded traffic and writes it to a file. The arguments are JSON text. Resolves with JSON
/// text that contains the path and what to review.
#[napi(catch_unwind, ts_return_type = "Promise<string | Failure>")]
pub fn record(env: &Env, operation: String, call_site: String) -> Result<Object<'_>> {
    promise(env, async move {
        let site = CallSite::from_text(&call_site)?;
        let file = RecordCall::from_text(&operation)?.run(&site)?;
        Ok(contract::to_text(&file))
    })
}
