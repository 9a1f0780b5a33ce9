//! The provider's side assembled: contracts from where they are, the user's own functions, one report.

use std::sync::Arc;
use std::time::Duration;

use contract_verifier::{
    Client, CustomHeader, EmptyVerification, Filter, HeaderValue, MessageSource, MissingState, Options, Report,
    SetupError, StateForm, States, TextOptions, Transport, UrlStateHandler, Verifier,
};
use serde::{Deserialize, Serialize};

use crate::callbacks::{
    Callbacks, MessageNames, StateNames, TIMEOUT, UserFilter, UserHeader, UserHooks, UserMessages, UserStates,
};
use crate::error::ArgumentError;
use crate::file::FileError;
use crate::sources::{Found, Source};

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
    /// Stops at the first failure.
    pub exit_first: bool,
    /// How many interactions without states run at a time.
    pub concurrency: Option<usize>,
    /// Whether it is fine when there is nothing to verify.
    pub allow_empty: bool,
    /// Whether the report's text is coloured.
    pub colour: bool,
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

/// Who handles provider states.
#[derive(Clone, Debug, Deserialize)]
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
            Self::Source(_) => "ERR_CONTRACT_SOURCE",
            Self::NoSource(_) => "ERR_CONTRACT_NO_SOURCE",
            Self::Setup(_) => "ERR_CONTRACT_OPTIONS",
            Self::Empty(_) => "ERR_CONTRACT_NOTHING_TO_VERIFY",
        }
    }
}

/// The report, and its words for people.
#[derive(Serialize)]
struct Verified<'a> {
    report: &'a Report,
    text: String,
}

impl VerifyOptions {
    /// Reads options from JSON text.
    pub fn from_text(text: &str) -> Result<Self, ArgumentError> {
        serde_json::from_str(text)
            .map_err(|error| ArgumentError::new("ERR_CONTRACT_OPTIONS", format!("verify: {error}")))
    }

    fn assembled(&self, callbacks: &Arc<dyn Callbacks>) -> Result<Options, VerifyError> {
        let mut options = Options::new(self.provider.as_str());
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
        options.filter = self.filter.assembled()?;
        options.exit_first = self.exit_first;
        options.concurrency = self.concurrency.unwrap_or(options.concurrency);
        options.allow_empty = self.allow_empty;
        options.states = self
            .states
            .as_ref()
            .map(|states| states.assembled(callbacks, &options.client))
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
    fn assembled(&self, callbacks: &Arc<dyn Callbacks>, client: &Client) -> Result<States, VerifyError> {
        let mut states = match (&self.functions, &self.url) {
            (Some(names), None) => States::new(Arc::new(UserStates {
                callbacks: Arc::clone(callbacks),
                names: names.clone(),
            })),
            (None, Some(url)) => {
                let form = if self.body { StateForm::Body } else { StateForm::Query };
                States::new(Arc::new(UrlStateHandler::new(url, form, client.clone())?))
            }
            _ => {
                let message = "stateHandler: give either functions or a URL";
                return Err(ArgumentError::new("ERR_CONTRACT_OPTIONS", message).into());
            }
        };
        states.teardown = self.teardown;
        states.missing = MissingState::Error;
        Ok(states)
    }
}

/// Verifies, and returns the JSON text of `{ report, text }`. Failures of interactions are in the report; an error means
/// that nothing was verified.
pub async fn verify(options: VerifyOptions, callbacks: Arc<dyn Callbacks>) -> Result<String, VerifyError> {
    let assembled = options.assembled(&callbacks)?;
    if options.sources.is_empty() {
        return Err(VerifyError::NoSource(options.provider));
    }
    let sources = options.sources.clone();
    let found = tokio::task::spawn_blocking(move || {
        let mut found = Found::default();
        sources.iter().try_for_each(|source| source.read(&mut found))?;
        Ok::<_, VerifyError>(found)
    });
    let found = found
        .await
        .map_err(|panicked| VerifyError::Source(panicked.to_string()))??;
    let mut report = Verifier::new(assembled)?.verify(found.contracts).await?;
    report.warnings.splice(0..0, found.warnings);
    let text = report.to_text(TextOptions {
        colour: options.colour,
        ..TextOptions::default()
    });
    Ok(crate::serve::to_text(&Verified { report: &report, text }))
}
