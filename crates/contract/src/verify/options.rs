//! The collected options of a verifier, and the context of a run.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use contract_verifier::{Deadline, Filter, Options, SetupError, TextOptions};
use contract_wire::ClientOptions;
use serde::Deserialize;

use super::filter_pattern::FilterPattern;
use crate::verify::broker_place::BrokerPlace;
use crate::verify::message_handlers::MessageHandlers;
use crate::verify::operation::FilterOptions;
use crate::verify::publish_options::PublishOptions;
use crate::verify::state_handlers::StateHandlers;
use contract_call::error::{ArgumentError, OPTIONS};
use contract_call::read::{Milliseconds, TextOrFunction};
use contract_call::value::UserFunction;
use contract_definition::plugins::PluginOptions;
use contract_pipeline::Environment;
use contract_pipeline::{DIRECTORY_LIMIT, SIZE_LIMIT, Source, TOTAL_SIZE_LIMIT};

/// All options of a verification. They are set by applying [`VerifierOperation`](crate::VerifierOperation)s with
/// [`VerifyOptions::apply`].
#[derive(Clone, Debug, Default)]
pub struct VerifyOptions {
    /// Options that are passed to the verifier unchanged.
    pub(crate) settings: Options,
    pub(crate) sources: Vec<Source>,
    pub(crate) broker: Option<BrokerPlace>,
    pub(crate) publish: Option<PublishOptions>,
    pub(crate) apps: Vec<App>,
    pub(crate) headers: Vec<Header>,
    pub(crate) states: StateHandlers,
    pub(crate) messages: MessageHandlers,
    pub(crate) request_filters: Vec<UserFunction>,
    pub(crate) before: Vec<UserFunction>,
    pub(crate) after: Vec<UserFunction>,
    pub(crate) client: ClientOptions,
    pub(crate) source_limit: Option<u64>,
    pub(crate) total_source_limit: Option<u64>,
    pub(crate) directory_limit: Option<usize>,
    pub(crate) color: Option<bool>,
    /// True if bindings print nothing except the error of a run.
    pub(crate) is_quiet: bool,
    pub(crate) plugins: PluginOptions,
}

/// An application in the user's process, which the binding starts for each verification.
#[derive(Clone, Debug)]
pub(crate) struct App {
    /// Name of the transport: `http`, `message`, or another name that interactions contain.
    pub(crate) name: String,
    /// Path that precedes the paths of all requests. Empty if there is none.
    pub(crate) path: String,
}

#[derive(Clone, Debug)]
pub(crate) struct Header {
    pub(crate) name: String,
    pub(crate) value: TextOrFunction,
}

/// Environment, terminal, and test runner of a run. The caller passes them, because some test runners replace the
/// environment variables of the process.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RunContext {
    /// Environment variables.
    pub environment: Environment,
    /// True if standard error is a terminal.
    pub terminal: bool,
    /// Base URLs of the running applications, in the order in which the applications were added.
    pub apps: Vec<String>,
    /// The shell command that the user ran. Reports use it to explain how to verify one interaction again. If `None`,
    /// it is derived from the environment.
    pub command: Option<String>,
    /// Whether the text report is colored. [`VerifierOperation::SetColouredOutput`](crate::VerifierOperation) overrides
    /// it. If `None`, it depends on the terminal and the environment.
    pub color: Option<bool>,
    /// True if the text report contains requests, responses, and durations.
    pub verbose: bool,
    /// Timeout for the current test in milliseconds. `None` or 0 if it has no timeout or if the timeout is unknown.
    pub runner_timeout: Option<Milliseconds<0>>,
    /// Time at which the current test started, in milliseconds since 1970-01-01 UTC. Default: the current time.
    pub runner_started: Option<f64>,
}

impl RunContext {
    /// Reads the context from JSON text.
    pub fn from_text(text: &str) -> Result<Self, ArgumentError> {
        contract_call::read::options(OPTIONS, contract_call::json::parse_json(text)?)
    }

    /// Returns the time at which an interaction is aborted, so that its failure is reported before the test runner's
    /// timeout. Returns `None` if there is no timeout or if it has already expired.
    pub(crate) fn deadline(&self) -> Option<Deadline> {
        /// Maximum time that is reserved for reporting the failure and stopping applications. More would be taken from
        /// long tests.
        const LONGEST_MARGIN: Duration = Duration::from_secs(2);
        let limit = self.runner_timeout?.0;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let started = self
            .runner_started
            .and_then(|time| Duration::try_from_secs_f64(time / 1000.0).ok());
        let passed = started.and_then(|started| now.checked_sub(started)).unwrap_or_default();
        let left = limit
            .checked_sub((limit / 10).min(LONGEST_MARGIN))?
            .checked_sub(passed)?;
        let at = Instant::now().checked_add(left)?;
        (!limit.is_zero()).then(|| Deadline::new(at, limit))
    }

    pub(crate) fn text(&self, options: &VerifyOptions) -> TextOptions {
        TextOptions {
            color: options
                .color
                .or(self.color)
                .unwrap_or_else(|| self.environment.uses_color(self.terminal)),
            verbose: self.verbose,
        }
    }
}

impl VerifyOptions {
    /// Returns the sources, or instead the single contract that the environment sets.
    pub(super) fn sources(&self, environment: &Environment) -> Vec<Source> {
        super::environment::source(environment, self.broker.as_ref())
            .map_or_else(|| self.sources.clone(), |source| vec![source])
    }

    /// Returns the broker. Returns `None` if there is none, or if the environment sets a single contract instead of all
    /// sources.
    pub(super) fn asked_broker(&self, environment: &Environment) -> Option<&BrokerPlace> {
        let broker = self.broker.as_ref()?;
        super::environment::source(environment, Some(broker))
            .is_none()
            .then_some(broker)
    }

    /// Returns the branch of the provider version from the publish options, or else from the selector. Returns `None`
    /// if neither sets it.
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

    pub(super) fn total_source_limit(&self) -> u64 {
        self.total_source_limit.unwrap_or(TOTAL_SIZE_LIMIT)
    }

    /// Returns the options of the HTTP client for the provider. The TLS and proxy options also apply to brokers and
    /// URLs.
    pub(super) fn client(&self, environment: &Environment, warnings: &mut Vec<String>) -> ClientOptions {
        let mut options = self.client.clone();
        options.tls.more = environment.authorities(warnings);
        options.tls.insecure |= environment.skips_certificates();
        options.proxies = environment.proxies();
        options
    }
}

impl FilterOptions {
    pub(super) fn filter(self) -> Result<Filter, SetupError> {
        let text = |pattern: Option<FilterPattern>| pattern.map(|pattern| pattern.0);
        let (description, state) = (text(self.description), text(self.state));
        let mut filter = Filter::new(description.as_deref(), state.as_deref())?;
        filter.no_state |= self.no_state;
        (filter.id, filter.kind) = (self.id, self.kind);
        filter.check()?;
        Ok(filter)
    }
}
