//! The current location in a document.

use contract_model::{PathExpression, PathToken};

use crate::mismatch::{Location, Mismatch, MismatchKind};

/// A step from a container to one of the values in it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step<'a> {
    Key(&'a str),
    Index(usize),
    /// One of several XML elements with the same name, by index. This step does not increase the depth of the path that
    /// these elements share.
    Sibling(usize),
}

/// The path from the root to the current value. It is stored on the stack and formatted only for mismatches.
#[derive(Clone, Copy, Debug)]
pub(crate) struct At<'a> {
    parent: Option<&'a At<'a>>,
    step: Option<Step<'a>>,
}

impl<'a> At<'a> {
    pub(crate) const ROOT: Self = Self {
        parent: None,
        step: None,
    };

    pub(crate) fn then(&'a self, step: Step<'a>) -> Self {
        Self {
            parent: Some(self),
            step: Some(step),
        }
    }

    pub(crate) fn path(&self) -> PathExpression {
        let mut tokens = Vec::new();
        let mut at = Some(self);
        while let Some(current) = at {
            tokens.extend(current.step.map(|step| match step {
                Step::Key(key) => PathToken::Key(key.into()),
                Step::Index(index) | Step::Sibling(index) => PathToken::Index(index),
            }));
            at = current.parent;
        }
        tokens.reverse();
        tokens.into()
    }

    pub(crate) fn mismatch(&self, kind: MismatchKind) -> Mismatch {
        Mismatch::new(Location::Body(self.path()), kind)
    }
}
