use std::sync::Arc;
use std::time::Duration;

use contract_datetime::DateTime;
use contract_wire::{BaseUrl, Client, Redirects};

use crate::{
    Deadline, ErrorCode, Filter, HeaderSource, Hooks, InteractionError, MessageSource, Plugins, Progress,
    RequestFilter, SetupError, StateHandler,
};

/// Options of a verification. [`Options::new`] returns the defaults.
#[derive(Clone)]
pub struct Options {
    pub provider: String,
    /// Transports to the provider. An HTTP interaction specifies the name of its transport (default: `http`). Messages
    /// use the transport `message`.
    pub transports: Vec<Transport>,
    /// HTTP client, including its settings for TLS, proxies, and limits.
    pub client: Client,
    /// Headers to add to all requests. They replace headers of the contract that have the same name.
    pub headers: Vec<CustomHeader>,
    /// Timeout for a request, from opening the connection to receiving the last byte of the response. Default: 5 s.
    pub request_timeout: Duration,
    /// Timeout for each call of a state handler, message handler, request filter, hook, or header function. Default: 30
    /// s.
    pub callback_timeout: Duration,
    /// Maximum number of redirects to follow. If it is 0, or the interaction expects a redirect, redirects are not
    /// followed but compared with the expected response. Default: 10.
    pub redirects: usize,
    /// True to keep headers that may contain credentials when a redirect leads to another scheme, host, or port. These
    /// are headers with sensitive names (`Authorization`, `Cookie`, `X-Api-Key`), custom headers, and headers that the
    /// request filter added or changed.
    pub redirect_credentials: bool,
    /// Maximum total size of the values generated for a request or a message, in bytes.
    pub generated_size: usize,
    /// Maximum total size of the compiled regular expressions of a response or a message, in bytes.
    pub pattern_size: usize,
    pub filter: Filter,
    /// True to stop after the first failure of a non-pending interaction.
    pub exit_first: bool,
    /// Time at which the current interaction fails and all others are skipped, before the test runner aborts the test.
    /// `None` means no time limit.
    pub deadline: Option<Deadline>,
    /// Maximum number of interactions without states that are verified concurrently.
    pub concurrency: usize,
    /// True to succeed if there are no interactions to verify. Otherwise, this is an error.
    pub allow_empty: bool,
    pub states: Option<States>,
    pub request_filter: Option<Arc<dyn RequestFilter>>,
    pub hooks: Option<Arc<dyn Hooks>>,
    /// Produces messages in the same process. `None` requests messages over the transport `message`.
    pub messages: Option<Arc<dyn MessageSource>>,
    /// Provides the plugins that contracts require.
    pub plugins: Option<Arc<dyn Plugins>>,
    pub progress: Option<Arc<dyn Progress>>,
    /// Shell command that runs this verification. Reports use it for commands that verify a single interaction.
    pub command: Option<String>,
    /// Maximum size of a body in the report, in bytes.
    pub report_body_limit: usize,
    /// True to include headers and bodies in the report even for interactions that passed.
    pub report_passed: bool,
    /// Current time for generated dates and times. Default: the system time in UTC.
    pub now: Option<DateTime>,
    /// Seed for random values. The same seed produces the same requests. Default: the current time.
    pub seed: Option<u64>,
}

#[derive(Clone)]
pub struct States {
    pub handler: Arc<dyn StateHandler>,
    /// True to tear down states. The handler can override this for individual states.
    pub teardown: bool,
    pub missing: MissingState,
}

/// The action for a state without a handler.
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
    /// The value is computed for each request.
    Made(Arc<dyn HeaderSource>),
}

/// A way to reach the provider.
#[derive(Clone, Debug)]
pub struct Transport {
    /// Name of the transport: `http`, `message`, or the name in the contract.
    pub name: String,
    pub(crate) base: BaseUrl,
    /// A scheme that only a plugin supports, such as `tcp`.
    pub(crate) plugin_scheme: Option<String>,
}

impl Transport {
    /// Creates a transport. The path of the base URL is prepended to the path of every request.
    pub fn new(name: impl Into<String>, base_url: &str) -> Result<Self, SetupError> {
        Ok(Self {
            name: name.into(),
            base: BaseUrl::parse(base_url)?,
            plugin_scheme: None,
        })
    }

    /// Creates a transport for a plugin. The URL has the form `scheme://host:port`, with any scheme.
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
                    "the transport {:?} has the scheme {scheme}, but no plugin of this contract provides this transport. For a \
                     provider over HTTP, use http or https.",
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
    /// Creates the default options, without transports and state handlers.
    pub fn new(provider: impl Into<String>) -> Self {
        Self {
            provider: provider.into(),
            ..Self::default()
        }
    }

    /// Validates the options. Missing transports are not an error yet.
    pub fn check(&self) -> Result<(), SetupError> {
        for (what, is_zero) in [
            ("the request timeout", self.request_timeout.is_zero()),
            ("the callback timeout", self.callback_timeout.is_zero()),
            ("the concurrency", self.concurrency == 0),
            ("the limit for generated values", self.generated_size == 0),
            ("the limit for regular expressions", self.pattern_size == 0),
        ] {
            if is_zero {
                return Err(SetupError::Zero { what });
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
    /// Creates the settings for a state handler. By default, states are not torn down, and states without a handler
    /// fail the interaction.
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

    /// Validates the name and the value of the header.
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
    /// Omits header values and callbacks.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Options")
            .field("provider", &self.provider)
            .field("transports", &self.transports)
            .field("filter", &self.filter)
            .field("request_timeout", &self.request_timeout)
            .finish_non_exhaustive()
    }
}
