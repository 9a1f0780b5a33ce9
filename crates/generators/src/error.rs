//! Errors of generators.

use contract_datetime::{DateTimeError, ExpressionError, FormatError, FormatProblem};
use contract_model::{ContentType, DataType, JsonKind, Text};

/// Reason why a generator did not produce a value.
///
/// The messages never contain provider state values, because these may be secret.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GenerateError {
    /// A generator of a plugin, or of a later version of the specification.
    #[error("unknown generator {name:?}; if it belongs to a plugin, the plugin must generate the value")]
    UnknownGenerator { name: Text },
    #[error("RandomInt: min {min} is greater than max {max}; swap them")]
    Bounds { min: i64, max: i64 },
    #[error("RandomDecimal: digits must be at least 1")]
    NoDigits,
    #[error(
        "the generated values exceed {most} bytes in total; generate fewer or smaller values, or raise the limit generatedSize"
    )]
    TooMuch { most: usize },
    #[error("{pattern:?} is not a valid regular expression: {problem}")]
    InvalidPattern { pattern: Text, problem: String },
    /// No string can be generated for the pattern, and there is no example that could be used instead.
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
    #[error("the format {format:?} is invalid: {problem}")]
    Format { format: Text, problem: FormatError },
    /// The format is ambiguous, so the formatted value could not be parsed with the same format.
    #[error("the date and time cannot be formatted as {format:?}: {problem}")]
    Unwritable { format: Text, problem: Box<FormatProblem> },
    #[error("the expression {expression:?} is invalid: {problem}")]
    Expression { expression: Text, problem: ExpressionError },
    /// The result of the date or time expression is out of range.
    #[error("the expression {expression:?} has no result: {problem}")]
    OutOfRange { expression: Text, problem: DateTimeError },
    /// A `${` in the template is not closed, or contains no name.
    #[error("the provider state expression {expression:?} is invalid at column {column}: {problem}")]
    Template {
        expression: Text,
        /// Column, counted in characters from 1.
        column: usize,
        problem: &'static str,
    },
    /// No provider state handler returned a value with this name.
    #[error("no provider state handler returned a value named {name:?}, which {expression:?} requires; {}", available_values(.available))]
    MissingStateValue {
        name: Text,
        expression: Text,
        /// Names of the values that the handlers returned. Empty if they returned none.
        available: Vec<Text>,
    },
    /// The provider state value cannot be converted to the generator's data type.
    #[error(
        "the provider state value for {expression:?} cannot be converted to {}: it is {}",
        .wanted.name(), .found.with_article()
    )]
    Conversion {
        expression: Text,
        found: JsonKind,
        wanted: DataType,
    },
    /// The provider state value is null, but must be part of a string.
    #[error(
        "the provider state value {name:?}, which {expression:?} requires, is null; return a value, or use dataType RAW"
    )]
    NullStateValue { name: Text, expression: Text },
    /// The context contains no URL of a mock server.
    #[error("the mock server URL is unknown, because no mock server is running")]
    NoBaseUrl,
    /// The example does not match the pattern that selects the part to keep.
    #[error("the example {example:?} does not match the pattern {pattern:?}")]
    UrlMismatch { example: Text, pattern: Text },
    #[error(
        "the pattern {pattern:?} has no capturing group for the part of the URL to keep; add one, as in \".*(/orders)$\""
    )]
    NoGroup { pattern: Text },
    /// The generated value is not valid at its location, such as a line break in a header.
    #[error("the generated value is invalid: {wanted}")]
    Unfit { wanted: &'static str },
    /// An index such as the 3 in `name[3]` is out of range.
    #[error("the index {index} is out of range (number of values in the example: {count})")]
    NoSuchValue {
        /// Index, counted from 0.
        index: usize,
        count: usize,
    },
    /// Generators cannot address parts of bodies with this content type.
    #[error(
        "values can be generated only inside JSON, XML, and form bodies, not inside a body of type {}",
        .content_type.as_ref().map_or("unknown", ContentType::essence)
    )]
    ContentType { content_type: Option<ContentType> },
    #[error("the body cannot be read as {format}: {problem}")]
    UnreadableBody {
        /// Name of the format: `JSON`, `XML`, or `form`.
        format: &'static str,
        problem: String,
    },
}

fn available_values(names: &[Text]) -> String {
    const SHOWN: usize = 20;
    if names.is_empty() {
        return "no handler returned a value".to_owned();
    }
    let listed: Vec<_> = names.iter().take(SHOWN).map(|name| format!("{name:?}")).collect();
    let more = match names.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("returned values: {}{more}", listed.join(", "))
}
