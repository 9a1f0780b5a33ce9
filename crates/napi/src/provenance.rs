use contract::{EndedFile, EndedRun};
use napi::bindgen_prelude::Object;
use napi::{Env, Result};
use napi_derive::napi;

use crate::promise::promise;

/// The environment variables that tell the run of a test runner that a process belongs to.
#[napi(catch_unwind)]
pub fn run_variables() -> Vec<&'static str> {
    contract::RUN_VARIABLES.to_vec()
}

/// Removes what a test file that ran to its end, given as JSON text, wrote earlier and stands for no longer; resolves with the
/// JSON text of a list of lines for people.
#[napi(catch_unwind, ts_return_type = "Promise<string | Failure>")]
pub fn end_test_file(env: &Env, ended: String) -> Result<Object<'_>> {
    promise(env, async move {
        let removed = contract::end_test_file(&EndedFile::from_text(&ended)?)?;
        Ok(contract::removed_text(&removed))
    })
}

/// Removes what test files wrote that are not there any more, at the end of a run of all test files, given as JSON text; resolves
/// with the JSON text of a list of lines for people.
#[napi(catch_unwind, ts_return_type = "Promise<string | Failure>")]
pub fn end_test_run(env: &Env, ended: String) -> Result<Object<'_>> {
    promise(env, async move {
        let removed = contract::end_test_run(&EndedRun::from_text(&ended)?)?;
        Ok(contract::removed_text(&removed))
    })
}
