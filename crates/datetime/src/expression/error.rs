//! Errors of date and time expressions.

/// An invalid expression. Columns count characters from 1.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExpressionError {
    #[error("column {column}: expected {expected}, found {}", quoted(.found))]
    Unexpected {
        /// Column of the token, or one past the last character at the end.
        column: usize,
        /// The token as written; empty at the end of the expression.
        found: String,
        /// Describes the valid tokens, such as `days, weeks, months, or years`.
        expected: &'static str,
    },
    /// A number greater than 4294967295, the maximum of `u32`.
    #[error("column {column}: the number {number} is too large")]
    NumberTooLarge {
        column: usize,
        /// The number as written.
        number: String,
    },
    /// An hour above 23, or an hour that is not from 1 to 12 although `am` or `pm` follows.
    #[error("column {column}: the hour {hour} is invalid; use 0 to 23, or 1 to 12 with \"am\" or \"pm\"")]
    NoSuchHour { column: usize, hour: u32 },
}

fn quoted(found: &str) -> String {
    if found.is_empty() {
        "the end".to_owned()
    } else {
        format!("{found:?}")
    }
}

impl ExpressionError {
    /// Returns the column of the problem, counted in characters from 1.
    pub fn column(&self) -> usize {
        match *self {
            Self::Unexpected { column, .. } | Self::NumberTooLarge { column, .. } | Self::NoSuchHour { column, .. } => {
                column
            }
        }
    }
}
