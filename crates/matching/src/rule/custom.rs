//! Unknown rules, which belong to a plugin or a later version of the specification.

use crate::mismatch::MismatchKind;

pub(crate) fn unknown(name: &str) -> MismatchKind {
    MismatchKind::NotApplicable {
        problem: format!("Unable to match with the unknown rule '{name}': it is misspelled, or requires a plugin"),
    }
}
