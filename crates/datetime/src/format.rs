//! Parsed date and time formats.

use std::fmt;

use crate::field::Item;
use crate::hint::{self, Hint};
use crate::problem::{FormatProblem, ParseProblem};
use crate::scan::scan;
use crate::{DateTime, FormatError, check, layout, write};

const MOST_CHARACTERS: usize = 1000;

#[doc = include_str!("format.md")]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Format {
    pattern: Box<str>,
    items: Box<[Item]>,
    hints: Box<[Hint]>,
}

impl Format {
    /// Parses a format of up to 1000 characters.
    ///
    /// ```
    /// use contract_datetime::Format;
    ///
    /// assert!(Format::parse("EEEE, d MMMM yyyy").is_ok());
    /// assert_eq!(
    ///     Format::parse("yyyy-MM-ddTHH:mm").unwrap_err().to_string(),
    ///     "unquoted letter \"T\" at column 11; to include it as text, write 'T'"
    /// );
    /// ```
    pub fn parse(pattern: &str) -> Result<Self, FormatError> {
        if pattern.is_empty() {
            return Err(FormatError::Empty);
        }
        if pattern.chars().nth(MOST_CHARACTERS).is_some() {
            return Err(FormatError::TooLong { most: MOST_CHARACTERS });
        }
        let tokens = scan(pattern)?;
        let hints = hint::hints(&tokens).into();
        let items = layout::compile(tokens)?.into();
        Ok(Self {
            pattern: pattern.into(),
            items,
            hints,
        })
    }

    pub fn as_str(&self) -> &str {
        &self.pattern
    }

    /// Returns hints about letters that are valid but probably wrong, such as `YYYY` for the year.
    ///
    /// ```
    /// let format = contract_datetime::Format::parse("YYYY-MM-dd").unwrap();
    /// assert_eq!(
    ///     format.hints()[0].to_string(),
    ///     "\"YYYY\" at column 1 is the week-based year. Use \"yyyy\" for the calendar year."
    /// );
    /// ```
    pub fn hints(&self) -> &[Hint] {
        &self.hints
    }

    /// Checks that the text is a date or time in this format. Takes linear time. Allocates nothing on success, unless
    /// the format has optional sections.
    ///
    /// ```
    /// let format = contract_datetime::Format::parse("E, d MMM yyyy HH:mm:ss Z").unwrap();
    /// assert!(format.check("Fri, 2 Jan 2026 10:00:00 +1300").is_ok());
    /// assert_eq!(
    ///     format.check("Mon, 2 Jan 2026 10:00:00 +1300").unwrap_err().to_string(),
    ///     r#"column 1: the date is a Friday, found "Mon, 2 Jan 2026 10:00:00""#
    /// );
    /// ```
    pub fn check(&self, text: &str) -> Result<(), ParseProblem> {
        check::check(&self.items, text)
    }

    /// Formats a date and time, including optional sections. The result passes [`check`](Self::check).
    ///
    /// ```
    /// use contract_datetime::{DateTime, Format};
    ///
    /// let at = DateTime::new(2026, 1, 2)?.at(15, 4, 5, 678_000_000)?.with_offset(-3 * 3600)?;
    /// assert_eq!(Format::parse("d/M/yy h:mm a")?.format(&at)?, "2/1/26 3:04 PM");
    /// assert_eq!(Format::parse("yyyyMMdd'T'HHmmssSSSX")?.format(&at)?, "20260102T150405678-03");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn format(&self, at: &DateTime) -> Result<String, FormatProblem> {
        let text = write::write(&self.items, at);
        match self.check(&text) {
            Ok(()) => Ok(text),
            Err(problem) => Err(FormatProblem { text, problem }),
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.pattern)
    }
}
