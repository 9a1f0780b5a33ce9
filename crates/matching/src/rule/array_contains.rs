//! The `arrayContains` rule: the array contains a match for each variant.

use std::sync::Arc;

use contract_model::{Json, Text, Variant};

use super::{Checks, Scopes};
use crate::display::{sorted_json, truncate};
use crate::error::RuleProblem;
use crate::mismatch::MismatchKind;

/// A variant: the index of its example and its rules.
#[derive(Debug)]
pub(crate) struct VariantChecks {
    pub(crate) index: usize,
    pub(crate) scopes: Scopes,
}

impl VariantChecks {
    pub(super) fn new(variant: &Variant) -> Result<Self, RuleProblem> {
        Ok(Self {
            index: variant.index,
            scopes: Scopes::new(&variant.rules)?,
        })
    }
}

/// Returns a mismatch for each variant that none of the actual values satisfies.
pub(super) fn missing(variants: &[VariantChecks], expected: &[Text], actual: &[Text]) -> Vec<MismatchKind> {
    let is_there = |index: usize, checks: Option<&Checks>| match expected.get(index) {
        None => Some(without_example(index)),
        Some(example) => {
            let fits = |value: &Text| {
                checks.map_or(example == value, |checks| {
                    checks.item(example, value, &|_| true).is_empty()
                })
            };
            (!actual.iter().any(fits)).then_some(MismatchKind::Variant { index })
        }
    };
    if variants.is_empty() {
        return (0..expected.len()).filter_map(|index| is_there(index, None)).collect();
    }
    let checks = |variant: &VariantChecks| {
        variant
            .scopes
            .root()
            .selected()
            .map(|selected| Arc::clone(&selected.checks))
    };
    variants
        .iter()
        .filter_map(|variant| is_there(variant.index, checks(variant).as_deref()))
        .collect()
}

/// Creates the mismatch for a variant whose example is missing from the contract.
pub(crate) fn without_example(index: usize) -> MismatchKind {
    MismatchKind::NotApplicable {
        problem: format!("The example of the variant at index {index} is missing from the contract"),
    }
}

pub(crate) fn describe(index: usize, expected: Option<&Json>) -> String {
    format!(
        "Variant at index {index} ({}) was not found in the actual list",
        truncate(expected.map(sorted_json).unwrap_or_default())
    )
}
