//! The `include` rule: the text contains a substring.

use contract_model::{Json, Text};

use super::verdict::{Verdict, require};
use crate::display::display;
use crate::mismatch::MismatchKind;

pub(super) fn text(text: &Text, actual: &str) -> Verdict {
    require(
        actual.contains(text.as_str()),
        MismatchKind::Include { text: text.clone() },
    )
}

pub(crate) fn describe(text: &str, actual: Option<&Json>) -> String {
    format!("Expected {} to include '{text}'", display(actual))
}
