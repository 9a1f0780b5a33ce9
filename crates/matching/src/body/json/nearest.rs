//! Finds the array item that is the closest match for a missing variant.

use contract_model::Json;

use crate::at::At;
use crate::at::Step;
use crate::mismatch::{Explanation, Mismatch, MismatchKind};
use crate::sink::Sink;

/// Maximum number of missing variants for which the closest item is determined.
pub(super) const VARIANTS: usize = 3;
/// Maximum number of items to compare.
const ITEMS: usize = 200;
/// Maximum number of mismatches to list for the closest item.
const REASONS: usize = 5;

/// Finds the item with the fewest mismatches for a variant. Returns its index and mismatches.
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

/// Returns how much a mismatch adds to the distance between an item and a variant.
fn distance(mismatch: &Mismatch) -> usize {
    match &mismatch.kind {
        MismatchKind::Keys {
            missing, unexpected, ..
        } => missing.len() + unexpected.len(),
        MismatchKind::Length { expected, actual } => expected.abs_diff(*actual),
        // The value has a different type.
        MismatchKind::Type if matches!(mismatch.expected, Some(Json::Object(_) | Json::Array(_))) => 100,
        _ => 1,
    }
}
