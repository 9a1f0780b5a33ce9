//! The `semver` rule: the value is a semantic version.

use contract_model::Json;
use semver::Version;

use super::verdict::{Verdict, require};
use crate::display::display;
use crate::mismatch::MismatchKind;

pub(super) fn scalar(actual: &Json) -> Verdict {
    match actual {
        Json::String(actual) => text(actual),
        _ => Err(MismatchKind::Semver),
    }
}

pub(super) fn text(actual: &str) -> Verdict {
    require(Version::parse(actual).is_ok(), MismatchKind::Semver)
}

pub(crate) fn describe(actual: Option<&Json>) -> String {
    format!("{} is not a valid semantic version", display(actual))
}
