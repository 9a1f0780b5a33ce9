use std::sync::Arc;
use std::time::Duration;

use contract_datetime::DateTime;
use contract_wire::{BaseUrl, Client, Redirects};

use crate::{
    Deadline, ErrorCode, Filter, HeaderSource, Hooks, InteractionError, MessageSource, Plugins, Progress,
    RequestFilter, SetupError, StateHandler,
};

#[derive(Clone)]
pub struct Options {
    pub provider: String,
    /// Base URLs of the provider, by transport name. HTTP interactions use the transport that they name, or `http`.
    /// Message interactions use the transport that they name, or `async-message` or `sync-message`, or `message`.
    pub transports: Vec<Transport>,
    /// The HTTP client, with its settings for TLS, proxies, and size limits.
    pub client: Client,
    /// Headers to add to all requests. They replace headers of the contract with the same name.
    pub headers: Vec<CustomHeader>,
    /// Timeout for a request, from connecting to receiving the complete response. Default: 5 s.
    pub request_timeout: Duration,
    /// Timeout for each call of a state handler, message handler, request filter, hook, or header function. Default: 30
    /// seconds.
    pub callback_timeout: Duration,
    /// Maximum number of redirects to follow. If it is 0, or if the interaction expects a redirect, the redirect
    /// response itself is compared. Default: 10.
    pub redirects: usize,
    /// If true, headers that may contain credentials are also sent after a redirect to another scheme, host, or port.
    /// These are headers with sensitive names, such as `Authorization`, `Cookie`, and `X-Api-Key`, custom headers, and
    /// headers that the request filter added or changed. Default: false.
    pub redirect_credentials: bool,
    /// Maximum total size of the generated values of a request or a message, in bytes. Default: 64 MiB.
    pub generated_size: usize,
    /// Maximum total size of the compiled regular expressions for a response or a message, in bytes. Default: 256 MiB.
    pub pattern_size: usize,
    pub filter: Filter,
    /// If true, the verification stops after the first failure that is not pending.
    pub exit_first: bool,
    /// At this time, the current interaction fails and all others are skipped, before the test runner aborts the test.
    /// `None` for no limit.
    pub deadline: Option<Deadline>,
    /// Maximum number of interactions without states to verify concurrently. Default: 1.
    pub concurrency: usize,
    /// If true, it is not an error if there are no interactions to verify.
    pub allow_empty: bool,
    pub states: Option<States>,
    pub request_filter: Option<Arc<dyn RequestFilter>>,
    pub hooks: Option<Arc<dyn Hooks>>,
    /// Message handlers in this process. If `None`, messages are requested over a transport.
    pub messages: Option<Arc<dyn MessageSource>>,
    /// Starts the plugins that contracts require. If `None`, interactions are verified without plugins.
    pub plugins: Option<Arc<dyn Plugins>>,
    pub progress: Option<Arc<dyn Progress>>,
    /// The shell command that started the verification. Reports use it to show how to verify a single interaction.
    /// `None` if unknown.
    pub command: Option<String>,
    /// Maximum size of a body in the report, in bytes. Default: 16 KiB.
    pub report_body_limit: usize,
    /// If true, the report also contains the headers and bodies of interactions that passed.
    pub report_passed: bool,
    /// The current time for generated dates and times. If `None`, the system time in UTC is used.
    pub now: Option<DateTime>,
    /// Seed for random values. The same seed produces the same values. If `None`, the seed is taken from the system
    /// time.
    pub seed: Option<u64>,
}

#[derive(Clone)]
pub struct States {
    pub handler: Arc<dyn StateHandler>,
    /// If true, states are torn down after the interaction, unless [`StateHandler::tears_down`] returns false for a
    /// state.
    pub teardown: bool,
    pub missing: MissingState,
}

/// What to do if there is no handler for a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum MissingState {
    /// Fail the interaction.
    #[default]
    Error,
    /// Verify the interaction without the state, and add a warning to the report.
    Warn,
    /// Verify the interaction without the state.
    Ignore,
}

#[derive(Clone)]
pub struct CustomHeader {
    pub name: String,
    pub value: HeaderValue,
}

#[derive(Clone)]
pub enum HeaderValue {
    Fixed(String),
    /// Computed separately for each request.
    Made(Arc<dyn HeaderSource>),
}

/// A named base URL of the provider.
#[derive(Clone, Debug)]
pub struct Transport {
    /// The name that interactions use in their `transport`, or a default name: `http`, `async-message`, `sync-message`,
    /// or `message`.
    pub name: String,
    pub(crate) base: BaseUrl,
    /// The scheme, such as `tcp`, if it is neither `http` nor `https`. Such a transport requires a plugin.
    pub(crate) plugin_scheme: Option<String>,
}

impl Transport {
    /// Creates a transport over HTTP. The path of `base_url` is prepended to the path of each request.
    pub fn new(name: impl Into<String>, base_url: &str) -> Result<Self, SetupError> {
        Ok(Self {
            name: name.into(),
            base: BaseUrl::parse(base_url)?,
            plugin_scheme: None,
        })
    }

    /// Creates a transport that a plugin may provide. The URL has the form `scheme://host:port`, with any scheme.
    pub fn of_plugin(name: impl Into<String>, url: &str) -> Result<Self, SetupError> {
        let (scheme, rest) = url.split_once("://").unwrap_or(("http", url));
        if scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https") {
            return Self::new(name, url);
        }
        Ok(Self {
            plugin_scheme: Some(scheme.to_owned()),
            ..Self::new(name, &format!("http://{rest}"))?
        })
    }

    pub(crate) fn http_base(&self) -> Result<&BaseUrl, InteractionError> {
        match &self.plugin_scheme {
            None => Ok(&self.base),
            Some(scheme) => Err(InteractionError::new(
                ErrorCode::Transport,
                format!(
                    "the transport {:?} has the scheme {scheme}, but no plugin of this contract provides this transport. If the \
                     provider uses HTTP, use the scheme http or https.",
                    self.name
                ),
            )),
        }
    }

    pub fn http(base_url: &str) -> Result<Self, SetupError> {
        Self::new("http", base_url)
    }
}

impl Options {
    /// Creates the default options. They contain no transports and no state handlers.
    pub fn new(provider: impl Into<String>) -> Self {
        Self {
            provider: provider.into(),
            ..Self::default()
        }
    }

    /// Validates the options, except that missing transports are accepted.
    pub fn check(&self) -> Result<(), SetupError> {
        for (setting, is_zero) in [
            ("the request timeout", self.request_timeout.is_zero()),
            ("the callback timeout", self.callback_timeout.is_zero()),
            ("the concurrency", self.concurrency == 0),
            ("the limit for generated values", self.generated_size == 0),
            ("the limit for regular expressions", self.pattern_size == 0),
        ] {
            if is_zero {
                return Err(SetupError::Zero { what: setting });
            }
        }
        self.filter.check()?;
        self.headers.iter().try_for_each(CustomHeader::check)
    }

    pub(crate) fn follow(&self) -> Redirects {
        Redirects {
            most: self.redirects,
            with_credentials: self.redirect_credentials,
        }
    }

    pub(crate) fn check_transports(&self) -> Result<(), SetupError> {
        if self.transports.is_empty() && self.messages.is_none() {
            return Err(SetupError::NoTransport {
                provider: self.provider.clone(),
            });
        }
        Ok(())
    }
}

impl Default for Options {
    /// Returns the same options as [`Options::new`] with an empty provider name.
    fn default() -> Self {
        Self {
            deadline: None,
            provider: String::new(),
            transports: Vec::new(),
            client: Client::default(),
            headers: Vec::new(),
            request_timeout: Duration::from_secs(5),
            callback_timeout: Duration::from_secs(30),
            redirects: 10,
            redirect_credentials: false,
            generated_size: 64 << 20,
            pattern_size: 256 << 20,
            filter: Filter::default(),
            exit_first: false,
            concurrency: 1,
            allow_empty: false,
            states: None,
            request_filter: None,
            hooks: None,
            messages: None,
            plugins: None,
            progress: None,
            command: None,
            report_body_limit: 16 * 1024,
            report_passed: false,
            now: None,
            seed: None,
        }
    }
}

impl States {
    /// Creates the default settings for a state handler: states are not torn down, and a state without a handler fails
    /// the interaction.
    pub fn new(handler: Arc<dyn StateHandler>) -> Self {
        Self {
            handler,
            teardown: false,
            missing: MissingState::Error,
        }
    }
}

impl CustomHeader {
    pub fn fixed(name: impl Into<String>, value: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            value: HeaderValue::Fixed(value.into()),
        }
    }

    /// Validates the name, and the value if it is fixed.
    pub fn check(&self) -> Result<(), SetupError> {
        let refuse = |problem| {
            Err(SetupError::Header {
                name: self.name.clone(),
                problem,
            })
        };
        if http::HeaderName::from_bytes(self.name.as_bytes()).is_err() {
            return refuse("the name is not a valid header name");
        }
        match &self.value {
            // The value may be secret, so the message does not contain it.
            HeaderValue::Fixed(value) if http::HeaderValue::from_bytes(value.as_bytes()).is_err() => {
                refuse("the value contains line breaks or other control characters")
            }
            _ => Ok(()),
        }
    }
}

impl std::fmt::Debug for Options {
    /// Does not print header values, which may be secret, or callbacks.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Options")
            .field("provider", &self.provider)
            .field("transports", &self.transports)
            .field("filter", &self.filter)
            .field("request_timeout", &self.request_timeout)
            .finish_non_exhaustive()
    }
}
