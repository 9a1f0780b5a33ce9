//! What a check says of a value.

use crate::mismatch::MismatchKind;

/// Whether a value is as asked, and if not, why.
pub(crate) type Verdict = Result<(), MismatchKind>;

pub(crate) fn want(holds: bool, refused: MismatchKind) -> Verdict {
    if holds { Ok(()) } else { Err(refused) }
}
