use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use contract::{BoxFuture, CallbackError, Callbacks, Json, Role};
use napi::bindgen_prelude::Function;
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};
use napi::{Result, Status};
use napi_derive::napi;

/// A call to a JavaScript function. [`NativeFunctions::settle`] returns its result.
#[napi(object)]
pub struct NativeCall {
    /// ID of the call. Pass it to `settle`.
    pub id: u32,
    /// ID of the function, which the caller assigned when it passed the function to an operation.
    pub function: u32,
    /// What the function is called for: `state`, `header`, `message`, `requestFilter`, `before`, or `after`.
    pub role: String,
    /// The arguments as a JSON array.
    pub arguments: String,
}

/// A weak reference, which does not keep the process alive. While a call is pending, its promise keeps the process
/// alive.
type Dispatch = ThreadsafeFunction<NativeCall, (), NativeCall, Status, false, true>;

/// The user's functions. The core calls them by ID.
#[napi]
#[derive(Default)]
pub struct NativeFunctions(pub(crate) Arc<Calls>);

#[derive(Default)]
pub(crate) struct Calls {
    /// `None` while no calls are possible. A function that remained here would appear as an open handle in Jest.
    dispatch: Mutex<Option<Arc<Dispatch>>>,
    waiting: Mutex<Waiting>,
}

#[derive(Default)]
struct Waiting {
    last: u32,
    answers: HashMap<u32, contract::Answer>,
}

#[napi]
impl NativeFunctions {
    #[napi(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Calls `dispatch` on the event loop for each call from the core to a JavaScript function, until `close` is
    /// called.
    #[napi(catch_unwind)]
    pub fn open(&self, dispatch: Function<'_, NativeCall, ()>) -> Result<()> {
        let dispatch = dispatch.build_threadsafe_function().weak::<true>().build()?;
        *locked(&self.0.dispatch) = Some(Arc::new(dispatch));
        Ok(())
    }

    /// Stops the calls to JavaScript functions that `open` started.
    #[napi(catch_unwind)]
    pub fn close(&self) {
        let dispatch = locked(&self.0.dispatch).take();
        drop(dispatch);
    }

    /// Passes the result of the call `id` to the core. `value` is the returned value as JSON text. If the function
    /// threw, `error` is the message of its error.
    #[napi(catch_unwind)]
    pub fn settle(&self, id: u32, value: Option<String>, error: Option<String>) {
        let Some(answer) = locked(&self.0.waiting).answers.remove(&id) else {
            return;
        };
        let token = u64::from(id);
        answer.send(match error {
            Some(message) => Err(CallbackError::new(message).with_token(token)),
            None => contract::parse_json(value.as_deref().unwrap_or("null"))
                .map_err(|error| CallbackError::new(error.to_string()).with_token(token)),
        });
    }
}

fn locked<T>(place: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    place.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Callbacks for Calls {
    fn call(
        &self,
        function: contract::UserFunction,
        role: Role,
        arguments: Vec<Json>,
    ) -> BoxFuture<'_, std::result::Result<Json, CallbackError>> {
        let (answer, future) = contract::answer();
        let id = {
            let mut waiting = locked(&self.waiting);
            waiting.last = waiting.last.wrapping_add(1);
            let id = waiting.last;
            waiting.answers.insert(id, answer);
            id
        };
        let call = NativeCall {
            id,
            function: function.0,
            role: role.name().to_owned(),
            arguments: Json::from(arguments).to_text(),
        };
        let dispatch = locked(&self.dispatch).clone();
        let status = dispatch.map(|dispatch| dispatch.call(call, ThreadsafeFunctionCallMode::NonBlocking));
        Box::pin(async move {
            if status != Some(Status::Ok) {
                return Err(CallbackError::new("the JavaScript environment has ended"));
            }
            future.await
        })
    }
}
