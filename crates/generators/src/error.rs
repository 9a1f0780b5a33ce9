//! Why there is no value.

use contract_datetime::{DateTimeError, ExpressionError, FormatError, FormatProblem};
use contract_model::{ContentType, DataType, JsonKind, Text};

/// Why a generator made no value.
///
/// Values of the provider's state do not stand in the texts: they may be secrets.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GenerateError {
    /// A generator of a plugin or of a later specification.
    #[error("the generator {name:?} is not known; if it belongs to a plugin, the plugin has to make the value")]
    UnknownGenerator {
        /// As the contract names it.
        name: Text,
    },
    /// Least above greatest.
    #[error("RandomInt has min {min} above max {max}; swap them")]
    Bounds {
        /// Least value.
        min: i64,
        /// Greatest value.
        max: i64,
    },
    /// No decimal number has no digits.
    #[error("RandomDecimal has 0 digits; ask for at least 1")]
    NoDigits,
    /// More than may be generated for one request, response or message.
    #[error("more than {most} bytes would be generated for it in all; ask for less, or raise the limit generatedSize")]
    TooMuch {
        /// The limit.
        most: usize,
    },
    /// A text that is no regular expression.
    #[error("{pattern:?} is not a regular expression: {problem}")]
    InvalidPattern {
        /// The text.
        pattern: Text,
        /// What is wrong with it.
        problem: String,
    },
    /// No text can be made for the pattern, and there is no example to use instead.
    #[error("no text can be made for the regular expression {pattern:?} ({problem}); give it an example")]
    NotGenerable {
        /// The pattern.
        pattern: Text,
        /// Why not.
        problem: String,
    },
    /// No text can be made for the pattern, and the example that would be used instead does not match it.
    #[error(
        "no text can be made for the regular expression {pattern:?} ({problem}), and the example {example:?} does not \
         match it; correct the example"
    )]
    ExampleMismatch {
        /// The pattern.
        pattern: Text,
        /// Why no text can be made.
        problem: String,
        /// The example as text.
        example: Text,
    },
    /// A text that is no date or time format.
    #[error("the format {format:?} cannot be used: {problem}")]
    Format {
        /// The format.
        format: Text,
        /// What is wrong with it.
        problem: FormatError,
    },
    /// A format that asks for what the moment does not have, such as the name of its zone.
    #[error("the moment cannot be written as {format:?}: {problem}")]
    Unwritable {
        /// The format.
        format: Text,
        /// What is wrong.
        problem: Box<FormatProblem>,
    },
    /// A text that is no date or time expression.
    #[error("the expression {expression:?} cannot be used: {problem}")]
    Expression {
        /// The expression.
        expression: Text,
        /// What is wrong with it.
        problem: ExpressionError,
    },
    /// An expression that leads beyond the years that can be written.
    #[error("the expression {expression:?} leads nowhere: {problem}")]
    OutOfRange {
        /// The expression.
        expression: Text,
        /// What is wrong.
        problem: DateTimeError,
    },
    /// A template with a `${` that is not closed or that holds no name.
    #[error("the provider state expression {expression:?} is broken at column {column}: {problem}")]
    Template {
        /// The expression.
        expression: Text,
        /// Where, in characters from 1.
        column: usize,
        /// What is wrong.
        problem: &'static str,
    },
    /// No provider state handler returned such a value.
    #[error("no provider state handler returned a value named {name:?}, which {expression:?} asks for; {}", at_hand(.available))]
    MissingStateValue {
        /// The name.
        name: Text,
        /// The expression that asks for it.
        expression: Text,
        /// The names that there are.
        available: Vec<Text>,
    },
    /// A value of the provider's state that the wanted type cannot hold.
    #[error("the provider state value of {expression:?} is a JSON {found} that does not read as {}", .wanted.name())]
    Conversion {
        /// The expression.
        expression: Text,
        /// What the value is.
        found: JsonKind,
        /// What it should become.
        wanted: DataType,
    },
    /// A null where a text is to be made.
    #[error(
        "the provider state value {name:?}, which {expression:?} asks for, is null; return a value, or use dataType RAW"
    )]
    NullStateValue {
        /// The name.
        name: Text,
        /// The expression that asks for it.
        expression: Text,
    },
    /// There is no mock server, or its address was not handed over.
    #[error("there is no mock server whose URL could be used")]
    NoBaseUrl,
    /// The example does not match the pattern that says what to keep of it.
    #[error("the example {example:?} does not match {pattern:?}, so no part of it can be kept")]
    UrlMismatch {
        /// The example.
        example: Text,
        /// The pattern.
        pattern: Text,
    },
    /// The pattern has no group that says what to keep of the example.
    #[error("{pattern:?} has no group around the part of the URL that stays, as in \".*(/orders)$\"")]
    NoGroup {
        /// The pattern.
        pattern: Text,
    },
    /// A value that cannot stand where it is wanted.
    #[error("the generated value cannot be used here: {wanted}")]
    Unfit {
        /// What can.
        wanted: &'static str,
    },
    /// `name[3]` where there are fewer values.
    #[error("there is no value with index {index}: the example has {count}")]
    NoSuchValue {
        /// The index, from 0.
        index: usize,
        /// How many there are.
        count: usize,
    },
    /// A body whose parts no path leads to.
    #[error(
        "values cannot be put inside a body of type {}; JSON, XML and form bodies have places for them",
        .content_type.as_ref().map_or("unknown", ContentType::essence)
    )]
    ContentType {
        /// Its type, when it is known.
        content_type: Option<ContentType>,
    },
    /// A body that is not what its content type says.
    #[error("the body cannot be read as {format}: {problem}")]
    UnreadableBody {
        /// `JSON`, `XML` or `form`.
        format: &'static str,
        /// What is wrong.
        problem: String,
    },
}

fn at_hand(names: &[Text]) -> String {
    const SHOWN: usize = 20;
    if names.is_empty() {
        return "none returned any value".to_owned();
    }
    let shown: Vec<_> = names.iter().take(SHOWN).map(|name| format!("{name:?}")).collect();
    let more = match names.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("there are {}{more}", shown.join(", "))
}
