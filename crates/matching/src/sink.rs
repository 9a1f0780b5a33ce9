//! Where mismatches go while a part is walked.

use contract_model::Json;

use crate::mismatch::{Explanation, Mismatch, MismatchKind};

/// How many mismatches of a part are collected: nobody reads more, and a body of another kind has one at every value.
const MOST: usize = 1_000;
/// How many of them get a difference written out beside them.
const EXPLAINED: usize = 20;

/// Collects mismatches, or only whether there is one.
#[derive(Debug, Default)]
pub(crate) struct Sink {
    pub(crate) mismatches: Vec<Mismatch>,
    /// Stop at the first difference: for choosing among candidates, where the differences do not matter.
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

    /// A fresh sink of the same kind, for an alternative.
    pub(crate) fn alike(&self) -> Self {
        Self {
            first_only: self.first_only,
            ..Self::default()
        }
    }

    /// Nothing more needs to be found out.
    pub(crate) fn is_done(&self) -> bool {
        (self.first_only && self.failed) || self.mismatches.len() >= MOST
    }

    pub(crate) fn is_clean(&self) -> bool {
        !self.failed
    }

    /// Notes a difference; it is only made when it will be read.
    pub(crate) fn add(&mut self, mismatch: impl FnOnce() -> Mismatch) {
        self.add_explained(mismatch, || None);
    }

    /// Notes a difference with an explanation, unless there are many already.
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
        if self.mismatches.len() < EXPLAINED && mismatch.explanation.is_none() {
            mismatch.explanation = explain().or_else(|| are_texts(&mismatch).then_some(Explanation::Texts));
        }
        self.push(mismatch);
    }

    fn push(&mut self, mut mismatch: Mismatch) {
        if self.mismatches.len() + 1 == MOST {
            mismatch.explanation = Some(Explanation::FirstOnly(MOST));
        }
        self.mismatches.push(mismatch);
    }

    /// Says of the differences from there on that they are those of alternatives.
    pub(crate) fn one_is_enough(&mut self, before: usize) {
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

/// Whether two texts should be equal. Where they may be secrets, nothing is told of them.
fn are_texts(mismatch: &Mismatch) -> bool {
    matches!(
        (&mismatch.expected, &mismatch.actual),
        (Some(Json::String(_)), Some(Json::String(_)))
    ) && matches!(mismatch.kind, MismatchKind::NotEqual)
        && !mismatch.at.is_secret()
}
