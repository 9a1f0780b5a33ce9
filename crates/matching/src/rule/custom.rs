//! Rules that are not known here: of a plugin, or of a later specification.

use crate::mismatch::MismatchKind;

pub(crate) fn refused(name: &str) -> MismatchKind {
    MismatchKind::NotApplicable {
        problem: format!("Unable to match with the unknown rule '{name}': it is misspelled, or requires a plugin"),
    }
}
