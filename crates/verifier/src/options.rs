use std::sync::Arc;
use std::time::Duration;

use contract_datetime::DateTime;
use contract_wire::{BaseUrl, Client, Redirects};

use crate::{
    Deadline, ErrorCode, Filter, HeaderSource, Hooks, InteractionError, MessageSource, Plugins, Progress,
    RequestFilter, SetupError, StateHandler,
};

/// Options of a verification. [`Options::new`] sets the defaults.
#[derive(Clone)]
pub struct Options {
    pub provider: String,
    /// HTTP interactions use the transport that they name, by default `http`; messages use `message`.
    pub transports: Vec<Transport>,
    /// HTTP client with TLS, proxies, and limits.
    pub client: Client,
    /// Headers added to every request. They replace headers of the contract with the same name.
    pub headers: Vec<CustomHeader>,
    /// Timeout of one request, from connecting to the last byte of the response. Default: 5 s.
    pub request_timeout: Duration,
    /// Timeout of one call of a state handler, message handler, request filter, hook, or header function. Default: 30
    /// s.
    pub callback_timeout: Duration,
    /// Maximum number of redirects to follow. 0 treats redirects as responses. An interaction that expects a redirect
    /// always receives it. Default: 10.
    pub redirects: usize,
    /// Whether redirects to another scheme, host, or port include headers that may contain credentials: those with such
    /// names (`Authorization`, `Cookie`, `X-Api-Key`), custom headers, and headers that the request filter added or
    /// changed.
    pub redirect_credentials: bool,
    /// Maximum number of bytes generated for one request or message.
    pub generated_size: usize,
    /// Maximum size of the compiled regular expressions of one response or message, in bytes.
    pub pattern_size: usize,
    pub filter: Filter,
    /// Stops at the first failure that is not pending.
    pub exit_first: bool,
    /// Time at which the running interaction fails and the rest is skipped, because the test runner would abort.
    pub deadline: Option<Deadline>,
    /// Number of interactions without states that run concurrently.
    pub concurrency: usize,
    /// Whether it is not an error if no interaction remains to be verified.
    pub allow_empty: bool,
    pub states: Option<States>,
    pub request_filter: Option<Arc<dyn RequestFilter>>,
    pub hooks: Option<Arc<dyn Hooks>>,
    /// Produces messages in process.
    pub messages: Option<Arc<dyn MessageSource>>,
    /// Plugins for contracts that require them.
    pub plugins: Option<Arc<dyn Plugins>>,
    pub progress: Option<Arc<dyn Progress>>,
    /// Shell command that runs this verification. Reports use it to show how to repeat one interaction.
    pub command: Option<String>,
    /// Maximum number of bytes of a body in the report.
    pub report_body_limit: usize,
    /// Whether the report includes headers and bodies of passed interactions.
    pub report_passed: bool,
    /// Base of generated dates and times. Default: the current time in UTC.
    pub now: Option<DateTime>,
    /// Seed of random values. The same seed sends the same requests. Default: the current time.
    pub seed: Option<u64>,
}

#[derive(Clone)]
pub struct States {
    pub handler: Arc<dyn StateHandler>,
    /// Whether states are torn down, unless the handler decides.
    pub teardown: bool,
    pub missing: MissingState,
}

/// What happens if a state has no handler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum MissingState {
    /// The interaction fails.
    #[default]
    Error,
    /// The interaction is verified without the state, with a warning in the report.
    Warn,
    /// The interaction is verified without the state.
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
    /// Computed for each request.
    Made(Arc<dyn HeaderSource>),
}

/// How to reach the provider.
#[derive(Clone, Debug)]
pub struct Transport {
    /// `http`, `message`, or the transport name in the contract.
    pub name: String,
    pub(crate) base: BaseUrl,
    /// A scheme such as `tcp`, which only a plugin can use.
    pub(crate) plugin_scheme: Option<String>,
}

impl Transport {
    /// Creates a transport. The path of the base URL is prepended to every request path.
    pub fn new(name: impl Into<String>, base_url: &str) -> Result<Self, SetupError> {
        Ok(Self {
            name: name.into(),
            base: BaseUrl::parse(base_url)?,
            plugin_scheme: None,
        })
    }

    /// Creates a transport for a plugin at `scheme://host:port`, with any scheme.
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
                    "the transport {:?} has the scheme {scheme}, which requires a plugin, but no plugin of this contract provides \
                     this transport. Use http or https for a provider over HTTP.",
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
    /// Creates the default options, without transports and states.
    pub fn new(provider: impl Into<String>) -> Self {
        Self {
            provider: provider.into(),
            ..Self::default()
        }
    }

    /// Validates the options, except for missing transports.
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
    /// Like [`Options::new`], without a provider name.
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
    /// Creates states with a handler and without teardown. States without a handler fail.
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

    /// Validates the name and the value.
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
            // The value may be secret, so it is not part of the message.
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
