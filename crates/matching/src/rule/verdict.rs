use crate::mismatch::MismatchKind;

/// `Err` contains the mismatch.
pub(crate) type Verdict = Result<(), MismatchKind>;

pub(crate) fn want(holds: bool, refused: MismatchKind) -> Verdict {
    if holds { Ok(()) } else { Err(refused) }
}
