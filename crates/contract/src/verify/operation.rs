//! The operations of a verifier. Bindings pass their names and arguments unchanged, and this module validates them.

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

/// A call that configures a verifier. In JSON, it is an object with one member: its name is the operation, and its
/// value contains the arguments. Example: `{"add_source": {"source": "./contracts"}}`.
#[derive(Clone, Debug, Deserialize, strum::IntoStaticStr, strum::VariantNames)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[strum(serialize_all = "snake_case")]
#[non_exhaustive]
pub enum VerifierOperation {
    /// Adds contracts from a file, a directory, a glob pattern, a URL, or a JSON document.
    AddSource {
        /// A path, a glob pattern, a `file:`, `http:`, or `https:` URL, `{ url }` with [`SourceOptions`], `{ json, name
        /// }` with a contract or its JSON text, or the contract itself.
        source: Argument<String>,
        /// Credentials and headers. Only supported if the source is an http or https URL.
        #[serde(default)]
        options: SourceOptions,
    },
    /// Fetches contracts from a broker. Replaces the broker of an earlier call.
    BrokerSource {
        /// The base URL or [`BrokerSourceOptions`](crate::BrokerSourceOptions). Default: values from environment
        /// variables.
        #[serde(default)]
        options: Argument<BrokerSourceOptions>,
    },
    /// Applies a call of the selector builder that `broker_source` started.
    Select {
        /// Number of the `broker_source` call that returned the builder, starting with 1. The builders of earlier calls
        /// can no longer be used. Default: the last call.
        source: Option<u64>,
        /// The call to apply.
        call: SelectorOperation,
    },
    /// Publishes the results for a provider version. Replaces the options of an earlier call.
    SetPublishOptions {
        /// [`PublishOptions`](crate::PublishOptions), or the version as a string.
        options: Argument<PublishOptions>,
        /// Branch of the version. It is an error if `options` also contains a branch.
        branch: Option<String>,
    },
    /// Adds a transport over which the provider can be reached, or message handlers.
    AddTransport {
        /// A base URL, an object with the parts of a URL, an application in the user's process (`{ app, protocol, path
        /// }`), message handlers by description, or a function for all messages.
        transport: Argument<TransportOptions>,
    },
    /// Registers message handlers. Handlers of earlier calls for other descriptions are kept.
    MessageHandler(MessageHandler),
    /// Registers functions or a URL of the provider that set up provider states.
    StateHandler {
        /// A function for all states, an object of handlers by state, or a URL of the provider that changes states.
        handler: Argument<String>,
        /// Options for teardown, missing handlers, and the URL.
        #[serde(default)]
        options: StateHandlerOptions,
    },
    /// Selects the interactions to verify. Replaces the filter of an earlier call.
    Filter {
        /// A regular expression for the description, or [`FilterOptions`].
        filter: Argument<FilterOptions>,
    },
    /// Verifies only the contracts of these consumers. Replaces the names of an earlier call.
    FilterConsumers {
        /// Names of consumers. An empty array selects all consumers.
        names: Vec<String>,
    },
    /// Adds a header to every request. Replaces a header with the same name.
    AddCustomHeader {
        /// Name of the header.
        name: String,
        /// Value of the header, or a function that is called for each request and returns the value.
        value: TextOrFunction,
    },
    /// Adds headers to every request. Replaces headers with the same names.
    AddCustomHeaders {
        /// An object of values by header name, or an array of `[name, value]` pairs. A value can also be a function.
        headers: Document,
    },
    /// Adds a function that can change each request before it is sent. Several functions are called in the order in
    /// which they were added.
    RequestFilter {
        /// A function that receives the request and its context, and returns the request to send.
        filter: UserFunction,
    },
    /// Adds a function that is called before each interaction. Several functions are called in the order in which they
    /// were added.
    BeforeEach(Hook),
    /// Adds a function that is called after each interaction. Several functions are called in the order in which they
    /// were added.
    AfterEach(Hook),
    /// Sets the timeout for a request to the provider. Default: 5000 ms.
    SetRequestTimeout(Time),
    /// Sets the timeout for a user function call. Default: 30000 ms.
    SetCallbackTimeout(Time),
    /// Sets the maximum size of a provider's response, before and after decompression. Default: 64 MiB.
    SetBodyLimit(Bytes),
    /// Sets the maximum number of bytes that generators produce for one request or message. Default: 64 MiB.
    SetGeneratedSize(Bytes),
    /// Sets the maximum compiled size of the regular expressions for one response or message. Default: 256 MiB.
    SetPatternSize(Bytes),
    /// Sets the maximum size of a contract. Default: 64 MiB.
    SetSourceLimit(Bytes),
    /// Sets the maximum total size of the contracts in one verification. Default: 512 MiB.
    SetTotalSourceLimit(Bytes),
    /// Sets the maximum number of directories that are searched for one source. Default: 100000.
    SetDirectoryLimit {
        /// Maximum number of directories.
        count: Size<1>,
    },
    /// Sets CA certificates and a client certificate for TLS connections.
    Tls(Tls),
    /// Sets whether server certificates are accepted without verification.
    DisableSslVerification {
        /// True to accept every server certificate. Default: true.
        #[serde(default = "yes")]
        disabled: bool,
    },
    /// Sets the HTTP version of requests to the provider. By default, HTTP/2 is used if the provider supports it over
    /// TLS, otherwise HTTP/1.1.
    SetHttpVersion {
        /// `1.1` or `2`, as a string or a number.
        version: Document,
    },
    /// Sets whether a verification without contracts is an error. Without this call, it is an error.
    SetErrorOnEmptyContract(Enabled),
    /// Sets whether redirects of the provider are followed. Without this call, at most 10 redirects are followed.
    FollowRedirects {
        /// True to follow at most 10 redirects, false to treat redirects as responses. Default: true.
        #[serde(default = "yes")]
        follow: bool,
        /// Whether redirects to other origins may receive credentials.
        #[serde(default)]
        options: RedirectOptions,
    },
    /// Sets whether the text report is colored. Without this call, it depends on the terminal and the environment.
    SetColouredOutput(Enabled),
    /// Sets whether bindings print nothing except the error of a run. Without this call, they also print notes.
    SetQuiet(Enabled),
    /// Sets plugin directories and timeouts. Replaces those of an earlier call.
    SetPlugins(PluginOptions),
}

/// Credentials and headers for fetching a contract from an http or https URL.
#[derive(Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SourceOptions {
    /// User name for basic authentication. Default: no authentication.
    pub username: Option<String>,
    /// Password for basic authentication. Default: empty.
    pub password: Option<String>,
    /// Token for bearer authentication. Default: none.
    pub token: Option<String>,
    /// Additional headers of the request. Default: none.
    pub headers: Option<BTreeMap<String, String>>,
}

impl std::fmt::Debug for SourceOptions {
    /// Prints no credentials.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SourceOptions").finish_non_exhaustive()
    }
}

/// Arguments of [`VerifierOperation::MessageHandler`].
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MessageHandler {
    /// An object of functions or constant messages by description, or a function for all messages that have no handler
    /// in such an object.
    pub handlers: Document,
    /// The timeout for the handlers.
    #[serde(default)]
    pub options: MessageHandlerOptions,
}

/// Options for message handlers.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MessageHandlerOptions {
    /// Maximum duration of one handler call, in milliseconds. Default: 30000.
    pub timeout: Option<Milliseconds<1>>,
}

/// A transport: a base URL, the parts of a base URL, or an application in the user's process.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TransportOptions {
    /// Base URL, such as `http://127.0.0.1:8080/api`. Cannot be combined with `scheme`, `host`, `port`, `path`, or
    /// `app`.
    pub url: Option<String>,
    /// Name of the transport. It verifies the interactions that name this transport in the contract. Default: `http`.
    pub protocol: Option<String>,
    /// Scheme of the URL, such as `https`. Default: `http`.
    pub scheme: Option<String>,
    /// Host name or IP address in the URL. Default: `127.0.0.1`.
    pub host: Option<String>,
    /// Port in the URL. Default: 80 for http and 443 for https.
    pub port: Option<Whole<1, 65535>>,
    /// Path that precedes the paths of all requests. Default: none.
    pub path: Option<String>,
    /// An application in the user's process. It listens on a free port, so it replaces `url`, `scheme`, `host`, and
    /// `port`.
    pub app: Option<Document>,
}

/// Options for `stateHandler`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct StateHandlerOptions {
    /// Whether states are torn down after an interaction. Handlers with a `teardown` function are always torn down.
    /// Default: false.
    pub teardown: Option<bool>,
    /// True to send the state in the request body, false to send it in the query string and headers. Required if the
    /// handler is a URL, otherwise not supported.
    pub body: Option<bool>,
    /// Additional headers of the request that changes a state. Only supported if the handler is a URL. Default: none.
    pub headers: Option<BTreeMap<String, String>>,
    /// What happens to interactions with a state that has no handler: `error` fails them, `warn` verifies them with a
    /// warning, and `ignore` verifies them without a warning. Only supported for handlers by state. Default: `error`.
    pub on_missing: Option<OnMissing>,
    /// Whether the function is also called, with an empty state name, for interactions without states. Only supported
    /// if the handler is a function for all states. Default: false.
    pub empty_state: Option<bool>,
}

/// What happens to interactions with a state that has no handler.
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

/// Selects interactions. An interaction must satisfy all options that are set.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FilterOptions {
    /// A regular expression that must match a part of the description.
    pub description: Option<FilterPattern>,
    /// A regular expression that must match a part of a provider state's name. An empty string selects interactions
    /// without states.
    pub state: Option<FilterPattern>,
    /// If true, selects only interactions without provider states. Default: false.
    pub no_state: bool,
    /// The interaction's key in the contract, its ID in the broker, or its fingerprint in a report.
    pub id: Option<String>,
    /// Kind of the interaction: `HTTP`, `Async`, or `Sync`.
    pub kind: Option<String>,
}

/// Arguments of [`VerifierOperation::BeforeEach`] and [`VerifierOperation::AfterEach`].
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hook {
    /// The function to call. It receives the interaction, and an `after_each` hook also receives the result.
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

/// Certificates and keys in PEM format. If several calls set different options, all of them apply. If they set the same
/// option, the last call applies.
#[derive(Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Tls {
    /// CA certificates to trust, in addition to the system certificates.
    pub ca: Option<Argument<Vec<Pem>>>,
    /// Client certificate, followed by any intermediate certificates. Requires `key`.
    pub cert: Option<Pem>,
    /// Private key of the client certificate. Requires `cert`.
    pub key: Option<Pem>,
    /// Passphrase of the private key. Required if the key is encrypted.
    pub passphrase: Option<Document>,
    /// Not supported. Other Pact libraries have this option, so the error explains how to convert the file to PEM.
    pub pfx: Option<Document>,
}

impl std::fmt::Debug for Tls {
    /// Prints no private key.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tls").finish_non_exhaustive()
    }
}

/// Arguments of operations that turn a setting on or off.
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
    /// Whether headers that may contain credentials are also sent when a redirect leads to another scheme, host, or
    /// port. Default: false.
    pub credentials: bool,
}

fn yes() -> bool {
    true
}

/// Options for a verification run.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RunOptions {
    /// Whether the run stops at the first failure that is not pending. The remaining interactions are reported as
    /// skipped. Default: false.
    pub exit_first: bool,
    /// Whether only interactions that failed in their last verification are verified. If there are none, all are
    /// verified. The results are not published. Default: false.
    pub last_failed: bool,
    /// Maximum number of interactions without states that are verified at the same time, from 1 to 10000. Default: 1.
    pub concurrency: Option<Whole<1, 10_000>>,
    /// Whether a line on standard error shows the progress of a run that takes longer than one second. Default: true on
    /// a terminal outside of test runners, otherwise false.
    pub progress: Option<bool>,
}

fn first_name(json: &Json) -> Option<String> {
    json.as_object()?.keys().next().map(|name| read::snake(name))
}

impl VerifierOperation {
    /// Reads an operation from JSON, such as `{"add_source": {"source": "./contracts"}}`.
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

    /// Returns the name of the operation in snake case. For [`Self::Select`], returns the name of the selector
    /// builder's call.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Select { call, .. } => call.name(),
            _ => self.into(),
        }
    }
}

impl RunOptions {
    /// Reads the options from JSON text.
    pub fn from_text(text: &str) -> Result<Self, ArgumentError> {
        let json = contract_call::json::parse_json(text)?;
        if value::is_undefined(&json) {
            return Ok(Self::default());
        }
        read::options(OPTIONS, json).map_err(|error| error.in_operation("verify"))
    }
}

/// What a binding must keep after it has applied an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// Nothing.
    Nothing,
    /// The application that was added. The binding starts it for each verification, and passes its URL in
    /// [`RunContext::apps`](crate::RunContext).
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
