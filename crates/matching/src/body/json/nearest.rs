//! The item of a list that was probably meant.

use contract_model::Json;

use crate::at::At;
use crate::at::Step;
use crate::mismatch::{Mismatch, MismatchKind};
use crate::sink::Sink;

/// For how many missing variants the nearest item is looked for.
pub(super) const VARIANTS: usize = 3;
/// Among how many items it is looked for.
const ITEMS: usize = 200;
/// How many differences of the nearest item are told.
const REASONS: usize = 5;

/// The item that comes closest to a variant, and what keeps it from being one.
pub(super) fn nearest(actual: &[Json], at: &At<'_>, compare: impl Fn(&Json, &At<'_>, &mut Sink)) -> String {
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
        None => "the list is empty".to_owned(),
        Some((index, mismatches)) => {
            let reason = |m: &Mismatch| {
                if m.at.is_secret() {
                    format!("  {}: the value, which may be a secret, is not the expected one", m.at)
                } else {
                    format!("  {}: {m}", m.at)
                }
            };
            let mut reasons: Vec<_> = mismatches.iter().take(REASONS).map(reason).collect();
            if mismatches.len() > REASONS {
                reasons.push(format!("  … and {} more differences", mismatches.len() - REASONS));
            }
            let among = if actual.len() > ITEMS {
                format!(" (of the first {ITEMS})")
            } else {
                String::new()
            };
            format!(
                "the item at index {index} comes closest{among}:\n{}",
                reasons.join("\n")
            )
        }
    }
}

/// How much a mismatch keeps an item from being the one that was meant.
pub(super) fn distance(mismatch: &Mismatch) -> usize {
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
