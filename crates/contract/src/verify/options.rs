//! Everything that a verification is told, and what the verifier makes of it.

use std::sync::Arc;
use std::time::Duration;

use contract_verifier::{CustomHeader, HeaderValue, MessageSource, Options, SetupError, TextOptions, Transport};
use contract_wire::{Client, ClientOptions, HttpVersion, Identity, Tls};
use serde::Deserialize;

use crate::callbacks::{Callbacks, TIMEOUT, UserFilters, UserHeader, UserHooks};
use crate::environment::Environment;
use crate::error::{ArgumentError, OPTIONS};
use crate::failure::Failure;
use crate::message::{option, told};
use crate::plugins::{Driver, PluginOptions};
use crate::read::{FilterPattern, TextOrFunction};
use crate::sources::{DIRECTORY_LIMIT, SIZE_LIMIT, Source};
use crate::value::UserFunction;
use crate::verify::broker_place::BrokerPlace;
use crate::verify::message_handlers::{CalledMessages, MessageHandlers};
use crate::verify::operation::{FilterOptions, RunOptions};
use crate::verify::pem::Pem;
use crate::verify::publish_options::PublishOptions;
use crate::verify::refused::setup;
use crate::verify::state_handlers::StateHandlers;

/// What is verified, against what, and how: what the calls of a verifier have said, see
/// [`VerifierOperation`](crate::VerifierOperation) for what each of it means. [`VerifyOptions::say`] takes such calls.
#[derive(Clone, Debug, Default)]
pub struct VerifyOptions {
    pub(crate) provider: String,
    pub(crate) sources: Vec<Source>,
    pub(crate) broker: Option<BrokerPlace>,
    pub(crate) publish: Option<PublishOptions>,
    pub(crate) transports: Vec<TransportOptions>,
    pub(crate) headers: Vec<Header>,
    pub(crate) states: StateHandlers,
    pub(crate) messages: Option<MessageHandlers>,
    pub(crate) request_filters: Vec<UserFunction>,
    pub(crate) before: Vec<UserFunction>,
    pub(crate) after: Vec<UserFunction>,
    pub(crate) filter: FilterOptions,
    pub(crate) consumers: Vec<String>,
    pub(crate) request_timeout: Option<Duration>,
    pub(crate) callback_timeout: Option<Duration>,
    pub(crate) follow_redirects: Option<bool>,
    pub(crate) redirect_credentials: bool,
    pub(crate) generated_size: Option<usize>,
    pub(crate) pattern_size: Option<usize>,
    pub(crate) tls: TlsOptions,
    /// Negotiated when absent.
    pub(crate) http_version: Option<HttpVersion>,
    pub(crate) body_limit: Option<usize>,
    pub(crate) source_limit: Option<u64>,
    pub(crate) directory_limit: Option<usize>,
    pub(crate) allow_empty: bool,
    pub(crate) colour: Option<bool>,
    pub(crate) plugins: PluginOptions,
}

/// A way to reach the provider.
#[derive(Clone, Debug)]
pub(crate) struct TransportOptions {
    /// `http`, `message`, or another name that interactions give.
    pub(crate) name: String,
    /// The base URL; none for an application that will listen.
    pub(crate) url: Option<String>,
    /// What stands before the paths of an application.
    pub(crate) path: String,
}

/// A header for every request.
#[derive(Clone, Debug)]
pub(crate) struct Header {
    pub(crate) name: String,
    pub(crate) value: TextOrFunction,
}

/// Certificates.
#[derive(Clone, Debug, Default)]
pub(crate) struct TlsOptions {
    pub(crate) ca: Vec<Pem>,
    pub(crate) cert: Option<Pem>,
    pub(crate) key: Option<Pem>,
    /// Accepts any certificate.
    pub(crate) insecure: bool,
}

impl TlsOptions {
    /// Certificates as connections take them, with what the environment says about them.
    pub(crate) fn settings(
        &self,
        warnings: &mut Vec<String>,
        environment: Option<&Environment>,
    ) -> Result<Tls, ArgumentError> {
        let Self {
            ca,
            cert,
            key,
            insecure,
        } = self;
        let identity = match (cert, key) {
            (Some(certificate), Some(key)) => Some(Identity {
                certificate: certificate.bytes(),
                key: key.bytes(),
            }),
            (None, None) => None,
            (given, _) => {
                let message = told![option("cert"), " and ", option("key"), " belong together; give both"];
                let missing = if given.is_some() { "key" } else { "cert" };
                return Err(ArgumentError::new(OPTIONS, message).about(missing));
            }
        };
        Ok(Tls {
            authorities: ca.iter().map(Pem::bytes).collect(),
            more: environment.and_then(|environment| environment.authorities(warnings)),
            identity,
            insecure: *insecure || environment.is_some_and(Environment::skips_certificates),
        })
    }
}

/// What is around a verification: the process and its terminal. Whoever calls hands it over, for in some test runners it is
/// not that of the process.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Surroundings {
    /// Environment variables that count.
    pub environment: Environment,
    /// Whether standard error is a terminal.
    pub terminal: bool,
    /// Base URLs of the applications that listen now, in the order in which they were added.
    pub apps: Vec<String>,
    /// What starts the verification, as words of a shell; reports tell how to run one interaction again with it. As the
    /// environment says when absent.
    pub command: Option<String>,
    /// Whether the text of the report is coloured unless an operation has said so; as the environment says when absent.
    pub colour: Option<bool>,
    /// Whether the text of the report shows requests, answers and times as well.
    pub verbose: bool,
}

impl Surroundings {
    /// Reads what a binding has written: an object with these names.
    pub fn from_text(text: &str) -> Result<Self, ArgumentError> {
        crate::read::options(OPTIONS, crate::json::parse_json(text)?)
    }

    pub(crate) fn text(&self, options: &VerifyOptions) -> TextOptions {
        TextOptions {
            colour: options
                .colour
                .or(self.colour)
                .unwrap_or_else(|| self.environment.colours(self.terminal)),
            verbose: self.verbose,
        }
    }
}

impl VerifyOptions {
    /// The provider's name.
    pub fn provider(&self) -> &str {
        &self.provider
    }

    /// The sources, or the one that the environment names instead.
    pub(super) fn sources(&self, environment: &Environment) -> Vec<Source> {
        environment
            .source(self.broker.as_ref())
            .map_or_else(|| self.sources.clone(), |source| vec![source])
    }

    /// The broker, unless the environment names one contract instead.
    pub(super) fn asked_broker(&self, environment: &Environment) -> Option<&BrokerPlace> {
        let broker = self.broker.as_ref()?;
        environment.source(Some(broker)).is_none().then_some(broker)
    }

    /// The branch of the provider's version that results are published for: said there, or by the selector.
    pub(super) fn publish_branch(&self) -> Option<&str> {
        let own = self.publish.as_ref().and_then(|publish| publish.branch.as_deref());
        own.or_else(|| self.broker.as_ref().and_then(BrokerPlace::provider_branch))
    }

    pub(super) fn directory_limit(&self) -> usize {
        self.directory_limit.unwrap_or(DIRECTORY_LIMIT)
    }

    pub(super) fn source_limit(&self) -> u64 {
        self.source_limit.unwrap_or(SIZE_LIMIT)
    }

    pub(crate) fn client(
        &self,
        body_limit: Option<usize>,
        warnings: &mut Vec<String>,
        environment: Option<&Environment>,
    ) -> Result<Client, ArgumentError> {
        let defaults = ClientOptions::default();
        Client::new(ClientOptions {
            tls: self.tls.settings(warnings, environment)?,
            proxies: environment.map(Environment::proxies).unwrap_or_default(),
            http: self.http_version.unwrap_or(HttpVersion::Negotiated),
            body_limit: body_limit.unwrap_or(defaults.body_limit),
            ..defaults
        })
        .map_err(setup)
    }

    pub(super) fn assembled(
        &self,
        run: RunOptions,
        around: &Surroundings,
        callbacks: &Arc<dyn Callbacks>,
        warnings: &mut Vec<String>,
    ) -> Result<Options, Failure> {
        let environment = &around.environment;
        let mut options = Options::new(self.provider.as_str());
        options.client = self.client(self.body_limit, warnings, Some(environment))?;
        for transport in self.listening(&around.apps) {
            let url = transport.url.unwrap_or_default();
            options
                .transports
                .push(Transport::new(transport.name, &url).map_err(setup)?);
        }
        options.headers = self.headers.iter().map(|header| header.assembled(callbacks)).collect();
        options.callback_timeout = self.callback_timeout.unwrap_or(TIMEOUT);
        options.request_timeout = self.request_timeout.unwrap_or(options.request_timeout);
        if self.follow_redirects == Some(false) {
            options.redirects = 0;
        }
        options.redirect_credentials = self.redirect_credentials;
        options.generated_size = self.generated_size.unwrap_or(options.generated_size);
        options.pattern_size = self.pattern_size.unwrap_or(options.pattern_size);
        options.filter = environment
            .filter(&self.filter)?
            .assembled(&self.consumers)
            .map_err(setup)?;
        options.exit_first = run.exit_first;
        options.concurrency = run.concurrency.map_or(options.concurrency, crate::read::Whole::size);
        options.allow_empty = self.allow_empty;
        options.states = self
            .states
            .assembled(callbacks, &options.client, options.request_timeout)
            .map_err(setup)?;
        options.messages = self.messages.clone().map(|handlers| {
            Arc::new(CalledMessages {
                callbacks: Arc::clone(callbacks),
                handlers,
            }) as Arc<dyn MessageSource>
        });
        if !self.request_filters.is_empty() {
            options.request_filter = Some(Arc::new(UserFilters {
                callbacks: Arc::clone(callbacks),
                filters: self.request_filters.clone(),
            }));
        }
        if !(self.before.is_empty() && self.after.is_empty()) {
            options.hooks = Some(Arc::new(UserHooks {
                callbacks: Arc::clone(callbacks),
                before: self.before.clone(),
                after: self.after.clone(),
            }));
        }
        options.plugins = Some(Arc::new(Driver::new(self.plugins.clone())));
        options.command = around.command.clone().or_else(|| environment.command());
        options.now = Some(crate::clock::now());
        Ok(options)
    }
}

impl Header {
    fn assembled(&self, callbacks: &Arc<dyn Callbacks>) -> CustomHeader {
        match &self.value {
            TextOrFunction::Text(value) => CustomHeader::fixed(self.name.as_str(), value.as_str()),
            TextOrFunction::Function(function) => CustomHeader {
                name: self.name.clone(),
                value: HeaderValue::Made(Arc::new(UserHeader {
                    callbacks: Arc::clone(callbacks),
                    name: self.name.clone(),
                    function: *function,
                })),
            },
        }
    }
}

impl FilterOptions {
    /// Whether it leaves out interactions.
    pub(super) fn leaves_out(&self) -> bool {
        let patterns = [&self.description, &self.state];
        self.no_state || self.id.is_some() || self.kind.is_some() || patterns.iter().any(|pattern| pattern.is_some())
    }

    pub(crate) fn assembled(&self, consumers: &[String]) -> Result<contract_verifier::Filter, SetupError> {
        let text = |pattern: &Option<FilterPattern>| pattern.as_ref().map(|pattern| pattern.0.clone());
        let (description, state) = (text(&self.description), text(&self.state));
        let mut filter = contract_verifier::Filter::new(description.as_deref(), state.as_deref())?;
        filter.no_state |= self.no_state;
        filter.id.clone_from(&self.id);
        filter.kind.clone_from(&self.kind);
        filter.consumers = consumers.to_vec();
        Ok(filter)
    }
}
