//! The `boolean` rule: the value is true or false, either as JSON or as text.

use contract_model::Json;

use super::verdict::{Verdict, require};
use crate::display::display_with_type;
use crate::mismatch::MismatchKind;

pub(super) fn scalar(actual: &Json) -> Verdict {
    match actual {
        Json::Bool(_) => Ok(()),
        Json::String(actual) => text(actual),
        _ => Err(MismatchKind::Boolean),
    }
}

pub(super) fn text(actual: &str) -> Verdict {
    require(matches!(actual, "true" | "false"), MismatchKind::Boolean)
}

pub(crate) fn describe(actual: Option<&Json>) -> String {
    format!("Expected {} to match a boolean", display_with_type(actual))
}
