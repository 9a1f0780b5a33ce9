//! The rule `null`. Only JSON has null values.

use contract_model::Json;

use super::verdict::{Verdict, want};
use crate::mismatch::MismatchKind;
use crate::words::typed;

pub(super) fn scalar(actual: &Json) -> Verdict {
    want(actual.is_null(), MismatchKind::Null)
}

pub(crate) fn words(actual: Option<&Json>) -> String {
    format!("Expected {} to be a null value", typed(actual))
}
