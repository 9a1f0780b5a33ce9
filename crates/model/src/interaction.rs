//! Contracts and interactions. All versions of the specification share this model.

use crate::{Body, ContentType, Generators, Headers, Json, Object, Query, Rules, SpecificationVersion, Text};

/// The `type` of HTTP interactions in V4 files.
pub(crate) const HTTP: &str = "Synchronous/HTTP";
/// The `type` of asynchronous messages in V4 files.
pub(crate) const ASYNC_MESSAGE: &str = "Asynchronous/Messages";
/// The `type` of synchronous messages in V4 files.
pub(crate) const SYNC_MESSAGE: &str = "Synchronous/Messages";

/// What one consumer expects from one provider.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Contract {
    pub consumer: Text,
    pub provider: Text,
    /// The interactions, in the order of the file.
    pub interactions: Vec<Interaction>,
    /// Members of `metadata`, except for the specification version and the plugins.
    pub metadata: Object,
    /// The plugins that the contract requires (`metadata.plugins`).
    pub plugins: Vec<Json>,
    /// The specification version of the source file.
    pub specification: SpecificationVersion,
    /// Unknown members of the document, `consumer`, and `provider`, kept so that they can be written again.
    pub other: Object,
}

/// A request with its response, or a message.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Interaction {
    pub description: Text,
    /// Provider states that must be set up before the interaction, in order.
    pub states: Vec<ProviderState>,
    pub kind: InteractionKind,
    pub key: Option<Text>,
    /// True if a failure of this interaction does not fail the verification (V4).
    pub pending: bool,
    /// Comments (V4): `text`, `testname`, `references`, and custom comments.
    pub comments: Object,
    /// The transport, such as `http` (V4). `None` if the contract does not specify it.
    pub transport: Option<Text>,
    /// The value of `interactionMarkup` (V4), unchanged. `None` if it is missing.
    pub markup: Option<Json>,
    /// The value of `pluginConfiguration` (V4), by plugin name.
    pub plugin_configuration: Object,
    /// The broker's ID of the interaction (`_id`). It is read, but never written. `None` if the contract was not
    /// fetched from a broker.
    pub broker_id: Option<Text>,
    /// Unknown members, kept so that they can be written again. Unknown members of provider states, and of the parts of
    /// an asynchronous message, are stored under member names such as `providerStates` and `contents`.
    pub other: Object,
}

#[derive(Clone, Debug, PartialEq)]
pub enum InteractionKind {
    Http(Box<HttpInteraction>),
    /// A message that the provider sends to the consumer.
    AsyncMessage(Box<Message>),
    /// A message that the consumer sends to the provider, and the messages with which the provider responds.
    SyncMessage(Box<SyncMessage>),
    /// An interaction of an unknown type. It is kept so that it can be written again, but it cannot be verified.
    Unknown {
        kind: Text,
        /// The whole interaction as JSON.
        document: Json,
    },
    /// An interaction that cannot be parsed. It is written unchanged, but it cannot be verified.
    Unreadable(Box<Unreadable>),
}

/// An interaction that cannot be parsed.
#[derive(Clone, Debug)]
pub struct Unreadable {
    /// The value of `type`. If it is missing, the type that follows from the list (`interactions` or `messages`) and
    /// from the members.
    pub kind: Text,
    pub document: Json,
    /// True if the description and the provider states were parsed, so that the interaction can be compared with
    /// others.
    pub is_identified: bool,
    /// JSON pointer from the root of the contract to the invalid value, such as `/interactions/3/response/status`.
    pub at: String,
    /// The text of the parse error, including its location.
    pub reason: String,
}

impl PartialEq for Unreadable {
    /// Compares only the documents, because all other fields follow from the document.
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind && self.document == other.document
    }
}

#[derive(Clone, Debug, PartialEq, Default)]
pub struct HttpInteraction {
    pub request: Request,
    pub response: Response,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// The method in upper case.
    pub method: Text,
    /// The path without the query string.
    pub path: Text,
    pub query: Query,
    pub headers: Headers,
    pub body: Body,
    pub rules: Rules,
    pub generators: Generators,
    /// Unknown members, kept so that they can be written again. Unknown members of the body, rules, and generators are
    /// stored under `body`, `matchingRules`, and `generators`.
    pub other: Object,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Response {
    pub status: u16,
    pub headers: Headers,
    pub body: Body,
    pub rules: Rules,
    pub generators: Generators,
    /// Unknown members, kept so that they can be written again. Unknown members of the body, rules, and generators are
    /// stored under `body`, `matchingRules`, and `generators`.
    pub other: Object,
}

/// A message, or one part of a synchronous message.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Message {
    pub contents: Body,
    pub metadata: Object,
    pub rules: Rules,
    pub generators: Generators,
    /// Unknown members of one part of a synchronous message, kept so that they can be written again. Unknown members of
    /// the contents, rules, and generators are stored under `contents`, `matchingRules`, and `generators`.
    pub other: Object,
}

/// A message that the consumer sends to the provider, and the messages with which the provider responds.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct SyncMessage {
    pub request: Message,
    pub responses: Vec<Message>,
}

/// A precondition that the provider sets up before an interaction.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct ProviderState {
    /// The description of the state, such as `order 7 exists`.
    pub name: Text,
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
    /// Returns the value of `type` in V4 files.
    pub fn type_name(&self) -> &str {
        match self {
            Self::Http(_) => HTTP,
            Self::AsyncMessage(_) => ASYNC_MESSAGE,
            Self::SyncMessage(_) => SYNC_MESSAGE,
            Self::Unknown { kind, .. } => kind,
            Self::Unreadable(unreadable) => &unreadable.kind,
        }
    }

    /// Returns the whole document of an interaction that has neither a known type nor a readable identity. Otherwise,
    /// returns `None`.
    pub(crate) fn only_identity(&self) -> Option<&Json> {
        match self {
            Self::Unknown { document, .. } => Some(document),
            Self::Unreadable(unreadable) if !unreadable.is_identified => Some(&unreadable.document),
            _ => None,
        }
    }
}

impl Message {
    /// Returns the content type declared in the metadata, in any spelling of the name. Returns `None` if it is missing,
    /// invalid, or `*/*`.
    pub fn metadata_content_type(&self) -> Option<ContentType> {
        let (_, value) = self.metadata.iter().find(|(name, _)| Self::is_content_type(name))?;
        ContentType::declared(value.as_str()?)
    }

    /// Returns true for the names that tools use for the content type in metadata: `contentType` and `content-type`, in
    /// any case.
    pub fn is_content_type(name: &str) -> bool {
        name.eq_ignore_ascii_case("contentType") || name.eq_ignore_ascii_case("content-type")
    }
}

impl Interaction {
    /// Returns the request and response, or `None` if this is not a readable HTTP interaction.
    pub fn http(&self) -> Option<&HttpInteraction> {
        if let InteractionKind::Http(http) = &self.kind {
            Some(http)
        } else {
            None
        }
    }

    /// Returns true if both interactions have the same type, description, and provider states, including parameters.
    /// Interactions that are unknown or whose identity is unreadable are the same only if their documents are equal.
    pub fn is_same_as(&self, other: &Self) -> bool {
        let is_same_kind =
            self.kind.type_name() == other.kind.type_name() && self.kind.only_identity() == other.kind.only_identity();
        is_same_kind && self.description == other.description && self.states == other.states
    }
}
