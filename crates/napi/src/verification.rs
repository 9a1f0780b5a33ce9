use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use contract::{BoxFuture, CallbackError, Callbacks, Gathered, Json, Session, VerifyError, VerifyOptions};
use napi::bindgen_prelude::{Function, Null, Object};
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};
use napi::{Either, Env, Result, Status};
use napi_derive::napi;

use crate::convert::either;
use crate::failure::Failure;
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
#[derive(Default)]
pub struct NativeVerification {
    calls: Arc<Calls>,
    gathered: Arc<Mutex<Option<Arc<Gathered>>>>,
    session: Arc<Mutex<Option<Arc<Session>>>>,
}

#[derive(Default)]
struct Calls {
    /// There while calls may come: a function that nobody needs any more would look like a handle left open.
    dispatch: Mutex<Option<Arc<Dispatch>>>,
    waiting: Mutex<Waiting>,
}

#[derive(Default)]
struct Waiting {
    last: u32,
    answers: HashMap<u32, contract::Answer>,
}

#[napi]
impl NativeVerification {
    #[napi(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// From now on `dispatch` is called on the event loop for each call into JavaScript.
    #[napi(catch_unwind)]
    pub fn open(&self, dispatch: Function<'_, NativeCall, ()>) -> Result<()> {
        let dispatch = dispatch.build_threadsafe_function().weak::<true>().build()?;
        put(&self.calls.dispatch, dispatch);
        Ok(())
    }

    /// There are no calls any more, and no requests.
    #[napi(catch_unwind)]
    pub fn close(&self) {
        if let Some(session) = get(&self.session) {
            session.close();
        }
        drop(
            self.calls
                .dispatch
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .take(),
        );
    }

    /// Reads the sources, for `run`, `interactions` and `start`; options are JSON text.
    #[napi(catch_unwind, ts_return_type = "Promise<Failure | null>")]
    pub fn gather<'env>(&self, env: &'env Env, options: String) -> Result<Object<'env>> {
        let place = Arc::clone(&self.gathered);
        promise(env, async move {
            let gathered = contract::gather(&VerifyOptions::from_text(&options)?).await?;
            put(&place, gathered);
            Ok::<_, VerifyError>(Null)
        })
    }

    /// Runs; options are JSON text. Resolves with the JSON text of `{ report, text, log }`.
    #[napi(catch_unwind, ts_return_type = "Promise<string | Failure>")]
    pub fn run<'env>(&self, env: &'env Env, options: String) -> Result<Object<'env>> {
        let calls = Arc::clone(&self.calls);
        let gathered = get(&self.gathered);
        promise(env, async move {
            let options = VerifyOptions::from_text(&options)?;
            match gathered {
                Some(gathered) => contract::verify_gathered(options, &gathered, calls).await,
                None => contract::verify(options, calls).await,
            }
        })
    }

    /// The interactions to verify, as JSON text of a list. Reads sources on this thread unless `gather` has.
    #[napi(catch_unwind)]
    pub fn interactions(&self, options: String) -> Either<String, Failure> {
        either(self.listed(&options))
    }

    /// Gets ready to verify the interactions one by one.
    #[napi(catch_unwind)]
    pub fn start(&self, options: String) -> Option<Failure> {
        self.started(&options).err().map(Failure::from)
    }

    /// Verifies one interaction; resolves with the JSON text of `{ report, text, log }` about it alone.
    #[napi(catch_unwind, ts_return_type = "Promise<string | Failure>")]
    pub fn verify_one<'env>(&self, env: &'env Env, index: u32) -> Result<Object<'env>> {
        let session = get(&self.session);
        promise(env, async move {
            match session {
                Some(session) => session.verify_one(index as usize).await.map_err(Failure::from),
                None => Err(Failure::internal(&"verifyOne before start")),
            }
        })
    }

    /// The JSON text of `{ report, text, log }` about all that was verified one by one; nothing before `start`.
    #[napi(catch_unwind)]
    pub fn report(&self) -> Option<String> {
        get(&self.session).map(|session| session.report())
    }

    /// Answers a call: with a value as JSON text, or with the text of an error.
    #[napi(catch_unwind)]
    pub fn settle(&self, id: u32, value: Option<String>, error: Option<String>) {
        let answer = self
            .calls
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

impl NativeVerification {
    fn listed(&self, options: &str) -> std::result::Result<String, VerifyError> {
        let options = VerifyOptions::from_text(options)?;
        let gathered = match get(&self.gathered) {
            Some(gathered) => gathered,
            None => put(&self.gathered, contract::gather_here(&options)?),
        };
        gathered.interactions(&options)
    }

    fn started(&self, options: &str) -> std::result::Result<(), VerifyError> {
        let options = VerifyOptions::from_text(options)?;
        let gathered = match get(&self.gathered) {
            Some(gathered) => gathered,
            None => put(&self.gathered, contract::gather_here(&options)?),
        };
        let calls: Arc<dyn Callbacks> = Arc::clone(&self.calls) as _;
        put(&self.session, Session::new(&options, gathered, &calls)?);
        Ok(())
    }
}

/// Checks options that need not be complete; what is wrong is told by the call that says it.
#[napi(catch_unwind)]
pub fn check_verification(options: String) -> Option<Failure> {
    VerifyOptions::from_text(&options)
        .map_err(VerifyError::from)
        .and_then(|options| options.check())
        .err()
        .map(Failure::from)
}

/// The environment variables that a verification wants to know.
#[napi(catch_unwind)]
pub fn verification_variables() -> Vec<&'static str> {
    contract::VARIABLES.to_vec()
}

fn get<T>(place: &Mutex<Option<Arc<T>>>) -> Option<Arc<T>> {
    place.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

fn put<T>(place: &Mutex<Option<Arc<T>>>, value: T) -> Arc<T> {
    let value = Arc::new(value);
    *place.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&value));
    value
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
        let status = get(&self.dispatch).map(|dispatch| dispatch.call(call, ThreadsafeFunctionCallMode::NonBlocking));
        Box::pin(async move {
            if status != Some(Status::Ok) {
                return Err(CallbackError::new("the JavaScript environment has ended"));
            }
            answered.await
        })
    }
}
