//! Mismatches are data; their sentences are made in one place, [`sentence`](crate::sentence).

mod explanation;
mod location;

use std::sync::Arc;

use contract_model::{Json, Rule, StatusClass, Text};

pub use self::explanation::Explanation;
pub use self::location::Location;

/// One difference between what was expected and what arrived.
#[derive(Clone, Debug, PartialEq)]
pub struct Mismatch {
    /// Where.
    pub at: Location,
    /// What kind of difference.
    pub kind: MismatchKind,
    /// What was expected there, when there is such a value.
    pub expected: Option<Json>,
    /// What arrived there, when something did.
    pub actual: Option<Json>,
    /// The matching rule that failed; none when plain equality was asked for.
    pub rule: Option<Arc<Rule>>,
    /// More to tell: a difference, the nearest candidate, what to do.
    pub explanation: Option<Explanation>,
}

/// The kind of a mismatch. Names and codes are stable; texts may get better.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum MismatchKind {
    /// Not the expected value.
    NotEqual,
    /// Nothing there.
    Missing,
    /// Something there that the contract does not allow.
    Unexpected,
    /// A map lacks keys, or, under strict comparison, has others.
    Keys {
        /// Keys that the contract names and the map lacks.
        missing: Vec<Text>,
        /// Keys that the map has and the contract does not allow.
        unexpected: Vec<Text>,
        /// Whether only the keys of the contract are allowed.
        exact: bool,
    },
    /// A list, or the values of a header or parameter, of another length.
    Length {
        /// How many were expected.
        expected: usize,
        /// How many arrived.
        actual: usize,
    },
    /// A value of another kind.
    Type,
    /// A text that the pattern does not match.
    Regex {
        /// The pattern.
        pattern: Text,
    },
    /// Matching the pattern took more steps than allowed.
    RegexBudget {
        /// The pattern.
        pattern: Text,
    },
    /// Fewer than the least number of items.
    TooFew {
        /// The least number.
        min: usize,
        /// How many arrived.
        actual: usize,
    },
    /// More than the greatest number of items.
    TooMany {
        /// The greatest number.
        max: usize,
        /// How many arrived.
        actual: usize,
    },
    /// A text that does not contain the other.
    Include {
        /// What it should contain.
        text: Text,
    },
    /// Not a number.
    Number,
    /// Not a whole number.
    Integer,
    /// Not a number with a fraction.
    Decimal,
    /// Neither true nor false.
    Boolean,
    /// Not null.
    Null,
    /// Not a date, time or date with time in the format.
    Moment {
        /// `date`, `time` or `datetime`.
        what: &'static str,
        /// The format.
        format: Text,
    },
    /// Bytes of another type.
    ContentType {
        /// The expected type.
        expected: Text,
        /// The recognised one.
        actual: Text,
    },
    /// A status code outside the class.
    StatusCode(StatusClass),
    /// Null or empty.
    Empty,
    /// Not a semantic version.
    Semver,
    /// A variant that stands nowhere in the list.
    Variant {
        /// Its place among the variants.
        index: usize,
    },
    /// The body's content type is not the expected one.
    BodyType {
        /// The expected type.
        expected: Text,
        /// The actual one.
        actual: Text,
    },
    /// A body that cannot be read as what its content type says.
    Unreadable {
        /// Such as `JSON`.
        format: &'static str,
        /// What is wrong.
        problem: String,
    },
    /// The rule cannot be applied to such a value.
    NotApplicable {
        /// Why.
        problem: String,
    },
    /// What a plugin says, in its words.
    Plugin {
        /// The mismatches.
        problem: String,
    },
    /// Another root element of an XML document.
    Element {
        /// The expected one.
        expected: Text,
        /// The actual one.
        actual: Text,
    },
    /// An XML element that is missing.
    Child {
        /// The name.
        name: Text,
    },
    /// An XML element that the contract does not allow.
    UnexpectedChild {
        /// The name.
        name: Text,
    },
    /// An XML attribute that is missing.
    Attribute {
        /// The name.
        name: Text,
    },
    /// An XML attribute that the contract does not allow.
    UnexpectedAttribute {
        /// The name.
        name: Text,
    },
    /// A part of a multipart body that is missing.
    Part {
        /// Its name, or its place among those without.
        name: Text,
    },
    /// A file where a field of a form was expected, or the other way round.
    PartKind {
        /// The part's name.
        name: Text,
        /// Whether a file was expected.
        file: bool,
    },
    /// A text body that is not the expected one.
    Body,
    /// Bytes that are not the expected ones.
    Bytes {
        /// The expected ones, described.
        expected: Text,
        /// The actual ones, described.
        actual: Text,
    },
    /// A body where there must be none.
    NothingExpected,
    /// An XML element that is empty.
    EmptyElement {
        /// The name.
        name: Text,
    },
    /// No bytes.
    EmptyBytes,
}

impl Mismatch {
    /// A mismatch of which nothing more is known.
    pub fn new(at: Location, kind: MismatchKind) -> Self {
        Self {
            at,
            kind,
            expected: None,
            actual: None,
            rule: None,
            explanation: None,
        }
    }

    pub(crate) fn expected(mut self, value: impl Into<Json>) -> Self {
        self.expected = Some(value.into());
        self
    }

    pub(crate) fn actual(mut self, value: impl Into<Json>) -> Self {
        self.actual = Some(value.into());
        self
    }

    pub(crate) fn rule(mut self, rule: &Arc<Rule>) -> Self {
        self.rule = Some(Arc::clone(rule));
        self
    }

    pub(crate) fn explain(mut self, explanation: Explanation) -> Self {
        self.explanation = Some(explanation);
        self
    }
}

impl MismatchKind {
    /// The stable code of the kind.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotEqual | Self::Element { .. } | Self::Body | Self::Bytes { .. } | Self::NothingExpected => {
                "not-equal"
            }
            Self::Missing | Self::Child { .. } | Self::Attribute { .. } | Self::Part { .. } => "missing",
            Self::Unexpected | Self::UnexpectedChild { .. } | Self::UnexpectedAttribute { .. } => "unexpected",
            Self::Keys { .. } => "keys",
            Self::Length { .. } => "length",
            Self::Type | Self::PartKind { .. } => "type",
            Self::Regex { .. } => "regex",
            Self::RegexBudget { .. } => "regex-budget",
            Self::TooFew { .. } => "too-few",
            Self::TooMany { .. } => "too-many",
            Self::Include { .. } => "include",
            Self::Number => "number",
            Self::Integer => "integer",
            Self::Decimal => "decimal",
            Self::Boolean => "boolean",
            Self::Null => "null",
            Self::Moment { what, .. } => what,
            Self::ContentType { .. } => "content-type",
            Self::StatusCode(_) => "status-code",
            Self::Empty | Self::EmptyBytes | Self::EmptyElement { .. } => "empty",
            Self::Semver => "semver",
            Self::Variant { .. } => "variant",
            Self::BodyType { .. } => "body-type",
            Self::Unreadable { .. } => "unreadable",
            Self::NotApplicable { .. } => "not-applicable",
            Self::Plugin { .. } => "plugin",
        }
    }
}
