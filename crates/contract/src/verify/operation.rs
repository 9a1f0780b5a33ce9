//! What a verifier can be told, one value for each call. Bindings hand over the name and the arguments as the user gave
//! them; what makes no sense is refused here, by the call that said it.

use std::collections::BTreeMap;

use contract_model::Json;
use serde::Deserialize;

use super::filter_pattern::FilterPattern;
use crate::verify::selector::SelectorOperation;
use contract_call::error::{ArgumentError, OPTIONS};
use contract_call::pem::Pem;
use contract_call::read::{self, Document, Milliseconds, Size, TextOrFunction, Whole};
use contract_call::value::{self, UserFunction};
use contract_definition::plugins::PluginOptions;

/// One call of a verifier under construction. From JSON: an object with one member, the operation's name, which holds its
/// arguments: `{"add_source": {"source": "./contracts"}}`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum VerifierOperation {
    /// Contracts to verify: a file, a directory, a pattern, a URL, or a contract at hand.
    AddSource {
        /// A path, a pattern for paths, a `file:`, http or https URL; or an object: `{ url }` with the options beside it, or
        /// `{ json, name }` with the contract or its text, or the contract itself.
        source: Document,
        /// What opens a URL.
        #[serde(default)]
        options: SourceOptions,
    },
    /// A broker that is asked for the contracts of the provider; replaces what an earlier call said.
    BrokerSource {
        /// The base URL, or [`BrokerSourceOptions`](crate::BrokerSourceOptions); absent takes all from the environment.
        #[serde(default)]
        options: Document,
    },
    /// A call of the selector builder of the broker.
    Select {
        /// For which of the calls of `broker_source`, counted from 1: a builder that was begun for an earlier one says nothing
        /// any more. The last one when absent.
        source: Option<u64>,
        /// What is said.
        call: SelectorOperation,
    },
    /// As which version of the provider results are published; replaces what an earlier call said.
    SetPublishOptions {
        /// [`PublishOptions`](crate::PublishOptions), or the version alone.
        options: Document,
        /// The branch, for those who give the version alone.
        branch: Option<String>,
    },
    /// A way to reach the provider, or who makes its messages.
    AddTransport {
        /// A base URL; or an object: the parts of one, an application in the user's process (`{ app, protocol, path }`), or
        /// message handlers by description; or one function for all messages.
        transport: Document,
    },
    /// Who makes the messages that contracts expect.
    MessageHandler(MessageHandler),
    /// Who brings the provider into states.
    StateHandler {
        /// A function for all states, an object of handlers by state, or a URL of the provider.
        handler: Document,
        /// Options.
        #[serde(default)]
        options: StateHandlerOptions,
    },
    /// Which interactions are verified; replaces what an earlier call said.
    Filter {
        /// A regular expression for the description, or [`FilterOptions`].
        filter: Document,
    },
    /// Contracts of which consumers are verified; replaces what an earlier call said.
    FilterConsumers {
        /// Names of consumers; none means all.
        names: Vec<String>,
    },
    /// A header for every request.
    AddCustomHeader {
        /// The name.
        name: String,
        /// Its value, or a function that makes it afresh for each request.
        value: TextOrFunction,
    },
    /// Headers for every request.
    AddCustomHeaders {
        /// An object, or pairs of name and value.
        headers: Document,
    },
    /// A function that changes each request before it is sent.
    RequestFilter {
        /// Called with the request and its context; the request that it gives is sent.
        filter: UserFunction,
    },
    /// A function before each interaction.
    BeforeEach(Hook),
    /// A function after each interaction.
    AfterEach(Hook),
    /// How long one request may take.
    SetRequestTimeout(Time),
    /// How long one call of the user's functions may take.
    SetCallbackTimeout(Time),
    /// Most bytes of an answer, decompressed.
    SetBodyLimit(Bytes),
    /// Most bytes that are generated for one request or message.
    SetGeneratedSize(Bytes),
    /// Most bytes that the regular expressions of one response or message take, compiled.
    SetPatternSize(Bytes),
    /// Most bytes of one contract.
    SetSourceLimit(Bytes),
    /// Most directories that one source leads through.
    SetDirectoryLimit {
        /// How many.
        count: Size<1>,
    },
    /// Certificates.
    Tls(Tls),
    /// Whether any certificate is accepted.
    DisableSslVerification {
        /// True when absent.
        #[serde(default = "yes")]
        disabled: bool,
    },
    /// The only version of HTTP that is spoken.
    SetHttpVersion {
        /// `1.1` or `2`, as text or number.
        version: Document,
    },
    /// Whether it is an error that there is nothing to verify.
    SetErrorOnEmptyContract(Enabled),
    /// Whether redirects are followed.
    FollowRedirects {
        /// True when absent.
        #[serde(default = "yes")]
        follow: bool,
        /// How.
        #[serde(default)]
        options: RedirectOptions,
    },
    /// Whether texts are coloured.
    SetColouredOutput(Enabled),
    /// Whether bindings print nothing of a run beside its error.
    SetQuiet(Enabled),
    /// Where the plugins are that contracts name, and how long they are waited for.
    SetPlugins(PluginOptions),
}

/// Credentials for a contract behind a URL: user name and password, or a token.
#[derive(Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SourceOptions {
    /// User name for basic authentication.
    pub username: Option<String>,
    /// Password for basic authentication. Empty by default.
    pub password: Option<String>,
    /// Token for bearer authentication.
    pub token: Option<String>,
    /// Additional headers for the request.
    pub headers: Option<BTreeMap<String, String>>,
}

impl std::fmt::Debug for SourceOptions {
    /// Shows no credentials.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SourceOptions").finish_non_exhaustive()
    }
}

/// Arguments of [`VerifierOperation::MessageHandler`].
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MessageHandler {
    /// Functions or messages by description, or a function for all that have none of their own.
    pub handlers: Document,
    /// Options.
    #[serde(default)]
    pub options: MessageHandlerOptions,
}

/// Options of message handlers.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MessageHandlerOptions {
    /// Timeout of a handler in milliseconds. Default: 30000.
    pub timeout: Option<Milliseconds<1>>,
}

/// Options of `stateHandler`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct StateHandlerOptions {
    /// Whether states are torn down. Default: false; handlers with a `teardown` function are always torn down.
    pub teardown: Option<bool>,
    /// For a URL: whether the state is sent in the body of the request, or in its query string and headers. Required.
    pub body: Option<bool>,
    /// For a URL: headers of the request.
    pub headers: Option<BTreeMap<String, String>>,
    /// For handlers by state: whether an interaction with a state without a handler fails (`error`), is verified with a
    /// warning (`warn`), or is verified silently (`ignore`). Default: `error`.
    pub on_missing: Option<OnMissing>,
    /// For a function: whether it is called with an empty name for interactions without states. Default: false.
    pub empty_state: Option<bool>,
}

/// What to do about a state that has no handler.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnMissing {
    /// The interaction fails.
    #[default]
    Error,
    /// The interaction is verified without it, with a warning.
    Warn,
    /// The interaction is verified without it.
    Ignore,
}

impl OnMissing {
    pub(crate) fn name(self) -> &'static str {
        read::name_of(&self)
    }
}

/// Selects interactions to verify: those that satisfy all conditions.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FilterOptions {
    /// Searched for in the description.
    pub description: Option<FilterPattern>,
    /// Searched for in the names of the provider states; an empty string selects interactions without states.
    pub state: Option<FilterPattern>,
    /// Selects interactions without provider states.
    pub no_state: bool,
    /// A key, the identifier at a broker, or a fingerprint from a report.
    pub id: Option<String>,
    /// Kind of interaction: `HTTP`, `Async` or `Sync`.
    pub kind: Option<String>,
}

/// Arguments of [`VerifierOperation::BeforeEach`] and [`VerifierOperation::AfterEach`].
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hook {
    /// Called with the interaction, after it with what became of it.
    pub hook: UserFunction,
}

/// A time.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Time {
    /// In milliseconds.
    pub milliseconds: Milliseconds<1>,
}

/// A size.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bytes {
    /// In bytes.
    pub bytes: Size<1>,
}

/// Certificates as PEM. Several calls are combined; later ones win.
#[derive(Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Tls {
    /// Certificates of authorities to trust in addition to the system's.
    pub ca: Option<Document>,
    /// Client certificate.
    pub cert: Option<Pem>,
    /// Private key of the client certificate.
    pub key: Option<Pem>,
    /// Passphrase of the private key, if it is encrypted.
    pub passphrase: Option<Document>,
    /// Named by other tools; refused with what to do.
    pub pfx: Option<Document>,
}

impl std::fmt::Debug for Tls {
    /// Shows no key.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tls").finish_non_exhaustive()
    }
}

/// A switch.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Enabled {
    /// True when absent.
    #[serde(default = "yes")]
    pub enabled: bool,
}

/// Options for following redirects.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RedirectOptions {
    /// Whether headers that may contain credentials are sent to another scheme, host or port. Default: false.
    pub credentials: bool,
}

fn yes() -> bool {
    true
}

/// Options of one run.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RunOptions {
    /// Stops at the first failure that is not pending. The remaining interactions are reported as skipped.
    pub exit_first: bool,
    /// Verifies only what failed in the last run, or everything if nothing failed.
    pub last_failed: bool,
    /// Number of interactions without states that are verified at the same time. Default: 1.
    pub concurrency: Option<Whole<1, 10_000>>,
    /// Whether progress of a long run is shown. Default: on a terminal, outside of test runners.
    pub progress: Option<bool>,
}

fn first_name(json: &Json) -> Option<String> {
    json.as_object()?.keys().next().map(|name| read::snake(name))
}

impl VerifierOperation {
    /// Reads an operation from JSON.
    pub fn from_json(json: Json) -> Result<Self, ArgumentError> {
        let name = first_name(&json).map(|name| match (name.as_str(), json.pointer("/select/call")) {
            // The user called what the selector builder was told.
            ("select", Some(call)) => first_name(call).unwrap_or(name),
            _ => name,
        });
        let read = read::value(json).map_err(|refused| refused.into_error(OPTIONS));
        read.map_err(|error| match name {
            Some(name) => error.of(name),
            None => error,
        })
    }

    /// Its name, in snake case.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Select { call, .. } => call.name(),
            _ => read::name_of(self),
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
        read::options(OPTIONS, json).map_err(|error| error.of("verify"))
    }
}

/// What a binding has to keep of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// Nothing: the core has it all.
    Nothing,
    /// The application, which the binding lets listen while a verification runs, see [`Surroundings::apps`](crate::Surroundings).
    App,
}
