//! Calls into the user's code: states, messages, filters, headers and hooks.

use std::collections::HashMap;
use std::ffi::{c_char, c_void};
use std::sync::mpsc::Sender;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use contract::{Answer, BoxFuture, CallbackError, Callbacks, Json, Object, Role, UserFunction};

use crate::edge::{Failure, guarded, optional};
use crate::events::Event;
use crate::{contract_status, contract_text};

/// Called for each function that was named to a verifier by `{"contract:value": "function", "id": function}`: `role` says what for
/// (`state`, `message`, `requestFilter`, `header`, `before`, `after`), `arguments` is a JSON list; both are borrowed for the call.
/// It answers with contract_answer, in the call or later, on any thread. It is called on a thread of the library's, several calls
/// may be under way, no lock is held, and it may call every function of the library. It must not let a C++ exception or a longjmp
/// out. One that does not answer fails its interaction after the time of `set_callback_timeout` (default: 30 s).
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

/// The user's function and pointer.
#[derive(Clone, Copy)]
pub(crate) struct User {
    pub(crate) callback: unsafe extern "C" fn(*mut c_void, u64, u32, *const c_char, usize, *const c_char, usize),
    pub(crate) pointer: *mut c_void,
}

// SAFETY: the header says that the function is called on threads of the library's with this pointer.
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

/// Calls the user's function, if there is one, or hands the call to whoever polls.
#[derive(Default)]
pub(crate) struct Calls {
    pub(crate) user: Mutex<Option<User>>,
    events: Mutex<Option<Sender<Event>>>,
}

impl Calls {
    /// Sets who gets calls as events; without, the user's function is called.
    pub(crate) fn send_to(&self, events: Option<Sender<Event>>) {
        *self.events.lock().unwrap_or_else(PoisonError::into_inner) = events;
    }
}

/// Notes that an answer is awaited; returns the number of the call.
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
            let (answer, answered) = contract::answer();
            let call = keep(answer);
            let is_sent = polling.send(event(call, function, role, arguments)).is_ok();
            return Box::pin(async move {
                let _forgotten = Forgotten(call);
                if !is_sent {
                    return Err(CallbackError::new("nobody polls for the call any more"));
                }
                answered.await
            });
        }
        let user = *self.user.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(user) = user else {
            return Box::pin(async {
                Err(CallbackError::new(
                    "no callback was set: call contract_verifier_set_callback",
                ))
            });
        };
        let runtime = match contract::runtime::try_handle() {
            Ok(runtime) => runtime,
            Err(failure) => return Box::pin(async move { Err(CallbackError::new(failure.to_string())) }),
        };
        let (answer, answered) = contract::answer();
        let call = keep(answer);
        let arguments = Json::from(arguments).to_text();
        // A thread for calls that may block: one that never returns holds up no other.
        runtime.spawn_blocking(move || {
            let user = user;
            let role = role.name();
            // SAFETY: the user gave both together, and they hold until the verifier is freed.
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
            let _forgotten = Forgotten(call);
            answered.await
        })
    }
}

/// A call that nobody waits for any more, after a time-out, takes no answer.
struct Forgotten(u64);

impl Drop for Forgotten {
    fn drop(&mut self) {
        waiting().answers.remove(&self.0);
    }
}

/// Answers a call of a contract_callback or an event of contract_poll_event: with a JSON value, where null is JSON null, or with
/// `problem`, a text that says why the user's code failed; a null `problem` says that it did not. A call that was answered, that nobody waits for any more, or that never was
/// is CONTRACT_MISUSE. Failures in reports name the call by the number in `causes`.
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
            let given = match problem {
                Some(problem) => Err(CallbackError::new(problem).with_token(call)),
                None => Ok(contract::parse_json(value.unwrap_or("null"))?),
            };
            let answer = waiting().answers.remove(&call).ok_or_else(|| {
                Failure::misuse(
                    "ERR_CONTRACT_CALL",
                    &format!("nobody waits for an answer to the call {call}"),
                )
            })?;
            answer.send(given);
            Ok(())
        })
    }
}
