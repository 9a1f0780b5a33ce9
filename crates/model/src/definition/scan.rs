//! Scanner for matching expressions: words, numbers, and quoted strings.

use super::{Expected, ExpressionError};
use crate::{Number, Text};

/// A cursor over the text of the expression. Skips whitespace between tokens.
pub(super) struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn skip_blanks(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    /// Creates an error that points to the current position.
    pub(super) fn error(&self, expected: Expected) -> ExpressionError {
        let found = match self.rest().chars().next() {
            None => "the end".to_owned(),
            Some(c) if c.is_alphanumeric() => {
                let word: String = self
                    .rest()
                    .chars()
                    .take_while(|c| c.is_alphanumeric())
                    .take(40)
                    .collect();
                format!("{word:?}")
            }
            Some(c) => format!("{c:?}"),
        };
        ExpressionError {
            expected,
            found,
            column: self.text.get(..self.at).unwrap_or_default().chars().count() + 1,
            expression: self.text.to_owned(),
        }
    }

    pub(super) fn at_end(&mut self) -> bool {
        self.skip_blanks();
        self.rest().is_empty()
    }

    /// Returns the next character that is not whitespace without consuming it, or `None` at the end.
    pub(super) fn peek(&mut self) -> Option<char> {
        self.skip_blanks();
        self.rest().chars().next()
    }

    pub(super) fn eat(&mut self, expected: char) -> bool {
        let found = self.peek() == Some(expected);
        if found {
            self.at += expected.len_utf8();
        }
        found
    }

    pub(super) fn need(&mut self, character: char, expected: Expected) -> Result<(), ExpressionError> {
        if self.eat(character) {
            Ok(())
        } else {
            Err(self.error(expected))
        }
    }

    /// Returns the next word without consuming it. Returns an empty string if the next token is not a word.
    pub(super) fn word(&mut self) -> &'a str {
        self.skip_blanks();
        let rest = self.rest();
        let is_inner = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
        if !rest.starts_with(|c: char| c.is_alphabetic() || c == '_') {
            return "";
        }
        rest.get(..rest.find(|c| !is_inner(c)).unwrap_or(rest.len()))
            .unwrap_or_default()
    }

    /// Consumes the word that [`Scanner::word`] has just returned.
    pub(super) fn take(&mut self, word: &str) {
        self.at += word.len();
    }

    /// Parses a JSON number.
    pub(super) fn number(&mut self, expected: Expected) -> Result<Number, ExpressionError> {
        self.skip_blanks();
        let rest = self.rest();
        let is_part = |c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.' | 'e' | 'E');
        let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let number = rest.get(..length).and_then(Number::from_text);
        let number = number.ok_or_else(|| self.error(expected))?;
        self.at += length;
        Ok(number)
    }

    /// Parses a string in single quotes.
    pub(super) fn quoted(&mut self, expected: Expected) -> Result<Text, ExpressionError> {
        self.need('\'', expected)?;
        let mut text = Text::default();
        loop {
            let Some(c) = self.rest().chars().next() else {
                return Err(self.error(Expected::ClosingQuote));
            };
            self.at += c.len_utf8();
            match c {
                // Java and SQL escape a quote by doubling it; this syntax does not.
                '\'' if self.rest().starts_with('\'') => return Err(self.error(Expected::EscapedQuote)),
                '\'' => return Ok(text),
                '\\' => self.escape(&mut text)?,
                c => text.push(c),
            }
        }
    }

    /// Parses an escape sequence after its backslash, and appends the character to `text`.
    fn escape(&mut self, text: &mut Text) -> Result<(), ExpressionError> {
        let Some(letter) = self.rest().chars().next() else {
            return Err(self.error(Expected::ClosingQuote));
        };
        let plain = match letter {
            '\'' => Some('\''),
            'b' => Some('\u{8}'),
            'f' => Some('\u{c}'),
            'n' => Some('\n'),
            'r' => Some('\r'),
            't' => Some('\t'),
            _ => None,
        };
        match (plain, letter) {
            (Some(c), _) => {
                self.at += letter.len_utf8();
                text.push(c);
            }
            (None, 'u') => {
                let c = self.unicode()?;
                text.push(c);
            }
            // Keep both backslashes, so that the second one does not escape a quote.
            (None, other) => {
                self.at += other.len_utf8();
                text.push('\\');
                text.push(other);
            }
        }
        Ok(())
    }

    /// Parses `uXXXX`, a surrogate pair of two of them, or `u{X…}`.
    fn unicode(&mut self) -> Result<char, ExpressionError> {
        let (code, length) = code_unit(self.rest()).ok_or_else(|| self.error(Expected::UnicodeEscape))?;
        if let Some(c) = char::from_u32(code) {
            self.at += length;
            return Ok(c);
        }
        let low = self
            .rest()
            .get(length..)
            .and_then(|rest| rest.strip_prefix('\\'))
            .and_then(code_unit)
            .filter(|(low, _)| (0xd800..0xdc00).contains(&code) && (0xdc00..0xe000).contains(low));
        let character = low.and_then(|(low, more)| {
            let c = char::from_u32(0x1_0000 + ((code - 0xd800) << 10) + (low - 0xdc00))?;
            Some((c, length + 1 + more))
        });
        let (c, length) = character.ok_or_else(|| self.error(Expected::UnicodeEscape))?;
        self.at += length;
        Ok(c)
    }
}

/// Parses `uXXXX` or `u{X…}` at the start of `text`. Returns the code and the length of the escape in bytes, or `None`
/// if it is invalid.
fn code_unit(text: &str) -> Option<(u32, usize)> {
    let rest = text.strip_prefix('u')?;
    let (digits, length) = match rest.strip_prefix('{') {
        Some(braced) => {
            let end = braced.find('}').filter(|end| (1..=6).contains(end))?;
            (braced.get(..end)?, end + 3)
        }
        None => (rest.get(..4)?, 5),
    };
    if !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    Some((u32::from_str_radix(digits, 16).ok()?, length))
}
