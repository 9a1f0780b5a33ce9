//! Operations of a verifier, with one variant per call. Bindings pass names and arguments unchanged, and this module
//! validates them.

use std::collections::BTreeMap;

use contract_model::Json;
use serde::Deserialize;

use super::broker_place::BrokerSourceOptions;
use super::filter_pattern::FilterPattern;
use super::publish_options::PublishOptions;
use crate::verify::selector::SelectorOperation;
use contract_call::error::{ArgumentError, OPTIONS};
use contract_call::pem::Pem;
use contract_call::read::{self, Argument, Document, Milliseconds, Size, TextOrFunction, Whole};
use contract_call::value::{self, UserFunction};
use contract_definition::plugins::PluginOptions;

/// A call on a verifier. In JSON, it is an object with one member: its name is the operation, and its value contains
/// the arguments. Example: `{"add_source": {"source": "./contracts"}}`.
#[derive(Clone, Debug, Deserialize, strum::IntoStaticStr, strum::VariantNames)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[strum(serialize_all = "snake_case")]
#[non_exhaustive]
pub enum VerifierOperation {
    /// Adds contracts from a file, directory, glob pattern, URL, or document.
    AddSource {
        /// A path, a glob pattern, or a `file:`, `http:`, or `https:` URL. Alternatively, `{ url }` with
        /// [`SourceOptions`], `{ json, name }` with the contract or its JSON text, or the contract itself.
        source: Argument<String>,
        /// Credentials and headers for a URL.
        #[serde(default)]
        options: SourceOptions,
    },
    /// Fetches contracts from a broker. Replaces an earlier call.
    BrokerSource {
        /// The base URL or [`BrokerSourceOptions`](crate::BrokerSourceOptions). By default, environment variables
        /// apply.
        #[serde(default)]
        options: Argument<BrokerSourceOptions>,
    },
    /// Applies an operation of the broker's selector builder.
    Select {
        /// Number of the `broker_source` call that returned the builder, starting at 1. Builders of earlier calls are
        /// invalid. Default: the number of the last call.
        source: Option<u64>,
        /// The operation of the selector builder.
        call: SelectorOperation,
    },
    /// Sets the provider version for which results are published. Replaces an earlier call.
    SetPublishOptions {
        /// [`PublishOptions`](crate::PublishOptions), or only the version.
        options: Argument<PublishOptions>,
        /// The branch. Only supported if `options` is the version.
        branch: Option<String>,
    },
    /// Adds a transport to the provider, or message handlers.
    AddTransport {
        /// A base URL, an object with the parts of a URL, an application in the user's process (`{ app, protocol, path
        /// }`), message handlers by description, or one function for all messages.
        transport: Argument<TransportOptions>,
    },
    /// Registers message handlers.
    MessageHandler(MessageHandler),
    /// Registers provider state handlers.
    StateHandler {
        /// A function for all states, an object of handlers by state, or a URL of the provider.
        handler: Argument<String>,
        /// Teardown, treatment of missing handlers, and settings of a URL.
        #[serde(default)]
        options: StateHandlerOptions,
    },
    /// Filters the interactions to verify. Replaces an earlier call.
    Filter {
        /// A regular expression for the description, or [`FilterOptions`].
        filter: Argument<FilterOptions>,
    },
    /// Limits the verification to contracts of these consumers. Replaces an earlier call.
    FilterConsumers {
        /// Names of consumers. An empty array means all consumers.
        names: Vec<String>,
    },
    /// Adds a header to every request.
    AddCustomHeader {
        /// Name of the header.
        name: String,
        /// Value of the header, or a function that returns the value for each request.
        value: TextOrFunction,
    },
    /// Adds headers to every request.
    AddCustomHeaders {
        /// An object, or an array of `[name, value]` pairs.
        headers: Document,
    },
    /// Adds a function that can change each request before it is sent.
    RequestFilter {
        /// A function that receives the request and its context, and returns the request to send.
        filter: UserFunction,
    },
    /// Adds a function that is called before each interaction.
    BeforeEach(Hook),
    /// Adds a function that is called after each interaction.
    AfterEach(Hook),
    /// Sets the timeout of requests to the provider.
    SetRequestTimeout(Time),
    /// Sets the timeout of user function calls.
    SetCallbackTimeout(Time),
    /// Sets the maximum size of a decompressed provider response.
    SetBodyLimit(Bytes),
    /// Sets the maximum number of bytes that generators produce for one request or message.
    SetGeneratedSize(Bytes),
    /// Sets the maximum compiled size of the regular expressions for one response or message.
    SetPatternSize(Bytes),
    /// Sets the maximum size of a contract.
    SetSourceLimit(Bytes),
    /// Sets the maximum size of all contracts of one verification.
    SetTotalSourceLimit(Bytes),
    /// Sets the maximum number of directories that one source may traverse.
    SetDirectoryLimit {
        /// Maximum number of directories.
        count: Size<1>,
    },
    /// Sets the certificates for TLS.
    Tls(Tls),
    /// Sets whether server certificates are accepted without verification.
    DisableSslVerification {
        /// Whether certificates are accepted without verification. Default: true.
        #[serde(default = "yes")]
        disabled: bool,
    },
    /// Sets the HTTP version of requests.
    SetHttpVersion {
        /// `1.1` or `2`, as a string or a number.
        version: Document,
    },
    /// Sets whether a verification without contracts is an error.
    SetErrorOnEmptyContract(Enabled),
    /// Sets whether redirects are followed.
    FollowRedirects {
        /// Whether redirects are followed. Default: true.
        #[serde(default = "yes")]
        follow: bool,
        /// Whether redirects to other origins may receive credentials.
        #[serde(default)]
        options: RedirectOptions,
    },
    /// Sets whether the text report is colored.
    SetColouredOutput(Enabled),
    /// Sets whether bindings print nothing except the error of a run.
    SetQuiet(Enabled),
    /// Sets plugin directories and timeouts.
    SetPlugins(PluginOptions),
}

/// Credentials and headers for fetching a contract from a URL.
#[derive(Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SourceOptions {
    /// User name for basic authentication.
    pub username: Option<String>,
    /// Password for basic authentication. Default: empty.
    pub password: Option<String>,
    /// Token for bearer authentication.
    pub token: Option<String>,
    /// Additional headers for the request.
    pub headers: Option<BTreeMap<String, String>>,
}

impl std::fmt::Debug for SourceOptions {
    /// Omits the credentials.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SourceOptions").finish_non_exhaustive()
    }
}

/// Arguments of [`VerifierOperation::MessageHandler`].
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MessageHandler {
    /// Functions or constant messages by description, or a fallback function.
    pub handlers: Document,
    /// The timeout of a handler.
    #[serde(default)]
    pub options: MessageHandlerOptions,
}

/// Options of message handlers.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MessageHandlerOptions {
    /// Maximum duration of one handler call, in milliseconds. Default: 30000.
    pub timeout: Option<Milliseconds<1>>,
}

/// A base URL, the parts of a base URL, or an application.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TransportOptions {
    /// Base URL. Replaces `scheme`, `host`, `port`, and `path`.
    pub url: Option<String>,
    /// Name of the transport in interactions. Default: `http`.
    pub protocol: Option<String>,
    /// Scheme of the URL. Default: `http`.
    pub scheme: Option<String>,
    /// Host of the URL. Default: `127.0.0.1`.
    pub host: Option<String>,
    /// Port of the URL. Default: the port of the scheme.
    pub port: Option<Whole<1, 65535>>,
    /// Prefix of all paths. Default: none.
    pub path: Option<String>,
    /// An application in the user's process, instead of a URL.
    pub app: Option<Document>,
}

/// Options of `stateHandler`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct StateHandlerOptions {
    /// Whether states are torn down. Default: false. Handlers with a `teardown` function are always torn down.
    pub teardown: Option<bool>,
    /// Whether the state is sent in the body of the request (true) or in its query string and headers (false). Required
    /// if the handler is a URL, otherwise not supported.
    pub body: Option<bool>,
    /// Headers of the request. Only supported if the handler is a URL.
    pub headers: Option<BTreeMap<String, String>>,
    /// How to treat interactions with a state that has no handler: `error` fails them, `warn` verifies them with a
    /// warning, and `ignore` verifies them. Only supported for handlers by state. Default: `error`.
    pub on_missing: Option<OnMissing>,
    /// Whether the function is called with an empty name for interactions without states. Only supported if the handler
    /// is a function for all states. Default: false.
    pub empty_state: Option<bool>,
}

/// How to treat interactions with a state that has no handler.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, strum::IntoStaticStr, strum::VariantNames)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum OnMissing {
    /// The interaction fails.
    #[default]
    Error,
    /// The interaction is verified with a warning.
    Warn,
    /// The interaction is verified without a warning.
    Ignore,
}

impl OnMissing {
    pub(crate) fn name(self) -> &'static str {
        self.into()
    }
}

/// Selects the interactions that satisfy all conditions.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FilterOptions {
    /// A regular expression that matches any part of the description.
    pub description: Option<FilterPattern>,
    /// A regular expression that matches any part of a provider state's name. An empty string selects interactions
    /// without states.
    pub state: Option<FilterPattern>,
    /// Selects interactions without provider states.
    pub no_state: bool,
    /// An interaction key, the broker's ID of the interaction, or a fingerprint from a report.
    pub id: Option<String>,
    /// Kind of the interaction: `HTTP`, `Async`, or `Sync`.
    pub kind: Option<String>,
}

/// Arguments of [`VerifierOperation::BeforeEach`] and [`VerifierOperation::AfterEach`].
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hook {
    /// A function that receives the interaction. An `after_each` hook also receives the result.
    pub hook: UserFunction,
}

/// Arguments of operations that set a timeout.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Time {
    /// The timeout in milliseconds.
    pub milliseconds: Milliseconds<1>,
}

/// Arguments of operations that set a size limit.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bytes {
    /// The size in bytes.
    pub bytes: Size<1>,
}

/// Certificates in PEM format. Several calls are combined, and later calls take precedence.
#[derive(Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Tls {
    /// CA certificates to trust in addition to the system's.
    pub ca: Option<Argument<Vec<Pem>>>,
    /// Client certificate.
    pub cert: Option<Pem>,
    /// Private key of the client certificate.
    pub key: Option<Pem>,
    /// Passphrase of the private key. Required if the key is encrypted.
    pub passphrase: Option<Document>,
    /// An option of other Pact libraries. It is not supported, but the error contains advice.
    pub pfx: Option<Document>,
}

impl std::fmt::Debug for Tls {
    /// Prints no private key.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tls").finish_non_exhaustive()
    }
}

/// Arguments of operations that set a switch.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Enabled {
    /// Whether the setting is on. Default: true.
    #[serde(default = "yes")]
    pub enabled: bool,
}

/// Options for following redirects.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RedirectOptions {
    /// Whether headers that may contain credentials are sent to another scheme, host, or port. Default: false.
    pub credentials: bool,
}

fn yes() -> bool {
    true
}

/// Options of a verification run.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RunOptions {
    /// Whether the run stops at the first failure that is not pending. The remaining interactions are reported as
    /// skipped. Default: false.
    pub exit_first: bool,
    /// Whether only interactions that failed in the last run are verified. If none failed, all are verified. Default:
    /// false.
    pub last_failed: bool,
    /// Maximum number of interactions without states that are verified at the same time. Default: 1.
    pub concurrency: Option<Whole<1, 10_000>>,
    /// Whether the progress of a long run is shown. Default: true on a terminal outside of test runners, otherwise
    /// false.
    pub progress: Option<bool>,
}

fn first_name(json: &Json) -> Option<String> {
    json.as_object()?.keys().next().map(|name| read::snake(name))
}

impl VerifierOperation {
    /// Reads an operation from JSON.
    pub fn from_json(json: Json) -> Result<Self, ArgumentError> {
        let name = first_name(&json).map(|name| match (name.as_str(), json.pointer("/select/call")) {
            // Errors contain the operation of the selector builder instead of `select`.
            ("select", Some(call)) => first_name(call).unwrap_or(name),
            _ => name,
        });
        let read = read::value(json).map_err(|error| error.into_error(OPTIONS));
        read.map_err(|error| match name {
            Some(name) => error.in_operation(name),
            None => error,
        })
    }

    /// Returns the operation name in snake case.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Select { call, .. } => call.name(),
            _ => self.into(),
        }
    }
}

impl RunOptions {
    /// Reads options from JSON text.
    pub fn from_text(text: &str) -> Result<Self, ArgumentError> {
        let json = contract_call::json::parse_json(text)?;
        if value::is_undefined(&json) {
            return Ok(Self::default());
        }
        read::options(OPTIONS, json).map_err(|error| error.in_operation("verify"))
    }
}

/// The value that the binding must keep after a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// No value.
    Nothing,
    /// The application. The binding starts it for each verification. See [`RunContext::apps`](crate::RunContext).
    App,
}

#[cfg(test)]
mod tests {
    use contract_call::read::names;
    use strum::VariantNames;

    use super::{OnMissing, SelectorOperation, VerifierOperation};

    #[test]
    fn names_equal_those_in_json() {
        assert_eq!(VerifierOperation::VARIANTS, names::<VerifierOperation>());
        assert_eq!(SelectorOperation::VARIANTS, names::<SelectorOperation>());
        assert_eq!(OnMissing::VARIANTS, names::<OnMissing>());
    }
}
