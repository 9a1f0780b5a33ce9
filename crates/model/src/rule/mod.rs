//! Matching rules: what may differ from the example, and how.

mod json;

use std::collections::BTreeMap;

pub(crate) use self::json::{NAMES, size_of};
use crate::{ByPlace, ContentType, Found, Generator, Json, Object, PathExpression, Text};

/// A matching rule (Pact Specification V4, "Matching Rules").
#[derive(Clone, Debug, PartialEq)]
pub enum Rule {
    /// The value is the example itself; stops a rule that cascades from above.
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
    /// The text contains this one.
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
    /// The values of a map match the example's; the keys are free.
    Values,
    /// Each variant stands somewhere in the list.
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
        /// The rule's name.
        name: Text,
        /// Its other attributes.
        attributes: Object,
    },
}

/// One of the items that [`Rule::ArrayContains`] asks for.
#[derive(Clone, Debug, PartialEq)]
pub struct Variant {
    /// Where in the example list its example stands.
    pub index: usize,
    /// Rules relative to the item; `None` when the file names none, which asks for equality.
    pub rules: PathRules,
    /// Generators relative to the item.
    pub generators: BTreeMap<PathExpression, Generator>,
}

/// What [`Rule::EachKey`] and [`Rule::EachValue`] ask of each key or value.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Definition {
    /// All of them must hold.
    pub rules: Vec<Rule>,
    /// The example that the definition was made from.
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

/// Rules that hold at one place.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct RuleList {
    /// In the order in which they were given.
    pub rules: Vec<Rule>,
    /// Whether all of them must hold or one.
    pub combine: Combine,
}

/// How the rules of a [`RuleList`] combine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Combine {
    /// All must hold.
    #[default]
    And,
    /// One must hold.
    Or,
}

/// Rules by the place where they apply.
pub type PathRules = BTreeMap<PathExpression, RuleList>;

/// The matching rules of a request, a response or a message.
pub type Rules = ByPlace<RuleList>;

/// Why a JSON value is not a matching rule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RuleError {
    /// Not an object.
    #[error("a matching rule is an object, this is {0}")]
    NotAnObject(Found),
    /// `matchers` is no list.
    #[error("\"matchers\" must hold a list of matching rules, this is {0}")]
    NotAList(Found),
    /// An attribute that the rule needs.
    #[error("the rule {rule:?} needs the attribute {attribute:?} ({expected})")]
    Attribute {
        /// The rule's name.
        rule: String,
        /// The attribute's name.
        attribute: &'static str,
        /// What the attribute should hold.
        expected: &'static str,
    },
    /// Neither a name nor an attribute that tells which rule is meant.
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
    /// Whether the code belongs to this class.
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
    /// The rule's name in contract files.
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
