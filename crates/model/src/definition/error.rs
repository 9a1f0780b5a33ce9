//! Errors in matching expressions.

/// A syntax error in a matching expression.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected {expected}, found {found} at column {column} of the matching expression {expression:?}")]
pub struct ExpressionError {
    pub expected: Expected,
    pub found: String,
    /// Column, counted in characters from 1.
    pub column: usize,
    pub expression: String,
}

/// The syntax element that the parser expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Expected {
    #[error("matching, notEmpty, eachKey, eachValue, atLeast, atMost, or arrayContains")]
    Item,
    #[error("the name of a matching rule such as type or regex, or $'name'")]
    RuleName,
    /// `(`
    #[error("'('")]
    Open,
    /// `)`
    #[error("')'")]
    Close,
    /// `,`
    #[error("','")]
    Comma,
    /// `,` or `)`
    #[error("',' or ')'")]
    CommaOrClose,
    /// `,` or nothing
    #[error("',' or the end")]
    CommaOrEnd,
    #[error("a string in single quotes")]
    Text,
    #[error("\\' for a quote inside the string")]
    EscapedQuote,
    #[error("a closing quote")]
    ClosingQuote,
    #[error("a character code: four hexadecimal digits, or one to six in braces")]
    UnicodeEscape,
    #[error("a number")]
    Number,
    #[error("a whole number")]
    Integer,
    #[error("a non-negative integer")]
    Count,
    /// `true` or `false`
    #[error("true or false")]
    Boolean,
    #[error("a string in single quotes, a number, true, false, null, or fromProviderState")]
    Value,
    #[error("a content type such as 'application/json'")]
    ContentType,
    #[error("at most 32 levels of nesting")]
    LessNesting,
}
