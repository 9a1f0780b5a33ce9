//! The rule `semver`: a semantic version.

use contract_model::Json;
use semver::Version;

use super::verdict::{Verdict, want};
use crate::mismatch::MismatchKind;
use crate::words::shown;

pub(super) fn scalar(actual: &Json) -> Verdict {
    match actual {
        Json::String(actual) => text(actual),
        _ => Err(MismatchKind::Semver),
    }
}

pub(super) fn text(actual: &str) -> Verdict {
    want(Version::parse(actual).is_ok(), MismatchKind::Semver)
}

pub(crate) fn words(actual: Option<&Json>) -> String {
    format!("{} is not a valid semantic version", shown(actual))
}
