//! Errors and warnings from writing a contract in a specific version.

use crate::{SpecificationVersion, Text};

/// Reason why a contract or an interaction cannot be written in a version of the specification.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The version is V1 or V1.1, which can only be read.
    #[error("contracts cannot be written in {version}: it does not support matching rules. Use V2, V3, or V4.")]
    Version { version: SpecificationVersion },
    /// The version does not support interactions of this type.
    #[error(
        "the interaction {interaction:?} of type {kind} cannot be written in {version}; choose {}",
        alternative(kind)
    )]
    Kind {
        interaction: Text,
        /// The interaction's value of `type` in V4 files, such as `Synchronous/Messages`.
        kind: Text,
        version: SpecificationVersion,
    },
    /// The version does not support contracts with both HTTP interactions and messages.
    #[error(
        "{version} contracts cannot contain both HTTP interactions and messages, such as {http:?} and {message:?}; use V4, or separate contracts"
    )]
    Mixed {
        version: SpecificationVersion,
        /// Description of an HTTP interaction.
        http: Text,
        /// Description of a message.
        message: Text,
    },
    /// The status is not from 100 to 599, so readers would reject it.
    #[error("the interaction {interaction:?} has the status {status}; it must be from 100 to 599")]
    Status { interaction: Text, status: u16 },
}

fn alternative(kind: &str) -> &'static str {
    if kind == "Asynchronous/Messages" {
        "V3 or V4"
    } else {
        "V4"
    }
}

/// Content that the version cannot represent, and that was therefore omitted or changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WriteWarning {
    /// Description of the interaction; `None` for the contract as a whole.
    pub interaction: Option<Text>,
    pub version: SpecificationVersion,
    pub loss: Loss,
}

/// The kind of content that a version cannot represent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Loss {
    /// A V4 member: `comments`, `key`, `pending`, `transport`, `interactionMarkup`, `pluginConfiguration`, or, in the
    /// metadata of the contract, `plugins`.
    #[error("{member} is left out")]
    Member { member: &'static str },
    /// All provider states except for the first one (V2).
    #[error("only the first of {count} provider states is kept")]
    FurtherStates { count: usize },
    #[error("the parameters of the provider state {state:?} are left out")]
    StateParameters { state: Text },
    #[error("the provider state without a name is left out")]
    NamelessState,
    /// All rules at one path except for the first one, or their combination with OR (V2).
    #[error("{part}: only the first of the matching rules at {place} is kept")]
    FurtherRules {
        /// `request`, `response`, or `message`.
        part: &'static str,
        /// The path in V2 syntax, such as `$.body.id`.
        place: String,
    },
    /// A path with an empty list of rules (V2).
    #[error("{part}: the empty list of matching rules at {place} is left out")]
    NoRules {
        /// `request`, `response`, or `message`.
        part: &'static str,
        /// The path in V2 syntax, such as `$.body.id`.
        place: String,
    },
    /// A rule that V2 does not define. It is still written, because V3 readers accept it.
    #[error(
        "{part}: this version does not define the matching rule {rule:?}; it is written, but older tools do not support it"
    )]
    NewerRule {
        /// `request`, `response`, or `message`.
        part: &'static str,
        rule: Text,
    },
    /// A path that other Pact implementations cannot parse. See
    /// [`PathExpression::is_portable`](crate::PathExpression::is_portable).
    #[error("{part}: other Pact implementations cannot parse the path {path}; most of them reject the whole contract")]
    ForeignPath {
        /// `request`, `response`, or `message`.
        part: &'static str,
        /// The path as written in the contract file.
        path: String,
    },
    #[error("{part}: the generators are left out")]
    Generators {
        /// `request`, `response`, or `message`.
        part: &'static str,
    },
    /// Header values that are written as one string and read back as different values (V2, V3).
    #[error("{part}: the values of the header {name:?} are written as one string, which is read as one value")]
    HeaderValues {
        /// `request` or `response`.
        part: &'static str,
        name: Text,
    },
    /// A query parameter without `=` (V3). In V2, only a parameter without a name is affected.
    #[error("{part}: the query parameter {name:?} without '=' is written with an empty value")]
    QueryFlag {
        /// The value is always `request`.
        part: &'static str,
        name: Text,
    },
    /// A body that would be read back as a different body, because neither a header nor the metadata contains its
    /// content type.
    #[error("{part}: the body cannot be represented exactly; set its content type as a header or in the metadata")]
    BodyType {
        /// `request`, `response`, or `message`.
        part: &'static str,
    },
    /// A body that would be read back as a different body with any content type.
    #[error("{part}: this version cannot represent the body exactly")]
    Body {
        /// `request`, `response`, or `message`.
        part: &'static str,
    },
    /// The JSON document `null` (V2, V3). It is written, but most other tools treat it as a missing body.
    #[error("{part}: other tools treat the body null as a missing body; V4 distinguishes the two")]
    NullBody {
        /// `request`, `response`, or `message`.
        part: &'static str,
    },
    /// Unknown members of a value whose format is different in the specification version being written.
    #[error("{part}: unknown members of {name} are left out")]
    Inside {
        /// `request`, `response`, `message`, or `interaction`.
        part: &'static str,
        /// The name of the value: `body`, `contents`, `generators`, `matchingRules`, or `providerStates`.
        name: &'static str,
    },
    /// An unknown member whose name the specification defines in this version.
    #[error(
        "the unknown member {name:?} is left out, because the specification defines a different member with this name"
    )]
    Unknown { name: Text },
}

impl std::fmt::Display for WriteWarning {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.interaction {
            Some(interaction) => write!(f, "{interaction:?} in {}: {}", self.version, self.loss),
            None => write!(f, "the contract in {}: {}", self.version, self.loss),
        }
    }
}
