//! Converts the mock server's journal to the form for bindings.

use std::time::UNIX_EPOCH;

use contract_mock_server::{Received, RequestOutcome};
use contract_model::{Headers, Json, Object, Query};
use contract_report::Finding;
use serde::Serialize;

use contract_definition::ClaimedInteraction;

/// A received request and its outcome. Unlike messages and errors, it contains secrets.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct JournalEntry<'a> {
    /// Time at which the last byte was received, in milliseconds since 1970-01-01 UTC.
    at: u64,
    method: &'a str,
    /// The path without the query string.
    path: &'a str,
    /// Decoded query parameters with their values in order. A parameter without a value has the value `null`.
    query: Json,
    /// Headers with their values in order.
    headers: Json,
    /// The body as text, or as base64 for binary content. Long bodies are truncated, and bodies of old requests are
    /// removed.
    body: Json,
    /// Size of the complete body in bytes.
    body_length: u64,
    /// The outcome: `matched`, `mismatched`, `not-found` if no interaction has this method and path, or `preflight` if
    /// the server responded to a CORS preflight request.
    outcome: &'static str,
    /// The description of the interaction that provided the response, or of the closest interaction. `null` if there is
    /// neither.
    interaction: Option<&'a str>,
    mismatches: &'a [Finding],
    /// JSON pointers to body fields that the contract does not define.
    unexpected_fields: &'a [String],
}

impl<'a> JournalEntry<'a> {
    pub(crate) fn new(received: &'a Received, served: &'a [ClaimedInteraction]) -> Self {
        let (outcome, interaction, mismatches): (_, _, &[Finding]) = match &received.outcome {
            RequestOutcome::Matched { interaction: index } => ("matched", Some(*index), &[]),
            RequestOutcome::Mismatched { closest, mismatches } => ("mismatched", Some(*closest), mismatches),
            RequestOutcome::NotFound { closest, .. } => ("not-found", *closest, &[]),
            RequestOutcome::Preflight => ("preflight", None, &[]),
            _ => ("unknown", None, &[]),
        };
        let at = received.at.duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
        Self {
            at: u64::try_from(at).unwrap_or(u64::MAX),
            method: &received.method,
            path: &received.path,
            query: query(&received.query),
            headers: headers(&received.headers),
            body: contract_call::binary::to_json(&received.body),
            body_length: received.body_length,
            outcome,
            interaction: interaction
                .and_then(|index| served.get(index))
                .map(|taken| taken.interaction.description.as_str()),
            mismatches,
            unexpected_fields: &received.unexpected_fields,
        }
    }
}

/// Returns arrays of values by parameter name. A parameter without a value has the value `null`.
pub(crate) fn query(query: &Query) -> Json {
    let mut members = Object::new();
    for name in query.names() {
        let values = query
            .values(name)
            .map(|value| value.cloned().map_or(Json::Null, Json::String));
        members.insert(name.as_str(), values.collect::<Vec<_>>());
    }
    members.into()
}

/// Returns arrays of values by header name.
pub(crate) fn headers(headers: &Headers) -> Json {
    let members: Object = headers
        .iter()
        .map(|(name, values)| {
            (
                name.as_str(),
                values.iter().cloned().map(Json::String).collect::<Vec<_>>(),
            )
        })
        .collect();
    members.into()
}
