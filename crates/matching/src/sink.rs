//! Collects mismatches.

use contract_model::Json;

use crate::mismatch::{Explanation, Mismatch, MismatchKind};

/// Maximum number of mismatches in one part. A body of a different type can have a mismatch for every value.
const MAX_MISMATCHES: usize = 1_000;
/// Maximum number of mismatches in one part that get an explanation.
const MAX_EXPLANATIONS: usize = 20;

/// Collects mismatches, or only records whether there is one.
#[derive(Debug, Default)]
pub(crate) struct Sink {
    pub(crate) mismatches: Vec<Mismatch>,
    /// True to stop at the first mismatch. Used to decide whether a candidate matches.
    first_only: bool,
    failed: bool,
}

impl Sink {
    pub(crate) fn collecting() -> Self {
        Self::default()
    }

    pub(crate) fn deciding() -> Self {
        Self {
            first_only: true,
            ..Self::default()
        }
    }

    /// Creates an empty sink with the same settings, to collect the mismatches of an alternative.
    pub(crate) fn new_like(&self) -> Self {
        Self {
            first_only: self.first_only,
            ..Self::default()
        }
    }

    /// Returns true if further mismatches would not be recorded.
    pub(crate) fn is_done(&self) -> bool {
        (self.first_only && self.failed) || self.mismatches.len() >= MAX_MISMATCHES
    }

    pub(crate) fn is_clean(&self) -> bool {
        !self.failed
    }

    /// Adds a mismatch. Calls the closure only if the mismatch is kept.
    pub(crate) fn add(&mut self, mismatch: impl FnOnce() -> Mismatch) {
        self.add_explained(mismatch, || None);
    }

    /// Adds a mismatch with an explanation. Omits the explanation if there are already many.
    pub(crate) fn add_explained(
        &mut self,
        mismatch: impl FnOnce() -> Mismatch,
        explain: impl FnOnce() -> Option<Explanation>,
    ) {
        self.failed = true;
        if self.first_only || self.is_done() {
            return;
        }
        let mut mismatch = mismatch();
        if self.mismatches.len() < MAX_EXPLANATIONS && mismatch.explanation.is_none() {
            mismatch.explanation = explain().or_else(|| are_texts(&mismatch).then_some(Explanation::Texts));
        }
        self.push(mismatch);
    }

    fn push(&mut self, mut mismatch: Mismatch) {
        if self.mismatches.len() + 1 == MAX_MISMATCHES {
            mismatch.explanation = Some(Explanation::FirstOnly(MAX_MISMATCHES));
        }
        self.mismatches.push(mismatch);
    }

    /// Marks all mismatches from index `before` on as mismatches of alternatives.
    pub(crate) fn mark_as_alternatives(&mut self, before: usize) {
        if let Some(first) = self.mismatches.get_mut(before) {
            let more = first.explanation.take().map(Box::new);
            first.explanation = Some(Explanation::Alternatives { more });
        }
    }

    pub(crate) fn append(&mut self, other: Self) {
        self.failed |= other.failed;
        for mismatch in other.mismatches {
            if self.is_done() {
                return;
            }
            self.push(mismatch);
        }
    }
}

/// Returns true if both values are strings that are not sensitive, so that a diff can explain the mismatch.
fn are_texts(mismatch: &Mismatch) -> bool {
    matches!(
        (&mismatch.expected, &mismatch.actual),
        (Some(Json::String(_)), Some(Json::String(_)))
    ) && matches!(mismatch.kind, MismatchKind::NotEqual)
        && !mismatch.at.is_secret()
}
