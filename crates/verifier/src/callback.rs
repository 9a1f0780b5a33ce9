//! Interfaces that the caller implements: state handlers, request filters, message handlers, hooks, and progress.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use contract_model::{Headers, Object, Query, Text};

use crate::{InteractionInfo, InteractionReport, RequestContext};

pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct CallbackError {
    pub message: String,
    /// Identifies the original error, so that the caller can find it again. Copied to the report. `None` if there is no
    /// such error.
    pub token: Option<u64>,
}

impl CallbackError {
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            token: None,
        }
    }

    #[must_use]
    pub fn with_token(self, token: u64) -> Self {
        Self {
            token: Some(token),
            ..self
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StateAction {
    /// Before the request is sent.
    Setup,
    /// After the response was compared.
    Teardown,
}

impl StateAction {
    /// Returns `setup` or `teardown`, as used in state change requests.
    pub fn name(self) -> &'static str {
        match self {
            Self::Setup => "setup",
            Self::Teardown => "teardown",
        }
    }
}

impl fmt::Display for StateAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A provider state to set up or tear down.
#[derive(Clone, Debug)]
pub struct StateChange {
    /// Name of the state. Empty if the interaction has no states and [`StateHandler::takes_empty_state`] returns true.
    pub state: Text,
    pub action: StateAction,
    pub parameters: Object,
    pub interaction: Arc<InteractionInfo>,
}

/// Sets up and tears down provider states.
pub trait StateHandler: Send + Sync {
    /// Changes the state. The returned values are available to generators and request filters.
    fn change(&self, change: StateChange) -> BoxFuture<'_, Result<Object, CallbackError>>;

    /// Returns whether there is a handler for the state, or `None` if all states are accepted.
    fn knows(&self, state: &str) -> Option<bool> {
        let _ = state;
        None
    }

    /// Returns the names of the states that have a handler, for suggestions in error messages.
    fn known_names(&self) -> Vec<String> {
        Vec::new()
    }

    /// Returns whether to tear down the state, or `None` to use [`States::teardown`](crate::States::teardown).
    fn tears_down(&self, state: &str) -> Option<bool> {
        let _ = state;
        None
    }

    /// If true, the handler is also called for interactions without states, with an empty state name.
    fn takes_empty_state(&self) -> bool {
        false
    }
}

/// A request before it is sent. Request filters can change it.
#[derive(Clone, Debug, PartialEq)]
pub struct OutgoingRequest {
    /// The method in upper case, such as `GET`.
    pub method: Text,
    /// The path without the path of the transport's base URL.
    pub path: String,
    /// The query with decoded names and values.
    pub query: Query,
    /// The headers, except Content-Length, which is added when the request is sent.
    pub headers: Headers,
    pub body: Bytes,
}

/// Changes requests before they are sent, for example to add a token or a signature.
pub trait RequestFilter: Send + Sync {
    fn filter(
        &self,
        request: OutgoingRequest,
        context: RequestContext,
    ) -> BoxFuture<'_, Result<OutgoingRequest, CallbackError>>;
}

/// Computes the value of a custom header, separately for each request.
pub trait HeaderSource: Send + Sync {
    fn value(&self) -> BoxFuture<'_, Result<String, CallbackError>>;
}

/// A request for a message, for [`MessageSource::produce`].
#[derive(Clone, Debug)]
pub struct MessageRequest {
    /// The interaction, whose description identifies the message.
    pub interaction: Arc<InteractionInfo>,
    /// The message that the consumer sends in a synchronous interaction. `None` for asynchronous messages.
    pub request: Option<ProducedMessage>,
    /// The metadata of the first expected message.
    pub metadata: Object,
    /// Number of expected messages. Always 1 for asynchronous messages.
    pub answers: usize,
    /// Parameters of the provider states, overridden by values that state handlers returned.
    pub state_values: Object,
}

/// A message from the provider, or the consumer's message in a synchronous interaction.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProducedMessage {
    pub contents: Bytes,
    pub content_type: Option<String>,
    pub metadata: Object,
}

/// Produces the provider's messages by calling functions in this process.
pub trait MessageSource: Send + Sync {
    /// Returns the message, or all responses to a synchronous message, in order.
    fn produce(&self, request: MessageRequest) -> BoxFuture<'_, Result<Vec<ProducedMessage>, CallbackError>>;

    /// Returns whether there is a handler for the description, or `None` if all descriptions are accepted.
    fn knows(&self, description: &str) -> Option<bool> {
        let _ = description;
        None
    }

    /// Returns the descriptions that have a handler, for suggestions in error messages.
    fn known_names(&self) -> Vec<String> {
        Vec::new()
    }

    /// Returns the timeout for producing a message, or `None` to use
    /// [`Options::callback_timeout`](crate::Options::callback_timeout).
    fn timeout(&self) -> Option<Duration> {
        None
    }
}

/// Called before and after each interaction.
pub trait Hooks: Send + Sync {
    /// Called before the provider states are set up. An error fails the interaction.
    fn before(&self, interaction: Arc<InteractionInfo>) -> BoxFuture<'_, Result<(), CallbackError>> {
        let _ = interaction;
        Box::pin(async { Ok(()) })
    }

    /// Called after the provider states are torn down. An error fails the interaction.
    fn after<'a>(
        &'a self,
        interaction: Arc<InteractionInfo>,
        result: &'a InteractionReport,
    ) -> BoxFuture<'a, Result<(), CallbackError>> {
        let _ = (interaction, result);
        Box::pin(async { Ok(()) })
    }
}

/// Receives progress events. The functions must not block, because they delay the verification.
pub trait Progress: Send + Sync {
    /// Called before an interaction is verified.
    fn started(&self, interaction: &InteractionInfo) {
        let _ = interaction;
    }

    /// Called after an interaction was verified. `done` is the number of interactions verified so far, out of `total`.
    fn finished(&self, interaction: &InteractionInfo, result: &InteractionReport, done: usize, total: usize) {
        let _ = (interaction, result, done, total);
    }
}
