//! The `type` rule: the value has the same type. For objects and arrays, the number of items may be limited.

use contract_model::Json;

use super::verdict::{Verdict, require};
use crate::display::{display_list, display_with_type};
use crate::error::RuleProblem;
use crate::mismatch::MismatchKind;

/// The minimum and maximum number of items.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sizes {
    min: Option<usize>,
    max: Option<usize>,
}

impl Sizes {
    pub(super) fn new(min: Option<usize>, max: Option<usize>) -> Result<Self, RuleProblem> {
        match (min, max) {
            (Some(min), Some(max)) if min > max => Err(RuleProblem::Sizes { min, max }),
            _ => Ok(Self { min, max }),
        }
    }

    pub(super) fn is_bounded(self) -> bool {
        self.min.is_some() || self.max.is_some()
    }

    pub(crate) fn check(self, actual: usize) -> Verdict {
        match self {
            Self { min: Some(min), .. } if actual < min => Err(MismatchKind::TooFew { min, actual }),
            Self { max: Some(max), .. } if actual > max => Err(MismatchKind::TooMany { max, actual }),
            _ => Ok(()),
        }
    }
}

pub(super) fn scalar(expected: &Json, actual: &Json) -> Verdict {
    require(expected.kind() == actual.kind(), MismatchKind::Type)
}

pub(crate) fn describe(expected: Option<&Json>, actual: Option<&Json>) -> String {
    let is_container = |value: Option<&Json>| matches!(value, Some(Json::Array(_) | Json::Object(_)));
    let prefix = if is_container(expected) || is_container(actual) {
        "Type mismatch: "
    } else {
        ""
    };
    format!(
        "{prefix}Expected {} to be the same type as {}",
        display_with_type(actual),
        display_with_type(expected)
    )
}

/// Describes a wrong number of items. `bound` is `minimum` or `maximum`.
pub(crate) fn describe_size(bound: &str, limit: usize, size: usize, actual: Option<&Json>) -> String {
    format!(
        "Expected {} (size {size}) to have {bound} size of {limit}",
        display_list(actual)
    )
}
