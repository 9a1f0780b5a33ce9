//! What a version of the specification cannot say.

use crate::{SpecificationVersion, Text};

/// Why a contract or an interaction cannot be written in a version. Nothing is written then.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// V1 and V1.1 are only read.
    #[error("contracts cannot be written in {version}, which has no matching rules; use V2, V3, or V4")]
    Version {
        /// The version asked for.
        version: SpecificationVersion,
    },
    /// A kind of interaction that the version does not have.
    #[error(
        "the interaction {interaction:?} of type {kind} cannot be written in {version}; choose {}",
        alternative(kind)
    )]
    Kind {
        /// The interaction's description.
        interaction: Text,
        /// The value of `type` in V4.
        kind: Text,
        /// The version asked for.
        version: SpecificationVersion,
    },
    /// HTTP and messages in one contract.
    #[error(
        "{version} contracts cannot contain both HTTP interactions and messages, such as {http:?} and {message:?}; use V4, or separate contracts"
    )]
    Mixed {
        /// The version asked for.
        version: SpecificationVersion,
        /// The description of an HTTP interaction.
        http: Text,
        /// The description of a message.
        message: Text,
    },
    /// A status that is no HTTP status code, which no reader would accept.
    #[error("the interaction {interaction:?} has the status {status}; it must be from 100 to 599")]
    Status {
        /// The interaction's description.
        interaction: Text,
        /// The status.
        status: u16,
    },
}

fn alternative(kind: &str) -> &'static str {
    if kind == "Asynchronous/Messages" {
        "V3 or V4"
    } else {
        "V4"
    }
}

/// Something that the version cannot say, and that the file therefore lacks or says in another way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WriteWarning {
    /// The description of the interaction; `None` for the contract as a whole.
    pub interaction: Option<Text>,
    /// The version that was written.
    pub version: SpecificationVersion,
    /// What was lost or changed.
    pub loss: Loss,
}

/// What a version of the specification cannot say.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Loss {
    /// A member of V4: `comments`, `key`, `pending`, `transport`, `interactionMarkup`, `pluginConfiguration` or, of the
    /// contract, `plugins`.
    #[error("{member} is left out")]
    Member {
        /// The member's name.
        member: &'static str,
    },
    /// All provider states but the first (V2).
    #[error("only the first of {count} provider states is kept")]
    FurtherStates { count: usize },
    /// The parameters of a provider state (V2).
    #[error("the parameters of the provider state {state:?} are left out")]
    StateParameters {
        /// The state's name.
        state: Text,
    },
    /// A provider state without a name (V2).
    #[error("the provider state without a name is left out")]
    NamelessState,
    /// All rules at one place but the first, or that one of them suffices (V2).
    #[error("{part}: only the first of the matching rules at {place} is kept")]
    FurtherRules {
        /// `request`, `response` or `message`.
        part: &'static str,
        /// The place as V2 names it.
        place: String,
    },
    /// A place with an empty list of rules (V2).
    #[error("{part}: the empty list of matching rules at {place} is left out")]
    NoRules {
        /// `request`, `response` or `message`.
        part: &'static str,
        /// The place as V2 names it.
        place: String,
    },
    /// A rule that V2 does not have. It is written all the same, and readers of V3 understand it.
    #[error(
        "{part}: the matching rule {rule:?} is newer than this version; it is written, but older tools do not support it"
    )]
    NewerRule {
        /// `request`, `response` or `message`.
        part: &'static str,
        rule: Text,
    },
    /// A path that this library reads back and others do not: [`PathExpression::is_portable`](crate::PathExpression::is_portable)
    /// says which.
    #[error("{part}: other tools cannot read the path {path}; most of them reject the whole contract")]
    ForeignPath {
        /// `request`, `response` or `message`.
        part: &'static str,
        /// The path as it is written.
        path: String,
    },
    /// The generators (V2).
    #[error("{part}: the generators are left out")]
    Generators {
        /// `request`, `response` or `message`.
        part: &'static str,
    },
    /// Values that stand in one line and are read back as other values (V2, V3).
    #[error("{part}: the values of the header {name:?} are written in one line, which is read as one value")]
    HeaderValues {
        /// `request` or `response`.
        part: &'static str,
        /// The header's name.
        name: Text,
    },
    /// A query parameter without `=` (V3; in V2 only one without a name).
    #[error("{part}: the query parameter {name:?} without '=' is written with an empty value")]
    QueryFlag {
        /// `request`.
        part: &'static str,
        /// The parameter's name.
        name: Text,
    },
    /// A body that is read back as another: its content type is not said, or the version cannot hold it.
    #[error("{part}: the body cannot be represented exactly; set its content type as a header or in the metadata")]
    Body {
        /// `request`, `response` or `message`.
        part: &'static str,
    },
    /// The JSON document `null` (V2, V3). It is written, and most readers take it for no body at all.
    #[error("{part}: other tools read the body null as a missing body; V4 distinguishes them")]
    NullBody {
        /// `request`, `response` or `message`.
        part: &'static str,
    },
    /// Members that this library does not know, inside a value that the version writes in another form.
    #[error("{part}: unknown members of {name} are left out")]
    Inside {
        /// `request`, `response`, `message` or `interaction`.
        part: &'static str,
        /// The name of the value: `body`, `contents`, `generators`, `matchingRules` or `providerStates`.
        name: &'static str,
    },
    /// A member that this library does not know, under a name that means something in this version.
    #[error("the unknown member {name:?} is left out, because its name has a meaning in this version")]
    Unknown {
        /// The member's name.
        name: Text,
    },
}

impl std::fmt::Display for WriteWarning {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.interaction {
            Some(interaction) => write!(f, "{interaction:?} in {}: {}", self.version, self.loss),
            None => write!(f, "the contract in {}: {}", self.version, self.loss),
        }
    }
}
