//! The input and output of the inference.

use std::collections::BTreeSet;

use bytes::Bytes;
use contract_model::{Contract, Headers, Query, Text};

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
    /// Number of exchanges that were merged with others.
    pub merged: usize,
    /// Requests with several responses, which require provider states.
    pub ambiguous: Vec<String>,
}

/// An inferred rule, for review by the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guess {
    /// The description of the interaction.
    pub interaction: String,
    /// The location of the value, such as `response body $.id`.
    pub place: String,
    /// What the rule accepts, or what was left out.
    pub rule: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// The method and the path of the request.
    pub request: String,
    pub reason: String,
}
