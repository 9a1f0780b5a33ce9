//! Calls the user's functions through a binding.

use std::future::Future;

use contract_model::Json;
use contract_verifier::{BoxFuture, CallbackError};
use tokio::sync::oneshot;

use contract_call::value::UserFunction;

/// Calls the user's functions. Their arguments depend on the [`Role`]; results may contain values that JSON cannot
/// represent.
pub trait Callbacks: Send + Sync + 'static {
    /// Calls a function and waits for its result.
    fn call(
        &self,
        function: UserFunction,
        role: Role,
        arguments: Vec<Json>,
    ) -> BoxFuture<'_, Result<Json, CallbackError>>;
}

/// The purpose of a call, so that bindings can convert the arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Receives state, action, and parameters, or some of them. Optionally returns an object of values.
    State,
    /// Receives nothing. Returns the value of a header.
    Header,
    /// Receives `{ description, kind, providerStates, request, metadata, answers, stateValues }`. Returns a message.
    Message,
    /// Receives a request `{ method, path, query, headers, body }` and its context `{ interaction, stateValues }`.
    /// Returns a request.
    RequestFilter,
    /// Receives `{ interaction }`.
    Before,
    /// Receives `{ interaction }` and its result.
    After,
}

impl Role {
    /// Returns the name in camelCase.
    pub fn name(self) -> &'static str {
        match self {
            Self::State => "state",
            Self::Header => "header",
            Self::Message => "message",
            Self::RequestFilter => "requestFilter",
            Self::Before => "before",
            Self::After => "after",
        }
    }
}

/// The callbacks of runs without user functions.
pub(crate) struct NoCallbacks;

impl Callbacks for NoCallbacks {
    fn call(&self, _: UserFunction, _: Role, _: Vec<Json>) -> BoxFuture<'_, Result<Json, CallbackError>> {
        Box::pin(async { Err(CallbackError::new("user functions are not available here")) })
    }
}

/// Delivers the result of a call.
#[derive(Debug)]
pub struct Answer(oneshot::Sender<Result<Json, CallbackError>>);

impl Answer {
    /// Delivers the result. It is dropped if the caller has timed out.
    pub fn send(self, answer: Result<Json, CallbackError>) {
        drop(self.0.send(answer));
    }

    /// Returns whether the caller is still waiting for the result.
    pub fn is_awaited(&self) -> bool {
        !self.0.is_closed()
    }
}

/// Returns a sender for the result of a call, and a future that receives it.
pub fn answer() -> (Answer, impl Future<Output = Result<Json, CallbackError>> + Send) {
    let (sender, receiver) = oneshot::channel();
    let wait = async {
        receiver
            .await
            .unwrap_or_else(|_| Err(CallbackError::new("the function was dropped before it returned")))
    };
    (Answer(sender), wait)
}
