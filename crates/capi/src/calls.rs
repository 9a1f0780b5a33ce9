//! Calls to user functions: state handlers, message handlers, request filters, headers, and hooks.

use std::collections::HashMap;
use std::ffi::{c_char, c_void};
use std::sync::mpsc::Sender;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use contract::{Answer, BoxFuture, CallbackError, Callbacks, Json, Object, Role, UserFunction};

use crate::edge::{Failure, guarded, optional};
use crate::events::Event;
use crate::{contract_status, contract_text};

/// Called each time a verifier calls a function that was registered as `{"contract:value": "function", "id":
/// function}`. `role` is the purpose of the call: `state`, `message`, `requestFilter`, `header`, `before`, or `after`.
/// `arguments` is a JSON array. Both strings are valid only during the call. Answer the call with contract_answer,
/// during the callback or later, on any thread. The callback runs on a thread of the library, and several callbacks may
/// run at the same time. The library holds no lock, so the callback may call any function of the library. It must not
/// throw a C++ exception or call longjmp. If the call is not answered within the timeout set with
/// `set_callback_timeout` (default: 30 s), the interaction fails.
pub type contract_callback = Option<
    unsafe extern "C" fn(
        user: *mut c_void,
        call: u64,
        function: u32,
        role: *const c_char,
        role_length: usize,
        arguments: *const c_char,
        arguments_length: usize,
    ),
>;

#[derive(Clone, Copy)]
pub(crate) struct User {
    pub(crate) callback: unsafe extern "C" fn(*mut c_void, u64, u32, *const c_char, usize, *const c_char, usize),
    pub(crate) pointer: *mut c_void,
}

// SAFETY: the header documents that the library calls the function with this pointer on its own threads.
unsafe impl Send for User {}
unsafe impl Sync for User {}

#[derive(Default)]
struct Waiting {
    last: u64,
    answers: HashMap<u64, Answer>,
}

static WAITING: LazyLock<Mutex<Waiting>> = LazyLock::new(Mutex::default);

fn waiting() -> MutexGuard<'static, Waiting> {
    WAITING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Calls the user's function, or sends an event if the caller polls for events.
#[derive(Default)]
pub(crate) struct Calls {
    pub(crate) user: Mutex<Option<User>>,
    events: Mutex<Option<Sender<Event>>>,
}

impl Calls {
    /// Sets the channel to which calls are sent as events. `None` calls the user's function again.
    pub(crate) fn send_to(&self, events: Option<Sender<Event>>) {
        *self.events.lock().unwrap_or_else(PoisonError::into_inner) = events;
    }
}

/// Stores a pending answer and returns the number of the call that it belongs to.
fn keep(answer: Answer) -> u64 {
    let mut waiting = waiting();
    waiting.last += 1;
    let call = waiting.last;
    waiting.answers.insert(call, answer);
    call
}

fn event(call: u64, function: UserFunction, role: Role, arguments: Vec<Json>) -> Event {
    let mut event = Object::new();
    event.insert("event", "call");
    event.insert("call", call);
    event.insert("function", u64::from(function.0));
    event.insert("role", role.name());
    event.insert("arguments", arguments);
    Event {
        text: Json::from(event).to_text(),
        is_last: false,
    }
}

impl Callbacks for Calls {
    fn call(
        &self,
        function: UserFunction,
        role: Role,
        arguments: Vec<Json>,
    ) -> BoxFuture<'_, Result<Json, CallbackError>> {
        let polling = self.events.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(polling) = polling {
            let (answer, future) = contract::answer();
            let call = keep(answer);
            let is_sent = polling.send(event(call, function, role, arguments)).is_ok();
            return Box::pin(async move {
                let _pending = PendingCall(call);
                if !is_sent {
                    return Err(CallbackError::new("the caller is no longer polling for events"));
                }
                future.await
            });
        }
        let user = *self.user.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(user) = user else {
            return Box::pin(async {
                Err(CallbackError::new(
                    "no callback is set; call contract_verifier_set_callback",
                ))
            });
        };
        let runtime = match contract::runtime::try_handle() {
            Ok(runtime) => runtime,
            Err(failure) => return Box::pin(async move { Err(CallbackError::new(failure.to_string())) }),
        };
        if let Err(failure) = contract::runtime::try_threads(1) {
            return Box::pin(async move { Err(CallbackError::new(failure.to_string())) });
        }
        let (answer, future) = contract::answer();
        let call = keep(answer);
        let arguments = Json::from(arguments).to_text();
        // Blocking threads are used, so that a function that never returns does not block other calls.
        runtime.spawn_blocking(move || {
            let user = user;
            let role = role.name();
            // SAFETY: the user passed both together, and must keep them valid until the verifier is freed.
            unsafe {
                (user.callback)(
                    user.pointer,
                    call,
                    function.0,
                    role.as_ptr().cast(),
                    role.len(),
                    arguments.as_ptr().cast(),
                    arguments.len(),
                );
            }
        });
        Box::pin(async move {
            let _pending = PendingCall(call);
            future.await
        })
    }
}

/// Removes the call when dropped, because its answer is no longer awaited, for example after a timeout.
struct PendingCall(u64);

impl Drop for PendingCall {
    fn drop(&mut self) {
        waiting().answers.remove(&self.0);
    }
}

/// Answers a call that contract_callback or contract_poll_event reported. `json` is the result; a null pointer means
/// JSON null. `problem` is an error message, or null if the function succeeded. Returns CONTRACT_MISUSE if the call
/// does not exist, was already answered, or timed out. In the `causes` of a verification result, `token` is the number
/// of the call that failed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn contract_answer(
    call: u64,
    json: *const c_char,
    json_length: usize,
    problem: *const c_char,
    problem_length: usize,
    error: *mut contract_text,
) -> contract_status {
    unsafe {
        guarded(error, || {
            let problem = optional(problem, problem_length, "problem")?;
            let value = optional(json, json_length, "json")?;
            let result = match problem {
                Some(problem) => Err(CallbackError::new(problem).with_token(call)),
                None => Ok(contract::parse_json(value.unwrap_or("null"))?),
            };
            let answer = waiting().answers.remove(&call).ok_or_else(|| {
                Failure::misuse(
                    "ERR_CONTRACT_CALL",
                    &format!("call {call} does not exist, was already answered, or timed out"),
                )
            })?;
            answer.send(result);
            Ok(())
        })
    }
}
