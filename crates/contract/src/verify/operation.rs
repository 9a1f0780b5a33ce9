//! What a verifier can be told, one value for each call. Bindings hand over the name and the arguments as the user gave
//! them; what makes no sense is refused here, by the call that said it.

use std::collections::BTreeMap;

use contract_model::Json;
use serde::Deserialize;

use crate::error::{ArgumentError, OPTIONS};
use crate::plugins::PluginOptions;
use crate::read::{self, Document, FilterPattern, Milliseconds, Size, TextOrFunction, Whole};
use crate::value::{self, UserFunction};
use crate::verify::pem::Pem;
use crate::verify::selector::SelectorOperation;

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
        /// Its name.
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

/// What opens a contract behind a URL: username and password, or a token.
#[derive(Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SourceOptions {
    /// With the password, for basic authentication.
    pub username: Option<String>,
    /// Empty when there is only a user name.
    pub password: Option<String>,
    /// For bearer authentication.
    pub token: Option<String>,
    /// More headers for the request.
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
    /// How long a handler may take, in milliseconds. Default: 30 seconds.
    pub timeout: Option<Milliseconds<1>>,
}

/// How state handlers are called.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct StateHandlerOptions {
    /// Whether states are torn down. Default: false; handlers with a `teardown` of their own always are.
    pub teardown: Option<bool>,
    /// For a URL: whether the state goes into the body of the request, or into its query and headers. Has to be said.
    pub body: Option<bool>,
    /// For a URL: headers of the request.
    pub headers: Option<BTreeMap<String, String>>,
    /// For handlers by state: whether an interaction whose state has none fails, is verified with a warning, or is just
    /// verified. Default: `error`.
    pub on_missing: Option<OnMissing>,
    /// For a function: whether it is called for interactions without states, with an empty name. Default: false.
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

/// Which interactions are verified: those for which all of this holds.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FilterOptions {
    /// Found anywhere in the description.
    pub description: Option<FilterPattern>,
    /// Found anywhere in the name of a state; an empty text is for none.
    pub state: Option<FilterPattern>,
    /// Only interactions without states.
    pub no_state: bool,
    /// A key, a broker's id or a fingerprint of a report.
    pub id: Option<String>,
    /// `HTTP`, `Async` or `Sync`.
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

/// Certificates in PEM. Several calls add up, a later one comes first.
#[derive(Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Tls {
    /// Certificates of authorities to trust besides the system's.
    pub ca: Option<Document>,
    /// The certificate to show when the provider asks for one, with its key.
    pub cert: Option<Pem>,
    /// Its key.
    pub key: Option<Pem>,
    /// Of the key, if that is encrypted. Bindings hand keys over decrypted.
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

/// How redirects are followed.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RedirectOptions {
    /// Whether headers that may hold credentials go along to another scheme, host or port. Default: false.
    pub credentials: bool,
}

fn yes() -> bool {
    true
}

/// Options of one run.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RunOptions {
    /// Stops at the first failure that is not pending; what comes after it is reported as skipped.
    pub exit_first: bool,
    /// Verifies only what failed the last time, if anything did.
    pub last_failed: bool,
    /// How many interactions without states run at a time. Default: 1.
    pub concurrency: Option<Whole<1, 10_000>>,
    /// Whether the terminal shows how far a long run is. Default: on a terminal, outside of test runners.
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
        let json = crate::json::parse_json(text)?;
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
