//! The exchanges from which contracts are inferred, and the result of the inference.

use std::collections::BTreeSet;

use bytes::Bytes;
use contract_model::{Contract, Headers, Query, Text};
use serde::Serialize;

/// A request and its response, with decompressed bodies.
#[derive(Clone, Debug, Default)]
pub struct Exchange {
    pub method: Text,
    /// The path as it was sent, without the query.
    pub path: Text,
    pub query: Query,
    pub request_headers: Headers,
    pub request_body: Bytes,
    /// The status of the response, or 0 if there was no response.
    pub status: u16,
    pub response_headers: Headers,
    pub response_body: Bytes,
    /// Why one of the bodies is not available, or `None` if both are available.
    pub problem: Option<String>,
    /// The name of the test that sent the request, or `None` if it is unknown.
    pub test: Option<Text>,
}

/// An exchange and the complete URL of its request. [`select`](fn@crate::select) sets the path and the query of the
/// exchange from the URL.
#[derive(Clone, Debug, Default)]
pub struct Captured {
    pub url: String,
    pub exchange: Exchange,
}

#[derive(Clone, Debug)]
pub struct Options {
    pub consumer: Text,
    pub provider: Text,
    /// Names of headers to leave out, in addition to [`OMITTED_HEADERS`](crate::OMITTED_HEADERS).
    pub omit_headers: Vec<String>,
    /// Maximum size of a body in bytes. An exchange with a larger request body is skipped, and a larger response body
    /// is left out. Default: 1 MiB.
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

/// The inferred contract, and what users should review.
#[derive(Clone, Debug)]
pub struct Recording {
    pub contract: Contract,
    /// The inferred rules, grouped by interaction.
    pub guesses: Vec<Guess>,
    /// The exchanges that did not become interactions.
    pub skipped: Vec<Skipped>,
    /// Names of the headers, query parameters, and members whose values were left out or replaced.
    pub omitted: BTreeSet<String>,
    /// Number of exchanges that were merged into the interaction of an earlier, similar exchange.
    pub merged: usize,
    /// The requests that received responses with different statuses, so that their interactions need provider states.
    pub ambiguous: Vec<String>,
}

/// A rule that was inferred from the recorded values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Guess {
    pub interaction: String,
    /// The location of the value, such as `response body $.id`.
    pub place: String,
    /// A description of the values that the rule accepts, or of why the value was left out.
    pub rule: String,
}

/// An exchange that did not become an interaction, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Skipped {
    /// The method and the path of the request, such as `GET /orders`.
    pub request: String,
    pub reason: String,
}
