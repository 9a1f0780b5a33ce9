//! The interface through which the core calls user functions in a binding's language.

use std::future::Future;

use contract_model::Json;
use contract_verifier::{BoxFuture, CallbackError};
use tokio::sync::oneshot;

use contract_call::value::UserFunction;

/// Calls user functions. A binding implements it. Results may contain values that JSON cannot represent.
pub trait Callbacks: Send + Sync + 'static {
    /// Calls a function and waits for its result. `role` determines the form of `arguments`, as described at [`Role`].
    fn call(
        &self,
        function: UserFunction,
        role: Role,
        arguments: Vec<Json>,
    ) -> BoxFuture<'_, Result<Json, CallbackError>>;
}

/// The purpose of a function call. It determines the arguments and the result. Bindings use it to convert the
/// arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A provider state handler. It receives the state's name, the action (`setup` or `teardown`), and the parameters,
    /// or only some of these. It may return an object of state values.
    State,
    /// A function for a header value. It receives no arguments and returns the value as a string.
    Header,
    /// A message handler. It receives `{ description, kind, providerStates, request, metadata, answers, stateValues }`,
    /// and returns a message.
    Message,
    /// A request filter. It receives the request `{ method, path, query, headers, body }` and the context `{
    /// interaction, stateValues }`, and returns the request to send.
    RequestFilter,
    /// A hook that is called before each interaction. It receives `{ interaction }`.
    Before,
    /// A hook that is called after each interaction. It receives `{ interaction }` and the interaction's result.
    After,
}

impl Role {
    /// Returns the role as bindings receive it, such as `state` or `requestFilter`.
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

/// The callbacks for runs without user functions. Every call fails.
pub(crate) struct NoCallbacks;

impl Callbacks for NoCallbacks {
    fn call(&self, _: UserFunction, _: Role, _: Vec<Json>) -> BoxFuture<'_, Result<Json, CallbackError>> {
        Box::pin(async { Err(CallbackError::new("this run does not support user functions")) })
    }
}

/// Sends the result of a function call to the future that [`answer`] returned.
#[derive(Debug)]
pub struct Answer(oneshot::Sender<Result<Json, CallbackError>>);

impl Answer {
    /// Sends the result. Has no effect if the future was dropped.
    pub fn send(self, answer: Result<Json, CallbackError>) {
        drop(self.0.send(answer));
    }

    /// Returns true if the future that waits for the result still exists.
    pub fn is_awaited(&self) -> bool {
        !self.0.is_closed()
    }
}

/// Returns a sender for the result of a function call, and a future that waits for this result.
pub fn answer() -> (Answer, impl Future<Output = Result<Json, CallbackError>> + Send) {
    let (sender, receiver) = oneshot::channel();
    let wait = async {
        receiver
            .await
            .unwrap_or_else(|_| Err(CallbackError::new("the call ended without a result of the function")))
    };
    (Answer(sender), wait)
}
