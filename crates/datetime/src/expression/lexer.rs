//! Tokens of an expression.

use std::iter::Peekable;
use std::vec::IntoIter;

use super::error::ExpressionError;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    /// A word in lower case.
    Word(String),
    Number(u32),
    Plus,
    Minus,
    At,
}

struct Placed {
    token: Token,
    /// The token as written, for error messages.
    text: String,
    column: usize,
}

/// The tokens that are not consumed yet.
pub(super) struct Tokens {
    rest: Peekable<IntoIter<Placed>>,
    end_column: usize,
}

pub(super) fn tokens(text: &str) -> Result<Tokens, ExpressionError> {
    let mut positioned = Vec::new();
    let mut rest = text;
    let mut column = 1;
    while let Some(first) = rest.chars().next() {
        let length = length(rest, first);
        let (text, after) = rest.split_at(length);
        if !first.is_whitespace() {
            positioned.push(Placed {
                token: token(text, first, column)?,
                text: text.to_owned(),
                column,
            });
        }
        column += text.chars().count();
        rest = after;
    }
    Ok(Tokens {
        rest: positioned.into_iter().peekable(),
        end_column: column,
    })
}

/// Returns the length of the first token in bytes.
fn length(text: &str, first: char) -> usize {
    let end = match first {
        '0'..='9' => text.find(|c: char| !c.is_ascii_digit()),
        'a'..='z' | 'A'..='Z' => text.find(|c: char| !c.is_ascii_alphabetic() && c != '\''),
        _ => Some(first.len_utf8()),
    };
    end.unwrap_or(text.len())
}

fn token(text: &str, first: char, column: usize) -> Result<Token, ExpressionError> {
    match first {
        '+' => Ok(Token::Plus),
        '-' => Ok(Token::Minus),
        '@' => Ok(Token::At),
        'a'..='z' | 'A'..='Z' => Ok(Token::Word(text.to_ascii_lowercase())),
        '0'..='9' => match text.parse() {
            Ok(number) => Ok(Token::Number(number)),
            Err(_) => Err(ExpressionError::NumberTooLarge {
                column,
                number: text.to_owned(),
            }),
        },
        _ => {
            let expected = r#"a word, a number, "+", "-", or "@""#;
            Err(ExpressionError::Unexpected {
                column,
                found: text.to_owned(),
                expected,
            })
        }
    }
}

impl Tokens {
    pub(super) fn eat(&mut self, expected: &Token) -> bool {
        self.rest.next_if(|next| next.token == *expected).is_some()
    }

    pub(super) fn eat_word(&mut self, expected: &str) -> bool {
        self.rest
            .next_if(|next| matches!(&next.token, Token::Word(word) if word == expected))
            .is_some()
    }

    pub(super) fn number(&mut self) -> Option<u32> {
        let Some(&Placed {
            token: Token::Number(number),
            ..
        }) = self.rest.peek()
        else {
            return None;
        };
        self.rest.next();
        Some(number)
    }

    /// Consumes the next token if it is a word for which `meaning` returns a value, and returns that value. Otherwise,
    /// consumes nothing and returns `None`.
    pub(super) fn word<T>(&mut self, meaning: impl FnOnce(&str) -> Option<T>) -> Option<T> {
        let Some(Placed {
            token: Token::Word(word),
            ..
        }) = self.rest.peek()
        else {
            return None;
        };
        let found = meaning(word)?;
        self.rest.next();
        Some(found)
    }

    /// Returns the column of the next token, or one past the last character if no token is left.
    pub(super) fn column(&mut self) -> usize {
        self.rest.peek().map_or(self.end_column, |next| next.column)
    }

    pub(super) fn unexpected(&mut self, expected: &'static str) -> ExpressionError {
        let column = self.column();
        let found = self.rest.peek().map(|next| next.text.clone()).unwrap_or_default();
        ExpressionError::Unexpected {
            column,
            found,
            expected,
        }
    }

    /// Returns an error if another token follows. `expected` describes the valid tokens.
    pub(super) fn end(&mut self, expected: &'static str) -> Result<(), ExpressionError> {
        if self.rest.peek().is_none() {
            Ok(())
        } else {
            Err(self.unexpected(expected))
        }
    }

    /// Returns true if the next token is a word or a number. If it is not, the date or time part of the expression has
    /// no start such as `tomorrow` or `noon`.
    pub(super) fn begins_part(&mut self) -> bool {
        self.rest
            .peek()
            .is_some_and(|next| matches!(next.token, Token::Word(_) | Token::Number(_)))
    }
}
