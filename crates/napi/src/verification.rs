use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use contract::{BoxFuture, CallbackError, Callbacks, Json, VerifyOptions};
use napi::bindgen_prelude::{Function, Object};
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};
use napi::{Env, Result, Status};
use napi_derive::napi;

use crate::promise::promise;

/// A call into JavaScript: what to call, and with what. It is answered through [`NativeVerification::settle`].
#[napi(object)]
pub struct NativeCall {
    /// Names the call.
    pub id: u32,
    /// What is called: `state`, `requestFilter`, `header`, `before`, `after`, `message` or `progress`.
    pub kind: String,
    /// JSON text.
    pub payload: String,
}

/// Weak: an idle function does not keep the process alive; the promise of the verification does.
type Dispatch = ThreadsafeFunction<NativeCall, (), NativeCall, Status, false, true>;

/// A verification. It calls back into JavaScript for states, filters and the like; no proxy and no HTTP is between.
#[napi]
pub struct NativeVerification(Arc<Calls>);

struct Calls {
    dispatch: Dispatch,
    waiting: Mutex<Waiting>,
}

#[derive(Default)]
struct Waiting {
    last: u32,
    answers: HashMap<u32, contract::Answer>,
}

#[napi]
impl NativeVerification {
    /// `dispatch` is called on the event loop for each call into JavaScript.
    #[napi(constructor)]
    pub fn new(dispatch: Function<'_, NativeCall, ()>) -> Result<Self> {
        let dispatch = dispatch.build_threadsafe_function().weak::<true>().build()?;
        Ok(Self(Arc::new(Calls {
            dispatch,
            waiting: Mutex::default(),
        })))
    }

    /// Runs; options are JSON text. Resolves with the JSON text of `{ report, text }`.
    #[napi(catch_unwind, ts_return_type = "Promise<string | Failure>")]
    pub fn run<'env>(&self, env: &'env Env, options: String) -> Result<Object<'env>> {
        let calls = Arc::clone(&self.0);
        promise(env, async move {
            contract::verify(VerifyOptions::from_text(&options)?, calls).await
        })
    }

    /// Answers a call: with a value as JSON text, or with the text of an error.
    #[napi(catch_unwind)]
    pub fn settle(&self, id: u32, value: Option<String>, error: Option<String>) {
        let answer = self
            .0
            .waiting
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .answers
            .remove(&id);
        if let Some(answer) = answer {
            let token = u64::from(id);
            answer.send(match error {
                Some(message) => Err(CallbackError::new(message).with_token(token)),
                None => contract::parse_json(value.as_deref().unwrap_or("null"))
                    .map_err(|error| CallbackError::new(error.to_string()).with_token(token)),
            });
        }
    }
}

impl Callbacks for Calls {
    fn call(&self, kind: &'static str, payload: Json) -> BoxFuture<'_, std::result::Result<Json, CallbackError>> {
        let (answer, answered) = contract::answer();
        let id = {
            let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
            waiting.last = waiting.last.wrapping_add(1);
            let id = waiting.last;
            waiting.answers.insert(id, answer);
            id
        };
        let call = NativeCall {
            id,
            kind: kind.to_owned(),
            payload: payload.to_text(),
        };
        let status = self.dispatch.call(call, ThreadsafeFunctionCallMode::NonBlocking);
        Box::pin(async move {
            if status != Status::Ok {
                return Err(CallbackError::new("the JavaScript environment has ended"));
            }
            answered.await
        })
    }
}
