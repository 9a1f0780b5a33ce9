//! What a verification asks of the user's own code, whatever language that is written in.

use std::future::Future;

use contract_model::Json;
use contract_verifier::{BoxFuture, CallbackError};
use tokio::sync::oneshot;

use contract_call::value::UserFunction;

/// Calls the user's functions. What they take is said where they are made; answers may hold what JSON has no form for.
pub trait Callbacks: Send + Sync + 'static {
    /// Calls a function and waits for its answer.
    fn call(
        &self,
        function: UserFunction,
        role: Role,
        arguments: Vec<Json>,
    ) -> BoxFuture<'_, Result<Json, CallbackError>>;
}

/// What a function is called for, so that bindings can give arguments the shape that their users expect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// State, action and parameters, or some of them. The answer may be an object of values.
    State,
    /// Nothing. The answer is the value of a header.
    Header,
    /// A question: `{ description, kind, providerStates, request, metadata, answers, stateValues }`. The answer is a message.
    Message,
    /// A request `{ method, path, query, headers, body }` and its context `{ interaction, stateValues }`. The answer is a
    /// request.
    RequestFilter,
    /// `{ interaction }`.
    Before,
    /// `{ interaction }` and what became of it.
    After,
}

impl Role {
    /// Its name, in camelCase.
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

/// Stands in where nobody is called.
pub(crate) struct Nobody;

impl Callbacks for Nobody {
    fn call(&self, _: UserFunction, _: Role, _: Vec<Json>) -> BoxFuture<'_, Result<Json, CallbackError>> {
        Box::pin(async { Err(CallbackError::new("nobody is there to answer")) })
    }
}

/// Gives the answer to a call.
#[derive(Debug)]
pub struct Answer(oneshot::Sender<Result<Json, CallbackError>>);

impl Answer {
    /// Answers. Nobody may be waiting any more, after a time-out; then the answer is dropped.
    pub fn send(self, answer: Result<Json, CallbackError>) {
        drop(self.0.send(answer));
    }

    /// Whether anybody waits for it still.
    pub fn is_awaited(&self) -> bool {
        !self.0.is_closed()
    }
}

/// A call's answer, to be given and to be awaited.
pub fn answer() -> (Answer, impl Future<Output = Result<Json, CallbackError>> + Send) {
    let (sender, receiver) = oneshot::channel();
    let wait = async {
        receiver
            .await
            .unwrap_or_else(|_| Err(CallbackError::new("the function was dropped before it answered")))
    };
    (Answer(sender), wait)
}
