//! Explains why no interaction matches a request, by finding the closest interaction and its mismatches.

use std::borrow::Cow;
use std::cmp::Reverse;

use contract_matching::{ActualBody, ActualRequest, Location, Mismatch};
use contract_report::Finding;

use crate::expectations::{Expectation, Expectations, Judged};

/// Maximum number of mismatches to keep for each request.
const KEPT: usize = 100;
/// Maximum work for a rejected request: the size of the body in bytes, multiplied by the number of full comparisons.
const WORK: usize = 32 << 20;
/// Maximum number of candidate interactions in a report.
const CANDIDATES: usize = 3;
/// Maximum length in bytes of a path whose edit distance to other paths is calculated.
const MEASURED: usize = 512;

/// The reason why a request was rejected.
#[derive(Debug)]
pub(crate) struct Explanation {
    pub(crate) closest: Option<Near>,
    /// True if the closest interaction matches the method and the path, so that the request is mismatched. Otherwise,
    /// the request is unexpected.
    pub(crate) on_target: bool,
    /// Indexes of the closest interactions, with their numbers of mismatches. The closest one comes first.
    pub(crate) candidates: Vec<(usize, usize)>,
}

#[derive(Debug)]
pub(crate) struct Near {
    /// Index in the list of expectations.
    pub(crate) at: usize,
    /// The mismatches with secrets redacted, at most [`KEPT`].
    pub(crate) mismatches: Vec<Finding>,
    /// Number of additional mismatches.
    pub(crate) omitted: usize,
}

impl Explanation {
    /// Creates an explanation for a request that is similar to no interaction.
    pub(crate) fn none() -> Self {
        Self {
            closest: None,
            on_target: false,
            candidates: Vec::new(),
        }
    }

    /// Creates an explanation for a request that failed because of a plugin.
    pub(crate) fn by_plugin(at: usize, problem: Mismatch) -> Self {
        Self::from_mismatches(vec![(at, vec![problem])], true)
    }

    pub(crate) fn new(expectations: &Expectations, actual: &ActualRequest, judged: &Judged) -> Self {
        let on_target = expectations.on_target(actual);
        if on_target.is_empty() {
            return Self::by_path(expectations, actual);
        }
        let most = (WORK / (actual.body.bytes().len() + 1024)).clamp(8, 1000);
        let mut compared: Vec<(usize, Vec<Mismatch>)> = on_target
            .into_iter()
            .take(most)
            .map(|at| (at, expectations.list[at].differences(actual, judged)))
            .collect();
        // Sort by the number of parts that differ, then by the number of mismatches. The sort is stable, so ties stay
        // in list order.
        compared.sort_by_key(|(_, mismatches)| (parts(mismatches), mismatches.len()));
        Self::from_mismatches(compared, true)
    }

    /// Finds the interactions with the most similar paths. Used if no interaction matches the method and the path.
    fn by_path(expectations: &Expectations, actual: &ActualRequest) -> Self {
        let mut near: Vec<(usize, Reverse<u32>)> = expectations
            .list
            .iter()
            .enumerate()
            .filter_map(|(at, expectation)| nearness(expectation, actual).map(|score| (at, Reverse(score))))
            .collect();
        near.sort_by_key(|&(_, score)| score);
        let compared = near
            .into_iter()
            .take(CANDIDATES)
            .map(|(at, _)| (at, expectations.list[at].plan.compare(actual)))
            .collect();
        Self::from_mismatches(compared, false)
    }

    fn from_mismatches(compared: Vec<(usize, Vec<Mismatch>)>, on_target: bool) -> Self {
        let candidates = compared
            .iter()
            .take(CANDIDATES)
            .map(|(at, mismatches)| (*at, mismatches.len()))
            .collect();
        let closest = compared.into_iter().next().map(|(at, mismatches)| Near {
            at,
            omitted: mismatches.len().saturating_sub(KEPT),
            mismatches: Finding::all(mismatches.into_iter().take(KEPT)),
        });
        Self {
            closest,
            on_target,
            candidates,
        }
    }
}

/// Counts the parts (query, headers, body) that differ.
fn parts(mismatches: &[Mismatch]) -> usize {
    let is_in = |part: fn(&Location) -> bool| mismatches.iter().any(|mismatch| part(&mismatch.at));
    [
        is_in(|at| matches!(at, Location::Query { .. })),
        is_in(|at| matches!(at, Location::Header { .. })),
        is_in(|at| matches!(at, Location::Body(_) | Location::BodyType)),
    ]
    .into_iter()
    .filter(|&differs| differs)
    .count()
}

/// Returns a similarity score. Higher scores are closer. Returns `None` if there is no similarity.
fn nearness(expectation: &Expectation, actual: &ActualRequest) -> Option<u32> {
    let expected = &expectation.http().request;
    let same_method = u32::from(expected.method.eq_ignore_ascii_case(&actual.method));
    if has_path(expectation, actual) {
        return Some(1000);
    }
    let distance = distance(&expected.path, &actual.path)?;
    Some(900_u32.saturating_sub(distance.saturating_mul(2)) + same_method)
}

/// Returns true if the path matches. Ignores the method.
fn has_path(expectation: &Expectation, actual: &ActualRequest) -> bool {
    let with_method = ActualRequest {
        method: expectation.http().request.method.clone(),
        path: actual.path.clone(),
        body: ActualBody::default(),
        ..ActualRequest::default()
    };
    expectation.plan.matches_target(&with_method)
}

/// Returns the edit distance between two paths. Returns `None` if the distance is large compared with the length of the
/// paths and more than one segment differs.
fn distance(expected: &str, actual: &str) -> Option<u32> {
    let (expected, actual) = (decoded(expected), decoded(actual));
    let same_but_slash = expected.trim_end_matches('/') == actual.trim_end_matches('/');
    if same_but_slash || expected.eq_ignore_ascii_case(&actual) {
        return Some(1);
    }
    if expected.len() > MEASURED || actual.len() > MEASURED {
        return None;
    }
    let edits = strsim::levenshtein(&expected, &actual);
    let are_few = edits <= (expected.len().max(actual.len()) / 3).max(2);
    // One path may have an additional prefix, such as `/api/orders` compared with `/orders`.
    let (short, long) = if expected.len() < actual.len() {
        (&expected, &actual)
    } else {
        (&actual, &expected)
    };
    let is_tail = short.len() > 1 && long.ends_with(&**short);
    (are_few || is_tail || differ_in_one_segment(&expected, &actual)).then(|| u32::try_from(edits).unwrap_or(u32::MAX))
}

/// Returns true for paths with several segments if exactly one segment differs, such as `/orders/7` and
/// `/orders/seven`.
fn differ_in_one_segment(expected: &str, actual: &str) -> bool {
    let (expected, actual) = (expected.split('/').skip(1), actual.split('/').skip(1));
    let count = expected.clone().count();
    count > 1 && count == actual.clone().count() && expected.zip(actual).filter(|(a, b)| a != b).count() == 1
}

fn decoded(path: &str) -> Cow<'_, str> {
    percent_encoding::percent_decode_str(path).decode_utf8_lossy()
}
