//! The rule `include`: the text contains a substring.

use contract_model::{Json, Text};

use super::verdict::{Verdict, want};
use crate::mismatch::MismatchKind;
use crate::words::shown;

pub(super) fn text(text: &Text, actual: &str) -> Verdict {
    want(
        actual.contains(text.as_str()),
        MismatchKind::Include { text: text.clone() },
    )
}

pub(crate) fn words(text: &str, actual: Option<&Json>) -> String {
    format!("Expected {} to include '{text}'", shown(actual))
}
