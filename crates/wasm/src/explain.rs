//! Explains why no interaction matches a request.

use contract_matching::{ActualRequest, Mismatch};
use contract_report::{Finding, InteractionRef, RequestView, SimilarPath, differing_parts};
use serde::Serialize;

use crate::expectation::Expectation;
use crate::index::Index;
use crate::states::Selection;

/// Maximum number of mismatches in an explanation.
const KEPT: usize = 100;
/// Maximum work for explaining an unmatched request: the size of its body in bytes, multiplied by the number of
/// interactions with which the complete request is compared. At least 8 interactions are compared.
const WORK: usize = 32 << 20;

/// The reason why no interaction matches a request.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Unmatched {
    /// Summary on one line, such as `GET /x: unexpected request. No similar interaction was found`.
    error: String,
    /// True if an interaction has the method and path of the request.
    has_target: bool,
    request: RequestView,
    closest: Option<Closest>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Closest {
    contract: String,
    interaction: InteractionRef,
    method: String,
    path: String,
    mismatches: Vec<Finding>,
    /// Number of mismatches beyond those in `mismatches`.
    #[serde(skip_serializing_if = "is_zero")]
    omitted: usize,
}

impl Unmatched {
    pub(crate) fn new(index: &Index, actual: &ActualRequest, selection: &Selection) -> Self {
        let bytes = actual.body.bytes();
        let request = RequestView::new(
            (&actual.method, &actual.path),
            &actual.query,
            &actual.headers,
            bytes,
            bytes.len() as u64,
        );
        let target = request.target();
        if let Some(excluded) = index.matching(actual).find(|one| !selection.allows(&one.interaction)) {
            return Self {
                error: excluded_by_state(&target, excluded, selection),
                has_target: true,
                request,
                closest: Some(Closest::new(excluded, Vec::new())),
            };
        }
        let on_target: Vec<_> = index
            .on_path(&actual.path)
            .filter(|one| selection.allows(&one.interaction) && one.plan.matches_target(actual))
            .collect();
        let has_target = !on_target.is_empty();
        let closest = if has_target {
            closest_on_target(on_target, actual)
        } else {
            closest_by_path(index, actual, selection)
        };
        let closest = closest.map(|(expectation, mismatches)| Closest::new(expectation, mismatches));
        Self {
            error: sentence(&target, closest.as_ref(), has_target),
            has_target,
            request,
            closest,
        }
    }
}

impl Closest {
    fn new(expectation: &Expectation, mismatches: Vec<Mismatch>) -> Self {
        let request = &expectation.http().request;
        Self {
            contract: expectation.contract.to_string(),
            interaction: expectation.reference(),
            method: request.method.to_string(),
            path: request.path.to_string(),
            omitted: mismatches.len().saturating_sub(KEPT),
            mismatches: Finding::all(mismatches.into_iter().take(KEPT)),
        }
    }

    fn differences(&self) -> String {
        let Some(first) = self.mismatches.first() else {
            return "no details available".into();
        };
        match self.mismatches.len() + self.omitted - 1 {
            0 => first.line(),
            more => format!("{} (and {more} more)", first.line()),
        }
    }
}

/// Returns the interaction with the fewest differing parts. Ties are broken by the number of mismatches, then by order.
fn closest_on_target<'a>(
    on_target: Vec<&'a Expectation>,
    actual: &ActualRequest,
) -> Option<(&'a Expectation, Vec<Mismatch>)> {
    let most = (WORK / (actual.body.bytes().len() + 1024)).clamp(8, 1000);
    let compared = on_target
        .into_iter()
        .take(most)
        .map(|one| (one, one.plan.compare(actual)));
    compared.min_by_key(|(_, mismatches)| (differing_parts(mismatches), mismatches.len()))
}

/// Returns the interaction with the most similar path.
fn closest_by_path<'a>(
    index: &'a Index,
    actual: &ActualRequest,
    selection: &Selection,
) -> Option<(&'a Expectation, Vec<Mismatch>)> {
    let has_path =
        |expectation: &&Expectation| selection.allows(&expectation.interaction) && expectation.has_path(actual);
    let closest = index
        .on_path(&actual.path)
        .filter(has_path)
        .min_by_key(|expectation| expectation.at)
        .or_else(|| most_similar(index, actual, selection))?;
    Some((closest, closest.plan.compare(actual)))
}

fn most_similar<'a>(index: &'a Index, actual: &ActualRequest, selection: &Selection) -> Option<&'a Expectation> {
    let path = SimilarPath::new(&actual.path);
    let mut best: Option<(u32, &Expectation)> = None;
    for expectation in index
        .list
        .iter()
        .filter(|expectation| selection.allows(&expectation.interaction))
    {
        let expected = &expectation.http().request;
        // A larger distance cannot result in a better score. Equal methods decide between equal distances.
        let most = best.map_or(u32::MAX / 4, |(score, _)| score / 2);
        let Some(distance) = path.distance(&expected.path, most) else {
            continue;
        };
        let other_method = !expected.method.eq_ignore_ascii_case(&actual.method);
        let score = distance * 2 + u32::from(other_method);
        if best.is_none_or(|(best, _)| score < best) {
            best = Some((score, expectation));
        }
    }
    best.map(|(_, expectation)| expectation)
}

fn sentence(target: &str, closest: Option<&Closest>, has_target: bool) -> String {
    let Some(closest) = closest else {
        return format!("{target}: unexpected request. No similar interaction was found");
    };
    let (description, differences) = (&closest.interaction.description, closest.differences());
    if has_target {
        return format!("{target} does not match {description:?}: {differences}");
    }
    format!(
        "{target}: unexpected request. The closest interaction is {description:?} ({} {}): {differences}",
        closest.method, closest.path
    )
}

fn excluded_by_state(target: &str, expectation: &Expectation, selection: &Selection) -> String {
    let states = expectation
        .interaction
        .states
        .iter()
        .map(|state| format!("{:?}", state.name.as_str()));
    let states: Vec<_> = states.collect();
    format!(
        "{target} matches {:?}, which requires the provider state {}, but {}",
        expectation.interaction.description.as_str(),
        states.join(" and "),
        selection.describe()
    )
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}
