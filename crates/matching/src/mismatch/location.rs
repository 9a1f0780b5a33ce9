use std::borrow::Cow;
use std::fmt::{self, Write};

use contract_model::{PathExpression, PathToken, Text, is_secret};

use crate::hidden::OneLine;

/// The location of a mismatch in a request, response, or message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Location {
    Method,
    Path,
    Status,
    Query {
        name: Text,
        /// Index of the value, counted from 0. `None` if the mismatch concerns the whole parameter or its only value.
        index: Option<usize>,
    },
    Form {
        name: Text,
        /// Index of the value, counted from 0. `None` if the mismatch concerns the whole field or its only value.
        index: Option<usize>,
    },
    Header {
        /// The header name as written in the contract.
        name: Text,
        /// Index of the value, counted from 0. `None` if the mismatch concerns the whole header or its only value.
        index: Option<usize>,
    },
    BodyType,
    /// A path in the body.
    Body(PathExpression),
    /// A metadata entry, or a path inside the value of one.
    Metadata {
        key: Text,
        /// Path inside the value. It is the root unless the value is an object or an array.
        path: PathExpression,
    },
}

impl Location {
    /// Returns whether the path contains a sensitive name. Reports redact the values at such a path.
    pub fn is_secret(&self) -> bool {
        let through_secret = |path: &PathExpression| {
            let mut tokens = path.tokens().iter();
            tokens.any(|token| matches!(token, PathToken::Key(key) if is_secret(key.trim_start_matches('@'))))
        };
        match self {
            Self::Query { name, .. } | Self::Form { name, .. } | Self::Header { name, .. } => is_secret(name),
            Self::Metadata { key, path } => is_secret(key) || through_secret(path),
            Self::Body(path) => through_secret(path),
            Self::Method | Self::Path | Self::Status | Self::BodyType => false,
        }
    }

    /// Returns the path in the body, including that of a form field, or the path in a metadata entry. Returns `None`
    /// for other locations.
    pub fn path(&self) -> Option<Cow<'_, PathExpression>> {
        match self {
            Self::Body(path) | Self::Metadata { path, .. } => Some(Cow::Borrowed(path)),
            Self::Form { name, index } => {
                let index = index.map(PathToken::Index);
                let tokens: Vec<_> = std::iter::once(PathToken::Key(name.clone())).chain(index).collect();
                Some(Cow::Owned(tokens.into()))
            }
            _ => None,
        }
    }

    /// Returns the path in the syntax of other Pact implementations, in which a key that consists of digits looks like
    /// an index. Returns `None` for a metadata entry as a whole, and for locations without a path.
    pub fn customary_path(&self) -> Option<String> {
        let is_entry = matches!(self, Self::Metadata { path, .. } if path.tokens().is_empty());
        let path = self.path().filter(|_| !is_entry);
        path.map(|path| customary_path(&path))
    }

    /// Returns the path of [`Self::path`] as a JSON pointer (RFC 6901), or `None` for locations without a path.
    pub fn pointer(&self) -> Option<String> {
        let path = &self.path()?;
        Some(path.tokens().iter().fold(String::new(), |mut out, token| {
            out.push('/');
            match token {
                PathToken::Key(key) => out.push_str(&key.replace('~', "~0").replace('/', "~1")),
                PathToken::Index(index) => out.push_str(&index.to_string()),
                PathToken::AnyKey | PathToken::AnyIndex => out.push('*'),
            }
            out
        }))
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let f = &mut OneLine(f);
        let indexed = |f: &mut OneLine<'_, '_>, index: &Option<usize>| match index {
            Some(index) => write!(f, "[{index}]"),
            None => Ok(()),
        };
        match self {
            Self::Method => f.write_str("method"),
            Self::Path => f.write_str("path"),
            Self::Status => f.write_str("status"),
            // The complete query of a V1 contract, which is compared as a string.
            Self::Query { name, .. } if name.is_empty() => f.write_str("query"),
            Self::Query { name, index } => {
                write!(f, "query parameter {name}")?;
                indexed(f, index)
            }
            Self::Form { .. } => match self.path() {
                Some(path) => f.write_str(&customary_path(&path)),
                None => Ok(()),
            },
            Self::Header { name, index } => {
                write!(f, "header {name}")?;
                indexed(f, index)
            }
            Self::BodyType => f.write_str("body"),
            Self::Body(path) => f.write_str(&customary_path(path)),
            Self::Metadata { key, path } if path.tokens().is_empty() => write!(f, "metadata {key}"),
            Self::Metadata { key, path } => write!(f, "metadata {key} at {}", customary_path(path)),
        }
    }
}

/// Formats a path in the syntax of other Pact implementations, in which a key that consists of digits looks like an
/// index.
fn customary_path(path: &PathExpression) -> String {
    path.tokens().iter().fold(String::from("$"), |mut out, token| {
        match token {
            PathToken::Key(key) if !key.is_empty() && key.bytes().all(|b| b.is_ascii_digit()) => {
                out.push('[');
                out.push_str(key);
                out.push(']');
            }
            other => out.push_str(&other.to_string()),
        }
        out
    })
}
