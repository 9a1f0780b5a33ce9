//! Callbacks of the caller: provider states, request filters, messages, hooks, and progress.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use contract_model::{Headers, Object, Query, Text};

use crate::{InteractionInfo, InteractionReport, RequestContext};

pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Error of a callback.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct CallbackError {
    pub message: String,
    /// Identifies the caller's original error. This crate only passes it on.
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
    /// Before the request.
    Setup,
    /// After the comparison.
    Teardown,
}

impl StateAction {
    /// `setup` or `teardown`, as in state change requests.
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
    /// Name of the state. Empty for an interaction without states.
    pub state: Text,
    pub action: StateAction,
    pub parameters: Object,
    pub interaction: Arc<InteractionInfo>,
}

/// Sets up and tears down provider states.
pub trait StateHandler: Send + Sync {
    /// Changes the state. The returned values are available to generators and request filters.
    fn change(&self, change: StateChange) -> BoxFuture<'_, Result<Object, CallbackError>>;

    /// Returns true if a handler for this state exists. `None` if all states are accepted.
    fn knows(&self, state: &str) -> Option<bool> {
        let _ = state;
        None
    }

    /// Returns the names of the states with a handler, for suggestions.
    fn known_names(&self) -> Vec<String> {
        Vec::new()
    }

    /// Returns whether this state is torn down. `None` uses [`States::teardown`](crate::States::teardown).
    fn tears_down(&self, state: &str) -> Option<bool> {
        let _ = state;
        None
    }

    /// Returns whether the handler is also called for interactions without states, with an empty name.
    fn takes_empty_state(&self) -> bool {
        false
    }
}

/// A request that a filter can change before it is sent.
#[derive(Clone, Debug, PartialEq)]
pub struct OutgoingRequest {
    /// In upper case.
    pub method: Text,
    /// Without the path prefix of the transport.
    pub path: String,
    /// Decoded.
    pub query: Query,
    /// Names are case-insensitive. Content-Length is added when the request is sent.
    pub headers: Headers,
    pub body: Bytes,
}

/// Changes requests before they are sent, for example to add signatures or tokens.
pub trait RequestFilter: Send + Sync {
    fn filter(
        &self,
        request: OutgoingRequest,
        context: RequestContext,
    ) -> BoxFuture<'_, Result<OutgoingRequest, CallbackError>>;
}

/// Computes the value of a custom header for each request.
pub trait HeaderSource: Send + Sync {
    fn value(&self) -> BoxFuture<'_, Result<String, CallbackError>>;
}

/// A message that the provider must produce.
#[derive(Clone, Debug)]
pub struct MessageRequest {
    /// Its description identifies the message.
    pub interaction: Arc<InteractionInfo>,
    /// The message that the consumer sends, in a synchronous exchange.
    pub request: Option<ProducedMessage>,
    /// The expected metadata.
    pub metadata: Object,
    /// Number of expected responses in a synchronous exchange; 1 for an asynchronous message.
    pub answers: usize,
    /// Values returned by the state handlers.
    pub state_values: Object,
}

/// A message produced by the provider, or sent by the consumer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProducedMessage {
    pub contents: Bytes,
    pub content_type: Option<String>,
    pub metadata: Object,
}

/// Produces messages in process.
pub trait MessageSource: Send + Sync {
    /// Produces the message, or the responses of a synchronous exchange in order.
    fn produce(&self, request: MessageRequest) -> BoxFuture<'_, Result<Vec<ProducedMessage>, CallbackError>>;

    /// Returns true if a handler for this description exists. `None` if all descriptions are accepted.
    fn knows(&self, description: &str) -> Option<bool> {
        let _ = description;
        None
    }

    /// Returns the descriptions with a handler, for suggestions.
    fn known_names(&self) -> Vec<String> {
        Vec::new()
    }

    /// Returns the timeout for producing a message. `None` uses
    /// [`Options::callback_timeout`](crate::Options::callback_timeout).
    fn timeout(&self) -> Option<Duration> {
        None
    }
}

/// Called before and after each interaction.
pub trait Hooks: Send + Sync {
    /// Called before the states are set up. An error fails the interaction.
    fn before(&self, interaction: Arc<InteractionInfo>) -> BoxFuture<'_, Result<(), CallbackError>> {
        let _ = interaction;
        Box::pin(async { Ok(()) })
    }

    /// Called after the states are torn down. An error fails the interaction.
    fn after<'a>(
        &'a self,
        interaction: Arc<InteractionInfo>,
        result: &'a InteractionReport,
    ) -> BoxFuture<'a, Result<(), CallbackError>> {
        let _ = (interaction, result);
        Box::pin(async { Ok(()) })
    }
}

/// Receives progress events. Called between interactions; must not block.
pub trait Progress: Send + Sync {
    /// Called before an interaction is verified.
    fn started(&self, interaction: &InteractionInfo) {
        let _ = interaction;
    }

    /// Called after an interaction was verified; `done` of `total` so far.
    fn finished(&self, interaction: &InteractionInfo, result: &InteractionReport, done: usize, total: usize) {
        let _ = (interaction, result, done, total);
    }
}
