//! Kinds and parts of interactions.

use serde::Deserialize;

/// Kinds of interactions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
pub enum Kind {
    /// A request and its response.
    #[serde(rename = "HTTP")]
    Http,
    /// An asynchronous message from the provider.
    Async,
    /// A synchronous message with its responses.
    Sync,
}

/// The parts of an interaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// The request. For an asynchronous message, the message.
    Request,
    /// The response of the provider.
    Response,
}
