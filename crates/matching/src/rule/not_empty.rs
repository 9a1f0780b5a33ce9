//! The `notEmpty` rule: the value is neither null nor empty.

use contract_model::Json;

use super::verdict::{Verdict, require};
use crate::display::display_with_type;
use crate::mismatch::MismatchKind;

pub(super) fn scalar(actual: &Json) -> Verdict {
    let is_empty = match actual {
        Json::Null => true,
        Json::String(text) => text.is_empty(),
        Json::Array(items) => items.is_empty(),
        Json::Object(object) => object.is_empty(),
        Json::Bool(_) | Json::Number(_) => false,
    };
    require(!is_empty, MismatchKind::Empty)
}

pub(super) fn text(actual: &str) -> Verdict {
    require(!actual.is_empty(), MismatchKind::Empty)
}

pub(crate) fn describe(actual: Option<&Json>) -> String {
    format!("Expected {} to not be empty", display_with_type(actual))
}

pub(crate) fn describe_element(name: &str) -> String {
    format!("Expected <{name}/> to not be empty")
}

pub(crate) const EMPTY_BYTES: &str = "Expected [] (0 bytes) to not be empty";
