//! Mismatches as data. [`sentence`](crate::sentence) formats them.

mod explanation;
mod location;

use std::sync::Arc;

use contract_model::{Json, Rule, StatusClass, Text};

pub use self::explanation::Explanation;
pub use self::location::Location;

/// A difference between an expected and an actual value.
#[derive(Clone, Debug, PartialEq)]
pub struct Mismatch {
    pub at: Location,
    pub kind: MismatchKind,
    /// The expected value. `None` if no value was expected, or if the kind describes it completely.
    pub expected: Option<Json>,
    /// The actual value. `None` if there is none, or if the kind describes it completely.
    pub actual: Option<Json>,
    /// The matching rule that failed. `None` if the values were compared for equality.
    pub rule: Option<Arc<Rule>>,
    /// Additional information, such as a diff, the closest candidate, or advice. `None` if there is none.
    pub explanation: Option<Explanation>,
}

/// The kind of a mismatch. Variant names and codes are stable; sentences may change.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum MismatchKind {
    NotEqual,
    Missing,
    /// The contract does not allow the value.
    Unexpected,
    /// An object lacks keys or, in strict mode, has unexpected keys.
    Keys {
        /// Expected keys that are missing.
        missing: Vec<Text>,
        /// Keys that the contract does not allow.
        unexpected: Vec<Text>,
        /// True if additional keys are mismatches.
        exact: bool,
    },
    /// An array, header, or parameter has the wrong number of values.
    Length {
        expected: usize,
        actual: usize,
    },
    Type,
    Regex {
        pattern: Text,
    },
    /// Matching the regular expression exceeded the step limit.
    RegexBudget {
        pattern: Text,
    },
    /// The array has fewer items than the minimum.
    TooFew {
        min: usize,
        actual: usize,
    },
    /// The array has more items than the maximum.
    TooMany {
        max: usize,
        actual: usize,
    },
    Include {
        /// The expected substring.
        text: Text,
    },
    Number,
    Integer,
    Decimal,
    Boolean,
    Null,
    /// The value is not a date, time, or date and time in the given format.
    Moment {
        /// `date`, `time`, or `datetime`.
        what: &'static str,
        format: Text,
    },
    /// The bytes have a different content type.
    ContentType {
        expected: Text,
        /// The detected content type.
        actual: Text,
    },
    StatusCode(StatusClass),
    Empty,
    Semver,
    /// No item of the array satisfies the variant.
    Variant {
        /// Index of the variant in the rule, counted from 0.
        index: usize,
    },
    /// The body has a different content type.
    BodyType {
        expected: Text,
        actual: Text,
    },
    /// The body cannot be parsed as its content type.
    Unreadable {
        /// Name of the format, such as `JSON`.
        format: &'static str,
        /// The reason why the body cannot be parsed.
        problem: String,
    },
    NotApplicable {
        problem: String,
    },
    /// A mismatch that a plugin reported.
    Plugin {
        problem: String,
    },
    /// The root element of an XML document has a different name.
    Element {
        expected: Text,
        actual: Text,
    },
    Child {
        name: Text,
    },
    /// The contract does not allow the XML element.
    UnexpectedChild {
        name: Text,
    },
    Attribute {
        name: Text,
    },
    /// The contract does not allow the XML attribute.
    UnexpectedAttribute {
        name: Text,
    },
    /// A part of a multipart body is missing.
    Part {
        /// Name of the part, or its index if it has no name.
        name: Text,
    },
    /// A file was received in place of a form field, or vice versa.
    PartKind {
        name: Text,
        /// True if a file was expected, false if a form field was expected.
        file: bool,
    },
    /// The text body differs from the expected one.
    Body,
    /// The bytes differ from the expected ones.
    Bytes {
        /// Description of the expected bytes, such as `[image/jpeg, 28058 bytes, starting with ffd8…]`.
        expected: Text,
        /// Description of the actual bytes in the same format.
        actual: Text,
    },
    /// A body was received, but none was expected.
    NothingExpected,
    EmptyElement {
        name: Text,
    },
    /// The body is empty, but the `notEmpty` rule applies to it.
    EmptyBytes,
}

impl Mismatch {
    /// Creates a mismatch without values, rule, or explanation.
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
