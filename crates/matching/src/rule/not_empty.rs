//! The rule `notEmpty`: neither null nor empty.

use contract_model::Json;

use super::verdict::{Verdict, want};
use crate::mismatch::MismatchKind;
use crate::words::typed;

pub(super) fn scalar(actual: &Json) -> Verdict {
    let is_empty = match actual {
        Json::Null => true,
        Json::String(text) => text.is_empty(),
        Json::Array(items) => items.is_empty(),
        Json::Object(object) => object.is_empty(),
        Json::Bool(_) | Json::Number(_) => false,
    };
    want(!is_empty, MismatchKind::Empty)
}

pub(super) fn text(actual: &str) -> Verdict {
    want(!actual.is_empty(), MismatchKind::Empty)
}

pub(crate) fn words(actual: Option<&Json>) -> String {
    format!("Expected {} to not be empty", typed(actual))
}

pub(crate) fn words_of_element(name: &str) -> String {
    format!("Expected <{name}/> to not be empty")
}

pub(crate) const WORDS_OF_BYTES: &str = "Expected [] (0 bytes) to not be empty";
