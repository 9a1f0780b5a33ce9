//! Errors for invalid rules.

use crate::pattern::PatternError;

/// Why a rule is invalid.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RuleProblem {
    #[error(transparent)]
    Pattern(#[from] PatternError),
    /// An invalid date or time format.
    #[error("the format of the rule {rule:?} is invalid: {problem}")]
    Format { rule: String, problem: String },
    #[error("unknown rule {name:?}: it is misspelled, or requires a plugin")]
    Unknown { name: String },
    /// The patterns of one request, response, or message exceed the size limit.
    #[error(
        "the compiled regular expressions exceed {most} bytes in total; use fewer or smaller ones, or raise the limit \
         patternSize"
    )]
    Patterns { most: usize },
    /// The minimum size is greater than the maximum size.
    #[error("the rule \"type\" is invalid: min ({min}) is greater than max ({max})")]
    Sizes { min: usize, max: usize },
}

/// An invalid rule and its place.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("the rule for {place}: {problem}")]
pub struct PlanError {
    /// For example `header X-Id` or `the body at $.id`.
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
