use contract::{Handled, MessageSession};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::contract::NativeContract;
use crate::failure::{OrRaise, SPELLING};
use crate::{process, writer};

/// Messages that a test has taken from a contract.
#[pyclass(frozen, module = "contract._native")]
pub struct NativeMessages(MessageSession);

#[pymethods]
impl NativeMessages {
    /// Takes the messages of one kind that were defined since the last time.
    #[new]
    fn new(
        py: Python<'_>,
        contract: &Bound<'_, NativeContract>,
        options: &Bound<'_, PyDict>,
        around: &str,
    ) -> PyResult<Self> {
        let options = writer::arguments("verify", options)?;
        contract
            .get()
            .0
            .take_messages_text(&options, around)
            .map(Self)
            .or_raise(py)
    }

    /// The messages: JSON text of a list.
    fn messages(&self) -> String {
        self.0.messages_text()
    }

    /// How many responses what the handler of this message returns is compared with.
    fn compared_with(&self, index: usize) -> usize {
        self.0.compared_with(index)
    }

    /// Takes down how the handler took a message: `passed`, or `threw` or `returned` with the text or the value.
    fn handled(&self, py: Python<'_>, index: usize, how: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let text = match how {
            "passed" => "\"passed\"".to_owned(),
            // Functions in what was returned have no meaning.
            how => format!("{{\"{how}\":{}}}", writer::named("verify", value, &PyList::empty(py))?),
        };
        let handled = Handled::from_text(&text).or_raise(py)?;
        py.detach(|| self.0.handled(index, handled, &SPELLING));
        Ok(())
    }

    /// Gives the messages back and writes those that passed: JSON text of `{ raises, failures, text }`.
    fn finish(&self, py: Python<'_>) -> PyResult<String> {
        process::check(py)?;
        let finished = py.detach(|| self.0.finish());
        finished.map(|verdict| contract::to_text(&verdict)).or_raise(py)
    }
}
