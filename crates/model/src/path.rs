//! Path expressions of matching rules and generators.

use crate::Text;

/// A path such as `$.items[*]['unit price']`, parsed into steps. The root is not a step.
///
/// Inside quotes, `\'` and `\\` are escape sequences, and any other backslash is literal. If a path is invalid with
/// escape sequences, it is parsed without them, as in other Pact implementations.
///
/// ```
/// use contract_model::PathExpression;
/// let path: PathExpression = "$.items[*]['unit price']".parse()?;
/// assert_eq!(path.to_string(), "$.items[*]['unit price']");
/// # Ok::<(), contract_model::PathError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct PathExpression {
    tokens: Vec<PathToken>,
    /// True if the path was written without `$`. It is written back in the same form, because plugins look up paths by
    /// their text. Equality ignores this flag.
    bare: bool,
}

impl PartialEq for PathExpression {
    fn eq(&self, other: &Self) -> bool {
        self.tokens == other.tokens
    }
}

impl Eq for PathExpression {}

impl PartialOrd for PathExpression {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for PathExpression {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.tokens.cmp(&other.tokens)
    }
}

impl std::hash::Hash for PathExpression {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.tokens.hash(state);
    }
}

/// One step of a [`PathExpression`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PathToken {
    /// `.name` or `['name']`
    Key(Text),
    /// `[0]`
    Index(usize),
    /// `.*`: any member of an object
    AnyKey,
    /// `[*]`: any item of an array
    AnyIndex,
}

/// An invalid path expression.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason} at column {column} of the path expression {expression:?}")]
pub struct PathError {
    pub reason: PathErrorReason,
    /// Column, counted in characters from 1.
    pub column: usize,
    pub expression: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PathErrorReason {
    #[error("expected '.' or '['")]
    ExpectedStep,
    #[error("expected a name or '*' after '.'")]
    ExpectedName,
    #[error("expected a quoted name, an index, or '*' in brackets")]
    ExpectedBracketContent,
    /// A quote or bracket is not closed.
    #[error("unclosed quote or bracket")]
    Unclosed,
    #[error("the index is too large")]
    IndexTooLarge,
}

impl PathExpression {
    pub const fn root() -> Self {
        Self {
            tokens: Vec::new(),
            bare: false,
        }
    }

    pub fn tokens(&self) -> &[PathToken] {
        &self.tokens
    }

    /// Returns this path with one more step at the end.
    #[must_use]
    pub fn join(&self, token: PathToken) -> Self {
        let mut tokens = Vec::with_capacity(self.tokens.len() + 1);
        tokens.extend_from_slice(&self.tokens);
        tokens.push(token);
        Self {
            tokens,
            bare: self.bare,
        }
    }

    pub fn push(&mut self, token: PathToken) {
        self.tokens.push(token);
    }

    /// Removes the last step and returns it. Returns `None` for the root.
    pub fn pop(&mut self) -> Option<PathToken> {
        self.tokens.pop()
    }

    /// Returns the path in the usual notation, with a leading `$`.
    #[must_use]
    pub fn rooted(self) -> Self {
        Self { bare: false, ..self }
    }

    /// Returns true if other Pact implementations parse the written path in the same way. They do not support escape
    /// sequences, so they reject or misread a path with a quote in a name, an empty name, or two consecutive
    /// backslashes. They also treat a name that consists of digits as an index, and they do not support leading zeros
    /// in an index.
    pub fn is_portable(&self) -> bool {
        self.tokens.iter().all(PathToken::is_portable)
    }

    /// Returns the path without its first `count` steps, as a path that starts at the root.
    #[must_use]
    pub fn below(&self, count: usize) -> Self {
        Self {
            tokens: self.tokens.get(count..).unwrap_or_default().to_vec(),
            bare: false,
        }
    }
}

impl PathToken {
    /// Returns true if other Pact implementations parse this step in the same way. See [`PathExpression::is_portable`].
    pub fn is_portable(&self) -> bool {
        match self {
            Self::Key(name) => is_portable_name(name),
            _ => true,
        }
    }
}

impl From<Vec<PathToken>> for PathExpression {
    fn from(tokens: Vec<PathToken>) -> Self {
        Self { tokens, bare: false }
    }
}

impl std::str::FromStr for PathExpression {
    type Err = PathError;

    /// Parses a path. A name without a leading `$` means `$.name`, as in other Pact implementations. The empty string
    /// is the root.
    fn from_str(text: &str) -> Result<Self, PathError> {
        let mut reader = Reader {
            text,
            at: 0,
            has_escapes: true,
        };
        reader.path().or_else(|reason| {
            let mut plain = Reader {
                text,
                at: 0,
                has_escapes: false,
            };
            plain.path().map_err(|_| PathError {
                reason,
                column: text[..reader.at].chars().count() + 1,
                expression: text.to_owned(),
            })
        })
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    /// True if a backslash in quotes escapes the next character, false if it is literal.
    has_escapes: bool,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn eat(&mut self, prefix: char) -> bool {
        let found = self.rest().starts_with(prefix);
        if found {
            self.at += prefix.len_utf8();
        }
        found
    }

    fn path(&mut self) -> Result<PathExpression, PathErrorReason> {
        let mut tokens = Vec::new();
        let bare = !self.eat('$') && self.rest().starts_with(is_name_character);
        if bare {
            tokens.push(self.name()?);
        }
        while !self.rest().is_empty() {
            if self.eat('.') {
                tokens.push(if self.eat('*') { PathToken::AnyKey } else { self.name()? });
            } else if self.eat('[') {
                tokens.push(self.bracket()?);
            } else {
                return Err(PathErrorReason::ExpectedStep);
            }
        }
        Ok(PathExpression { tokens, bare })
    }

    fn name(&mut self) -> Result<PathToken, PathErrorReason> {
        let rest = self.rest();
        let length = rest.find(|c| !is_name_character(c)).unwrap_or(rest.len());
        if length == 0 {
            return Err(PathErrorReason::ExpectedName);
        }
        let name = Text::new(&rest[..length]);
        self.at += length;
        Ok(PathToken::Key(name))
    }

    fn bracket(&mut self) -> Result<PathToken, PathErrorReason> {
        let token = match self.rest().chars().next() {
            Some('*') => {
                self.at += 1;
                PathToken::AnyIndex
            }
            Some(quote @ ('\'' | '"')) => {
                self.at += 1;
                self.quoted(quote)?
            }
            Some('0'..='9') => {
                let rest = self.rest();
                let length = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
                let index = rest[..length].parse().map_err(|_| PathErrorReason::IndexTooLarge)?;
                self.at += length;
                PathToken::Index(index)
            }
            Some(_) => return Err(PathErrorReason::ExpectedBracketContent),
            None => return Err(PathErrorReason::Unclosed),
        };
        if self.eat(']') {
            Ok(token)
        } else {
            Err(PathErrorReason::Unclosed)
        }
    }

    fn quoted(&mut self, quote: char) -> Result<PathToken, PathErrorReason> {
        let mut name = Text::default();
        let mut characters = self.rest().char_indices();
        while let Some((at, character)) = characters.next() {
            if character == quote {
                self.at += at + 1;
                return Ok(PathToken::Key(name));
            }
            if character == '\\' && self.has_escapes {
                let mut ahead = characters.clone();
                if let Some((_, escaped)) = ahead.next().filter(|(_, next)| *next == quote || *next == '\\') {
                    name.push(escaped);
                    characters = ahead;
                    continue;
                }
            }
            name.push(character);
        }
        Err(PathErrorReason::Unclosed)
    }
}

fn is_name_character(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | ':' | '#' | '@')
}

impl std::fmt::Display for PathExpression {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // If one name needs escape sequences, readers expect them in all names.
        let has_escapes = self.tokens.iter().any(PathToken::needs_escapes);
        let tokens = match self.tokens.split_first() {
            Some((PathToken::Key(name), rest)) if self.bare && name.chars().all(is_name_character) => {
                f.write_str(name)?;
                rest
            }
            _ => {
                f.write_str("$")?;
                &self.tokens
            }
        };
        tokens.iter().try_for_each(|token| token.write(has_escapes, f))
    }
}

impl std::fmt::Display for PathToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.write(self.needs_escapes(), f)
    }
}

impl PathToken {
    fn needs_escapes(&self) -> bool {
        matches!(self, Self::Key(name) if name.contains('\'') || name.contains(r"\\"))
    }

    fn write(&self, has_escapes: bool, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Key(name) if is_plain_name(name) => write!(f, ".{name}"),
            Self::Key(name) if has_escapes => {
                write!(f, "['{}']", name.replace('\\', "\\\\").replace('\'', "\\'"))
            }
            Self::Key(name) => write!(f, "['{name}']"),
            Self::Index(index) => write!(f, "[{index}]"),
            Self::AnyKey => f.write_str(".*"),
            Self::AnyIndex => f.write_str("[*]"),
        }
    }
}

/// Returns true for names that all Pact implementations accept without quotes.
fn is_plain_name(name: &str) -> bool {
    let mut characters = name.chars();
    characters.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && characters.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Returns true if a quoted name has the same meaning with and without escape sequences, and other Pact implementations
/// do not parse it as an index.
fn is_portable_name(name: &str) -> bool {
    let is_padded = name.len() > 1 && name.starts_with('0') && name.bytes().all(|b| b.is_ascii_digit());
    !name.is_empty() && !name.contains('\'') && !name.contains(r"\\") && !is_padded
}

#[cfg(test)]
mod tests {
    use super::{PathErrorReason, PathExpression};

    fn written(text: &str) -> String {
        text.parse::<PathExpression>().unwrap().to_string()
    }

    #[test]
    fn writes_the_canonical_form() {
        for (text, want) in [
            ("$", "$"),
            ("", "$"),
            ("a", "a"),
            ("column:1[0].b", "column:1[0].b"),
            ("$.a.b[0][*].*", "$.a.b[0][*].*"),
            ("$['a']['b c']", "$.a['b c']"),
            ("$.a-b.@id.#text.x:y", "$['a-b']['@id']['#text']['x:y']"),
            (r"$['it\'s']", r"$['it\'s']"),
            (r"$['a\b']", r"$['a\b']"),
            (r"$['a\\b']", r"$['a\b']"),
            (r"$['a\\\\b']", r"$['a\\\\b']"),
            (r"$['a\']", r"$['a\']"),
            (r"$['a\']['b\'][0]", r"$['a\']['b\'][0]"),
            (r"$['a\b']['it\'s']", r"$['a\\b']['it\'s']"),
            (r"$['a\\']['\'']", r"$['a\\']['\'']"),
            ("$['']", "$['']"),
            ("$[\"a\"]", "$.a"),
            ("$.é", "$['é']"),
            ("$.100", "$['100']"),
        ] {
            assert_eq!(written(text), want, "{text}");
            assert_eq!(written(want), want, "{want} is stable");
        }
    }

    #[test]
    fn paths_with_and_without_root_are_equal() {
        let bare: PathExpression = "column:1".parse().unwrap();
        assert_eq!(bare, "$.column:1".parse().unwrap());
        assert_eq!(bare.rooted().to_string(), "$['column:1']");
    }

    #[test]
    fn names_that_other_tools_cannot_read() {
        for (text, is_portable) in [
            ("$", true),
            (r#"$.a[0][*].*['b c']['a"b']['x]y']['*']['12']['0']"#, true),
            (r"$['a\b']['a\']", true),
            (r"$['it\'s']", false),
            ("$.a['']", false),
            (r"$['a\\\\b']", false),
            ("$['012']", false),
        ] {
            assert_eq!(
                text.parse::<PathExpression>().unwrap().is_portable(),
                is_portable,
                "{text}"
            );
        }
    }

    #[test]
    fn errors_point_at_the_column() {
        for (text, reason, column) in [
            ("$a", PathErrorReason::ExpectedStep, 2),
            ("$.", PathErrorReason::ExpectedName, 3),
            ("$.é.", PathErrorReason::ExpectedName, 5),
            ("$[", PathErrorReason::Unclosed, 3),
            ("$[x]", PathErrorReason::ExpectedBracketContent, 3),
            ("$['a", PathErrorReason::Unclosed, 4),
            ("$[1", PathErrorReason::Unclosed, 4),
            ("$[99999999999999999999999]", PathErrorReason::IndexTooLarge, 3),
            ("$[٣]", PathErrorReason::ExpectedBracketContent, 3),
        ] {
            let error = text.parse::<PathExpression>().unwrap_err();
            assert_eq!((error.reason, error.column), (reason, column), "{text}");
        }
    }
}
