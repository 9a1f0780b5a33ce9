//! The `equality` rule: the value equals the example. For single values, `values` is equivalent.

use contract_model::Json;

use super::verdict::{Verdict, require};
use crate::mismatch::MismatchKind;

pub(super) fn scalar(expected: &Json, actual: &Json) -> Verdict {
    require(expected == actual, MismatchKind::NotEqual)
}

pub(super) fn text(expected: &str, actual: &str) -> Verdict {
    require(expected == actual, MismatchKind::NotEqual)
}
