//! Why a text is no format.

/// Why a text is no format. Columns count characters from 1.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FormatError {
    /// Nothing to check or write.
    #[error("the format is empty: write at least one field, such as yyyy")]
    Empty,
    /// Longer than any date: a contract from elsewhere must not cost more than it is worth.
    #[error("the format is longer than {most} characters")]
    TooLong {
        /// How many it may have.
        most: usize,
    },
    /// An ASCII letter that stands for no field, outside quotes.
    #[error("unquoted letter {letter} at column {column}: write '{letter}'")]
    UnquotedLetter {
        /// The letter.
        letter: char,
        /// Where it stands.
        column: usize,
    },
    /// `{`, `}` and `#` are kept for later by the pattern language.
    #[error("reserved character {character} at column {column}: write '{character}'")]
    ReservedCharacter {
        /// The character.
        character: char,
        /// Where it stands.
        column: usize,
    },
    /// No field is written with this many letters.
    #[error("{count} times {letter} at column {column}: write it {allowed}")]
    LetterCount {
        /// The repeated letter.
        letter: char,
        /// How often it is repeated.
        count: usize,
        /// Where the first one stands.
        column: usize,
        /// What is meant something by, as in `once or twice`.
        allowed: &'static str,
    },
    /// A quote without its partner.
    #[error("the quote at column {column} is never closed: write '' for an apostrophe")]
    UnclosedQuote {
        /// Where it opens.
        column: usize,
    },
    /// A `[` without its `]`.
    #[error("the optional section at column {column} is never closed: add ], or write '[' for the character")]
    UnclosedSection {
        /// Where the `[` stands.
        column: usize,
    },
    /// A `]` without its `[`.
    #[error("the ] at column {column} closes no optional section: write ']' for the character")]
    UnopenedSection {
        /// Where it stands.
        column: usize,
    },
    /// A strftime directive without a counterpart in formats.
    #[error("the directive {directive} at column {column} cannot be translated: {hint}")]
    UnknownDirective {
        /// As written, with its `%`.
        directive: String,
        /// Where the `%` stands.
        column: usize,
        /// What to write instead.
        hint: &'static str,
    },
}

impl FormatError {
    /// Where in the text the problem begins, counting characters from 1.
    ///
    /// ```
    /// let error = contract_datetime::Format::parse("yyyy-MM-ddTHH:mm").unwrap_err();
    /// assert_eq!(error.column(), 11);
    /// assert_eq!(error.to_string(), "unquoted letter T at column 11: write 'T'");
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
