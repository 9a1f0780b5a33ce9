//! Removes interactions that no test defines anymore.

use contract::{EndedFile, Failure};
use pyo3::prelude::*;

use crate::failure::OrRaise;
use crate::process;

/// Returns the names of the environment variables that identify a test run or mark a process as a worker of a test
/// runner.
#[pyfunction]
pub fn run_variables() -> Vec<&'static str> {
    contract::RUN_VARIABLES.to_vec()
}

/// Removes interactions that a test file wrote in an earlier run but no longer defines. `ended` is JSON text that
/// describes the file and the results of its tests. Returns a JSON array of lines to print.
#[pyfunction]
pub fn end_test_file(py: Python<'_>, ended: &str) -> PyResult<String> {
    process::check(py)?;
    let removed = py.detach(|| {
        let ended = EndedFile::from_text(ended)?;
        let removed = contract::end_test_file(&ended)?;
        Ok::<_, Failure>(contract::removed_text(&removed))
    });
    removed.or_raise(py)
}
