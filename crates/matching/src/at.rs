//! Where in a document a walk stands.

use contract_model::{PathExpression, PathToken};

use crate::mismatch::{Location, Mismatch, MismatchKind};

/// A step from a container into one of its values.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step<'a> {
    Key(&'a str),
    Index(usize),
    /// To one of several siblings of a name, from the place that all of them share: an XML element. The place is as deep
    /// as the shared one.
    Sibling(usize),
}

/// The way from the root of a body to the value under comparison, kept on the stack and written out only for a mismatch.
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
        while let Some(here) = at {
            tokens.extend(here.step.map(|step| match step {
                Step::Key(key) => PathToken::Key(key.into()),
                Step::Index(index) | Step::Sibling(index) => PathToken::Index(index),
            }));
            at = here.parent;
        }
        tokens.reverse();
        tokens.into()
    }

    pub(crate) fn mismatch(&self, kind: MismatchKind) -> Mismatch {
        Mismatch::new(Location::Body(self.path()), kind)
    }
}
