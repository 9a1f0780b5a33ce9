use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::failure::OrRaise;
use crate::writer;

/// Creates a matcher and returns its JSON text. `name` is a function such as `match.int`.
#[pyfunction]
pub fn matcher(py: Python<'_>, name: &str, arguments: &Bound<'_, PyDict>) -> PyResult<String> {
    let arguments = writer::arguments(name, arguments)?;
    contract::matcher(name, &arguments)
        .map(contract::Template::into_text)
        .or_raise(py)
}

/// Returns the example value of a template as JSON text.
#[pyfunction]
pub fn example_of(py: Python<'_>, template: &Bound<'_, PyAny>) -> PyResult<String> {
    let text = writer::value("example", template)?;
    contract::parse_json(&text)
        .and_then(|template| contract::example_of(&template))
        .or_raise(py)
}
