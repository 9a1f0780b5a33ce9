//! Errors and warnings that occur while a contract document is read.

use crate::{Found, GeneratorError, JsonError, JsonKind, PathError, RuleError, SpecificationVersion, Text};

/// Reason why a contract document cannot be read. `at` is a JSON pointer such as `/interactions/3/request`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    #[error("the contract is not JSON: {0}")]
    Json(#[from] JsonError),
    /// The document is JSON, but lacks all members of a contract.
    #[error(
        "this JSON document is not a contract: it is {} without any of the members consumer, provider, interactions, and messages; check that it is the right file",
        Found::Kind(*found)
    )]
    NotAContract { found: JsonKind },
    /// An unsupported specification version.
    #[error("{at}: the specification version {found} is not supported; supported versions are 1.0 to 4.0")]
    Version {
        /// JSON pointer to the specification version.
        at: String,
        /// The specification version as JSON text.
        found: String,
    },
    /// A member has the wrong type, or a required member is missing.
    #[error("{}: expected {expected}, found {found}", place(at))]
    Member {
        at: String,
        expected: &'static str,
        found: Found,
    },
    /// The status is not a valid HTTP status code.
    #[error(
        "{at}: the status must be a whole number from 100 to 599, found {found}{}",
        unquote(found)
    )]
    Status {
        at: String,
        /// The status as JSON text.
        found: String,
    },
    #[error("{at}: {error}")]
    Rule { at: String, error: RuleError },
    #[error("{at}: {error}")]
    Path { at: String, error: PathError },
    #[error("{at}: {error}")]
    Generator { at: String, error: GeneratorError },
}

/// A problem in a document that can still be read. `at` is a JSON pointer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReadWarning {
    #[error("the contract does not declare its specification version; it is read as {read_as}")]
    NoVersion {
        /// The assumed version: V4 if the interactions have V4 types, otherwise V3.
        read_as: SpecificationVersion,
    },
    /// The declared version, such as 3.1, was never published.
    #[error("{at}: the specification version {found} does not exist; the contract is read as {read_as}")]
    Version {
        at: String,
        /// The declared version.
        found: Text,
        /// The assumed version.
        read_as: SpecificationVersion,
    },
    /// A required value is missing, such as a consumer name or a response.
    #[error("{}: the value is missing; it is read as {read_as}", place(at))]
    Missing {
        /// JSON pointer to the expected location.
        at: String,
        /// Description of the value that is assumed, such as `no responses`.
        read_as: &'static str,
    },
    /// The document contains `messages`, but its version does not support them.
    #[error("/messages: only V3 supports an array of messages; it is read as in V3")]
    Messages,
    /// The interaction type is unknown. The interaction is kept, but cannot be verified.
    #[error("{at}: unknown interaction type {kind:?}; the interaction is kept, but cannot be verified")]
    UnknownInteraction { at: String, kind: Text },
    /// The rule is unknown, and the contract requires no plugins. Every comparison that uses the rule reports a
    /// mismatch.
    #[error("{at}: unknown matching rule {name:?}; comparisons that use it will fail")]
    UnknownRule { at: String, name: Text },
    /// The generator is unknown, and the contract requires no plugins.
    #[error("{at}: unknown generator {name:?}; it cannot generate a value")]
    UnknownGenerator { at: String, name: Text },
    /// The category of rules or generators is unknown. It is kept so that it can be written again, but has no effect.
    #[error("{at}: unknown category of rules or generators; it is kept, but has no effect")]
    UnknownCategory { at: String },
    /// The declared content type is invalid. The type is detected from the body instead.
    #[error("{at}: {text:?} is not a valid content type; the type is detected from the body")]
    ContentType { at: String, text: Text },
    /// The body does not have the declared encoding. Its text is used unchanged.
    #[error("{at}: the body is declared as {encoding}, but it is not valid {encoding}; the text is used unchanged")]
    Encoding {
        /// JSON pointer to the body.
        at: String,
        /// The value of the `encoded` member, such as `base64`.
        encoding: String,
    },
}

impl ReadError {
    /// Returns the location as a JSON pointer, which is empty for the whole document.
    pub fn at(&self) -> &str {
        match self {
            Self::Json(_) | Self::NotAContract { .. } => "",
            Self::Version { at, .. }
            | Self::Member { at, .. }
            | Self::Status { at, .. }
            | Self::Rule { at, .. }
            | Self::Path { at, .. }
            | Self::Generator { at, .. } => at,
        }
    }
}

impl ReadWarning {
    /// Returns the location as a JSON pointer, which is empty for the whole document.
    pub fn at(&self) -> &str {
        match self {
            Self::NoVersion { .. } => "",
            Self::Messages => "/messages",
            Self::Version { at, .. }
            | Self::Missing { at, .. }
            | Self::UnknownInteraction { at, .. }
            | Self::UnknownRule { at, .. }
            | Self::UnknownGenerator { at, .. }
            | Self::UnknownCategory { at }
            | Self::ContentType { at, .. }
            | Self::Encoding { at, .. } => at,
        }
    }
}

/// Returns the pointer, or "the document" for the empty pointer.
fn place(at: &str) -> &str {
    if at.is_empty() { "the document" } else { at }
}

fn unquote(found: &str) -> &'static str {
    if found.starts_with('"') {
        "; write it without quotes"
    } else {
        ""
    }
}
