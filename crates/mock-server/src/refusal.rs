//! The answer to a request that no interaction answers: it says why.

use bytes::Bytes;
use contract_matching::Mismatch;
use contract_report::{InteractionRef, ShownRequest, located};
use http_body_util::Full;
use hyper::StatusCode;
use hyper::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use serde::Serialize;

use crate::answer::Reply;
use crate::expectations::{Expectation, Expectations};
use crate::explain::Near;
use crate::journal::Failure;

/// Descriptions of interactions that an answer lists.
const LISTED: usize = 20;

/// Ours, and the one that clients of other mock servers look for.
const NAMES: [HeaderName; 2] = [HeaderName::from_static("x-contract"), HeaderName::from_static("x-pact")];

#[derive(Serialize)]
struct Refusal<'a> {
    error: String,
    request: &'a ShownRequest,
    closest: Option<Closest<'a>>,
    candidates: Vec<Candidate>,
    expected: Vec<String>,
}

/// One of the interactions that the request might have meant.
#[derive(Serialize)]
struct Candidate {
    interaction: InteractionRef,
    /// How many differences there are.
    mismatches: u64,
}

#[derive(Serialize)]
struct Closest<'a> {
    interaction: InteractionRef,
    mismatches: &'a [Mismatch],
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

/// An answer for a client whose request is not even read.
pub(crate) fn raw(status: &str, error: &str) -> String {
    let body = format!("{{\"error\":\"{error}\"}}");
    format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// All of it in one line.
pub(crate) fn sentence(expectations: &Expectations, failure: &Failure) -> String {
    let target = failure.request.target();
    if let Some(reason) = &failure.reason {
        return format!("{target}: {reason}");
    }
    let Some(near) = &failure.explanation.closest else {
        return format!("{target} is not in the contract, and nothing in it comes close");
    };
    let expectation = &expectations.list[near.at];
    let description = &expectation.served.interaction.description;
    if failure.explanation.on_target {
        return format!("{target} differs from {description:?}: {}", differences(near));
    }
    let expected = &expectation.http().request;
    format!(
        "{target} is not in the contract; the closest is {} {}, {description:?}: {}",
        expected.method,
        expected.path,
        differences(near)
    )
}

fn differences(near: &Near) -> String {
    let Some(first) = near.mismatches.first() else {
        return "nothing that could be shown".into();
    };
    let first = located(first);
    match near.mismatches.len() + near.omitted - 1 {
        0 => first,
        more => format!("{first} (and {more} more)"),
    }
}
