//! Checks that the library can be used in this process and interpreter.

use std::sync::OnceLock;

use pyo3::exceptions::PyImportError;
use pyo3::ffi::{PyInterpreterState_Get, PyInterpreterState_GetID};
use pyo3::prelude::*;

use crate::failure;

/// Raises an exception in a subinterpreter, because objects of this binding belong to one interpreter.
pub(crate) fn check_interpreter(_: Python<'_>) -> PyResult<()> {
    // SAFETY: the `Python` argument proves that this thread is attached to an interpreter, so there is a current
    // interpreter.
    let number = unsafe { PyInterpreterState_GetID(PyInterpreterState_Get()) };
    if number == 0 {
        return Ok(());
    }
    Err(PyImportError::new_err(
        "contract supports only the main interpreter of a process, and this is a subinterpreter; use a separate process instead",
    ))
}

static FIRST: OnceLock<u32> = OnceLock::new();

/// Raises an exception if the process was forked after the library was first used. The threads of the core do not exist
/// in such a process, so waiting for them would never end.
pub(crate) fn check(py: Python<'_>) -> PyResult<()> {
    let current = std::process::id();
    let first = *FIRST.get_or_init(|| current);
    if first == current {
        return Ok(());
    }
    let message = format!(
        "this process was forked from process {first} after the library was first used, which is not supported; use the multiprocessing start method \"spawn\" or \"forkserver\""
    );
    Err(failure::error(py, "internal", "ERR_CONTRACT_FORK", &message, &[]))
}
