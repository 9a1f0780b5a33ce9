//! Each call of the builder as a value: what a binding passes on, read from JSON, and what the methods of the builder make.

mod arguments;
mod read;

use contract_model::Json;
use serde::Deserialize;

use self::read::present;
pub(crate) use self::read::read_operation;
use super::part::{Kind, Part};
use crate::error::ArgumentError;
use crate::read::{Document, name_of};

pub use arguments::{
    Binary, BytesMatch, DefaultArguments, InteractionArguments, Pairs, PartArguments, RequestArguments,
    RequestDefaults, ResponseArguments, ResponseDefaults, StateArguments,
};

/// A call on an interaction. From JSON: `{ "with_header": { "name": "X-Id", "value": "7" } }`.
///
/// `part` is the request or the response; absent it is the request until `will_respond_with`, and the response from then on.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Operation {
    /// Adds a provider state, or parameters to one of that name; later parameters win.
    Given {
        /// The name of the state.
        state: String,
        /// One parameter's name; goes with `value`.
        name: Option<String>,
        /// One parameter's value; goes with `name`. A text that is JSON stands for that value.
        #[serde(default, deserialize_with = "present")]
        value: Option<Json>,
        /// All parameters: an object, or a text (a JSON object gives its members, other JSON `{ value: parsed }`, anything
        /// else `{ value: text }`).
        #[serde(default, deserialize_with = "present")]
        parameters: Option<Json>,
    },
    /// Begins the request.
    WithRequest(Box<RequestArguments>),
    /// Begins the response. A synchronous message has no status, and each call begins a further response.
    WillRespondWith(Box<ResponseArguments>),
    /// Adds values to a header: a text, matcher JSON, or a list of them. A text that is JSON with `value` is matcher JSON.
    WithHeader {
        /// The name, in any case.
        name: String,
        /// The value or values.
        value: Document,
        /// The part.
        part: Option<Part>,
    },
    /// The same for several headers.
    WithHeaders {
        /// Names and values.
        headers: Pairs,
        /// The part.
        part: Option<Part>,
    },
    /// Replaces a header by a text that is not processed.
    SetHeader {
        /// The name, in any case.
        name: String,
        /// The value.
        value: String,
        /// The part.
        part: Option<Part>,
    },
    /// The same for several headers.
    SetHeaders {
        /// Names and texts.
        headers: Pairs,
        /// The part.
        part: Option<Part>,
    },
    /// Adds values to a query parameter: as with headers; null is a name without value.
    WithQueryParameter {
        /// The name, decoded.
        name: String,
        /// The value or values.
        value: Document,
    },
    /// The same for several query parameters.
    WithQueryParameters {
        /// Names and values.
        parameters: Pairs,
    },
    /// Adds a cookie: of the request one of those in `Cookie`, of the response a `Set-Cookie` with any attributes.
    WithCookie {
        /// The name.
        name: String,
        /// A string, or a matcher.
        value: Document,
        /// The part.
        part: Option<Part>,
    },
    /// `Authorization: Bearer …` in the request, with any token like the example.
    WithBearerToken {
        /// A token.
        example: String,
    },
    /// Sets the body: a text as it is, anything else as JSON with matchers in it. Absent, the body is taken away.
    WithBody {
        /// The text or template.
        #[serde(default, deserialize_with = "present")]
        body: Option<Json>,
        /// Told from the Content-Type header or the body when absent.
        content_type: Option<String>,
        /// The part.
        part: Option<Part>,
    },
    /// Sets a JSON body with matchers in it; a text is a JSON string.
    WithJsonBody {
        /// The template.
        body: Document,
        /// `application/json` when absent.
        content_type: Option<String>,
        /// The part.
        part: Option<Part>,
    },
    /// Sets a body of text, or of a matcher for the whole text.
    WithTextBody {
        /// The text or matcher.
        body: Document,
        /// `text/plain` unless the call or a header says otherwise.
        content_type: Option<String>,
        /// The part.
        part: Option<Part>,
    },
    /// Sets an XML body from its text or its root element.
    WithXmlBody {
        /// A text, or `{ name, attributes, children, each }`.
        root: Document,
        /// `application/xml` unless the call or a header says otherwise.
        content_type: Option<String>,
        /// The part.
        part: Option<Part>,
    },
    /// Sets a body of form fields.
    WithFormBody {
        /// Names and values.
        fields: Pairs,
        /// `application/x-www-form-urlencoded` unless the call or a header says otherwise.
        content_type: Option<String>,
        /// The part.
        part: Option<Part>,
    },
    /// Sets a body that is a GraphQL request; the query is compared as a document.
    WithGraphql {
        /// The document as text.
        query: Document,
        /// A template.
        #[serde(default, deserialize_with = "present")]
        variables: Option<Json>,
        /// Which operation of the document.
        #[serde(default, deserialize_with = "present")]
        operation_name: Option<Json>,
        /// A template.
        #[serde(default, deserialize_with = "present")]
        extensions: Option<Json>,
        /// `application/json` when absent.
        content_type: Option<String>,
        /// The part.
        part: Option<Part>,
    },
    /// Sets a body of bytes. Every byte counts unless `match` says otherwise.
    WithBinaryBody {
        /// The bytes; null for none.
        body: Option<Binary>,
        /// How they are compared.
        #[serde(rename = "match")]
        how: Option<BytesMatch>,
        /// `application/octet-stream` when absent.
        content_type: Option<String>,
        /// The part.
        part: Option<Part>,
    },
    /// Sets the body to the bytes of a file, read now. Any bytes of the same type will do unless `match` says otherwise.
    WithBinaryFile {
        /// The path of the file.
        path: String,
        /// How they are compared.
        #[serde(rename = "match")]
        how: Option<BytesMatch>,
        /// Told from the content when absent.
        content_type: Option<String>,
        /// The part.
        part: Option<Part>,
    },
    /// Adds parts to a multipart body, or begins one.
    WithMultipart {
        /// The parts.
        parts: Vec<PartArguments>,
        /// What stands between the parts; a text that occurs in none of them when absent.
        boundary: Option<String>,
        /// The part of the interaction.
        part: Option<Part>,
    },
    /// Adds a file to a multipart body, or begins one; without a path the part is empty.
    WithMultipartFile {
        /// The name of the form field.
        name: String,
        /// The path of the file.
        path: Option<String>,
        /// Content type of the file. Default: recognized from its content.
        content_type: Option<String>,
        /// File name in the body. Default: the name in the path.
        filename: Option<String>,
        /// Boundary between the parts. Default: a random text that occurs in no part.
        boundary: Option<String>,
        /// The part of the interaction; that of the last `with_request` or `will_respond_with` when absent.
        part: Option<Part>,
    },
    /// Starts a plugin for the contract, or takes part in one that runs.
    UsingPlugin {
        /// The name.
        plugin: String,
        /// Minimum version; the highest installed version is used. Default: any.
        version: Option<String>,
    },
    /// Sets the body to what a plugin makes of these contents (V4). Of a synchronous message one call may say all parts.
    WithPluginContents {
        /// An object, or its JSON text; the plugin says what stands in it.
        contents: Document,
        /// The type that tells the plugin.
        content_type: String,
        /// The part.
        part: Option<Part>,
    },
    /// Adds matching rules in the form of contract files; they replace rules at the same places.
    WithMatchingRules {
        /// An object, or its JSON text.
        rules: Document,
        /// The part.
        part: Option<Part>,
    },
    /// Adds generators in the form of contract files; they replace generators at the same places.
    WithGenerators {
        /// An object, or its JSON text.
        generators: Document,
        /// The part.
        part: Option<Part>,
    },
    /// Sets entries of a message's metadata: null takes one away, the text `null` stores JSON null, matcher JSON a rule.
    WithMetadata {
        /// Names and values.
        metadata: Pairs,
        /// The part.
        part: Option<Part>,
    },
    /// Sets a comment (V4); absent, the comment is taken away.
    SetComment {
        /// The name.
        key: String,
        /// Its value.
        #[serde(default, deserialize_with = "present")]
        value: Option<Json>,
    },
    /// Adds a text to the comments (V4).
    AddTextComment {
        /// The text.
        text: String,
    },
    /// Adds a reference to something outside, such as an issue (V4).
    AddReference {
        /// What kind of thing.
        group: String,
        /// The name.
        name: String,
        /// Anything.
        value: Document,
    },
    /// Sets the key, or clears it (V4).
    SetKey {
        /// The private key.
        key: Option<String>,
    },
    /// Marks the interaction as one that the provider need not honour yet (V4).
    SetPending {
        /// Whether it is.
        pending: bool,
    },
    /// Names the test that defines the interaction.
    TestName {
        /// The name.
        name: String,
    },
    /// How often the test requests it: a number, or `{ min, max }` with one of both or both. Without: once or more.
    Times {
        /// The number or bounds.
        times: Document,
    },
    /// Whether the test may leave it unrequested.
    Optional {
        /// True when absent.
        optional: Option<bool>,
    },
}

/// A call on a contract.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ContractOperation {
    /// Chooses the version that files are written in.
    WithSpecification {
        /// `V2`, `V3` or `V4`.
        version: String,
    },
    /// Adds entries to the metadata of the file, under a name of one's own.
    WithMetadata {
        /// The name.
        namespace: String,
        /// An object.
        entries: Document,
    },
    /// Sets what the interactions begun from now on have unless they say otherwise. Replaces earlier defaults.
    Defaults(Box<DefaultArguments>),
    /// Starts a plugin for the contract, or takes part in one that runs.
    UsingPlugin {
        /// The name.
        plugin: String,
        /// The least version; any when absent.
        version: Option<String>,
    },
    /// Begins an interaction.
    UponReceiving {
        /// The description. Together with the provider states it must be unique in the contract.
        description: String,
        /// HTTP when absent.
        kind: Option<Kind>,
    },
    /// A whole HTTP interaction.
    Interaction(Box<InteractionArguments>),
}

impl Operation {
    /// Reads an operation from JSON text: one member, its name the operation's, its value the arguments.
    pub fn from_text(text: &str) -> Result<Self, ArgumentError> {
        read_operation(text)
    }

    /// The name, in snake case.
    pub fn name(&self) -> &'static str {
        name_of(self)
    }
}

impl ContractOperation {
    /// Reads an operation from JSON text: one member, its name the operation's, its value the arguments.
    pub fn from_text(text: &str) -> Result<Self, ArgumentError> {
        read_operation(text)
    }

    /// The name, in snake case.
    pub fn name(&self) -> &'static str {
        name_of(self)
    }
}
