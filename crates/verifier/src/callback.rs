//! What the caller provides: states, request changes, messages, hooks and progress.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use contract_model::{Headers, Object, Query, Text};

use crate::{InteractionInfo, InteractionReport, RequestContext};

/// A future on the heap that can move between threads.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Why a callback failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct CallbackError {
    /// What the callback's author said.
    pub message: String,
    /// Names the caller's own error value, so that it can be found again; this crate only hands it on.
    pub token: Option<u64>,
}

impl CallbackError {
    /// An error that is nothing but text.
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            token: None,
        }
    }

    /// The same error with a name for the caller's own value.
    #[must_use]
    pub fn with_token(self, token: u64) -> Self {
        Self {
            token: Some(token),
            ..self
        }
    }
}

/// Whether a state is entered or left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StateAction {
    /// Before the request.
    Setup,
    /// After the comparison.
    Teardown,
}

impl StateAction {
    /// As it stands in calls: `setup` or `teardown`.
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

/// A state that the provider is asked to enter or leave.
#[derive(Clone, Debug)]
pub struct StateChange {
    /// The state in words; empty for an interaction without states.
    pub state: Text,
    /// Which way.
    pub action: StateAction,
    /// The state's parameters.
    pub parameters: Object,
    /// For whom.
    pub interaction: Arc<InteractionInfo>,
}

/// Brings the provider into states and out of them.
pub trait StateHandler: Send + Sync {
    /// Changes the state; the values are there for generators and request filters.
    fn change(&self, change: StateChange) -> BoxFuture<'_, Result<Object, CallbackError>>;

    /// Whether there is something to do for the state; `None` when every state is taken.
    fn knows(&self, state: &str) -> Option<bool> {
        let _ = state;
        None
    }

    /// The states that there is something to do for, to find the one that was meant.
    fn known_names(&self) -> Vec<String> {
        Vec::new()
    }

    /// Whether this state is torn down; `None` leaves it to [`States::teardown`](crate::States::teardown).
    fn tears_down(&self, state: &str) -> Option<bool> {
        let _ = state;
        None
    }

    /// Whether interactions without states are announced, under an empty name.
    fn takes_empty_state(&self) -> bool {
        false
    }
}

/// A request on its way out, for filters to change.
#[derive(Clone, Debug, PartialEq)]
pub struct OutgoingRequest {
    /// Method, in upper case.
    pub method: Text,
    /// Without the transport's path prefix, as it stands in the contract.
    pub path: String,
    /// Decoded.
    pub query: Query,
    /// Names without case. Content-Length is added when the request is sent.
    pub headers: Headers,
    /// The bytes to send.
    pub body: Bytes,
}

/// Changes requests before they are sent: signatures, tokens, identifiers.
pub trait RequestFilter: Send + Sync {
    /// Hands back the request to send.
    fn filter(
        &self,
        request: OutgoingRequest,
        context: RequestContext,
    ) -> BoxFuture<'_, Result<OutgoingRequest, CallbackError>>;
}

/// Makes the value of a custom header afresh for each request.
pub trait HeaderSource: Send + Sync {
    /// The value to send.
    fn value(&self) -> BoxFuture<'_, Result<String, CallbackError>>;
}

/// A message that a provider is asked for.
#[derive(Clone, Debug)]
pub struct MessageRequest {
    /// For whom; the description names the message.
    pub interaction: Arc<InteractionInfo>,
    /// What the consumer sends, in a synchronous exchange.
    pub request: Option<ProducedMessage>,
    /// The metadata that the consumer expects.
    pub metadata: Object,
    /// How many answers the contract expects of a synchronous exchange; 1 for an asynchronous message.
    pub answers: usize,
    /// What the state handlers returned.
    pub state_values: Object,
}

/// A message as it came from the provider, or as the consumer would send it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProducedMessage {
    /// What it holds.
    pub contents: Bytes,
    /// Its content type, when it is known.
    pub content_type: Option<String>,
    /// What travels beside it.
    pub metadata: Object,
}

/// Produces messages in process.
pub trait MessageSource: Send + Sync {
    /// Produces the message; of a synchronous exchange, the answers in order.
    fn produce(&self, request: MessageRequest) -> BoxFuture<'_, Result<Vec<ProducedMessage>, CallbackError>>;

    /// Whether a message of this description can be produced; `None` when every one is tried.
    fn knows(&self, description: &str) -> Option<bool> {
        let _ = description;
        None
    }

    /// The descriptions that can be produced, to find the one that was meant.
    fn known_names(&self) -> Vec<String> {
        Vec::new()
    }

    /// How long producing one message may take; `None` leaves it to
    /// [`Options::callback_timeout`](crate::Options::callback_timeout).
    fn timeout(&self) -> Option<Duration> {
        None
    }
}

/// Called around each interaction, states included.
pub trait Hooks: Send + Sync {
    /// Before the states are set up; an error fails the interaction.
    fn before(&self, interaction: Arc<InteractionInfo>) -> BoxFuture<'_, Result<(), CallbackError>> {
        let _ = interaction;
        Box::pin(async { Ok(()) })
    }

    /// After the states were torn down; an error fails the interaction.
    fn after<'a>(
        &'a self,
        interaction: Arc<InteractionInfo>,
        result: &'a InteractionReport,
    ) -> BoxFuture<'a, Result<(), CallbackError>> {
        let _ = (interaction, result);
        Box::pin(async { Ok(()) })
    }
}

/// Hears what is going on. Calls are made between interactions and must not block.
pub trait Progress: Send + Sync {
    /// An interaction is about to be verified.
    fn started(&self, interaction: &InteractionInfo) {
        let _ = interaction;
    }

    /// An interaction has been verified; `done` of `total` so far.
    fn finished(&self, interaction: &InteractionInfo, result: &InteractionReport, done: usize, total: usize) {
        let _ = (interaction, result, done, total);
    }
}
