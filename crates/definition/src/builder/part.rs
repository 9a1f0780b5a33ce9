//! Kinds and parts of interactions.

use serde::Deserialize;

/// A kind of interaction.
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

/// A part of an interaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// The request, or the message of an asynchronous message interaction.
    Request,
    /// The response of the provider.
    Response,
}
