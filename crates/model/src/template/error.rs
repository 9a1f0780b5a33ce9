//! What can be wrong with the matcher JSON of a builder.

use crate::definition::ExpressionError;
use crate::{GeneratorError, RuleError};

/// An invalid template, with the place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {kind}", place(at))]
pub struct TemplateError {
    /// A JSON pointer into the template; empty for the template itself.
    pub at: String,
    pub kind: TemplateErrorKind,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TemplateErrorKind {
    /// `contract:matcher:type` is neither a text nor a list of matchers.
    #[error("contract:matcher:type must be the name of a matcher or an array of matchers")]
    MatcherType,
    #[error("unknown matcher {0:?}")]
    UnknownMatcher(String),
    /// `contract:generator:type` is not a text.
    #[error("contract:generator:type must be the name of a generator")]
    GeneratorType,
    #[error("unknown generator {0:?}")]
    UnknownGenerator(String),
    /// A key that begins like those of this library, but is none of them.
    #[error("the key {0:?} is unknown; the keys are contract:matcher:type and contract:generator:type")]
    UnknownKey(String),
    /// A matcher with wrong or missing attributes.
    #[error(transparent)]
    Rule(RuleError),
    /// A generator with wrong or missing attributes.
    #[error(transparent)]
    Generator(GeneratorError),
    /// `min` above `max`.
    #[error("min {min} is above max {max}")]
    Bounds {
        /// Fewest items.
        min: usize,
        /// Most items.
        max: usize,
    },
    /// Neither an example nor a generator to make one.
    #[error("the matcher {0:?} requires an example in \"value\", or a generator")]
    MissingValue(String),
    /// A matching expression that cannot be read.
    #[error(transparent)]
    Expression(ExpressionError),
    /// A matching expression that refers to a member which is not there.
    #[error("the matching expression refers to {0:?}, but the object has no such member")]
    Reference(String),
    /// An item of `arrayContains` in a matching expression has no example.
    #[error(
        "each item of arrayContains needs an example in the matching expression; write the others under \"variants\""
    )]
    VariantWithoutExample,
    /// `combine` is neither AND nor OR.
    #[error("combine must be AND or OR")]
    Combine,
    /// AND and OR matchers at the same place.
    #[error("AND matchers and OR matchers cannot be combined at the same place")]
    CombineConflict,
    /// `examples` is not a number from `min` to `max`.
    #[error("examples must be a whole number from min to max")]
    Examples,
    /// The repeated items of an array exceed the maximum size of an example.
    #[error(
        "the example repeats an item of {bytes} bytes {count} times, which is more than the {limit} bytes that an example may \
         have; ask for fewer examples, or raise exampleLimit"
    )]
    ExampleLimit {
        /// Number of items in the example.
        count: usize,
        /// Of the item, as JSON text.
        bytes: usize,
        /// Most bytes.
        limit: usize,
    },
    /// A matcher below the value of a header, a query parameter, a path, a status or metadata.
    #[error("a matcher must replace a whole value here, not a part of it")]
    Nested,
    /// Deeper than any document that can be read.
    #[error("the template is nested deeper than {} levels", crate::MAX_DEPTH)]
    TooDeep,
}

/// Most bytes that the example of a list may have where its one item is repeated, lists inside included. `exampleLimit`
/// beside the item raises it.
pub const DEFAULT_EXAMPLE_LIMIT: usize = 4 << 20;

impl TemplateErrorKind {
    /// A name that stays the same when the wording changes.
    pub fn code(&self) -> &'static str {
        match self {
            Self::MatcherType => "matcher-type",
            Self::UnknownMatcher(_) => "unknown-matcher",
            Self::GeneratorType => "generator-type",
            Self::UnknownGenerator(_) => "unknown-generator",
            Self::UnknownKey(_) => "unknown-key",
            Self::Rule(_) => "matcher-attributes",
            Self::Generator(_) => "generator-attributes",
            Self::Bounds { .. } => "bounds",
            Self::MissingValue(_) => "missing-value",
            Self::Expression(_) => "expression",
            Self::Reference(_) => "reference",
            Self::VariantWithoutExample => "variant-without-example",
            Self::Combine => "combine",
            Self::CombineConflict => "combine-conflict",
            Self::Examples => "examples",
            Self::ExampleLimit { .. } => "example-limit",
            Self::Nested => "nested-matcher",
            Self::TooDeep => "too-deep",
        }
    }
}

fn place(at: &str) -> &str {
    if at.is_empty() { "the template" } else { at }
}
