use contract::{EndedFile, EndedRun};
use napi::bindgen_prelude::Object;
use napi::{Env, Result};
use napi_derive::napi;

use crate::promise::promise;

/// Returns the names of the environment variables that identify a test run or mark a process as a worker of a test
/// runner.
#[napi(catch_unwind)]
pub fn run_variables() -> Vec<&'static str> {
    contract::RUN_VARIABLES.to_vec()
}

/// Removes interactions that a test file wrote in an earlier run but no longer defines. `ended` is JSON text that
/// describes the file and the results of its tests. Resolves with a JSON array of lines to print.
#[napi(catch_unwind, ts_return_type = "Promise<string | Failure>")]
pub fn end_test_file(env: &Env, ended: String) -> Result<Object<'_>> {
    promise(env, async move {
        let removed = contract::end_test_file(&EndedFile::from_text(&ended)?)?;
        Ok(contract::removed_text(&removed))
    })
}

/// Removes interactions of test files that no longer exist, after a run of all test files. `ended` is JSON text that
/// describes the run. Resolves with a JSON array of lines to print.
#[napi(catch_unwind, ts_return_type = "Promise<string | Failure>")]
pub fn end_test_run(env: &Env, ended: String) -> Result<Object<'_>> {
    promise(env, async move {
        let removed = contract::end_test_run(&EndedRun::from_text(&ended)?)?;
        Ok(contract::removed_text(&removed))
    })
}
