//! Errors of date and time formats.

/// An invalid format. Columns count characters from 1.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FormatError {
    #[error("the format is empty; use at least one field, such as \"yyyy\"")]
    Empty,
    /// The format has more than `most` characters. The limit exists because contracts are untrusted.
    #[error("the format is longer than {most} characters")]
    TooLong { most: usize },
    /// An unquoted ASCII letter that is not a pattern letter.
    #[error("unquoted letter \"{letter}\" at column {column}; to include it as text, write '{letter}'")]
    UnquotedLetter { letter: char, column: usize },
    /// An unquoted `{`, `}`, or `#`, which are reserved.
    #[error("reserved character \"{character}\" at column {column}; to include it as text, write '{character}'")]
    ReservedCharacter { character: char, column: usize },
    /// The letter occurs too many or too few times in a row.
    #[error("the letter \"{letter}\" occurs {} at column {column}, but must occur {allowed}", times(*.count))]
    LetterCount {
        letter: char,
        count: usize,
        column: usize,
        /// The valid repetitions, such as `once or twice`.
        allowed: &'static str,
    },
    #[error("the quote at column {column} is never closed; for an apostrophe, write ''")]
    UnclosedQuote { column: usize },
    #[error(
        "the optional section at column {column} is never closed; add \"]\", or write '[' to include the bracket as text"
    )]
    UnclosedSection { column: usize },
    /// A `]` without a `[`.
    #[error("the \"]\" at column {column} does not close an optional section; to include it as text, write ']'")]
    UnopenedSection { column: usize },
    /// A strftime directive that cannot be translated.
    #[error("the directive \"{directive}\" at column {column} cannot be translated: {hint}")]
    UnknownDirective {
        /// The directive, including `%`.
        directive: String,
        column: usize,
        hint: &'static str,
    },
}

fn times(count: usize) -> String {
    match count {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        count => format!("{count} times"),
    }
}

impl FormatError {
    /// Returns the column of the problem, counted in characters from 1.
    ///
    /// ```
    /// let error = contract_datetime::Format::parse("yyyy-MM-ddTHH:mm").unwrap_err();
    /// assert_eq!(error.column(), 11);
    /// assert_eq!(error.to_string(), "unquoted letter \"T\" at column 11; to include it as text, write 'T'");
    /// ```
    pub fn column(&self) -> usize {
        match *self {
            Self::Empty => 1,
            Self::TooLong { most } => most + 1,
            Self::UnquotedLetter { column, .. }
            | Self::ReservedCharacter { column, .. }
            | Self::LetterCount { column, .. }
            | Self::UnclosedQuote { column }
            | Self::UnclosedSection { column }
            | Self::UnopenedSection { column }
            | Self::UnknownDirective { column, .. } => column,
        }
    }
}
