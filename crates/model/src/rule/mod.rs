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
    /// The same kind of value; for collections also their size.
    Type {
        /// Fewest items.
        min: Option<usize>,
        /// Most items.
        max: Option<usize>,
    },
    /// The value contains this string.
    Include(Text),
    /// A number of either kind.
    Number,
    /// A number without fraction.
    Integer,
    /// A number with a fraction.
    Decimal,
    /// True or false.
    Boolean,
    /// JSON null.
    Null,
    /// A date in this format (Java `DateTimeFormatter` letters).
    Date(Option<Text>),
    /// A time of day in this format.
    Time(Option<Text>),
    /// A date and time in this format.
    DateTime(Option<Text>),
    /// Bytes of this content type, recognised by their content.
    ContentType(ContentType),
    /// The values of an object match; the keys may differ.
    Values,
    /// The array contains each variant.
    ArrayContains(Vec<Variant>),
    /// A class of status codes, or a list of them.
    StatusCode(StatusClass),
    /// Neither null nor empty.
    NotEmpty,
    /// A semantic version (semver.org 2.0).
    Semver,
    /// Each key of a map satisfies these rules.
    EachKey(Box<Definition>),
    /// Each value of a map or list satisfies these rules.
    EachValue(Box<Definition>),
    /// A rule this library does not know: of a plugin, or of a later specification. It is kept and written back;
    /// comparing with it is an error, never a pass.
    Custom {
        name: Text,
        /// Its other attributes.
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
    /// All of them must match.
    pub rules: Vec<Rule>,
    pub value: Option<Json>,
    /// The generator that belongs to it.
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
    /// One of these.
    Codes(Vec<u16>),
}

/// Rules of one place.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct RuleList {
    pub rules: Vec<Rule>,
    pub combine: Combine,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Combine {
    /// All rules must match.
    #[default]
    And,
    /// One rule must match.
    Or,
}

/// Rules by the place where they apply.
pub type PathRules = BTreeMap<PathExpression, RuleList>;

/// The matching rules of a request, a response or a message.
pub type Rules = ByPlace<RuleList>;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RuleError {
    /// Not an object.
    #[error("a matching rule must be an object, found {0}")]
    NotAnObject(Found),
    /// `matchers` is not an array.
    #[error("\"matchers\" must be an array of matching rules, found {0}")]
    NotAList(Found),
    /// An attribute that the rule needs.
    #[error("the rule {rule:?} requires the attribute {attribute:?} ({expected})")]
    Attribute {
        rule: String,
        attribute: &'static str,
        /// The expected value.
        expected: &'static str,
    },
    /// Neither a name nor an attribute determines the rule.
    #[error("the rule {0} does not say what to match: the attribute \"match\" is missing")]
    Nameless(String),
    /// A path below `arrayContains` that is none.
    #[error(transparent)]
    Path(#[from] crate::PathError),
    /// A generator below `arrayContains`, `eachKey` or `eachValue` that is none.
    #[error(transparent)]
    Generator(#[from] crate::GeneratorError),
}

impl RuleList {
    /// A list of one rule.
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
    /// Name in contract files.
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
