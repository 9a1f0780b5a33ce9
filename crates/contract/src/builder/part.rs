//! The kinds of interactions, and their parts.

use serde::Deserialize;

/// The kinds of interactions that can be defined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
pub enum Kind {
    /// A request and its response.
    #[serde(rename = "HTTP")]
    Http,
    /// A message from the provider.
    Async,
    /// A message and its answers.
    Sync,
}

/// The parts of an interaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// What the consumer sends; of an asynchronous message, the message.
    Request,
    /// What the provider answers.
    Response,
}
