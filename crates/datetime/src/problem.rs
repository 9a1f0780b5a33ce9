//! Why a text does not have a format, and why a value cannot be written in it.

use std::fmt;

/// Why a text is no date or time in a format.
///
/// ```
/// let format = contract_datetime::Format::parse("yyyy-MM-dd").unwrap();
/// let problem = format.check("2026-13-01").unwrap_err();
/// assert_eq!(problem.column, 6);
/// assert_eq!(problem.to_string(), r#"column 6: expected a month (1 to 12), found "13-01""#);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseProblem {
    /// Where in the text, counting characters from 1; one past the last character when something is missing at the end.
    pub column: usize,
    /// What stands there, shortened; empty at the end of the text.
    pub found: String,
    /// What is wrong.
    pub kind: ParseProblemKind,
}

/// What is wrong with a text.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParseProblemKind {
    /// The format has this text here.
    Literal {
        /// The text.
        expected: String,
    },
    /// Not a number within the bounds.
    Number {
        /// What is counted, as in `month`.
        field: &'static str,
        /// The least value.
        least: i64,
        /// The greatest value.
        greatest: i64,
        /// How many digits it must have, where another number follows or comes before.
        digits: Option<usize>,
    },
    /// No digits after the decimal point.
    Fraction {
        /// How many there may be.
        digits: usize,
        /// Whether fewer are too few.
        exact: bool,
    },
    /// Not one of the English names.
    Name {
        /// Which ones, as in `a month from Jan to Dec`.
        expected: &'static str,
    },
    /// Not an offset from UTC of at most 18 hours.
    Offset {
        /// One in the right form.
        example: &'static str,
        /// Whether `Z` would do.
        zulu: bool,
    },
    /// Not the name of a time zone.
    Zone {
        /// One in the right form.
        example: &'static str,
    },
    /// The format ends before the text does.
    Trailing,
    /// The field differs from what an earlier part of the text says, as `13:00 AM` does.
    Contradiction {
        /// The field, as in `hour`.
        field: &'static str,
    },
    /// The month is too short.
    NoSuchDay {
        /// The day of the month.
        day: i64,
        /// The English name of the month.
        month: &'static str,
        /// The year, where the text has it in full.
        year: Option<i64>,
    },
    /// Day 366 of a year that is no leap year.
    NoSuchDayOfYear {
        /// The year.
        year: i64,
    },
    /// The date falls on another day of the week.
    WrongWeekday {
        /// The English name of the right one.
        expected: &'static str,
    },
    /// Each field is possible, but no date has all of them.
    NoSuchDate,
}

/// The longest piece of the checked text that a problem quotes.
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
                write!(f, " (XXX in the format takes Z and +02:00)")
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
            Self::Fraction { digits, exact: true } => write!(f, "expected {digits} digits of a fraction"),
            Self::Fraction { digits, exact: false } => write!(f, "expected 1 to {digits} digits of a fraction"),
            Self::Name { expected } => write!(f, "expected {expected}"),
            Self::Offset { example, zulu } => {
                let or_zulu = if *zulu { " or Z" } else { "" };
                write!(f, "expected an offset of at most 18 hours such as {example}{or_zulu}")
            }
            Self::Zone { example } => write!(f, "expected a time zone such as {example}"),
            Self::Trailing => f.write_str("the format ends here"),
            Self::Contradiction { field } => write!(f, "the {field} contradicts what comes before"),
            Self::NoSuchDay {
                day,
                month,
                year: Some(year),
            } => write!(f, "{month} {year} has no day {day}"),
            Self::NoSuchDay { day, month, year: None } => write!(f, "{month} has no day {day}"),
            Self::NoSuchDayOfYear { year } => write!(f, "{year} has no day 366"),
            Self::WrongWeekday { expected } => write!(f, "the date is a {expected}"),
            Self::NoSuchDate => f.write_str("no date has all of these fields"),
        }
    }
}

/// A value that was written with a format could not be read back with it.
///
/// A few formats do not say where a field ends: `dM` writes 3 December as `312`, which reads as 31 February. A format
/// whose fields are separated, or touch with fixed widths, is never refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the format is ambiguous: it writes {text:?}, but reading that back fails at {problem}")]
pub struct FormatProblem {
    /// What was written.
    pub text: String,
    /// What reading it met.
    pub problem: ParseProblem,
}
