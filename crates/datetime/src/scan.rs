//! Splits a format into letter runs, literal text, and brackets.

use std::iter::Peekable;
use std::str::Chars;

use crate::FormatError;

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) column: usize,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// A run of one ASCII letter, with its length.
    Letters(char, usize),
    Literal(String),
    Open,
    Close,
}

pub(crate) fn scan(pattern: &str) -> Result<Vec<Token>, FormatError> {
    let mut scanner = Scanner {
        rest: pattern.chars().peekable(),
        column: 1,
    };
    let mut tokens = Vec::new();
    while let Some(token) = scanner.token()? {
        push(&mut tokens, token);
    }
    Ok(tokens)
}

/// Adds a token. Adjacent literal text becomes one token.
fn push(tokens: &mut Vec<Token>, token: Token) {
    match (tokens.last_mut().map(|last| &mut last.kind), &token.kind) {
        (Some(TokenKind::Literal(text)), TokenKind::Literal(more)) => text.push_str(more),
        _ => tokens.push(token),
    }
}

struct Scanner<'p> {
    rest: Peekable<Chars<'p>>,
    column: usize,
}

impl Scanner<'_> {
    fn token(&mut self) -> Result<Option<Token>, FormatError> {
        let column = self.column;
        let Some(first) = self.next() else { return Ok(None) };
        let kind = match first {
            '\'' => TokenKind::Literal(self.quoted(column)?),
            '[' => TokenKind::Open,
            ']' => TokenKind::Close,
            '{' | '}' | '#' => {
                return Err(FormatError::ReservedCharacter {
                    character: first,
                    column,
                });
            }
            letter if letter.is_ascii_alphabetic() => TokenKind::Letters(letter, 1 + self.repeats(letter)),
            other => TokenKind::Literal(other.to_string()),
        };
        Ok(Some(Token { kind, column }))
    }

    /// Reads the text after an opening quote. `''` is an apostrophe, both inside and outside quotes.
    fn quoted(&mut self, column: usize) -> Result<String, FormatError> {
        let mut text = String::new();
        loop {
            match self.next() {
                Some('\'') if self.eat('\'') => text.push('\''),
                Some('\'') if text.is_empty() => return Ok("'".to_owned()),
                Some('\'') => return Ok(text),
                Some(character) => text.push(character),
                None => return Err(FormatError::UnclosedQuote { column }),
            }
        }
    }

    fn repeats(&mut self, letter: char) -> usize {
        let mut count = 0;
        while self.eat(letter) {
            count += 1;
        }
        count
    }

    fn eat(&mut self, expected: char) -> bool {
        let found = self.rest.next_if_eq(&expected).is_some();
        self.column += usize::from(found);
        found
    }

    fn next(&mut self) -> Option<char> {
        let next = self.rest.next();
        self.column += usize::from(next.is_some());
        next
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn literals(pattern: &str, want: &str) {
        let tokens = scan(pattern).unwrap();
        assert_eq!(
            tokens,
            [Token {
                kind: TokenKind::Literal(want.to_owned()),
                column: 1
            }],
            "{pattern}"
        );
    }

    #[test]
    fn quotes_protect_text_and_double_for_an_apostrophe() {
        literals("'T'", "T");
        literals("''", "'");
        literals("'o''clock'", "o'clock");
        literals("''''", "'");
        literals("'a'''", "a'");
        literals("'[{#'", "[{#");
        literals("12: 年'年 M'.", "12: 年年 M.");
    }

    #[test]
    fn one_letter_repeated_is_one_token() {
        let kinds: Vec<_> = scan("MMd[")
            .unwrap()
            .into_iter()
            .map(|token| (token.kind, token.column))
            .collect();
        assert_eq!(
            kinds,
            [
                (TokenKind::Letters('M', 2), 1),
                (TokenKind::Letters('d', 1), 3),
                (TokenKind::Open, 4)
            ]
        );
    }
}
