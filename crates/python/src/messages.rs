use std::sync::Arc;

use contract::{Callbacks, EndpointRequest, Handled, MessageEndpoint, MessageSession, TakeMessages as _, VariantEnd};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::calls::{Passed, User};
use crate::contract::NativeContract;
use crate::failure::{OrRaise, SPELLING};
use crate::{process, writer};

/// The messages that a consumer test passes to its handler.
#[pyclass(frozen, module = "contract._native")]
pub struct NativeMessages(MessageSession);

#[pymethods]
impl NativeMessages {
    /// Creates the collection of the messages of one kind that were defined since the last call.
    #[new]
    fn new(
        py: Python<'_>,
        contract: &Bound<'_, NativeContract>,
        options: &Bound<'_, PyDict>,
        call_site: &str,
    ) -> PyResult<Self> {
        let options = writer::arguments("verify", options)?;
        contract
            .get()
            .0
            .take_messages_text(&options, call_site)
            .map(Self)
            .or_raise(py)
    }

    /// Returns the messages as a JSON array.
    fn messages(&self) -> String {
        self.0.messages_text()
    }

    /// Returns the timeout for handling one message in milliseconds. 0 means that there is no timeout.
    #[getter]
    fn timeout(&self) -> u64 {
        u64::try_from(self.0.timeout().as_millis()).unwrap_or(u64::MAX)
    }

    /// Returns the number of responses with which the handler's return value for this message is compared.
    fn compared_with(&self, index: usize) -> usize {
        self.0.compared_with(index)
    }

    /// Records the handler's result for the message at `index`. `how` is `passed`, `timed_out`, `threw`, or `returned`.
    /// For `threw`, `value` is the error message. For `returned`, it is the returned value.
    fn handled(&self, py: Python<'_>, index: usize, how: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let text = match how {
            "passed" | "timed_out" => format!("\"{how}\""),
            // Functions in the returned value are ignored.
            how => format!(
                "{{\"{how}\":{}}}",
                writer::value_with_functions("verify", value, &PyList::empty(py))?
            ),
        };
        let handled = Handled::from_text(&text).or_raise(py)?;
        py.detach(|| self.0.handled(index, handled, &SPELLING));
        Ok(())
    }

    /// Records how the handler call with the previous variant ended (JSON text `{ end, error }`, or `None` before the
    /// first variant), and returns the next variant of the message (JSON text `{ next, message, report }`).
    fn next_variant(&self, py: Python<'_>, index: usize, ended: Option<&str>) -> PyResult<String> {
        let ended = ended.map(VariantEnd::from_text).transpose().or_raise(py)?;
        let step = py.detach(|| self.0.next_variant(index, ended));
        step.map(|step| contract::to_text(&step)).or_raise(py)
    }

    /// Ends the test and writes the messages that passed. Returns `{ raises, failures, text }` as JSON text.
    fn finish(&self, py: Python<'_>) -> PyResult<String> {
        process::check(py)?;
        let finished = py.detach(|| self.0.finish());
        finished.map(|verdict| contract::to_text(&verdict)).or_raise(py)
    }
}

/// A message endpoint. Python provides the HTTP server.
#[pyclass(frozen, module = "contract._native")]
pub struct NativeMessageEndpoint(Arc<MessageEndpoint>);

#[pymethods]
impl NativeMessageEndpoint {
    /// Creates an endpoint from `{ handlers, options }`. Functions are appended to `functions`.
    #[new]
    fn new(py: Python<'_>, arguments: &Bound<'_, PyDict>, functions: &Bound<'_, PyList>) -> PyResult<Self> {
        let text = writer::value_with_functions("message_endpoint", arguments, functions)?;
        let created = contract::parse_json(&text).and_then(MessageEndpoint::from_json);
        created.map(|endpoint| Self(Arc::new(endpoint))).or_raise(py)
    }

    /// Returns the maximum size of a request in bytes. A larger request can be truncated to one byte more than this
    /// size.
    #[classattr]
    fn largest_request() -> usize {
        MessageEndpoint::LARGEST_REQUEST
    }

    /// Returns the status, headers, and body of the response to a request. `dispatch` calls functions.
    fn answer(
        &self,
        method: String,
        accept: Option<String>,
        body: Vec<u8>,
        dispatch: &Bound<'_, PyAny>,
        raised: &Bound<'_, PyDict>,
    ) -> PyResult<Answered> {
        process::check(dispatch.py())?;
        let endpoint = Arc::clone(&self.0);
        let passed = Arc::<Passed>::default();
        let callbacks: Arc<dyn Callbacks> = Arc::clone(&passed) as _;
        let request = EndpointRequest {
            method,
            accept,
            body: body.into(),
        };
        let user = User { dispatch, raised };
        let answer = passed.wait(&user, async move { endpoint.answer(request, &*callbacks).await })?;
        Ok((answer.status, answer.headers, answer.body.to_vec()))
    }
}

/// Status, headers, and body of a response.
type Answered = (u16, Vec<(&'static str, String)>, Vec<u8>);
