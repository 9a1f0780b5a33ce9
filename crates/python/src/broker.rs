//! Calls to brokers.

use std::sync::Arc;

use contract::Environment;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::calls::{Passed, User};
use crate::failure::OrRaise;
use crate::{process, writer};

/// Performs the broker operation `name`, such as `can_i_deploy`. The access options (URL and credentials), the
/// arguments, and the environment variables are JSON text. Returns the result as JSON text. Ctrl-C cancels the
/// operation.
#[pyfunction]
pub fn broker_call(
    py: Python<'_>,
    name: String,
    access: &Bound<'_, PyDict>,
    arguments: &Bound<'_, PyDict>,
    environment: &str,
) -> PyResult<String> {
    process::check(py)?;
    let to_text = |values| {
        let text = writer::arguments(&name, values)?;
        contract::parse_json(&text).or_raise(py)
    };
    let (access, arguments) = (to_text(access)?, to_text(arguments)?);
    let environment = Environment::from_json(&contract::parse_json(environment).or_raise(py)?);
    let nobody = User {
        dispatch: &py.None().into_bound(py),
        raised: &PyDict::new(py),
    };
    let called = Arc::<Passed>::default().wait(&nobody, async move {
        contract::broker_call(&name, access, arguments, environment).await
    });
    called?.map(|reply| reply.value.to_text()).or_raise(py)
}

/// Returns the names of all broker operations.
#[pyfunction]
pub fn broker_calls() -> Vec<&'static str> {
    contract::BROKER_CALLS.to_vec()
}
