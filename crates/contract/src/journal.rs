//! Converts received requests to the form for bindings.

use std::time::UNIX_EPOCH;

use contract_mock_server::{Received, RequestOutcome};
use contract_model::{Headers, Json, Object, Query};
use contract_report::Finding;
use serde::Serialize;

use contract_definition::ClaimedInteraction;

/// A request that a mock server received, and its outcome. Secrets are not redacted, unlike in messages and errors.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct JournalEntry<'a> {
    /// Time at which the last byte was received, in milliseconds since 1970-01-01 UTC.
    at: u64,
    method: &'a str,
    /// The path without the query string.
    path: &'a str,
    /// Decoded query parameters as an object of arrays. The values of a parameter are in the order of the request. A
    /// parameter without `=` has the value `null`.
    query: Json,
    /// Headers as an object of arrays. The values of a header are in the order of the request.
    headers: Json,
    /// The body: a string if it is UTF-8 text, otherwise `{ base64 }`. Long bodies are truncated, and the bodies of old
    /// requests are removed.
    body: Json,
    /// Size of the received body in bytes, before truncation.
    body_length: u64,
    /// The outcome: `matched`, `mismatched` if an interaction has this method and path but differs, `not-found` if no
    /// interaction has this method and path, or `preflight` if the server responded to a CORS preflight request.
    outcome: &'static str,
    /// Description of the interaction that matched, or else of the closest interaction. `null` if there is neither.
    interaction: Option<&'a str>,
    mismatches: &'a [Finding],
    /// JSON pointers to fields of the body that the contract does not define, such as `/customer/name`.
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
                .map(|candidate| candidate.interaction.description.as_str()),
            mismatches,
            unexpected_fields: &received.unexpected_fields,
        }
    }
}

/// Returns an object with an array of values for each parameter. A parameter without `=` has the value `null`.
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

/// Returns an object with an array of values for each header.
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
