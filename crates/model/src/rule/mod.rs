//! Matching rules and their errors.

mod json;

use std::collections::BTreeMap;

pub(crate) use self::json::{NAMES, size_of};
use crate::{ByPlace, ContentType, Found, Generator, Json, Object, PathExpression, Text};

/// A matching rule (Pact Specification V4, section "Matching Rules").
#[derive(Clone, Debug, PartialEq)]
pub enum Rule {
    /// The value equals the example. Overrides rules that the value inherits from its ancestors.
    Equality,
    /// The whole value matches the pattern.
    Regex(Text),
    /// The value has the type of the example. For arrays and objects, the number of items may be limited.
    Type {
        /// Minimum number of items. `None` means no minimum.
        min: Option<usize>,
        /// Maximum number of items. `None` means no maximum.
        max: Option<usize>,
    },
    /// The value contains the string.
    Include(Text),
    /// The value is an integer or a decimal number.
    Number,
    Integer,
    Decimal,
    Boolean,
    Null,
    /// The value is a date in this format, a pattern in the syntax of Java's `DateTimeFormatter`. `None` means
    /// `yyyy-MM-dd`.
    Date(Option<Text>),
    /// The value is a time of day in this format. `None` means `HH:mm:ss`.
    Time(Option<Text>),
    /// The value is a date and time in this format. `None` means `yyyy-MM-dd'T'HH:mm:ssXXX`.
    DateTime(Option<Text>),
    /// The bytes have this content type, as detected from the bytes.
    ContentType(ContentType),
    /// The values of the object match. The keys may differ.
    Values,
    /// The array contains a matching item for each variant, in any order.
    ArrayContains(Vec<Variant>),
    /// The status code belongs to a class or to a list of codes.
    StatusCode(StatusClass),
    /// The value is neither null nor empty.
    NotEmpty,
    /// The value is a semantic version (semver.org 2.0).
    Semver,
    /// Each key of the object matches these rules.
    EachKey(Box<Definition>),
    /// Each value of the object or array matches these rules.
    EachValue(Box<Definition>),
    /// An unknown rule, from a plugin or a later specification. It is kept so that it can be written again. Without the
    /// plugin, every comparison that uses it reports a mismatch.
    Custom {
        name: Text,
        attributes: Object,
    },
}

/// A variant of [`Rule::ArrayContains`].
#[derive(Clone, Debug, PartialEq)]
pub struct Variant {
    /// Index of the variant's example in the example array, counted from 0.
    pub index: usize,
    /// Rules with paths relative to the item. If empty, the item must be equal to the example.
    pub rules: PathRules,
    /// Generators with paths relative to the item.
    pub generators: BTreeMap<PathExpression, Generator>,
}

/// The rules of [`Rule::EachKey`] or [`Rule::EachValue`].
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Definition {
    /// The rules, all of which must match.
    pub rules: Vec<Rule>,
    pub value: Option<Json>,
    pub generator: Option<Generator>,
}

/// The status codes that [`Rule::StatusCode`] accepts.
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
    /// All codes below 400
    NonError,
    /// All codes from 400
    Error,
    /// One of these status codes.
    Codes(Vec<u16>),
}

/// The rules at one path.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct RuleList {
    pub rules: Vec<Rule>,
    pub combine: Combine,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Combine {
    #[default]
    And,
    /// At least one of the rules must match.
    Or,
}

pub type PathRules = BTreeMap<PathExpression, RuleList>;

/// The matching rules of a request, a response, or a message.
pub type Rules = ByPlace<RuleList>;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RuleError {
    #[error("a matching rule must be an object, found {0}")]
    NotAnObject(Found),
    /// `matchers` is not an array. Contains what was found instead.
    #[error("\"matchers\" must be an array of matching rules, found {0}")]
    NotAList(Found),
    /// A required attribute is missing or has the wrong type.
    #[error("the rule {rule:?} requires the attribute {attribute:?} ({expected})")]
    Attribute {
        rule: String,
        attribute: &'static str,
        /// Description of the expected value, such as `an array of at least one status code`.
        expected: &'static str,
    },
    /// The rule has no name, and its attributes do not imply one.
    #[error("the rule {0} requires the attribute \"match\"")]
    Nameless(String),
    /// A path in `arrayContains` is invalid.
    #[error(transparent)]
    Path(#[from] crate::PathError),
    /// A generator in `arrayContains`, `eachKey`, or `eachValue` is invalid.
    #[error(transparent)]
    Generator(#[from] crate::GeneratorError),
}

impl RuleList {
    pub fn single(rule: Rule) -> Self {
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
    /// Returns the rule's name in contract files, such as `datetime`.
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
