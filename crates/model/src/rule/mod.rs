//! Matching rules.

mod json;

use std::collections::BTreeMap;

pub(crate) use self::json::{NAMES, size_of};
use crate::{ByPlace, ContentType, Found, Generator, Json, Object, PathExpression, Text};

/// A matching rule (Pact Specification V4, "Matching Rules").
#[derive(Clone, Debug, PartialEq)]
pub enum Rule {
    /// The value equals the example. Overrides inherited rules.
    Equality,
    /// The whole text matches the pattern.
    Regex(Text),
    /// The value has the same kind. Collections may also have size limits.
    Type {
        /// Minimum number of items.
        min: Option<usize>,
        /// Maximum number of items.
        max: Option<usize>,
    },
    /// The value contains this string.
    Include(Text),
    /// An integer or a decimal.
    Number,
    /// An integer.
    Integer,
    /// A decimal number.
    Decimal,
    Boolean,
    Null,
    /// A date in this format (Java `DateTimeFormatter` pattern).
    Date(Option<Text>),
    /// A time of day in this format.
    Time(Option<Text>),
    /// A date and time in this format.
    DateTime(Option<Text>),
    /// Bytes of this content type, detected from the content.
    ContentType(ContentType),
    /// The values of an object match; the keys may differ.
    Values,
    /// The array contains a match for each variant.
    ArrayContains(Vec<Variant>),
    /// A class or a list of status codes.
    StatusCode(StatusClass),
    /// Neither null nor empty.
    NotEmpty,
    /// A semantic version (semver.org 2.0).
    Semver,
    /// Each key of a map satisfies these rules.
    EachKey(Box<Definition>),
    /// Each value of a map or list satisfies these rules.
    EachValue(Box<Definition>),
    /// An unknown rule, of a plugin or of a later specification. It is kept for writing. Comparing with it is an error
    /// and never passes.
    Custom {
        name: Text,
        attributes: Object,
    },
}

/// A variant of [`Rule::ArrayContains`].
#[derive(Clone, Debug, PartialEq)]
pub struct Variant {
    /// Index of its example in the example array.
    pub index: usize,
    /// Rules relative to the item. `None` means equality.
    pub rules: PathRules,
    /// Generators relative to the item.
    pub generators: BTreeMap<PathExpression, Generator>,
}

/// Rules of [`Rule::EachKey`] and [`Rule::EachValue`].
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Definition {
    /// All rules must match.
    pub rules: Vec<Rule>,
    pub value: Option<Json>,
    pub generator: Option<Generator>,
}

/// Status codes that [`Rule::StatusCode`] accepts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StatusClass {
    /// 100–199
    Information,
    /// 200–299
    Success,
    /// 300–399
    Redirect,
    /// 400–499
    ClientError,
    /// 500–599
    ServerError,
    /// Below 400
    NonError,
    /// 400 and above
    Error,
    /// One of these status codes.
    Codes(Vec<u16>),
}

/// The rules at one place.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct RuleList {
    pub rules: Vec<Rule>,
    pub combine: Combine,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Combine {
    #[default]
    And,
    /// At least one rule must match.
    Or,
}

/// Rules by path.
pub type PathRules = BTreeMap<PathExpression, RuleList>;

/// The matching rules of a request, a response, or a message.
pub type Rules = ByPlace<RuleList>;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RuleError {
    #[error("a matching rule must be an object, found {0}")]
    NotAnObject(Found),
    /// `matchers` is not an array.
    #[error("\"matchers\" must be an array of matching rules, found {0}")]
    NotAList(Found),
    /// A required attribute is missing or has the wrong type.
    #[error("the rule {rule:?} requires the attribute {attribute:?} ({expected})")]
    Attribute {
        rule: String,
        attribute: &'static str,
        /// The expected value.
        expected: &'static str,
    },
    /// The rule has no name, and no attribute determines it.
    #[error("the rule {0} requires the attribute \"match\"")]
    Nameless(String),
    /// An invalid path in `arrayContains`.
    #[error(transparent)]
    Path(#[from] crate::PathError),
    /// An invalid generator in `arrayContains`, `eachKey`, or `eachValue`.
    #[error(transparent)]
    Generator(#[from] crate::GeneratorError),
}

impl RuleList {
    /// Creates a list with one rule.
    pub fn one(rule: Rule) -> Self {
        Self {
            rules: vec![rule],
            combine: Combine::And,
        }
    }
}

impl StatusClass {
    pub fn contains(&self, code: u16) -> bool {
        match self {
            Self::Information => (100..200).contains(&code),
            Self::Success => (200..300).contains(&code),
            Self::Redirect => (300..400).contains(&code),
            Self::ClientError => (400..500).contains(&code),
            Self::ServerError => (500..600).contains(&code),
            Self::NonError => code < 400,
            Self::Error => code >= 400,
            Self::Codes(codes) => codes.contains(&code),
        }
    }
}

impl Rule {
    /// Returns the name in contract files.
    pub fn name(&self) -> &str {
        match self {
            Self::Equality => "equality",
            Self::Regex(_) => "regex",
            Self::Type { .. } => "type",
            Self::Include(_) => "include",
            Self::Number => "number",
            Self::Integer => "integer",
            Self::Decimal => "decimal",
            Self::Boolean => "boolean",
            Self::Null => "null",
            Self::Date(_) => "date",
            Self::Time(_) => "time",
            Self::DateTime(_) => "datetime",
            Self::ContentType(_) => "contentType",
            Self::Values => "values",
            Self::ArrayContains(_) => "arrayContains",
            Self::StatusCode(_) => "statusCode",
            Self::NotEmpty => "notEmpty",
            Self::Semver => "semver",
            Self::EachKey(_) => "eachKey",
            Self::EachValue(_) => "eachValue",
            Self::Custom { name, .. } => name,
        }
    }
}
