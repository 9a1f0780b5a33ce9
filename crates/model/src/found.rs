//! Describes an unexpected value in an error message.

use crate::json::{Json, JsonKind};

/// An unexpected value, as described in error messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// The value is missing.
    Nothing,
    Kind(JsonKind),
}

impl std::fmt::Display for Found {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Nothing => f.write_str("nothing"),
            Self::Kind(kind) => f.write_str(kind.with_article()),
        }
    }
}

impl Found {
    pub(crate) fn from_value(value: Option<&Json>) -> Self {
        value.map_or(Self::Nothing, |value| Self::Kind(value.kind()))
    }
}
