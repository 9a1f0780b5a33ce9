//! Calls user functions. The core's threads pass each call to the user's thread, which is waiting for the core.
//! Therefore, functions run on the thread that called the library, debuggers can stop in them, Ctrl-C interrupts the
//! wait, and no thread of the core waits for the GIL.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use contract::{Answer, BoxFuture, CallbackError, Callbacks, Json, Role, UserFunction};
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::failure::OrRaise;
use crate::{failure, writer};

/// Interval at which a waiting thread checks for Ctrl-C.
const SIGNALS: Duration = Duration::from_millis(50);

struct Call {
    function: UserFunction,
    role: Role,
    arguments: Vec<Json>,
    answer: Answer,
}

/// A call to a user function. The caller may have stopped waiting for its result.
#[pyclass(frozen, module = "contract._native")]
pub struct NativeCall(Arc<Mutex<Option<Answer>>>);

#[pymethods]
impl NativeCall {
    fn is_awaited(&self) -> bool {
        let answer = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        answer.as_ref().is_some_and(Answer::is_awaited)
    }
}

/// Stops a verification from another thread.
#[pyclass(frozen, module = "contract._native")]
#[derive(Default)]
pub struct NativeStop(Arc<Mutex<Stop>>);

type Abort = Box<dyn Fn() + Send>;

#[derive(Default)]
struct Stop {
    is_requested: bool,
    abort: Option<Abort>,
}

#[pymethods]
impl NativeStop {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// Stops the current work. If no work has started yet, stops it as soon as it starts.
    fn stop(&self) {
        let mut stop = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        stop.is_requested = true;
        if let Some(abort) = &stop.abort {
            abort();
        }
    }
}

impl NativeStop {
    fn watch(&self, abort: Abort) {
        let mut stop = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if stop.is_requested {
            abort();
        }
        stop.abort = Some(abort);
    }

    fn is_requested(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_requested
    }
}

/// Passes calls to the thread that is waiting for the core. If no thread is waiting, the calls fail.
#[derive(Default)]
pub(crate) struct Passed(Mutex<Option<Sender<Call>>>);

impl Callbacks for Passed {
    fn call(
        &self,
        function: UserFunction,
        role: Role,
        arguments: Vec<Json>,
    ) -> BoxFuture<'_, Result<Json, CallbackError>> {
        let (answer, future) = contract::answer();
        let call = Call {
            function,
            role,
            arguments,
            answer,
        };
        let sender = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_sent = sender.as_ref().is_some_and(|sender| sender.send(call).is_ok());
        Box::pin(async move {
            if !is_sent {
                return Err(CallbackError::new("the verification has already ended"));
            }
            future.await
        })
    }
}

/// The user's functions. `dispatch(function, role, arguments, call)` calls a function and returns its value. An
/// exception that the function raises is stored in `raised` under the number of the call.
pub(crate) struct User<'a, 'py> {
    pub(crate) dispatch: &'a Bound<'py, PyAny>,
    pub(crate) raised: &'a Bound<'py, PyDict>,
}

impl Passed {
    /// Waits until the core has finished the work, and returns its result. Meanwhile, calls user functions. An
    /// exception that is not an `Exception`, such as `KeyboardInterrupt`, stops the work.
    pub(crate) fn wait<T, F>(self: &Arc<Self>, user: &User<'_, '_>, work: F) -> PyResult<T>
    where
        T: Send + 'static,
        F: Future<Output = T> + Send + 'static,
    {
        self.wait_or_stop(user, None, work)
    }

    /// Like `wait`, but another thread can stop the work.
    pub(crate) fn wait_or_stop<T, F>(
        self: &Arc<Self>,
        user: &User<'_, '_>,
        stop: Option<&NativeStop>,
        work: F,
    ) -> PyResult<T>
    where
        T: Send + 'static,
        F: Future<Output = T> + Send + 'static,
    {
        let py = user.dispatch.py();
        let runtime = contract::runtime::try_handle().or_raise(py)?;
        let (sender, mut calls) = channel();
        let before = self.0.lock().unwrap_or_else(PoisonError::into_inner).replace(sender);
        let (done, result) = channel();
        let task = runtime.spawn(async move {
            let value = work.await;
            // After Ctrl-C, the result is no longer needed.
            drop(done.send(value));
        });
        let abort = task.abort_handle();
        if let Some(stop) = stop {
            let task = task.abort_handle();
            stop.watch(Box::new(move || task.abort()));
        }
        let passed = Arc::clone(self);
        // When the work ends for any reason, this task closes the call channel, which wakes the waiting thread.
        runtime.spawn(async move {
            let ended = task.await;
            *passed.0.lock().unwrap_or_else(PoisonError::into_inner) = before;
            drop(ended);
        });
        let waited = loop {
            let next;
            (calls, next) = py.detach(move || {
                let next = calls.recv_timeout(SIGNALS);
                (calls, next)
            });
            match next {
                Ok(call) => {
                    if let Err(error) = user.answer(call) {
                        break Err(error);
                    }
                }
                Err(RecvTimeoutError::Timeout) => {
                    if let Err(error) = py.check_signals() {
                        break Err(error);
                    }
                }
                Err(RecvTimeoutError::Disconnected) => break Ok(()),
            }
        };
        if let Err(error) = waited {
            abort.abort();
            return Err(error);
        }
        // The result was sent before the call channel was closed.
        result.try_recv().map_err(|_| {
            if stop.is_some_and(NativeStop::is_requested) {
                return failure::error(
                    py,
                    "stopped",
                    "ERR_CONTRACT_STOPPED",
                    "the verification was stopped",
                    &[],
                );
            }
            failure::internal(py)
        })
    }
}

impl User<'_, '_> {
    /// Calls a function and passes its result or exception to the core. Returns an error only for exceptions that are
    /// not an `Exception`, such as `KeyboardInterrupt`.
    fn answer(&self, call: Call) -> PyResult<()> {
        let py = self.dispatch.py();
        let arguments = Json::from(call.arguments).to_text();
        let waiting = Arc::new(Mutex::new(Some(call.answer)));
        let send = |answer| {
            if let Some(waiting) = waiting.lock().unwrap_or_else(PoisonError::into_inner).take() {
                waiting.send(answer);
            }
        };
        let own = NativeCall(Arc::clone(&waiting));
        let returned = self.dispatch.call1((call.function.0, call.role.name(), arguments, own));
        let text =
            returned.and_then(|value| writer::value_with_functions("the value returned", &value, &PyList::empty(py)));
        let answer = match text {
            Ok(text) => contract::parse_json(&text).map_err(|error| CallbackError::new(error.to_string())),
            Err(error) if error.is_instance_of::<PyException>(py) => {
                let token = self.raised.len() + 1;
                let text = display(py, &error);
                // Before Python 3.12, the exception value has no traceback. `into_value` sets it.
                self.raised.set_item(token, error.into_value(py))?;
                Err(CallbackError::new(text).with_token(token as u64))
            }
            Err(error) => {
                send(Err(CallbackError::new("it was interrupted")));
                return Err(error);
            }
        };
        send(answer);
        Ok(())
    }
}

/// Returns the last line of the traceback. For an exception group with one exception, returns the last line of that
/// exception.
fn display(py: Python<'_>, error: &PyErr) -> String {
    let members = error.value(py).getattr("exceptions");
    if let Ok(members) = members.and_then(|members| members.extract::<Vec<Bound<'_, PyAny>>>())
        && let [member] = members.as_slice()
    {
        return display(py, &PyErr::from_value(member.clone()));
    }
    let kind = error
        .get_type(py)
        .name()
        .map(|name| name.to_string())
        .unwrap_or_default();
    match error.value(py).str() {
        Ok(text) if text.len().is_ok_and(|length| length > 0) => {
            format!("{kind}: {}", without_code(&text.to_string_lossy()))
        }
        _ => kind,
    }
}

/// Removes the error code at the end of a message, because the message becomes part of another message.
fn without_code(message: &str) -> &str {
    match message.rsplit_once("[ERR_CONTRACT_") {
        Some((text, code)) if code.ends_with(']') => text.trim_end(),
        _ => message,
    }
}
