use std::sync::Arc;

use contract::{Callbacks, EndpointRequest, Handled, MessageEndpoint, MessageSession, TakeMessages as _};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::calls::{Passed, User};
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

    /// How long the handler may take for one message, in milliseconds; 0 is without end.
    #[getter]
    fn timeout(&self) -> u64 {
        u64::try_from(self.0.timeout().as_millis()).unwrap_or(u64::MAX)
    }

    /// How many responses what the handler of this message returns is compared with.
    fn compared_with(&self, index: usize) -> usize {
        self.0.compared_with(index)
    }

    /// Takes down how the handler took a message: `passed`, `timed_out`, or `threw` or `returned` with the text or
    /// the value.
    fn handled(&self, py: Python<'_>, index: usize, how: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let text = match how {
            "passed" | "timed_out" => format!("\"{how}\""),
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

/// An endpoint for messages, as far as it is no server.
#[pyclass(frozen, module = "contract._native")]
pub struct NativeMessageEndpoint(Arc<MessageEndpoint>);

#[pymethods]
impl NativeMessageEndpoint {
    /// An endpoint with the handlers of `{ handlers, options }`; functions in it are kept in the list.
    #[new]
    fn new(py: Python<'_>, given: &Bound<'_, PyDict>, functions: &Bound<'_, PyList>) -> PyResult<Self> {
        let text = writer::named("message_endpoint", given, functions)?;
        let created = contract::parse_json(&text).and_then(MessageEndpoint::from_json);
        created.map(|endpoint| Self(Arc::new(endpoint))).or_raise(py)
    }

    /// Most bytes of a request; of a longer one it is enough to hand over one more.
    #[classattr]
    fn largest_request() -> usize {
        MessageEndpoint::LARGEST_REQUEST
    }

    /// Answers a request: status, headers, body. Functions are called by `dispatch`.
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
