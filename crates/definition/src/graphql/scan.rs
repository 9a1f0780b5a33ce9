//! Splits a GraphQL document into tokens (GraphQL specification, section 2.1).

#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'a> {
    pub(super) kind: TokenKind,
    /// The source text of the token.
    pub(super) text: &'a str,
    pub(super) at: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    Punctuator,
    Name,
    Number,
    String,
}

/// A syntax error and its byte offset.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) at: usize,
    pub(super) problem: String,
}

pub(super) fn tokens(text: &str) -> Result<Vec<Token<'_>>, Fault> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let fault = |problem: String| Err(Fault { at, problem });
        let (kind, length) = match first {
            '\t' | '\n' | '\r' | ' ' | ',' | '\u{feff}' => {
                at += first.len_utf8();
                continue;
            }
            '#' => {
                at += rest.find(['\n', '\r']).unwrap_or(rest.len());
                continue;
            }
            '.' if rest.starts_with("...") => (TokenKind::Punctuator, 3),
            '!' | '$' | '&' | '(' | ')' | ':' | '=' | '@' | '[' | ']' | '{' | '|' | '}' => (TokenKind::Punctuator, 1),
            'a'..='z' | 'A'..='Z' | '_' => (
                TokenKind::Name,
                while_true(rest, |c| c.is_ascii_alphanumeric() || c == '_'),
            ),
            '-' | '0'..='9' => {
                let length = while_true(rest, |c| {
                    c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '+' | '-')
                });
                // `1...` is a number followed by a spread.
                let length = rest[..length].find("...").unwrap_or(length);
                if !is_number(&rest[..length]) {
                    return fault(format!("{:?} is not a number", &rest[..length]));
                }
                (TokenKind::Number, length)
            }
            '"' => match string(rest) {
                Ok(length) => (TokenKind::String, length),
                Err(problem) => return fault(problem.to_owned()),
            },
            other => return fault(format!("unexpected character '{other}'")),
        };
        tokens.push(Token {
            kind,
            text: &rest[..length],
            at,
        });
        at += length;
    }
    Ok(tokens)
}

fn while_true(text: &str, predicate: impl Fn(char) -> bool) -> usize {
    text.find(|c| !predicate(c)).unwrap_or(text.len())
}

fn is_number(text: &str) -> bool {
    let text = text.strip_prefix('-').unwrap_or(text);
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent.strip_prefix(['+', '-']).unwrap_or(exponent))),
        None => (text, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    digits(whole)
        && (whole == "0" || !whole.starts_with('0'))
        && fraction.is_none_or(digits)
        && exponent.is_none_or(digits)
}

/// Returns the length in bytes of the string literal at the start of the text, including its quotes.
fn string(text: &str) -> Result<usize, &'static str> {
    if text.starts_with("\"\"\"") {
        let mut at = 3;
        loop {
            let Some(found) = text[at..].find("\"\"\"") else {
                return Err("the block string is not closed");
            };
            at += found + 3;
            if !text[..at].ends_with("\\\"\"\"") {
                return Ok(at);
            }
        }
    }
    let mut is_escaped = false;
    for (at, character) in text.char_indices().skip(1) {
        match character {
            '\n' | '\r' => break,
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => return Ok(at + 1),
            _ => {}
        }
    }
    Err("the string is not closed on its line")
}
