use contract::{EndedFile, EndedRun};
use napi::bindgen_prelude::Object;
use napi::{Env, Result};
use napi_derive::napi;

use crate::promise::promise;

/// Returns the environment variables that identify the run of a test runner.
#[napi(catch_unwind)]
pub fn run_variables() -> Vec<&'static str> {
    contract::RUN_VARIABLES.to_vec()
}

/// Removes interactions that a test file wrote earlier and no longer defines. The completed file is given as JSON text. Resolves
/// with JSON text of a list of lines to print.
#[napi(catch_unwind, ts_return_type = "Promise<string | Failure>")]
pub fn end_test_file(env: &Env, ended: String) -> Result<Object<'_>> {
    promise(env, async move {
        let removed = contract::end_test_file(&EndedFile::from_text(&ended)?)?;
        Ok(contract::removed_text(&removed))
    })
}

/// Removes interactions of test files that no longer exist, at the end of a run of all test files. The run is given as JSON text.
/// Resolves with JSON text of a list of lines to print.
#[napi(catch_unwind, ts_return_type = "Promise<string | Failure>")]
pub fn end_test_run(env: &Env, ended: String) -> Result<Object<'_>> {
    promise(env, async move {
        let removed = contract::end_test_run(&EndedRun::from_text(&ended)?)?;
        Ok(contract::removed_text(&removed))
    })
}
