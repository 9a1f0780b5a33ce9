use std::sync::Arc;

use contract::{Callbacks, EndpointRequest, Handled, MessageEndpoint, MessageSession, TakeMessages as _};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::calls::{Passed, User};
use crate::contract::NativeContract;
use crate::failure::{OrRaise, SPELLING};
use crate::{process, writer};

/// Messages of a contract that a test consumes.
#[pyclass(frozen, module = "contract._native")]
pub struct NativeMessages(MessageSession);

#[pymethods]
impl NativeMessages {
    /// Takes the messages of one kind that were defined since the last call.
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

    /// Returns the messages as JSON text of a list.
    fn messages(&self) -> String {
        self.0.messages_text()
    }

    /// Returns the timeout of the handler for one message, in milliseconds. 0 means no timeout.
    #[getter]
    fn timeout(&self) -> u64 {
        u64::try_from(self.0.timeout().as_millis()).unwrap_or(u64::MAX)
    }

    /// Returns the number of responses to compare with the return value of the handler of this message.
    fn compared_with(&self, index: usize) -> usize {
        self.0.compared_with(index)
    }

    /// Records the result of the handler for a message: `passed`, `timed_out`, `threw` with the text, or `returned` with
    /// the value.
    fn handled(&self, py: Python<'_>, index: usize, how: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let text = match how {
            "passed" | "timed_out" => format!("\"{how}\""),
            // Functions in the returned value are ignored.
            how => format!("{{\"{how}\":{}}}", writer::named("verify", value, &PyList::empty(py))?),
        };
        let handled = Handled::from_text(&text).or_raise(py)?;
        py.detach(|| self.0.handled(index, handled, &SPELLING));
        Ok(())
    }

    /// Ends the test and writes the messages that passed. Returns JSON text of `{ raises, failures, text }`.
    fn finish(&self, py: Python<'_>) -> PyResult<String> {
        process::check(py)?;
        let finished = py.detach(|| self.0.finish());
        finished.map(|verdict| contract::to_text(&verdict)).or_raise(py)
    }
}

/// A message endpoint without its HTTP server.
#[pyclass(frozen, module = "contract._native")]
pub struct NativeMessageEndpoint(Arc<MessageEndpoint>);

#[pymethods]
impl NativeMessageEndpoint {
    /// Creates an endpoint from `{ handlers, options }`. Functions are added to the list.
    #[new]
    fn new(py: Python<'_>, given: &Bound<'_, PyDict>, functions: &Bound<'_, PyList>) -> PyResult<Self> {
        let text = writer::named("message_endpoint", given, functions)?;
        let created = contract::parse_json(&text).and_then(MessageEndpoint::from_json);
        created.map(|endpoint| Self(Arc::new(endpoint))).or_raise(py)
    }

    /// Returns the maximum size of a request, in bytes. For a larger request, it is enough to pass one byte more.
    #[classattr]
    fn largest_request() -> usize {
        MessageEndpoint::LARGEST_REQUEST
    }

    /// Responds to a request with status, headers, and body. `dispatch` calls functions.
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

/// Status, headers, body.
type Answered = (u16, Vec<(&'static str, String)>, Vec<u8>);
