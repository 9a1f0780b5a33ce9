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
    /// The minimum is above the maximum.
    #[error("RandomInt: min {min} is above max {max}; swap them")]
    Bounds { min: i64, max: i64 },
    #[error("RandomDecimal has 0 digits; use at least 1")]
    NoDigits,
    /// The size limit for generated values is exceeded.
    #[error(
        "the generated values exceed {most} bytes in total; generate fewer or smaller values, or raise the limit generatedSize"
    )]
    TooMuch { most: usize },
    /// The regular expression is invalid.
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
    /// The date or time format is invalid.
    #[error("the format {format:?} is invalid: {problem}")]
    Format { format: Text, problem: FormatError },
    /// The format is ambiguous, so the formatted value could not be parsed with the same format.
    #[error("the date and time cannot be formatted as {format:?}: {problem}")]
    Unwritable { format: Text, problem: Box<FormatProblem> },
    /// The date or time expression is invalid.
    #[error("the expression {expression:?} is invalid: {problem}")]
    Expression { expression: Text, problem: ExpressionError },
    /// The result of the expression is out of range.
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
    #[error("no provider state handler returned a value named {name:?}, which {expression:?} requires; {}", at_hand(.available))]
    MissingStateValue {
        name: Text,
        expression: Text,
        /// Names of the values that the handlers returned.
        available: Vec<Text>,
    },
    /// The provider state value cannot be converted to the requested type.
    #[error("the provider state value of {expression:?} is a JSON {found} that cannot be read as {}", .wanted.name())]
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
    /// The URL of the mock server is not known.
    #[error("no mock server is running, so its URL cannot be used")]
    NoBaseUrl,
    /// The example does not match the pattern that selects the part to keep.
    #[error("the example {example:?} does not match {pattern:?}, so no part of it can be kept")]
    UrlMismatch { example: Text, pattern: Text },
    /// The pattern has no group that selects the part to keep.
    #[error("{pattern:?} has no group around the part of the URL to keep, as in \".*(/orders)$\"")]
    NoGroup { pattern: Text },
    /// The generated value is not valid where it is used.
    #[error("the generated value cannot be used here: {wanted}")]
    Unfit { wanted: &'static str },
    /// An index such as the one in `name[3]` is out of range.
    #[error("the index {index} is out of range: the number of values in the example is {count}")]
    NoSuchValue {
        /// Index, counted from 0.
        index: usize,
        count: usize,
    },
    /// Generators cannot address parts of bodies with this content type.
    #[error(
        "values cannot be generated inside a body of type {}; only inside JSON, XML, and form bodies",
        .content_type.as_ref().map_or("unknown", ContentType::essence)
    )]
    ContentType { content_type: Option<ContentType> },
    /// The body is not valid for its content type.
    #[error("the body cannot be read as {format}: {problem}")]
    UnreadableBody {
        /// Name of the format: `JSON`, `XML`, or `form`.
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
