use contract::Failure;
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::failure::OrRaise;
use crate::writer;

fn argument_json(value: &Bound<'_, PyAny>) -> PyResult<String> {
    writer::value_with_functions("report", value, &PyList::empty(value.py()))
}

/// Converts a report in JSON to another format.
#[pyfunction]
pub fn format_report(py: Python<'_>, report: &str, format: &Bound<'_, PyAny>) -> PyResult<String> {
    let name = contract::report_format("format_report", &argument_json(format)?).or_raise(py)?;
    contract::format_report(report, &name).or_raise(py)
}

/// Converts a report in JSON to another format and writes it to a file.
#[pyfunction]
pub fn write_report(py: Python<'_>, report: &str, format: &Bound<'_, PyAny>, path: &Bound<'_, PyAny>) -> PyResult<()> {
    let place = contract::report_place("write_report", &argument_json(format)?, &argument_json(path)?);
    let (format, path) = place.or_raise(py)?;
    let written: Result<(), Failure> = py.detach(|| contract::write_report(report, &format, &path));
    written.or_raise(py)
}
