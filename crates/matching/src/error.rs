//! Errors for invalid rules.

use crate::pattern::PatternError;

/// Reason why a matching rule is invalid.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RuleProblem {
    #[error(transparent)]
    Pattern(#[from] PatternError),
    #[error("the format of the rule {rule:?} is invalid: {problem}")]
    Format { rule: String, problem: String },
    #[error("unknown matching rule {name:?}: it is misspelled, or requires a plugin")]
    Unknown { name: String },
    /// The patterns of a request, a response, or a message exceed the size limit in total.
    #[error(
        "the compiled regular expressions exceed {most} bytes in total; use fewer or smaller expressions, or raise the limit \
         patternSize"
    )]
    Patterns { most: usize },
    #[error("the rule \"type\" is invalid: min ({min}) is greater than max ({max})")]
    Sizes { min: usize, max: usize },
}

/// An invalid rule and its location.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("the rule for {place}: {problem}")]
pub struct PlanError {
    /// Location of the rule, such as `header X-Id` or `the body at $.id`.
    pub place: String,
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
