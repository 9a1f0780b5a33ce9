//! Errors in the matcher JSON that builders produce.

use crate::definition::ExpressionError;
use crate::{GeneratorError, RuleError};

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {kind}", place(at))]
pub struct TemplateError {
    /// JSON pointer into the template. An empty pointer denotes the whole template.
    pub at: String,
    pub kind: TemplateErrorKind,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TemplateErrorKind {
    /// The value of `contract:matcher:type` is neither a string nor an array of matchers.
    #[error("\"contract:matcher:type\" must be the name of a matcher or an array of matchers")]
    MatcherType,
    #[error("unknown matcher {0:?}")]
    UnknownMatcher(String),
    /// The value of `contract:generator:type` is not a string.
    #[error("\"contract:generator:type\" must be the name of a generator")]
    GeneratorType,
    #[error("unknown generator {0:?}")]
    UnknownGenerator(String),
    /// An unknown key with a reserved prefix, such as `contract:matcher`.
    #[error("unknown key {0:?}; valid keys are \"contract:matcher:type\" and \"contract:generator:type\"")]
    UnknownKey(String),
    /// A matcher has invalid or missing attributes.
    #[error(transparent)]
    Rule(RuleError),
    /// A generator has invalid or missing attributes.
    #[error(transparent)]
    Generator(GeneratorError),
    #[error("min {min} is greater than max {max}")]
    Bounds { min: usize, max: usize },
    /// The matcher of this name has neither an example nor a generator that could create one.
    #[error("the matcher {0:?} requires an example in \"value\", or a generator")]
    MissingValue(String),
    #[error(transparent)]
    Expression(ExpressionError),
    /// A matching expression refers to a member that does not exist.
    #[error("the matching expression refers to {0:?}, but the object has no such member")]
    Reference(String),
    /// An item of `arrayContains` in a matching expression has no example.
    #[error(
        "each item of arrayContains in a matching expression requires an example; define items without an example under \"variants\""
    )]
    VariantWithoutExample,
    /// The value of `combine` is neither `AND` nor `OR`.
    #[error("\"combine\" must be \"AND\" or \"OR\"")]
    Combine,
    /// There are both AND and OR matchers at one path.
    #[error("AND matchers and OR matchers cannot be combined at the same path")]
    CombineConflict,
    /// The value of `examples` is not an integer from `min` to `max`.
    #[error("\"examples\" must be a whole number from \"min\" to \"max\"")]
    Examples,
    /// The repeated items of an array exceed the maximum size of an example.
    #[error(
        "the example repeats an item of {bytes} bytes {count} times, which exceeds the limit of {limit} bytes for an example; use fewer examples, or increase exampleLimit"
    )]
    ExampleLimit {
        /// Number of times that the item is repeated.
        count: usize,
        /// Size of the item as JSON text, in bytes.
        bytes: usize,
        /// Maximum size of the example, in bytes.
        limit: usize,
    },
    /// A matcher replaces only a part of a header, query parameter, path, status, or metadata value.
    #[error("a matcher must replace the whole value here, not only a part of it")]
    Nested,
    #[error("the template is nested deeper than {} levels", crate::MAX_DEPTH)]
    TooDeep,
}

/// Maximum size in bytes of an example array that repeats its only item, including nested arrays. The `exampleLimit`
/// attribute of the matcher overrides it.
pub const DEFAULT_EXAMPLE_LIMIT: usize = 4 << 20;

impl TemplateErrorKind {
    /// Returns an error code such as `missing-value`, which does not depend on the wording of the message.
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
