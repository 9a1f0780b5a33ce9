//! Creates the response for a request that no interaction matches (RFC 9457, "Problem Details for HTTP APIs").

use std::collections::BTreeSet;

use bytes::Bytes;
use contract_matching::{ActualRequest, Mismatch};
use contract_report::{Finding, RequestView, SimilarPath, differing_parts};
use http_body_util::Full;
use hyper::StatusCode;
use hyper::header::{CONTENT_TYPE, HeaderValue};
use serde::Serialize;

use super::catalog::Catalog;
use super::state::ChosenState;
use crate::handler::Reply;

/// Maximum number of mismatches to list.
const KEPT: usize = 100;
/// Maximum number of interactions to compare completely.
const COMPARED: usize = 200;
/// Maximum number of state names to list.
const STATES: usize = 20;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Problem<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    title: &'static str,
    status: u16,
    detail: String,
    request: &'a RequestView,
    #[serde(skip_serializing_if = "Option::is_none")]
    closest: Option<Closest>,
    /// Names of the provider states of interactions with this method and path. Empty unless the selected states exclude
    /// all of these interactions.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    other_states: BTreeSet<String>,
}

#[derive(Serialize)]
struct Closest {
    interaction: String,
    consumer: String,
    provider: String,
    source: String,
    request: String,
    mismatches: Vec<Finding>,
}

/// The interaction closest to a request, with its mismatches.
pub(super) struct Near {
    pub(super) at: usize,
    pub(super) mismatches: Vec<Mismatch>,
}

/// Returns the interaction in `places` with the fewest differences. Returns `None` if none of them can be compiled.
pub(super) fn nearest_of(catalog: &Catalog, places: &[usize], actual: &ActualRequest) -> Option<Near> {
    let compared = places.iter().take(COMPARED).filter_map(|&at| {
        let compiled = catalog.compiled(at);
        let mismatches = compiled.as_ref().as_ref().ok()?.plan.compare(actual);
        Some(Near { at, mismatches })
    });
    // The first one wins a tie.
    compared.min_by_key(|near| (differing_parts(&near.mismatches), near.mismatches.len()))
}

/// Returns the interaction with the most similar path, among those that the selected states allow.
fn nearest_path(catalog: &Catalog, actual: &ActualRequest, chosen: &[ChosenState]) -> Option<Near> {
    let score = |at: usize, distance: u32| {
        let entry = catalog.entry(at);
        let same_method = entry.http().request.method.eq_ignore_ascii_case(&actual.method);
        entry
            .selected_states(chosen)
            .map(|_| (distance * 2 + u32::from(!same_method), at))
    };
    let path = SimilarPath::new(&actual.path);
    let mut best: Option<(u32, usize)> = None;
    let mut consider = |expected: &str, places: &[usize]| {
        // A larger distance cannot result in a better score.
        let most = best.map_or(u32::MAX / 4, |(score, _)| score / 2);
        let distance = if expected == actual.path.as_str() {
            0
        } else {
            path.distance(expected, most)?
        };
        let found = places.iter().filter_map(|&at| score(at, distance)).min()?;
        best = Some(best.map_or(found, |best| best.min(found)));
        best
    };
    for (expected, places) in catalog.paths().literal_paths() {
        consider(expected, places);
    }
    for &at in catalog.paths().all_ruled() {
        consider(&catalog.entry(at).http().request.path, &[at]);
    }
    let (_, at) = best?;
    let compiled = catalog.compiled(at);
    let mismatches = compiled.as_ref().as_ref().ok()?.plan.compare(actual);
    Some(Near { at, mismatches })
}

pub(super) struct Refusal<'a> {
    pub(super) status: StatusCode,
    pub(super) catalog: &'a Catalog,
    pub(super) actual: &'a ActualRequest,
    pub(super) view: &'a RequestView,
    pub(super) chosen: &'a [ChosenState],
    /// Indexes of the interactions with the method and path of the request.
    pub(super) on_target: &'a [usize],
    /// The indexes from `on_target` whose interactions the selected states allow.
    pub(super) allowed: &'a [usize],
}

impl Refusal<'_> {
    /// Returns the response, and the number of mismatches with the closest interaction.
    pub(super) fn reply(&self) -> (Reply, usize) {
        let target = self.view.target();
        let excluded = !self.on_target.is_empty() && self.allowed.is_empty();
        let near = if self.on_target.is_empty() {
            nearest_path(self.catalog, self.actual, self.chosen)
        } else if excluded {
            nearest_of(self.catalog, self.on_target, self.actual)
        } else {
            nearest_of(self.catalog, self.allowed, self.actual)
        };
        let names: Vec<_> = self.chosen.iter().map(|state| format!("{:?}", state.name)).collect();
        let detail = match &near {
            _ if excluded => format!(
                "{target}: all interactions with this method and path require provider states that are not selected (selected: {})",
                names.join(", ")
            ),
            Some(near) if self.on_target.is_empty() => format!(
                "{target}: no interaction has this method and path. The closest interaction is {}",
                self.catalog.describe(near.at)
            ),
            Some(near) => format!("{target} does not match {}", self.catalog.describe(near.at)),
            None => format!("{target}: no interaction has this method and path, or a similar path"),
        };
        let other_states = if excluded {
            let states = self
                .on_target
                .iter()
                .flat_map(|&at| &self.catalog.entry(at).interaction().states);
            states.map(|state| state.name.to_string()).take(STATES).collect()
        } else {
            BTreeSet::new()
        };
        let count = near.as_ref().map_or(0, |near| near.mismatches.len());
        let problem = Problem {
            kind: "urn:contract:no-matching-interaction",
            title: "No interaction matches the request",
            status: self.status.as_u16(),
            detail,
            request: self.view,
            closest: near.map(|near| self.closest(near)),
            other_states,
        };
        (problem_reply(self.status, &problem), count)
    }

    fn closest(&self, near: Near) -> Closest {
        let entry = self.catalog.entry(near.at);
        let contract = &self.catalog.contracts()[entry.owner];
        let request = &entry.http().request;
        Closest {
            interaction: entry.interaction().description.to_string(),
            consumer: contract.contract.consumer.to_string(),
            provider: contract.contract.provider.to_string(),
            source: contract.source.clone(),
            request: format!("{} {}", request.method, request.path),
            mismatches: Finding::all(near.mismatches.into_iter().take(KEPT)),
        }
    }
}

#[derive(Serialize)]
struct Simple<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    title: &'a str,
    status: u16,
    detail: &'a str,
}

/// Creates a problem response without a closest interaction.
pub(super) fn simple(status: StatusCode, title: &str, detail: &str) -> Reply {
    let problem = Simple {
        kind: "about:blank",
        title,
        status: status.as_u16(),
        detail,
    };
    problem_reply(status, &problem)
}

fn problem_reply(status: StatusCode, problem: &impl Serialize) -> Reply {
    let body = serde_json::to_vec(problem).unwrap_or_default();
    reply(status, "application/problem+json", body)
}

pub(super) fn reply(status: StatusCode, content_type: &'static str, body: Vec<u8>) -> Reply {
    let mut reply = hyper::Response::new(Full::new(Bytes::from(body)));
    *reply.status_mut() = status;
    reply
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    reply
}
