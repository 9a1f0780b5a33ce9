//! The provider's side assembled: contracts from where they are, the user's own functions, one report.

mod environment;
mod gathered;
mod memory;
mod progress;
mod session;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use contract_model::Json;
use contract_verifier::{
    BoxFuture, CallbackError, CustomHeader, EmptyVerification, Filter, HeaderValue, MessageSource, MissingState,
    Options, Report, SetupError, StateForm, States, TextOptions, Transport, UrlStateHandler, Verifier,
};
use contract_wire::{Client, ClientOptions, HttpVersion, Identity, Tls};
use serde::{Deserialize, Serialize};
use tracing::instrument::WithSubscriber;

pub use environment::{Environment, VARIABLES};
pub use gathered::{Gathered, gather, gather_here};
use memory::Memory;
pub(crate) use memory::user_cache;
use progress::TerminalProgress;
pub use session::Session;

use crate::callbacks::{
    Callbacks, MessageNames, StateNames, TIMEOUT, UserFilter, UserHeader, UserHooks, UserMessages, UserStates,
};
use crate::error::ArgumentError;
use crate::file::FileError;
use crate::log_buffer::LogBuffer;
use crate::sources::Source;

/// What is verified, against what, and how. From JSON, in camelCase.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct VerifyOptions {
    /// The provider's name: contracts with it are verified, others left out.
    pub provider: String,
    /// Where contracts come from.
    pub sources: Vec<Source>,
    /// Ways to reach the provider.
    pub transports: Vec<TransportOptions>,
    /// Headers for every request to the provider.
    pub headers: Vec<HeaderOptions>,
    /// Provider states.
    pub states: Option<StateOptions>,
    /// Message handlers.
    pub messages: Option<MessageNames>,
    /// Whether there is a request filter.
    pub request_filter: bool,
    /// Whether there is a function before each interaction.
    pub before: bool,
    /// Whether there is a function after each interaction.
    pub after: bool,
    /// Which interactions.
    pub filter: FilterOptions,
    /// For one request, in milliseconds.
    pub request_timeout: Option<u64>,
    /// For one of the user's functions, in milliseconds.
    pub callback_timeout: Option<u64>,
    /// Whether redirects are followed; true when absent.
    pub follow_redirects: Option<bool>,
    /// Certificates.
    pub tls: TlsOptions,
    /// `1.1` or `2`; negotiated when absent.
    pub http_version: Option<String>,
    /// Most bytes of a response body.
    pub body_limit: Option<usize>,
    /// Most bytes of one contract.
    pub source_limit: Option<u64>,
    /// Only what failed the last time, if anything did.
    pub last_failed: bool,
    /// Whether a terminal is told how far a long verification is.
    pub progress: bool,
    /// Environment variables that count.
    pub environment: Environment,
    /// Stops at the first failure.
    pub exit_first: bool,
    /// How many interactions without states run at a time.
    pub concurrency: Option<usize>,
    /// Whether it is fine when there is nothing to verify.
    pub allow_empty: bool,
    /// Whether the report's text is coloured.
    pub colour: bool,
    /// Whether the report's text shows requests, answers and times.
    pub verbose: bool,
    /// What starts this verification, as words of a shell; reports tell how to run one interaction again with it.
    pub command: Option<String>,
}

/// A way to reach the provider.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TransportOptions {
    /// `http`, `message`, or another name that interactions give.
    pub name: String,
    /// The base URL.
    pub url: String,
}

/// A header for every request; without a value the user's function makes one.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HeaderOptions {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: Option<String>,
}

/// Certificates, in PEM.
#[derive(Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct TlsOptions {
    /// Certificates of authorities to trust besides the system's.
    pub ca: Vec<String>,
    /// The certificate to show when the provider asks for one.
    pub cert: Option<String>,
    /// Its key, not encrypted.
    pub key: Option<String>,
    /// Accepts any certificate.
    pub insecure: bool,
}

impl std::fmt::Debug for TlsOptions {
    /// Shows no key.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TlsOptions")
            .field("insecure", &self.insecure)
            .finish_non_exhaustive()
    }
}

/// Who handles provider states.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StateOptions {
    /// The user's functions.
    pub functions: Option<StateNames>,
    /// A URL of the provider.
    pub url: Option<String>,
    /// Whether the URL gets the state in the body, or in the query.
    #[serde(default)]
    pub body: bool,
    /// Whether states are torn down.
    #[serde(default)]
    pub teardown: bool,
    /// What to do about a state that has no handler; it is an error when absent.
    #[serde(default)]
    pub on_missing: OnMissing,
    /// Headers for the URL.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
}

/// What to do about a state that has no handler.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum OnMissing {
    /// The interaction fails.
    #[default]
    Error,
    /// The interaction is verified without it, with a warning.
    Warn,
    /// The interaction is verified without it.
    Ignore,
}

/// Which interactions are verified.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct FilterOptions {
    /// A regular expression for the description.
    pub description: Option<String>,
    /// A regular expression for the state; empty for none.
    pub state: Option<String>,
    /// Only interactions without states.
    pub no_state: bool,
    /// Key, broker id or fingerprint.
    pub id: Option<String>,
    /// `HTTP`, `Async` or `Sync`.
    pub kind: Option<String>,
    /// Names of consumers.
    pub consumers: Vec<String>,
}

/// Why nothing was verified.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// An option that makes no sense.
    #[error(transparent)]
    Argument(#[from] ArgumentError),
    /// A file or directory that cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// A source that is no contract.
    #[error("{0}")]
    Source(String),
    /// Several sources that are no contracts.
    #[error("{} sources cannot be used:{}", .0.len(), list(.0.iter()))]
    Sources(Vec<VerifyError>),
    /// There are contracts, and none is for the provider.
    #[error(
        "there is no contract for the provider {provider:?}{}; if that is right, allow it with setErrorOnEmptyContract(false)",
        others(.found, .sources)
    )]
    NoContract {
        /// The provider's name.
        provider: String,
        /// Names of the providers that there are contracts for.
        found: BTreeSet<String>,
        /// Where contracts were looked for.
        sources: Vec<String>,
    },
    /// No source was given.
    #[error("there is no contract to verify for the provider {0:?}: add one with addSource")]
    NoSource(String),
    /// Options that the verifier refuses.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// Nothing is left to verify.
    #[error(transparent)]
    Empty(#[from] EmptyVerification),
}

impl VerifyError {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Argument(error) => error.code,
            Self::File(error) => error.code(),
            Self::Source(_) | Self::Sources(_) => "ERR_CONTRACT_SOURCE",
            Self::NoContract { .. } => "ERR_CONTRACT_NO_CONTRACT",
            Self::NoSource(_) => "ERR_CONTRACT_NO_SOURCE",
            Self::Setup(_) => "ERR_CONTRACT_OPTIONS",
            Self::Empty(_) => "ERR_CONTRACT_NOTHING_TO_VERIFY",
        }
    }
}

fn list<T: std::fmt::Display>(items: impl Iterator<Item = T>) -> String {
    items.fold(String::new(), |list, item| format!("{list}\n- {item}"))
}

fn others(found: &BTreeSet<String>, sources: &[String]) -> String {
    if found.is_empty() {
        return format!("; nothing was found in {}", sources.join(", "));
    }
    let quoted: Vec<_> = found.iter().map(|name| format!("{name:?}")).collect();
    format!("; there are contracts for {}", quoted.join(", "))
}

/// The report, its words for people, and the log.
#[derive(Serialize)]
struct Verified<'a> {
    report: &'a Report,
    text: String,
    log: Vec<String>,
}

impl<'a> Verified<'a> {
    fn new(report: &'a Report, text: TextOptions, log: &LogBuffer) -> Self {
        Self {
            report,
            text: report.to_text(text),
            log: log.lines(),
        }
    }
}

/// Stands in where options are only checked.
struct Nobody;

impl Callbacks for Nobody {
    fn call(&self, _: &'static str, _: Json) -> BoxFuture<'_, Result<Json, CallbackError>> {
        Box::pin(async { Err(CallbackError::new("nobody is there to answer")) })
    }
}

impl VerifyOptions {
    /// Reads options from JSON text.
    pub fn from_text(text: &str) -> Result<Self, ArgumentError> {
        serde_json::from_str(text)
            .map_err(|error| ArgumentError::new("ERR_CONTRACT_OPTIONS", format!("verify: {error}")))
    }

    /// Refuses what cannot work, so that the call that says it can. What is missing may still come.
    pub fn check(&self) -> Result<(), VerifyError> {
        let callbacks: Arc<dyn Callbacks> = Arc::new(Nobody);
        self.assembled(&callbacks, &mut Vec::new())?.check()?;
        self.sources.iter().try_for_each(Source::check)?;
        Ok(())
    }

    /// The sources, or the one that the environment names instead.
    fn sources(&self) -> Vec<Source> {
        self.environment
            .source()
            .map_or_else(|| self.sources.clone(), |source| vec![source])
    }

    fn client(&self, body_limit: Option<usize>, warnings: &mut Vec<String>) -> Result<Client, VerifyError> {
        let TlsOptions {
            ca,
            cert,
            key,
            insecure,
        } = &self.tls;
        let identity = match (cert, key) {
            (Some(certificate), Some(key)) => Some(Identity {
                certificate: certificate.clone().into_bytes(),
                key: key.clone().into_bytes(),
            }),
            (None, None) => None,
            _ => return refuse("tls: cert and key belong together; give both"),
        };
        let mut authorities = self.environment.authorities(warnings);
        authorities.extend(ca.iter().map(|pem| pem.clone().into_bytes()));
        let defaults = ClientOptions::default();
        let http = match self.http_version.as_deref() {
            None => HttpVersion::Negotiated,
            Some("1.1") => HttpVersion::Http1,
            Some("2") => HttpVersion::Http2,
            Some(other) => {
                return refuse(format!(
                    "setHttpVersion: there is no {other:?} here; versions are 1.1 and 2"
                ));
            }
        };
        if body_limit == Some(0) {
            return refuse("setBodyLimit: the limit must be greater than zero");
        }
        Ok(Client::new(ClientOptions {
            tls: Tls {
                authorities,
                identity,
                insecure: *insecure || self.environment.skips_certificates(),
            },
            proxies: self.environment.proxies(),
            http,
            body_limit: body_limit.unwrap_or(defaults.body_limit),
            ..defaults
        })
        .map_err(SetupError::from)?)
    }

    fn text(&self) -> TextOptions {
        TextOptions {
            colour: self.colour,
            verbose: self.verbose,
        }
    }

    fn assembled(&self, callbacks: &Arc<dyn Callbacks>, warnings: &mut Vec<String>) -> Result<Options, VerifyError> {
        let mut options = Options::new(self.provider.as_str());
        options.client = self.client(self.body_limit, warnings)?;
        for transport in &self.transports {
            options
                .transports
                .push(Transport::new(transport.name.as_str(), &transport.url)?);
        }
        for header in &self.headers {
            options.headers.push(match &header.value {
                Some(value) => CustomHeader::fixed(header.name.as_str(), value.as_str()),
                None => CustomHeader {
                    name: header.name.clone(),
                    value: HeaderValue::Made(Arc::new(UserHeader {
                        callbacks: Arc::clone(callbacks),
                        name: header.name.clone(),
                    })),
                },
            });
        }
        options.callback_timeout = self.callback_timeout.map_or(TIMEOUT, Duration::from_millis);
        if let Some(milliseconds) = self.request_timeout {
            options.request_timeout = Duration::from_millis(milliseconds);
        }
        if self.follow_redirects == Some(false) {
            options.redirects = 0;
        }
        options.filter = self.environment.filter(&self.filter)?.assembled()?;
        options.exit_first = self.exit_first;
        options.concurrency = self.concurrency.unwrap_or(options.concurrency);
        options.allow_empty = self.allow_empty;
        options.states = self
            .states
            .as_ref()
            .map(|states| states.assembled(callbacks, &options.client, options.request_timeout))
            .transpose()?;
        if let Some(names) = &self.messages {
            options.messages = Some(self.message_source(names, callbacks)?);
        }
        if self.request_filter {
            options.request_filter = Some(Arc::new(UserFilter(Arc::clone(callbacks))));
        }
        if self.before || self.after {
            let hooks = UserHooks {
                callbacks: Arc::clone(callbacks),
                before: self.before,
                after: self.after,
            };
            options.hooks = Some(Arc::new(hooks));
        }
        options.command.clone_from(&self.command);
        options.now = Some(crate::clock::now());
        Ok(options)
    }
}

impl VerifyOptions {
    /// Messages come from one place: handlers, or an endpoint.
    fn message_source(
        &self,
        names: &MessageNames,
        callbacks: &Arc<dyn Callbacks>,
    ) -> Result<Arc<dyn MessageSource>, VerifyError> {
        let is_endpoint = |name: &str| matches!(name, "message" | "async-message" | "sync-message");
        if let Some(transport) = self.transports.iter().find(|transport| is_endpoint(&transport.name)) {
            let message = format!(
                "messageHandler: the transport {:?} gives messages, too; choose the handlers or the endpoint",
                transport.name
            );
            return Err(ArgumentError::new("ERR_CONTRACT_OPTIONS", message).into());
        }
        Ok(Arc::new(UserMessages {
            callbacks: Arc::clone(callbacks),
            names: names.clone(),
        }))
    }
}

impl FilterOptions {
    fn assembled(&self) -> Result<Filter, SetupError> {
        let mut filter = Filter::new(self.description.as_deref(), self.state.as_deref())?;
        filter.no_state |= self.no_state;
        filter.id.clone_from(&self.id);
        filter.kind.clone_from(&self.kind);
        filter.consumers.clone_from(&self.consumers);
        Ok(filter)
    }
}

impl StateOptions {
    fn assembled(
        &self,
        callbacks: &Arc<dyn Callbacks>,
        client: &Client,
        timeout: Duration,
    ) -> Result<States, VerifyError> {
        let mut states = match (&self.functions, &self.url) {
            (Some(names), None) => States::new(Arc::new(UserStates {
                callbacks: Arc::clone(callbacks),
                names: names.clone(),
            })),
            (None, Some(url)) => {
                let form = if self.body { StateForm::Body } else { StateForm::Query };
                let mut handler = UrlStateHandler::new(url, form, client.clone())?.with_timeout(timeout);
                for (name, value) in &self.headers {
                    handler = handler.with_header(name, value)?;
                }
                States::new(Arc::new(handler))
            }
            _ => return refuse("stateHandler: give either functions or a URL"),
        };
        states.teardown = self.teardown;
        states.missing = match self.on_missing {
            OnMissing::Error => MissingState::Error,
            OnMissing::Warn => MissingState::Warn,
            OnMissing::Ignore => MissingState::Ignore,
        };
        Ok(states)
    }
}

fn refuse<T>(message: impl Into<crate::message::Message>) -> Result<T, VerifyError> {
    Err(ArgumentError::new("ERR_CONTRACT_OPTIONS", message).into())
}

/// Verifies, and returns the JSON text of `{ report, text, log }`. Failures of interactions are in the report; an error
/// means that nothing was verified.
pub async fn verify(options: VerifyOptions, callbacks: Arc<dyn Callbacks>) -> Result<String, VerifyError> {
    let gathered = gather(&options).await?;
    verify_gathered(options, &gathered, callbacks).await
}

/// Verifies contracts that were read before.
pub async fn verify_gathered(
    options: VerifyOptions,
    gathered: &Gathered,
    callbacks: Arc<dyn Callbacks>,
) -> Result<String, VerifyError> {
    let log = LogBuffer::new();
    let report = report(&options, gathered, &callbacks)
        .with_subscriber(log.dispatch())
        .await?;
    Ok(crate::serve::to_text(&Verified::new(&report, options.text(), &log)))
}

async fn report(
    options: &VerifyOptions,
    gathered: &Gathered,
    callbacks: &Arc<dyn Callbacks>,
) -> Result<Report, VerifyError> {
    let mut warnings = gathered.warnings.clone();
    let mut assembled = options.assembled(callbacks, &mut warnings)?;
    if options.progress {
        assembled.progress = Some(Arc::new(TerminalProgress::new()));
    }
    let memory = Memory::of(&options.provider, &options.environment);
    if options.last_failed {
        let failed = memory.as_ref().map(Memory::recall).unwrap_or_default();
        assembled.filter.only = Some(failed);
        let is_empty = contract_verifier::select(&assembled, &gathered.contracts).map_or(true, |left| left.is_empty());
        if is_empty {
            assembled.filter.only = None;
            warnings.push("nothing is known to have failed the last time, so everything is verified".to_owned());
        }
    }
    let mut report = Verifier::new(assembled)?.verify(gathered.contracts.clone()).await?;
    if let Some(memory) = memory {
        memory.remember(&report);
    }
    report.warnings.splice(0..0, warnings);
    Ok(report)
}
