//! Calls user functions through a binding.

use std::future::Future;

use contract_model::Json;
use contract_verifier::{BoxFuture, CallbackError};
use tokio::sync::oneshot;

use contract_call::value::UserFunction;

/// Calls user functions. The [`Role`] determines the arguments. Results may contain values that JSON cannot represent.
pub trait Callbacks: Send + Sync + 'static {
    /// Calls a function and waits for its result.
    fn call(
        &self,
        function: UserFunction,
        role: Role,
        arguments: Vec<Json>,
    ) -> BoxFuture<'_, Result<Json, CallbackError>>;
}

/// The purpose of a call. Bindings use it to convert the arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The function receives state, action, and parameters, or some of these. It may return an object of values.
    State,
    /// The function receives no arguments. It returns the value of a header.
    Header,
    /// The function receives `{ description, kind, providerStates, request, metadata, answers, stateValues }`. It
    /// returns a message.
    Message,
    /// The function receives a request `{ method, path, query, headers, body }` and its context `{ interaction,
    /// stateValues }`. It returns the request to send.
    RequestFilter,
    /// The function receives `{ interaction }`.
    Before,
    /// The function receives `{ interaction }` and the result of the interaction.
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

/// The callbacks of a run that has no user functions.
pub(crate) struct NoCallbacks;

impl Callbacks for NoCallbacks {
    fn call(&self, _: UserFunction, _: Role, _: Vec<Json>) -> BoxFuture<'_, Result<Json, CallbackError>> {
        Box::pin(async { Err(CallbackError::new("this run does not support user functions")) })
    }
}

/// Sends the result of a call to the code that waits for it.
#[derive(Debug)]
pub struct Answer(oneshot::Sender<Result<Json, CallbackError>>);

impl Answer {
    /// Sends the result. It is discarded if the caller no longer waits for it.
    pub fn send(self, answer: Result<Json, CallbackError>) {
        drop(self.0.send(answer));
    }

    /// Returns true if the caller is still waiting for the result.
    pub fn is_awaited(&self) -> bool {
        !self.0.is_closed()
    }
}

/// Returns a sender for the result of a call and a future that receives the result.
pub fn answer() -> (Answer, impl Future<Output = Result<Json, CallbackError>> + Send) {
    let (sender, receiver) = oneshot::channel();
    let wait = async {
        receiver
            .await
            .unwrap_or_else(|_| Err(CallbackError::new("the function was dropped before it returned")))
    };
    (Answer(sender), wait)
}
