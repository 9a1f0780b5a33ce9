//! Errors in strings that are checked against a format, and in formatted values.

use std::fmt;

/// Reason why a string does not match a format.
///
/// ```
/// let format = contract_datetime::Format::parse("yyyy-MM-dd").unwrap();
/// let problem = format.check("2026-13-01").unwrap_err();
/// assert_eq!(problem.column, 6);
/// assert_eq!(problem.to_string(), r#"column 6: expected a month (1 to 12), found "13-01""#);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseProblem {
    /// Column, counted in characters from 1. One past the last character if something is missing at the end.
    pub column: usize,
    /// The text from the column on, at most 24 characters. Empty at the end of the text.
    pub found: String,
    pub kind: ParseProblemKind,
}

/// The kind of a [`ParseProblem`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParseProblemKind {
    /// Literal text of the format is missing.
    Literal { expected: String },
    /// The text is not a number, or the number is out of range.
    Number {
        /// Name of the quantity, such as `month`.
        field: &'static str,
        least: i64,
        greatest: i64,
        /// Required number of digits. `None` if the number of digits may vary.
        digits: Option<usize>,
    },
    /// The text does not start with the required digits of a fraction of a second.
    Fraction {
        /// Maximum number of digits, or the required number if `exact` is true.
        digits: usize,
        /// True if this exact number of digits is required.
        exact: bool,
    },
    /// The text is not an expected English name.
    Name {
        /// The expected names, such as `a month from Jan to Dec`.
        expected: &'static str,
    },
    /// The text is not an offset from UTC of at most 18 hours.
    Offset {
        /// An offset that the format accepts, such as `+02:00`.
        example: &'static str,
        /// True if the format also accepts `Z`.
        zulu: bool,
    },
    Zone {
        /// A time zone that the format accepts, such as `Europe/Berlin`.
        example: &'static str,
    },
    /// The text continues after the end of the format.
    Trailing,
    /// The value contradicts an earlier part of the text, as in `13:00 AM`.
    Contradiction {
        /// Name of the contradicting field, such as `hour`.
        field: &'static str,
    },
    NoSuchDay {
        /// The day of the month.
        day: i64,
        /// The English name of the month.
        month: &'static str,
        /// The year, or `None` if the text does not contain the full year.
        year: Option<i64>,
    },
    /// Day 366 of a common year.
    NoSuchDayOfYear { year: i64 },
    WrongWeekday {
        /// The English name of the weekday on which the date falls.
        expected: &'static str,
    },
    /// No date has all the fields that were read.
    NoSuchDate,
}

/// Maximum number of characters to quote from the checked text.
const QUOTED_CHARACTERS: usize = 24;

impl ParseProblem {
    pub(crate) fn new(text: &str, at: usize, kind: ParseProblemKind) -> Self {
        let column = text[..at].chars().count() + 1;
        Self {
            column,
            found: text[at..].chars().take(QUOTED_CHARACTERS).collect(),
            kind,
        }
    }
}

impl std::error::Error for ParseProblem {}

impl fmt::Display for ParseProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "column {}: {}", self.column, self.kind)?;
        match self.found.as_str() {
            "" => write!(f, ", found the end of the text")?,
            found => write!(f, ", found {found:?}")?,
        }
        match self.kind {
            ParseProblemKind::Offset { zulu: false, .. } if self.found.starts_with('Z') => {
                write!(f, " (the format letters XXX accept Z and +02:00)")
            }
            _ => Ok(()),
        }
    }
}

impl fmt::Display for ParseProblemKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Literal { expected } => write!(f, "expected {expected:?}"),
            Self::Number {
                field,
                least,
                greatest,
                digits,
            } => {
                let article = if field.starts_with('h') { "an" } else { "a" };
                write!(f, "expected {article} {field} ({least} to {greatest}")?;
                digits.map_or(Ok(()), |digits| write!(f, ", {digits} digits"))?;
                f.write_str(")")
            }
            Self::Fraction { digits, exact: true } => write!(f, "expected a fraction of {digits} digits"),
            Self::Fraction { digits, exact: false } => write!(f, "expected a fraction with 1 to {digits} digits"),
            Self::Name { expected } => write!(f, "expected {expected}"),
            Self::Offset { example, zulu } => {
                let or_zulu = if *zulu { " or Z" } else { "" };
                write!(f, "expected an offset of at most 18 hours such as {example}{or_zulu}")
            }
            Self::Zone { example } => write!(f, "expected a time zone such as {example}"),
            Self::Trailing => f.write_str("expected the end of the text"),
            Self::Contradiction { field } => write!(f, "the {field} contradicts an earlier field"),
            Self::NoSuchDay {
                day,
                month,
                year: Some(year),
            } => write!(f, "{month} {year} has no day {day}"),
            Self::NoSuchDay { day, month, year: None } => write!(f, "{month} has no day {day}"),
            Self::NoSuchDayOfYear { year } => write!(f, "{year} has no day 366"),
            Self::WrongWeekday { expected } => write!(f, "the date is a {expected}"),
            Self::NoSuchDate => f.write_str("the fields contradict each other"),
        }
    }
}

/// A formatted value that cannot be parsed with the same format, because the format is ambiguous.
///
/// For example, `dM` formats 3 December as `312`, which is parsed as 31 February. A format with separators or fixed
/// widths is never ambiguous.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the format is ambiguous: it produces {text:?}, which cannot be parsed with the same format: {problem}")]
pub struct FormatProblem {
    pub text: String,
    pub problem: ParseProblem,
}
