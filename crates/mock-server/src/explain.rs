//! Finds the interactions closest to a rejected request, and their mismatches.

use std::cmp::Reverse;

use contract_matching::{ActualRequest, Mismatch};
use contract_report::{Finding, SimilarPath, differing_parts};

use crate::expectations::{Expectation, Expectations, Judged};

/// Maximum number of mismatches to keep for each request.
const KEPT: usize = 100;
/// Limits the comparisons for a rejected request: the number of complete comparisons multiplied by the body size in
/// bytes. At least 8 interactions are compared.
const WORK: usize = 32 << 20;
/// Maximum number of candidate interactions in a report.
const CANDIDATES: usize = 3;
/// The score of an interaction whose path matches, but whose method differs.
const SAME_PATH: u32 = 1000;

#[derive(Debug)]
pub(crate) struct Explanation {
    pub(crate) closest: Option<Near>,
    /// True if the closest interaction has the method and path of the request, so the request is reported as
    /// mismatched. Otherwise, it is reported as unexpected.
    pub(crate) on_target: bool,
    /// Indexes of the closest expectations, each with its number of mismatches. The closest one comes first.
    pub(crate) candidates: Vec<(usize, usize)>,
}

#[derive(Debug)]
pub(crate) struct Near {
    /// Index in [`Expectations::list`].
    pub(crate) at: usize,
    /// The first mismatches, at most [`KEPT`]. Secrets are redacted.
    pub(crate) mismatches: Vec<Finding>,
    /// Number of mismatches that were not kept.
    pub(crate) omitted: usize,
}

impl Explanation {
    /// Creates an explanation without a closest interaction.
    pub(crate) fn none() -> Self {
        Self {
            closest: None,
            on_target: false,
            candidates: Vec::new(),
        }
    }

    /// Creates an explanation for a request that matched the expectation `at`, but whose response a plugin could not
    /// generate.
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
        compared.sort_by_key(|(_, mismatches)| (differing_parts(mismatches), mismatches.len()));
        Self::from_mismatches(compared, true)
    }

    /// Finds the interactions with the most similar paths. Used only if no interaction has the method and path of the
    /// request.
    fn by_path(expectations: &Expectations, actual: &ActualRequest) -> Self {
        let on_path = expectations.on_path(actual);
        let mut near: Vec<(Reverse<u32>, usize)> = on_path.iter().map(|&at| (Reverse(SAME_PATH), at)).collect();
        if near.len() < CANDIDATES {
            let path = SimilarPath::new(&actual.path);
            let remaining = (0..expectations.list.len()).filter(|at| on_path.binary_search(at).is_err());
            near.extend(remaining.filter_map(|at| {
                let score = nearness(&expectations.list[at], &actual.method, &path)?;
                Some((Reverse(score), at))
            }));
        }
        near.sort_unstable();
        let compared = near
            .into_iter()
            .take(CANDIDATES)
            .map(|(_, at)| (at, expectations.list[at].plan.compare(actual)))
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

/// Returns the similarity of the methods and paths, from 0 to 901. Returns `None` if the paths are not similar.
fn nearness(expectation: &Expectation, method: &str, path: &SimilarPath<'_>) -> Option<u32> {
    let expected = &expectation.http().request;
    let distance = path.distance(&expected.path, u32::MAX)?;
    let same_method = u32::from(expected.method.eq_ignore_ascii_case(method));
    Some(900_u32.saturating_sub(distance.saturating_mul(2)) + same_method)
}
