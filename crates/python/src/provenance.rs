//! Which test writes what, and what goes from contract files when no test does any more.

use contract::{EndedFile, Failure};
use pyo3::prelude::*;

use crate::failure::OrRaise;
use crate::process;

/// The environment variables that tell the run of a test runner that a process belongs to.
#[pyfunction]
pub fn run_variables() -> Vec<&'static str> {
    contract::RUN_VARIABLES.to_vec()
}

/// Removes what a test file that ran to its end, given as JSON text, wrote earlier and stands for no longer: JSON text of a list
/// of lines for people.
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
