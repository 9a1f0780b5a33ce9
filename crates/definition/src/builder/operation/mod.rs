//! Builder operations as values, which bindings pass as JSON.

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
/// `part` is the request or the response. Default: the request until `will_respond_with`, then the response.
#[derive(Clone, Debug, PartialEq, Deserialize, strum::IntoStaticStr, strum::VariantNames)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[strum(serialize_all = "snake_case")]
pub enum Operation {
    /// Adds a provider state, or parameters to a state with this name. Later values override earlier ones.
    Given {
        /// The name of the state.
        state: String,
        /// Name of a single parameter. Requires `value`.
        name: Option<String>,
        /// Value of a single parameter. Requires `name`. A string that is valid JSON is parsed.
        #[serde(default, deserialize_with = "present")]
        value: Option<Json>,
        /// All parameters: an object, or a string. A JSON object is used unchanged, other JSON becomes
        /// `{ value: parsed }`, and any other text becomes `{ value: text }`.
        #[serde(default, deserialize_with = "present")]
        parameters: Option<Json>,
    },
    /// Defines the request.
    WithRequest(Box<RequestArguments>),
    /// Defines the response. Synchronous messages have no status, and each call adds a response.
    WillRespondWith(Box<ResponseArguments>),
    /// Adds values to a header: a string, matcher JSON, or an array of these. A string with a JSON object that has a
    /// `value` is matcher JSON.
    WithHeader {
        /// The name, case-insensitive.
        name: String,
        /// The value or values.
        value: Document,
        /// The part.
        part: Option<Part>,
    },
    /// Adds values to several headers.
    WithHeaders {
        /// Names and values.
        headers: Pairs,
        /// The part.
        part: Option<Part>,
    },
    /// Replaces a header with an unprocessed string.
    SetHeader {
        /// The name, case-insensitive.
        name: String,
        /// The value.
        value: String,
        /// The part.
        part: Option<Part>,
    },
    /// Replaces several headers.
    SetHeaders {
        /// Names and strings.
        headers: Pairs,
        /// The part.
        part: Option<Part>,
    },
    /// Adds values to a query parameter, as with headers. Null adds the name without a value.
    WithQueryParameter {
        /// The name, decoded.
        name: String,
        /// The value or values.
        value: Document,
    },
    /// Adds values to several query parameters.
    WithQueryParameters {
        /// Names and values.
        parameters: Pairs,
    },
    /// Adds a cookie: to the header `Cookie` of a request, or as a `Set-Cookie` header with any attributes to a
    /// response.
    WithCookie {
        /// The name.
        name: String,
        /// A string, or a matcher.
        value: Document,
        /// The part.
        part: Option<Part>,
    },
    /// Sets the request header `Authorization: Bearer …`, and accepts any bearer token.
    WithBearerToken {
        /// The token in the example.
        example: String,
    },
    /// Sets the body. A string is used unchanged, any other value is a JSON template. If absent, the body is removed.
    WithBody {
        /// The string or template.
        #[serde(default, deserialize_with = "present")]
        body: Option<Json>,
        /// Default: from the Content-Type header, otherwise detected from the body.
        content_type: Option<String>,
        /// The part.
        part: Option<Part>,
    },
    /// Sets a JSON body, which may contain matchers. A string is a JSON string.
    WithJsonBody {
        /// The template.
        body: Document,
        /// Default: `application/json`.
        content_type: Option<String>,
        /// The part.
        part: Option<Part>,
    },
    /// Sets a text body, or a matcher for the whole text.
    WithTextBody {
        /// The text or matcher.
        body: Document,
        /// Default: the Content-Type header, otherwise `text/plain`.
        content_type: Option<String>,
        /// The part.
        part: Option<Part>,
    },
    /// Sets an XML body, from its text or its root element.
    WithXmlBody {
        /// A string, or `{ name, attributes, children, each }`.
        root: Document,
        /// Default: the Content-Type header, otherwise `application/xml`.
        content_type: Option<String>,
        /// The part.
        part: Option<Part>,
    },
    /// Sets a body of form fields.
    WithFormBody {
        /// Names and values.
        fields: Pairs,
        /// Default: the Content-Type header, otherwise `application/x-www-form-urlencoded`.
        content_type: Option<String>,
        /// The part.
        part: Option<Part>,
    },
    /// Sets a GraphQL request as body. The query is compared as a GraphQL document.
    WithGraphql {
        /// The document as a string.
        query: Document,
        /// A template.
        #[serde(default, deserialize_with = "present")]
        variables: Option<Json>,
        /// Name of the operation in the document.
        #[serde(default, deserialize_with = "present")]
        operation_name: Option<Json>,
        /// A template.
        #[serde(default, deserialize_with = "present")]
        extensions: Option<Json>,
        /// Default: `application/json`.
        content_type: Option<String>,
        /// The part.
        part: Option<Part>,
    },
    /// Sets a binary body. By default, every byte is compared.
    WithBinaryBody {
        /// The bytes, or null for none.
        body: Option<Binary>,
        /// How the bytes are compared.
        #[serde(rename = "match")]
        how: Option<BytesMatch>,
        /// Default: `application/octet-stream`.
        content_type: Option<String>,
        /// The part.
        part: Option<Part>,
    },
    /// Sets the body to the content of a file, which is read immediately. By default, only the content type is
    /// compared.
    WithBinaryFile {
        /// The path of the file.
        path: String,
        /// How the bytes are compared.
        #[serde(rename = "match")]
        how: Option<BytesMatch>,
        /// Default: detected from the content.
        content_type: Option<String>,
        /// The part.
        part: Option<Part>,
    },
    /// Adds parts to a multipart body. Creates the body if necessary.
    WithMultipart {
        /// The parts.
        parts: Vec<PartArguments>,
        /// Default: a string that occurs in no part.
        boundary: Option<String>,
        /// The part of the interaction.
        part: Option<Part>,
    },
    /// Adds a file to a multipart body. Creates the body if necessary. Without a path, the part is empty.
    WithMultipartFile {
        /// The name of the form field.
        name: String,
        /// The path of the file.
        path: Option<String>,
        /// Content type of the file. Default: detected from its content.
        content_type: Option<String>,
        /// File name in the body. Default: the name in the path.
        filename: Option<String>,
        /// Boundary between the parts. Default: a string that occurs in no part.
        boundary: Option<String>,
        /// The part of the interaction. Default: the part of the last `with_request` or `will_respond_with`.
        part: Option<Part>,
    },
    /// Starts a plugin for the contract, or uses the running one.
    UsingPlugin {
        /// The name.
        plugin: String,
        /// Minimum version; the highest installed version is used. Default: any.
        version: Option<String>,
    },
    /// Sets the body to contents that a plugin generates (V4). For a synchronous message, one call may define all
    /// parts.
    WithPluginContents {
        /// An object, or its JSON text. The plugin defines its content.
        contents: Document,
        /// The content type, which selects the plugin.
        content_type: String,
        /// The part.
        part: Option<Part>,
    },
    /// Adds matching rules in the format of contract files. Replaces rules at the same paths.
    WithMatchingRules {
        /// An object, or its JSON text.
        rules: Document,
        /// The part.
        part: Option<Part>,
    },
    /// Adds generators in the format of contract files. Replaces generators at the same paths.
    WithGenerators {
        /// An object, or its JSON text.
        generators: Document,
        /// The part.
        part: Option<Part>,
    },
    /// Sets metadata of a message. Null removes an entry, the string `null` stores JSON null, and matcher JSON adds a
    /// rule.
    WithMetadata {
        /// Names and values.
        metadata: Pairs,
        /// The part.
        part: Option<Part>,
    },
    /// Sets a comment (V4). If the value is absent, the comment is removed.
    SetComment {
        /// The name.
        key: String,
        /// Its value.
        #[serde(default, deserialize_with = "present")]
        value: Option<Json>,
    },
    /// Adds a text comment (V4).
    AddTextComment {
        /// The text.
        text: String,
    },
    /// Adds a reference to an external resource, such as an issue (V4).
    AddReference {
        /// Kind of resource.
        group: String,
        /// The name.
        name: String,
        /// Any JSON value.
        value: Document,
    },
    /// Sets or clears the key (V4).
    SetKey {
        /// The key.
        key: Option<String>,
    },
    /// Marks the interaction as pending (V4). A failing verification of a pending interaction does not fail the build.
    SetPending {
        /// Whether the interaction is pending.
        pending: bool,
    },
    /// Sets the name of the test that defines the interaction.
    TestName {
        /// The name.
        name: String,
    },
    /// Number of requests in the test: a number, or `{ min, max }` with at least one of both. Default: at least one
    /// request.
    Times {
        /// The number or bounds.
        times: Document,
    },
    /// Whether the test may omit the request.
    Optional {
        /// Default: true.
        optional: Option<bool>,
    },
}

/// An operation on a contract.
#[derive(Clone, Debug, PartialEq, Deserialize, strum::IntoStaticStr, strum::VariantNames)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[strum(serialize_all = "snake_case")]
pub enum ContractOperation {
    /// Sets the specification version of the contract file.
    WithSpecification {
        /// `V2`, `V3`, or `V4`.
        version: String,
    },
    /// Adds metadata to the contract file under a namespace.
    WithMetadata {
        /// The namespace.
        namespace: String,
        /// An object.
        entries: Document,
    },
    /// Sets the defaults of interactions that are defined afterwards. Replaces earlier defaults.
    Defaults(Box<DefaultArguments>),
    /// Starts a plugin for the contract, or uses the running one.
    UsingPlugin {
        /// The name.
        plugin: String,
        /// Minimum version. Default: any.
        version: Option<String>,
    },
    /// Defines an interaction.
    UponReceiving {
        /// The description. Together with the provider states it must be unique in the contract.
        description: String,
        /// Default: HTTP.
        kind: Option<Kind>,
    },
    /// Defines a whole HTTP interaction.
    Interaction(Box<InteractionArguments>),
}

impl Operation {
    /// Reads an operation from JSON text: an object with one member, whose name is the operation and whose value
    /// contains the arguments.
    pub fn from_text(text: &str) -> Result<Self, ArgumentError> {
        read_operation(text)
    }

    /// Returns the name in snake case.
    pub fn name(&self) -> &'static str {
        self.into()
    }
}

impl ContractOperation {
    /// Reads an operation from JSON text: an object with one member, whose name is the operation and whose value
    /// contains the arguments.
    pub fn from_text(text: &str) -> Result<Self, ArgumentError> {
        read_operation(text)
    }

    /// Returns the name in snake case.
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
    fn names_are_those_in_json() {
        assert_eq!(Operation::VARIANTS, names::<Operation>());
        assert_eq!(ContractOperation::VARIANTS, names::<ContractOperation>());
    }
}
