//! Unknown rules: those of plugins and of later specifications.

use crate::mismatch::MismatchKind;

pub(crate) fn unknown(name: &str) -> MismatchKind {
    MismatchKind::NotApplicable {
        problem: format!("Unable to match with the unknown rule '{name}': it is misspelled, or requires a plugin"),
    }
}
