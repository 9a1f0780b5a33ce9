//! The item of a list that was probably meant.

use contract_model::Json;

use crate::at::At;
use crate::at::Step;
use crate::mismatch::{Explanation, Mismatch, MismatchKind};
use crate::sink::Sink;

/// For how many missing variants the nearest item is looked for.
pub(super) const VARIANTS: usize = 3;
/// Among how many items it is looked for.
const ITEMS: usize = 200;
/// How many differences of the nearest item are told.
const REASONS: usize = 5;

/// The item that comes closest to a variant, and what keeps it from being one.
pub(super) fn nearest(actual: &[Json], at: &At<'_>, compare: impl Fn(&Json, &At<'_>, &mut Sink)) -> Explanation {
    let closest = actual
        .iter()
        .enumerate()
        .take(ITEMS)
        .map(|(index, item)| {
            let mut sink = Sink::collecting();
            compare(item, &at.then(Step::Index(index)), &mut sink);
            (index, sink.mismatches)
        })
        .min_by_key(|(_, mismatches)| mismatches.iter().map(distance).sum::<usize>());
    match closest {
        None => Explanation::EmptyList,
        Some((index, mut mismatches)) => {
            let more = mismatches.len().saturating_sub(REASONS);
            mismatches.truncate(REASONS);
            Explanation::Nearest {
                index,
                among: (actual.len() > ITEMS).then_some(ITEMS),
                mismatches,
                more,
            }
        }
    }
}

/// How much a mismatch keeps an item from being the one that was meant.
fn distance(mismatch: &Mismatch) -> usize {
    match &mismatch.kind {
        MismatchKind::Keys {
            missing, unexpected, ..
        } => missing.len() + unexpected.len(),
        MismatchKind::Length { expected, actual } => expected.abs_diff(*actual),
        // Another kind of value altogether.
        MismatchKind::Type if matches!(mismatch.expected, Some(Json::Object(_) | Json::Array(_))) => 100,
        _ => 1,
    }
}
