//! Contracts and interactions, one shape for every version of the specification.

use crate::{Body, ContentType, Generators, Headers, Json, Object, Query, Rules, Text};

/// The `type` of HTTP interactions in V4 files.
pub(crate) const HTTP: &str = "Synchronous/HTTP";
/// The `type` of messages without an answer.
pub(crate) const ASYNC_MESSAGE: &str = "Asynchronous/Messages";
/// The `type` of messages with answers.
pub(crate) const SYNC_MESSAGE: &str = "Synchronous/Messages";

/// The expectations of a consumer for a provider.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Contract {
    pub consumer: Text,
    pub provider: Text,
    /// In the order of the file.
    pub interactions: Vec<Interaction>,
    /// Everything under `metadata` but the specification's version and the plugins.
    pub metadata: Object,
    /// `metadata.plugins`: plugins that the contract needs.
    pub plugins: Vec<Json>,
    /// The version that the file was written in.
    pub specification: SpecificationVersion,
    /// Members that this library does not know, of the document, `consumer` and `provider`; kept for writing.
    pub other: Object,
}

/// A version of the Pact Specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum SpecificationVersion {
    /// 1.0.0
    V1,
    /// 1.1.0
    V1_1,
    /// 2.0.0
    V2,
    /// 3.0.0
    V3,
    /// 4.0
    #[default]
    V4,
}

/// One thing that the consumer expects.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Interaction {
    pub description: Text,
    /// States of the provider that it needs, in order.
    pub states: Vec<ProviderState>,
    pub kind: InteractionKind,
    pub key: Option<Text>,
    /// A pending interaction need not be honoured yet (V4).
    pub pending: bool,
    /// Comments (V4): `text`, `testname`, `references` and the user's own.
    pub comments: Object,
    /// The transport to use, such as `http` (V4).
    pub transport: Option<Text>,
    /// `interactionMarkup` (V4), kept as it is.
    pub markup: Option<Json>,
    /// `pluginConfiguration` (V4), by plugin.
    pub plugin_configuration: Object,
    /// `_id`: the broker's name of the interaction; read, never written.
    pub broker_id: Option<Text>,
    /// Members that this library does not know; kept for writing. What is not known inside the states, and of
    /// an asynchronous message inside its parts, stands here under their names.
    pub other: Object,
}

#[derive(Clone, Debug, PartialEq)]
pub enum InteractionKind {
    /// An HTTP request and its response.
    Http(Box<HttpInteraction>),
    /// One message from the provider to the consumer.
    AsyncMessage(Box<Message>),
    /// A message and its answers.
    SyncMessage(Box<SyncMessage>),
    /// A kind that this library does not know; kept for writing, reported when it would have to be verified.
    Unknown {
        kind: Text,
        /// The whole interaction.
        document: Json,
    },
    /// An interaction that cannot be read. It is written unchanged, and fails when it is verified.
    Unreadable(Box<Unreadable>),
}

/// An interaction that cannot be read, and why.
#[derive(Clone, Debug)]
pub struct Unreadable {
    /// The value of `type`, or the kind that its place and members imply.
    pub kind: Text,
    pub document: Json,
    /// Whether its description and its states can be read: then it is the same as another that agrees in them.
    pub is_identified: bool,
    /// What cannot be read: a JSON pointer from the root of the contract, such as `/interactions/3/response/status`.
    pub at: String,
    /// The reason, with the place.
    pub reason: String,
}

impl PartialEq for Unreadable {
    /// Reason and position follow from the document.
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind && self.document == other.document
    }
}

/// An HTTP request and its response.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct HttpInteraction {
    pub request: Request,
    pub response: Response,
}

/// An HTTP request.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// Method, in upper case.
    pub method: Text,
    /// Without the query string.
    pub path: Text,
    /// Decoded.
    pub query: Query,
    /// Names without case.
    pub headers: Headers,
    /// The body.
    pub body: Body,
    /// Matching rules.
    pub rules: Rules,
    /// Generators.
    pub generators: Generators,
    /// Members that this library does not know; kept for writing. What is not known inside the body, the rules and the
    /// generators stands here under their names.
    pub other: Object,
}

/// An HTTP response.
#[derive(Clone, Debug, PartialEq)]
pub struct Response {
    /// The status code.
    pub status: u16,
    /// Names without case.
    pub headers: Headers,
    /// The body.
    pub body: Body,
    /// Matching rules.
    pub rules: Rules,
    /// Generators.
    pub generators: Generators,
    /// Members that this library does not know; kept for writing. What is not known inside the body, the rules and the
    /// generators stands here under their names.
    pub other: Object,
}

/// A message, or one part of a synchronous exchange.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Message {
    pub contents: Body,
    pub metadata: Object,
    /// Matching rules.
    pub rules: Rules,
    /// Generators.
    pub generators: Generators,
    /// Members that this library does not know (of a part of a synchronous message); kept for writing. What is not known
    /// inside the contents, the rules and the generators stands here under their names.
    pub other: Object,
}

/// A message and its answers.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct SyncMessage {
    pub request: Message,
    /// In order.
    pub responses: Vec<Message>,
}

/// A state that the provider must be in.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct ProviderState {
    /// The state in words.
    pub name: Text,
    /// Its parameters.
    pub parameters: Object,
}

impl Default for InteractionKind {
    fn default() -> Self {
        Self::Http(Box::default())
    }
}

impl Default for Request {
    fn default() -> Self {
        Self {
            method: Text::const_new("GET"),
            path: Text::const_new("/"),
            query: Query::new(),
            headers: Headers::new(),
            body: Body::Missing,
            rules: Rules::default(),
            generators: Generators::default(),
            other: Object::new(),
        }
    }
}

impl Default for Response {
    fn default() -> Self {
        Self {
            status: 200,
            headers: Headers::new(),
            body: Body::Missing,
            rules: Rules::default(),
            generators: Generators::default(),
            other: Object::new(),
        }
    }
}

impl InteractionKind {
    /// The value of `type` in V4 files.
    pub fn type_name(&self) -> &str {
        match self {
            Self::Http(_) => HTTP,
            Self::AsyncMessage(_) => ASYNC_MESSAGE,
            Self::SyncMessage(_) => SYNC_MESSAGE,
            Self::Unknown { kind, .. } => kind,
            Self::Unreadable(unreadable) => &unreadable.kind,
        }
    }

    /// The document of an interaction that nothing else tells apart from others.
    pub(crate) fn only_identity(&self) -> Option<&Json> {
        match self {
            Self::Unknown { document, .. } => Some(document),
            Self::Unreadable(unreadable) if !unreadable.is_identified => Some(&unreadable.document),
            _ => None,
        }
    }
}

impl Message {
    /// The content type that the metadata declare, under whichever of its spellings.
    pub fn metadata_content_type(&self) -> Option<ContentType> {
        let (_, value) = self.metadata.iter().find(|(name, _)| Self::is_content_type(name))?;
        ContentType::declared(value.as_str()?)
    }

    /// Returns true for metadata names that declare the content type: tools spell it differently.
    pub fn is_content_type(name: &str) -> bool {
        name.eq_ignore_ascii_case("contentType") || name.eq_ignore_ascii_case("content-type")
    }
}

impl Interaction {
    /// The HTTP exchange, if it is one.
    pub fn http(&self) -> Option<&HttpInteraction> {
        if let InteractionKind::Http(http) = &self.kind {
            Some(http)
        } else {
            None
        }
    }

    /// Whether both are the same interaction: kind, description and provider states with their parameters. What makes two
    /// interactions of an unknown kind the same is not known, nor whose names cannot be read, unless they are equal.
    pub fn is_same_as(&self, other: &Self) -> bool {
        let is_same_kind =
            self.kind.type_name() == other.kind.type_name() && self.kind.only_identity() == other.kind.only_identity();
        is_same_kind && self.description == other.description && self.states == other.states
    }
}

impl SpecificationVersion {
    /// The version as people write it: `V1.1`.
    pub fn name(self) -> &'static str {
        match self {
            Self::V1 => "V1",
            Self::V1_1 => "V1.1",
            Self::V2 => "V2",
            Self::V3 => "V3",
            Self::V4 => "V4",
        }
    }

    /// The version as files name it: `1.1.0`.
    pub fn number(self) -> &'static str {
        match self {
            Self::V1 => "1.0.0",
            Self::V1_1 => "1.1.0",
            Self::V2 => "2.0.0",
            Self::V3 => "3.0.0",
            Self::V4 => "4.0",
        }
    }

    /// Parses `V4`, `v4`, `4`, `4.0`, or `4.0.0`.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let numbers = text.strip_prefix(['v', 'V']).unwrap_or(text);
        let mut parts = numbers.split('.').map(|part| part.parse::<u32>().ok());
        let major = parts.next()??;
        let minor = parts.next().unwrap_or(Some(0))?;
        let patch = parts.next().unwrap_or(Some(0));
        if patch.is_none() || parts.next().is_some() {
            return None;
        }
        match (major, minor) {
            (1, 1) => Some(Self::V1_1),
            (1, _) => Some(Self::V1),
            (2, _) => Some(Self::V2),
            (3, _) => Some(Self::V3),
            (4, _) => Some(Self::V4),
            _ => None,
        }
    }
}

impl std::fmt::Display for SpecificationVersion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::SpecificationVersion;

    #[test]
    fn versions() {
        for (text, want) in [
            ("V4", "V4"),
            ("v1.1", "V1.1"),
            ("2", "V2"),
            ("3.0.0", "V3"),
            ("4.0", "V4"),
            ("1.0.0", "V1"),
        ] {
            assert_eq!(SpecificationVersion::parse(text).unwrap().name(), want);
        }
        for text in ["", "V5", "vier", "1.x", "4.0.0.0", "-4"] {
            assert_eq!(SpecificationVersion::parse(text), None, "{text}");
        }
    }
}
