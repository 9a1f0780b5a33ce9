//! Kinds and parts of interactions.

use serde::Deserialize;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
pub enum Kind {
    /// An HTTP request and its response.
    #[serde(rename = "HTTP")]
    Http,
    /// A message that the provider sends to the consumer, without a response.
    Async,
    /// A message that the consumer sends to the provider, with the provider's responses.
    Sync,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// The request. For an asynchronous message, the message itself.
    Request,
    /// The response of the provider.
    Response,
}
