//! Creates the response to a rejected request, which explains why no interaction matched.

use bytes::Bytes;
use contract_report::{Finding, InteractionRef, RequestView};
use http_body_util::Full;
use hyper::StatusCode;
use hyper::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use serde::Serialize;

use crate::expectations::{Expectation, Expectations};
use crate::explain::Near;
use crate::handler::Reply;
use crate::journal::Failure;

/// Maximum number of interactions to list in a response.
const LISTED: usize = 20;

/// Response headers with the value `Request-Mismatch` or `Unexpected-Request`. Clients of other Pact mock servers read
/// the second one.
const NAMES: [HeaderName; 2] = [HeaderName::from_static("x-contract"), HeaderName::from_static("x-pact")];

#[derive(Serialize)]
struct Refusal<'a> {
    error: String,
    request: &'a RequestView,
    closest: Option<Closest<'a>>,
    candidates: Vec<Candidate>,
    expected: Vec<String>,
}

#[derive(Serialize)]
struct Candidate {
    interaction: InteractionRef,
    mismatches: u64,
}

#[derive(Serialize)]
struct Closest<'a> {
    interaction: InteractionRef,
    mismatches: &'a [Finding],
    #[serde(skip_serializing_if = "Option::is_none")]
    omitted: Option<usize>,
}

pub(crate) fn reply(status: StatusCode, expectations: &Expectations, failure: &Failure) -> Reply {
    let candidates = &failure.explanation.candidates;
    let refusal = Refusal {
        error: sentence(expectations, failure),
        request: &failure.request,
        closest: failure.explanation.closest.as_ref().map(|near| Closest {
            interaction: expectations.list[near.at].reference(),
            mismatches: &near.mismatches,
            omitted: (near.omitted > 0).then_some(near.omitted),
        }),
        candidates: candidates
            .iter()
            .map(|&(at, mismatches)| Candidate {
                interaction: expectations.list[at].reference(),
                mismatches: mismatches as u64,
            })
            .collect(),
        expected: expectations.list.iter().take(LISTED).map(described).collect(),
    };
    let body = serde_json::to_vec(&refusal).unwrap_or_else(|error| format!("{{\"error\":\"{error}\"}}").into_bytes());
    let mut reply = hyper::Response::new(Full::new(Bytes::from(body)));
    *reply.status_mut() = status;
    let headers = reply.headers_mut();
    headers.insert(
        CONTENT_TYPE,
        HeaderValue::from_static("application/json; charset=utf-8"),
    );
    let kind = if failure.explanation.on_target {
        "Request-Mismatch"
    } else {
        "Unexpected-Request"
    };
    for name in NAMES {
        headers.insert(name, HeaderValue::from_static(kind));
    }
    reply
}

fn described(expectation: &Expectation) -> String {
    let request = &expectation.http().request;
    format!(
        "{} {}: {}",
        request.method, request.path, expectation.served.interaction.description
    )
}

/// Returns a complete HTTP/1.1 response as text, for connections that hyper does not serve.
pub(crate) fn raw(status: &str, error: &str) -> String {
    let body = format!("{{\"error\":\"{error}\"}}");
    format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// Describes the failure on one line.
pub(crate) fn sentence(expectations: &Expectations, failure: &Failure) -> String {
    let target = failure.request.target();
    if let Some(reason) = &failure.reason {
        return format!("{target}: {reason}");
    }
    let Some(near) = &failure.explanation.closest else {
        return format!("{target}: unexpected request. No similar interaction was found");
    };
    let expectation = &expectations.list[near.at];
    let description = &expectation.served.interaction.description;
    if failure.explanation.on_target {
        return format!("{target} does not match {description:?}: {}", differences(near));
    }
    let expected = &expectation.http().request;
    format!(
        "{target}: unexpected request. The closest interaction is {description:?} ({} {}): {}",
        expected.method,
        expected.path,
        differences(near)
    )
}

fn differences(near: &Near) -> String {
    let Some(first) = near.mismatches.first() else {
        return "no details available".into();
    };
    let first = first.line();
    match near.mismatches.len() + near.omitted - 1 {
        0 => first,
        more => format!("{first} (and {more} more)"),
    }
}
