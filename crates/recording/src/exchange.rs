//! The input and output of the inference.

use std::collections::BTreeSet;

use bytes::Bytes;
use contract_model::{Contract, Headers, Query, Text};
use serde::Serialize;

/// A request and its response. The bodies are decompressed.
#[derive(Clone, Debug, Default)]
pub struct Exchange {
    pub method: Text,
    /// The path as sent, without the query.
    pub path: Text,
    pub query: Query,
    pub request_headers: Headers,
    pub request_body: Bytes,
    /// 0 if there was no response.
    pub status: u16,
    pub response_headers: Headers,
    pub response_body: Bytes,
    /// The reason why a body is not available, or `None` if both bodies are.
    pub problem: Option<String>,
    /// The name of the test that sent the request.
    pub test: Option<Text>,
}

/// A request with its complete URL and its response. The path and the query of the exchange follow from the URL.
#[derive(Clone, Debug, Default)]
pub struct Captured {
    pub url: String,
    pub exchange: Exchange,
}

#[derive(Clone, Debug)]
pub struct Options {
    pub consumer: Text,
    pub provider: Text,
    /// Names of additional headers to leave out.
    pub omit_headers: Vec<String>,
    /// Maximum size of a body in bytes. Exchanges with a larger request body are skipped. Larger response bodies are
    /// left out.
    pub body_limit: usize,
}

impl Options {
    pub fn new(consumer: impl Into<Text>, provider: impl Into<Text>) -> Self {
        Self {
            consumer: consumer.into(),
            provider: provider.into(),
            omit_headers: Vec::new(),
            body_limit: 1 << 20,
        }
    }
}

/// The contract, and everything that users should review.
#[derive(Clone, Debug)]
pub struct Recording {
    pub contract: Contract,
    /// The inferred rules, in the order of the interactions.
    pub guesses: Vec<Guess>,
    /// Exchanges that are not part of the contract.
    pub skipped: Vec<Skipped>,
    /// Names of headers, parameters, and members whose values are not part of the contract.
    pub omitted: BTreeSet<String>,
    /// Number of exchanges that were merged with similar exchanges into one interaction.
    pub merged: usize,
    /// Requests with several responses, which require provider states.
    pub ambiguous: Vec<String>,
}

/// A rule that was inferred from the recorded values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Guess {
    /// The description of the interaction.
    pub interaction: String,
    /// The location of the value, such as `response body $.id`.
    pub place: String,
    /// The values that the rule accepts, or the part that was omitted.
    pub rule: String,
}

/// A request that is not part of the contract.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Skipped {
    /// The method and the path of the request.
    pub request: String,
    /// The reason why it is not part of the contract.
    pub reason: String,
}
