//! Operations of the builders. Bindings pass them as JSON.

mod arguments;
mod read;

use contract_model::Json;
use serde::Deserialize;

use self::read::present;
pub use self::read::read_operation;
use super::part::{Kind, Part};
use contract_call::error::ArgumentError;
use contract_call::read::Document;

pub use arguments::{
    Binary, BytesMatch, DefaultArguments, InteractionArguments, Pairs, PartArguments, RequestArguments,
    RequestDefaults, ResponseArguments, ResponseDefaults, StateArguments,
};

/// An operation on an interaction. In JSON: `{ "with_header": { "name": "X-Id", "value": "7" } }`.
///
/// `part` selects the request or the response. Default: the request until `will_respond_with` is called, then the
/// response.
#[derive(Clone, Debug, PartialEq, Deserialize, strum::IntoStaticStr, strum::VariantNames)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[strum(serialize_all = "snake_case")]
pub enum Operation {
    /// Adds a provider state, or adds parameters to the state with this name. Later values override earlier ones.
    Given {
        state: String,
        /// Name of a single parameter. Requires `value`.
        name: Option<String>,
        /// Value of a single parameter. Requires `name`. A string that is valid JSON is parsed.
        #[serde(default, deserialize_with = "present")]
        value: Option<Json>,
        /// All parameters, as an object or a string. A string that contains a JSON object is parsed. Any other JSON
        /// text becomes `{ value: parsed }`, and other text becomes `{ value: text }`.
        #[serde(default, deserialize_with = "present")]
        parameters: Option<Json>,
    },
    WithRequest(Box<RequestArguments>),
    /// Defines the response. Synchronous messages have no status, and each call adds a response.
    WillRespondWith(Box<ResponseArguments>),
    /// Adds values to a header. `value` is a string, matcher JSON, or an array of these. A string is matcher JSON if it
    /// contains a JSON object with a `value`.
    WithHeader {
        /// Name of the header, which is case-insensitive.
        name: String,
        /// A string, matcher JSON, or an array of these.
        value: Document,
        part: Option<Part>,
    },
    /// Adds values to several headers.
    WithHeaders {
        /// Values by header name. A value is a string, matcher JSON, or an array of these.
        headers: Pairs,
        part: Option<Part>,
    },
    /// Replaces all values of a header. The string is used unchanged.
    SetHeader {
        /// Name of the header, which is case-insensitive.
        name: String,
        value: String,
        part: Option<Part>,
    },
    /// Replaces all values of several headers. The strings are used unchanged.
    SetHeaders {
        headers: Pairs,
        part: Option<Part>,
    },
    /// Adds values to a query parameter.
    WithQueryParameter {
        /// Name of the parameter, not percent-encoded.
        name: String,
        /// A string, matcher JSON, or an array of these. Null adds the name without a value.
        value: Document,
    },
    /// Adds values to several query parameters.
    WithQueryParameters {
        /// Values by parameter name. A value is a string, matcher JSON, or an array of these. Null adds the name
        /// without a value.
        parameters: Pairs,
    },
    /// Adds a cookie. For a request, it is added to the `Cookie` header. For a response, it is added as a `Set-Cookie`
    /// header, which may have any attributes.
    WithCookie {
        name: String,
        /// Value of the cookie: a string or matcher JSON.
        value: Document,
        part: Option<Part>,
    },
    /// Sets the request header `Authorization` to `Bearer`, followed by the token. A request with any other valid
    /// bearer token also matches.
    WithBearerToken {
        /// The token in the example, without `Bearer`.
        example: String,
    },
    /// Sets the body. A string is used unchanged, and any other value is a JSON template. If `body` is absent, the body
    /// is removed.
    WithBody {
        #[serde(default, deserialize_with = "present")]
        body: Option<Json>,
        /// Default: the Content-Type header, or else the type that is detected from the body.
        content_type: Option<String>,
        part: Option<Part>,
    },
    /// Sets a JSON body, which may contain matchers. A string becomes a JSON string.
    WithJsonBody {
        /// The JSON template.
        body: Document,
        /// Default: `application/json`.
        content_type: Option<String>,
        part: Option<Part>,
    },
    /// Sets a text body. `body` is a string, or matcher JSON for the whole text.
    WithTextBody {
        body: Document,
        /// Default: the Content-Type header, or else `text/plain`.
        content_type: Option<String>,
        part: Option<Part>,
    },
    /// Sets an XML body from a document or a root element.
    WithXmlBody {
        /// The document as a string, or an element `{ name, attributes, children, each }`.
        root: Document,
        /// Default: the Content-Type header, or else `application/xml`.
        content_type: Option<String>,
        part: Option<Part>,
    },
    /// Sets a form body. A field value is a string, matcher JSON, or an array of these.
    WithFormBody {
        fields: Pairs,
        /// Default: the Content-Type header, or else `application/x-www-form-urlencoded`.
        content_type: Option<String>,
        part: Option<Part>,
    },
    /// Sets the body to a GraphQL request. Whitespace, commas, and comments in the query are not compared.
    WithGraphql {
        /// The document as a string.
        query: Document,
        /// Variables of the query, as a JSON template.
        #[serde(default, deserialize_with = "present")]
        variables: Option<Json>,
        /// Name of the operation to run. Required if the document contains several operations.
        #[serde(default, deserialize_with = "present")]
        operation_name: Option<Json>,
        /// Extensions of the request, as a JSON template.
        #[serde(default, deserialize_with = "present")]
        extensions: Option<Json>,
        /// Default: `application/json`.
        content_type: Option<String>,
        part: Option<Part>,
    },
    /// Sets a binary body. By default, every byte is compared.
    WithBinaryBody {
        /// The bytes, or null for an empty body.
        body: Option<Binary>,
        /// How the bytes are compared. Default: every byte.
        #[serde(rename = "match")]
        how: Option<BytesMatch>,
        /// Default: `application/octet-stream`.
        content_type: Option<String>,
        part: Option<Part>,
    },
    /// Sets the body to the contents of a file, which is read immediately.
    WithBinaryFile {
        path: String,
        /// How the bytes are compared. Default: by content type only.
        #[serde(rename = "match")]
        how: Option<BytesMatch>,
        /// Default: the type that is detected from the contents.
        content_type: Option<String>,
        part: Option<Part>,
    },
    /// Adds parts to a multipart body. Creates the body if necessary.
    WithMultipart {
        parts: Vec<PartArguments>,
        /// Boundary between the parts. Default: a string that occurs in no part.
        boundary: Option<String>,
        /// Part of the interaction. Default: the part of the last call to `with_request` or `will_respond_with`.
        part: Option<Part>,
    },
    /// Adds a file to a multipart body. Creates the body if necessary.
    WithMultipartFile {
        /// Name of the form field.
        name: String,
        /// Path of the file. If absent, the part is empty.
        path: Option<String>,
        /// Content type of the file. Default: detected from its content.
        content_type: Option<String>,
        /// File name in the body. Default: the last component of the path.
        filename: Option<String>,
        /// Boundary between the parts. Default: a string that occurs in no part.
        boundary: Option<String>,
        /// Part of the interaction. Default: the part of the last call to `with_request` or `will_respond_with`.
        part: Option<Part>,
    },
    /// Starts a plugin for the contract, or uses it if it is already running.
    UsingPlugin {
        /// Name of the plugin.
        plugin: String,
        /// Minimum version, such as `1.2.0`; the highest installed version is used. Default: any version.
        version: Option<String>,
    },
    /// Sets the body to contents that a plugin generates (V4). For a synchronous message, one call can define all
    /// parts.
    WithPluginContents {
        /// An object or its JSON text, in the plugin's format.
        contents: Document,
        /// Content type of the body, such as `text/csv`. It selects the plugin.
        content_type: String,
        part: Option<Part>,
    },
    /// Adds matching rules in the format of contract files. They replace existing rules for the same name or path.
    WithMatchingRules {
        /// An object or its JSON text.
        rules: Document,
        part: Option<Part>,
    },
    /// Adds generators in the format of contract files. They replace existing generators for the same name or path.
    WithGenerators {
        /// An object or its JSON text.
        generators: Document,
        part: Option<Part>,
    },
    /// Sets metadata of a message by name. Null removes an entry, the string `null` stores JSON null, and matcher JSON
    /// also adds a rule.
    WithMetadata {
        metadata: Pairs,
        part: Option<Part>,
    },
    /// Sets a comment (V4), or removes it if `value` is absent.
    SetComment {
        key: String,
        #[serde(default, deserialize_with = "present")]
        value: Option<Json>,
    },
    /// Adds a text comment (V4).
    AddTextComment {
        text: String,
    },
    /// Adds a reference to an external resource, such as an issue (V4).
    AddReference {
        /// Name of the group: the object in the `references` comment to which the reference is added.
        group: String,
        name: String,
        /// The reference, which is any JSON value, such as the URL of an issue.
        value: Document,
    },
    /// Sets the key that identifies the interaction when contracts are merged (V4). If `key` is absent, removes it.
    SetKey {
        key: Option<String>,
    },
    /// Sets whether the interaction is pending (V4). A failing verification of a pending interaction does not fail the
    /// build.
    SetPending {
        pending: bool,
    },
    /// Sets the name of the test that defines the interaction.
    TestName {
        name: String,
    },
    /// Sets the number of times that the consumer must send the request during the test. Default: at least once.
    Times {
        /// A whole number of at least 1, or `{ min, max }` with at least one of the bounds.
        times: Document,
    },
    /// Sets whether the test passes without the request.
    Optional {
        /// True if the test passes without the request. Default: true.
        optional: Option<bool>,
    },
}

/// An operation on a contract. In JSON: `{ "with_specification": { "version": "V3" } }`.
#[derive(Clone, Debug, PartialEq, Deserialize, strum::IntoStaticStr, strum::VariantNames)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[strum(serialize_all = "snake_case")]
pub enum ContractOperation {
    /// Sets the specification version of the contract file.
    WithSpecification {
        /// `V2`, `V3`, or `V4`.
        version: String,
    },
    /// Adds metadata to the contract file. `entries` is an object that is stored under the name `namespace`.
    WithMetadata { namespace: String, entries: Document },
    /// Sets the defaults for interactions that are defined later. Replaces earlier defaults.
    Defaults(Box<DefaultArguments>),
    /// Starts a plugin for the contract, or uses it if it is already running.
    UsingPlugin {
        /// Name of the plugin.
        plugin: String,
        /// Minimum version, such as `1.2.0`; the highest installed version is used. Default: any version.
        version: Option<String>,
    },
    /// Defines an interaction.
    UponReceiving {
        /// Description. No other interaction of the contract may have the same description and provider states.
        description: String,
        /// Kind of the interaction. Default: HTTP.
        kind: Option<Kind>,
    },
    /// Defines a complete HTTP interaction.
    Interaction(Box<InteractionArguments>),
}

impl Operation {
    /// Reads an operation from JSON text. The text is an object with one member: its name is the operation, and its
    /// value contains the arguments.
    pub fn from_text(text: &str) -> Result<Self, ArgumentError> {
        read_operation(text)
    }

    /// Returns the operation's name in snake case, such as `with_header`.
    pub fn name(&self) -> &'static str {
        self.into()
    }
}

impl ContractOperation {
    /// Reads an operation from JSON text. The text is an object with one member: its name is the operation, and its
    /// value contains the arguments.
    pub fn from_text(text: &str) -> Result<Self, ArgumentError> {
        read_operation(text)
    }

    /// Returns the operation's name in snake case, such as `upon_receiving`.
    pub fn name(&self) -> &'static str {
        self.into()
    }
}

#[cfg(test)]
mod tests {
    use contract_call::read::names;
    use strum::VariantNames;

    use super::{ContractOperation, Operation};

    #[test]
    fn names_equal_those_in_json() {
        assert_eq!(Operation::VARIANTS, names::<Operation>());
        assert_eq!(ContractOperation::VARIANTS, names::<ContractOperation>());
    }
}
