//! Errors of matching expressions.

/// A syntax error in a matching expression.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected {expected}, found {found} at column {column} of the matching expression {expression:?}")]
pub struct ExpressionError {
    pub expected: Expected,
    pub found: String,
    /// Column in characters, counted from 1.
    pub column: usize,
    /// The whole text.
    pub expression: String,
}

/// The expected token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Expected {
    /// The start of an item.
    #[error("matching, notEmpty, eachKey, eachValue, atLeast, atMost or arrayContains")]
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
    /// A string in single quotes.
    #[error("a string in single quotes")]
    Text,
    /// A quote inside a text.
    #[error("\\' for a quote inside the string")]
    EscapedQuote,
    /// The quote that ends a text.
    #[error("a closing quote")]
    ClosingQuote,
    /// An escape of a character.
    #[error("four hexadecimal digits, or one to six in braces, that name a character")]
    UnicodeEscape,
    /// A number.
    #[error("a number")]
    Number,
    /// A whole number.
    #[error("a whole number")]
    Integer,
    /// A count of items.
    #[error("a whole number that is not negative")]
    Count,
    /// `true` or `false`
    #[error("true or false")]
    Boolean,
    /// An example of any kind.
    #[error("a string in single quotes, a number, true, false, null or fromProviderState")]
    Value,
    /// A content type in quotes.
    #[error("a content type such as 'application/json'")]
    ContentType,
    /// Fewer levels of nesting.
    #[error("at most 32 levels of nesting")]
    LessNesting,
}
