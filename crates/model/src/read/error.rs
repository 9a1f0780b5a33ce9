//! What can be wrong with a contract document, and what was odd about it.

use crate::{Found, GeneratorError, JsonError, JsonKind, PathError, RuleError, SpecificationVersion, Text};

/// Why a document is not a contract that can be read. `at` is a JSON pointer such as `/interactions/3/request`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// Not JSON.
    #[error("the contract is not JSON: {0}")]
    Json(#[from] JsonError),
    /// JSON, but nothing in it belongs to a contract.
    #[error(
        "this JSON document is not a contract: it is {} without any of the members consumer, provider, interactions and messages; check that it is the right file",
        Found::Kind(*found)
    )]
    NotAContract {
        /// The kind of the document.
        found: JsonKind,
    },
    /// A specification version that this library does not know.
    #[error("{at}: the specification version {found} is not known; this library reads 1.0 to 4.0")]
    Version {
        /// Where the version stands.
        at: String,
        /// The version as JSON.
        found: String,
    },
    /// A member of the wrong kind, or a missing one that is needed.
    #[error("{}: expected {expected}, found {found}", place(at))]
    Member {
        at: String,
        expected: &'static str,
        found: Found,
    },
    /// A status that is no HTTP status code.
    #[error(
        "{at}: the status must be a whole number from 100 to 599, found {found}{}",
        unquote(found)
    )]
    Status {
        at: String,
        /// The status as JSON.
        found: String,
    },
    /// A matching rule that cannot be read.
    #[error("{at}: {error}")]
    Rule { at: String, error: RuleError },
    /// A path expression that cannot be read.
    #[error("{at}: {error}")]
    Path { at: String, error: PathError },
    /// A generator that cannot be read.
    #[error("{at}: {error}")]
    Generator { at: String, error: GeneratorError },
}

/// Something odd in a document that could be read all the same. `at` is a JSON pointer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReadWarning {
    /// The document does not name its version.
    #[error("the contract does not name its specification version; it is read as {read_as}")]
    NoVersion {
        /// V4 where interactions have the types of V4, else V3.
        read_as: SpecificationVersion,
    },
    /// A version between those that there are.
    #[error("{at}: the specification version {found} does not exist; the contract is read as {read_as}")]
    Version {
        at: String,
        /// The version as the document names it.
        found: Text,
        /// The version whose form it is taken to have.
        read_as: SpecificationVersion,
    },
    /// A name or a part that a contract should have.
    #[error("{}: the value is missing; it is read as {read_as}", place(at))]
    Missing {
        /// Where it should stand.
        at: String,
        /// What it is read as.
        read_as: &'static str,
    },
    /// `messages` in a version that has none.
    #[error("/messages: an array of messages belongs to V3; it is read as in V3")]
    Messages,
    /// An interaction of a type that this library does not know. It is kept, and cannot be verified.
    #[error("{at}: the interaction type {kind:?} is not known; the interaction is kept, but cannot be verified")]
    UnknownInteraction { at: String, kind: Text },
    /// A rule that this library does not know, in a contract that names no plugins. Comparing with it is an error.
    #[error("{at}: the matching rule {name:?} is not known; comparing with it will fail")]
    UnknownRule { at: String, name: Text },
    /// A generator that this library does not know, in a contract that names no plugins.
    #[error("{at}: the generator {name:?} is not known; no value can be generated with it")]
    UnknownGenerator {
        at: String,
        /// The generator's name.
        name: Text,
    },
    /// A category of rules or generators that this library does not know. It is kept for writing.
    #[error("{at}: unknown category of rules or generators; it is kept, but has no effect")]
    UnknownCategory { at: String },
    /// A text that is no content type; the content type is detected instead.
    #[error("{at}: {text:?} is not a content type; the content type is detected from the body")]
    ContentType { at: String, text: Text },
    /// A body that does not hold what `encoded` says; its text is taken as it is.
    #[error("{at}: the body is declared as {encoding}, but is not; its text is used unchanged")]
    Encoding {
        /// Where the body stands.
        at: String,
        /// The value of `encoded`.
        encoding: String,
    },
}

impl ReadError {
    /// Where in the document, as a JSON pointer; empty for the document as a whole.
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
    /// Where in the document, as a JSON pointer; empty for the document as a whole.
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

/// The empty pointer names the document itself.
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
