//! The `null` rule: the value is null. Only JSON has null values.

use contract_model::Json;

use super::verdict::{Verdict, require};
use crate::display::display_with_type;
use crate::mismatch::MismatchKind;

pub(super) fn scalar(actual: &Json) -> Verdict {
    require(actual.is_null(), MismatchKind::Null)
}

pub(crate) fn describe(actual: Option<&Json>) -> String {
    format!("Expected {} to be a null value", display_with_type(actual))
}
