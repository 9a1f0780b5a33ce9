use crate::mismatch::MismatchKind;

/// The result of a check. `Err` contains the mismatch.
pub(crate) type Verdict = Result<(), MismatchKind>;

pub(crate) fn require(is_ok: bool, mismatch: MismatchKind) -> Verdict {
    if is_ok { Ok(()) } else { Err(mismatch) }
}
