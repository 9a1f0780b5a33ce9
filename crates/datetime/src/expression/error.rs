//! Errors of date and time expressions.

/// An invalid expression. Columns count characters from 1.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExpressionError {
    /// An unexpected token.
    #[error("column {column}: expected {expected}, found {}", quoted(.found))]
    Unexpected {
        /// Column of the token, or one past the last character at the end.
        column: usize,
        /// As written; empty at the end.
        found: String,
        /// The valid tokens.
        expected: &'static str,
    },
    /// A number greater than 4294967295.
    #[error("column {column}: the number {number} is too large")]
    NumberTooLarge {
        column: usize,
        /// As written.
        number: String,
    },
    /// An hour out of range.
    #[error("column {column}: {hour} is not an hour: hours are 0 to 23, or 1 to 12 with am or pm")]
    NoSuchHour {
        column: usize,
        /// As written.
        hour: u32,
    },
}

fn quoted(found: &str) -> String {
    if found.is_empty() {
        "the end".to_owned()
    } else {
        format!("{found:?}")
    }
}

impl ExpressionError {
    /// Returns the column of the problem, in characters from 1.
    pub fn column(&self) -> usize {
        match *self {
            Self::Unexpected { column, .. } | Self::NumberTooLarge { column, .. } | Self::NoSuchHour { column, .. } => {
                column
            }
        }
    }
}
