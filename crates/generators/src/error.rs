//! Errors of generators.

use contract_datetime::{DateTimeError, ExpressionError, FormatError, FormatProblem};
use contract_model::{ContentType, DataType, JsonKind, Text};

/// Reasons why a generator produced no value.
///
/// Messages do not contain provider state values, which may be secrets.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GenerateError {
    /// A generator of a plugin or of a later specification.
    #[error("unknown generator {name:?}; if it belongs to a plugin, the plugin must generate the value")]
    UnknownGenerator { name: Text },
    /// The minimum is greater than the maximum.
    #[error("RandomInt has min {min} above max {max}; swap them")]
    Bounds { min: i64, max: i64 },
    #[error("RandomDecimal has 0 digits; use at least 1")]
    NoDigits,
    /// The size limit of generated values is exceeded.
    #[error("more than {most} bytes would be generated in total; generate less, or raise the limit generatedSize")]
    TooMuch { most: usize },
    /// Invalid regular expression.
    #[error("{pattern:?} is not a regular expression: {problem}")]
    InvalidPattern { pattern: Text, problem: String },
    /// No string can be generated for the pattern, and there is no example to use instead.
    #[error("no string can be generated for the regular expression {pattern:?} ({problem}); pass an example")]
    NotGenerable { pattern: Text, problem: String },
    /// No string can be generated for the pattern, and the example does not match it.
    #[error(
        "no string can be generated for the regular expression {pattern:?} ({problem}), and the example {example:?} does not \
         match it; correct the example"
    )]
    ExampleMismatch {
        pattern: Text,
        problem: String,
        example: Text,
    },
    /// Invalid date or time format.
    #[error("the format {format:?} is invalid: {problem}")]
    Format { format: Text, problem: FormatError },
    /// The format requires something that the value lacks, such as a time zone name.
    #[error("the date and time cannot be formatted as {format:?}: {problem}")]
    Unwritable { format: Text, problem: Box<FormatProblem> },
    /// Invalid date or time expression.
    #[error("the expression {expression:?} is invalid: {problem}")]
    Expression { expression: Text, problem: ExpressionError },
    /// The result of the expression is out of range.
    #[error("the expression {expression:?} has no result: {problem}")]
    OutOfRange { expression: Text, problem: DateTimeError },
    /// A template with an unclosed or empty `${`.
    #[error("the provider state expression {expression:?} is invalid at column {column}: {problem}")]
    Template {
        expression: Text,
        /// Column in characters, counted from 1.
        column: usize,
        problem: &'static str,
    },
    /// No provider state handler returned a value of this name.
    #[error("no provider state handler returned a value named {name:?}, which {expression:?} requires; {}", at_hand(.available))]
    MissingStateValue {
        name: Text,
        expression: Text,
        /// Names of the returned values.
        available: Vec<Text>,
    },
    /// A provider state value that cannot be converted to the requested type.
    #[error("the provider state value of {expression:?} is a JSON {found} that cannot be read as {}", .wanted.name())]
    Conversion {
        expression: Text,
        found: JsonKind,
        wanted: DataType,
    },
    /// Null cannot be used in a string.
    #[error(
        "the provider state value {name:?}, which {expression:?} requires, is null; return a value, or use dataType RAW"
    )]
    NullStateValue { name: Text, expression: Text },
    /// The URL of the mock server is unknown.
    #[error("no mock server is running, so its URL cannot be used")]
    NoBaseUrl,
    /// The example does not match the pattern for the part to keep.
    #[error("the example {example:?} does not match {pattern:?}, so no part of it can be kept")]
    UrlMismatch { example: Text, pattern: Text },
    /// The pattern has no group for the part to keep.
    #[error("{pattern:?} has no group around the part of the URL to keep, as in \".*(/orders)$\"")]
    NoGroup { pattern: Text },
    /// The value is invalid at its place.
    #[error("the generated value cannot be used here: {wanted}")]
    Unfit { wanted: &'static str },
    /// An index such as `name[3]` is out of range.
    #[error("the index {index} is out of range: the example has {count}")]
    NoSuchValue {
        /// The index, counted from 0.
        index: usize,
        count: usize,
    },
    /// Generators cannot address parts of this kind of body.
    #[error(
        "values cannot be generated inside a body of type {}; only inside JSON, XML, and form bodies",
        .content_type.as_ref().map_or("unknown", ContentType::essence)
    )]
    ContentType { content_type: Option<ContentType> },
    /// The body does not match its content type.
    #[error("the body cannot be read as {format}: {problem}")]
    UnreadableBody {
        /// `JSON`, `XML`, or `form`.
        format: &'static str,
        problem: String,
    },
}

fn at_hand(names: &[Text]) -> String {
    const SHOWN: usize = 20;
    if names.is_empty() {
        return "no handler returned a value".to_owned();
    }
    let shown: Vec<_> = names.iter().take(SHOWN).map(|name| format!("{name:?}")).collect();
    let more = match names.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("returned values: {}{more}", shown.join(", "))
}
