//! Rules that cannot be used.

use crate::pattern::PatternError;

/// Why a rule cannot be used. Builders and readers refuse such rules where they are written.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RuleProblem {
    /// A regular expression that does not compile.
    #[error(transparent)]
    Pattern(#[from] PatternError),
    /// A date or time format that means nothing.
    #[error("the format of the rule {rule:?} is invalid: {problem}")]
    Format {
        /// The rule's name.
        rule: String,
        /// What is wrong.
        problem: String,
    },
    /// A rule that this library does not know.
    #[error("unknown rule {name:?}: it is misspelled, or requires a plugin")]
    Unknown {
        /// The rule's name.
        name: String,
    },
    /// More than may be compiled for one request, response or message.
    #[error(
        "the compiled regular expressions exceed {most} bytes in total; use fewer or smaller ones, or raise the limit \
         patternSize"
    )]
    Patterns {
        /// The limit.
        most: usize,
    },
    /// A least size above the greatest.
    #[error("the rule \"type\" is invalid: min ({min}) is greater than max ({max})")]
    Sizes {
        /// The least size.
        min: usize,
        /// The greatest size.
        max: usize,
    },
}

/// A rule that cannot be used, and where it stands.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("the rule for {place}: {problem}")]
pub struct PlanError {
    /// Such as `header X-Id` or `the body at $.id`.
    pub place: String,
    /// What is wrong with it.
    #[source]
    pub problem: RuleProblem,
}

impl PlanError {
    pub(crate) fn new(place: impl Into<String>, problem: RuleProblem) -> Self {
        Self {
            place: place.into(),
            problem,
        }
    }
}
