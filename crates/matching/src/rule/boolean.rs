//! The rule `boolean`: true or false, as a JSON value or as text.

use contract_model::Json;

use super::verdict::{Verdict, want};
use crate::mismatch::MismatchKind;
use crate::words::typed;

pub(super) fn scalar(actual: &Json) -> Verdict {
    match actual {
        Json::Bool(_) => Ok(()),
        Json::String(actual) => text(actual),
        _ => Err(MismatchKind::Boolean),
    }
}

pub(super) fn text(actual: &str) -> Verdict {
    want(matches!(actual, "true" | "false"), MismatchKind::Boolean)
}

pub(crate) fn words(actual: Option<&Json>) -> String {
    format!("Expected {} to match a boolean", typed(actual))
}
