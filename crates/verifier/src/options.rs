//! What a verification is told.

use std::sync::Arc;
use std::time::Duration;

use contract_datetime::DateTime;
use contract_wire::{BaseUrl, Client, Redirects};

use crate::{
    Deadline, ErrorCode, Filter, HeaderSource, Hooks, InteractionError, MessageSource, Plugins, Progress,
    RequestFilter, SetupError, StateHandler,
};

/// What a verification is told. [`Options::new`] gives the defaults, fields are set as needed.
#[derive(Clone)]
pub struct Options {
    /// The name of the provider.
    pub provider: String,
    /// Ways to reach it. HTTP interactions use the one that they name, else `http`; messages `message`.
    pub transports: Vec<Transport>,
    /// The HTTP client, with TLS, proxies and limits.
    pub client: Client,
    /// Headers for every request to the provider; they replace the contract's headers of the same name.
    pub headers: Vec<CustomHeader>,
    /// For one request, from connecting to the last byte of the answer.
    pub request_timeout: Duration,
    /// For one call of a state handler, message handler, request filter, hook or header function.
    pub callback_timeout: Duration,
    /// How many redirects are followed; 0 takes them as answers. An interaction that expects a redirect gets it in any case.
    pub redirects: usize,
    /// Whether a redirect to another scheme, host or port takes along what may hold credentials: headers whose names say so
    /// (`Authorization`, `Cookie`, `X-Api-Key`), custom headers, and those that the request filter added or changed.
    pub redirect_credentials: bool,
    /// Bytes that are generated for one request or message.
    pub generated_size: usize,
    /// Bytes that the regular expressions of one response or message may take, compiled.
    pub pattern_size: usize,
    /// Which interactions are verified.
    pub filter: Filter,
    /// Stops at the first failure that is not pending.
    pub exit_first: bool,
    /// When the running interaction fails and the rest is skipped, because a test runner would give up.
    pub deadline: Option<Deadline>,
    /// How many interactions without states run at a time.
    pub concurrency: usize,
    /// Whether it is fine when nothing is left to verify.
    pub allow_empty: bool,
    /// Provider states.
    pub states: Option<States>,
    /// Changes requests before they are sent.
    pub request_filter: Option<Arc<dyn RequestFilter>>,
    /// Called around each interaction.
    pub hooks: Option<Arc<dyn Hooks>>,
    /// Produces messages in process.
    pub messages: Option<Arc<dyn MessageSource>>,
    /// Does what the core does not know, for contracts that name plugins.
    pub plugins: Option<Arc<dyn Plugins>>,
    /// Hears what is going on.
    pub progress: Option<Arc<dyn Progress>>,
    /// What starts this verification, as words of a shell. Reports tell how to run one interaction again with it.
    pub command: Option<String>,
    /// Most bytes of a body that the report keeps.
    pub report_body_limit: usize,
    /// Whether headers and bodies of interactions that passed are reported, too.
    pub report_passed: bool,
    /// The moment that date and time generators start from; the clock, in UTC, when absent.
    pub now: Option<DateTime>,
    /// Where random values come from; the same seed sends the same requests. The clock, when absent.
    pub seed: Option<u64>,
}

/// How provider states are handled.
#[derive(Clone)]
pub struct States {
    /// Brings the provider into states and out of them.
    pub handler: Arc<dyn StateHandler>,
    /// Whether states are torn down when the handler does not say for itself.
    pub teardown: bool,
    /// What to do about a state that the handler does not know.
    pub missing: MissingState,
}

/// What to do about a state that the handler does not know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum MissingState {
    /// The interaction fails.
    #[default]
    Error,
    /// The interaction is verified without it, with a warning in the report.
    Warn,
    /// The interaction is verified without it.
    Ignore,
}

/// A header for every request to the provider.
#[derive(Clone)]
pub struct CustomHeader {
    /// The name.
    pub name: String,
    /// Its value.
    pub value: HeaderValue,
}

/// The value of a custom header.
#[derive(Clone)]
pub enum HeaderValue {
    /// Always the same.
    Fixed(String),
    /// Made for each request.
    Made(Arc<dyn HeaderSource>),
}

/// A way to reach the provider.
#[derive(Clone, Debug)]
pub struct Transport {
    /// `http`, `message`, or the name that interactions give in their contract.
    pub name: String,
    pub(crate) base: BaseUrl,
    /// A scheme such as `tcp`, which only a plugin can use.
    pub(crate) plugin_scheme: Option<String>,
}

impl Transport {
    /// A transport of that name at a base URL, whose path is put in front of every request's path.
    pub fn new(name: impl Into<String>, base_url: &str) -> Result<Self, SetupError> {
        Ok(Self {
            name: name.into(),
            base: BaseUrl::parse(base_url)?,
            plugin_scheme: None,
        })
    }

    /// The transport of a plugin at `scheme://host:port`, whatever the scheme.
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

    /// The base URL of requests over HTTP.
    pub(crate) fn http_base(&self) -> Result<&BaseUrl, InteractionError> {
        match &self.plugin_scheme {
            None => Ok(&self.base),
            Some(scheme) => Err(InteractionError::new(
                ErrorCode::Transport,
                format!(
                    "the transport {:?} has the scheme {scheme}, which only a plugin can use; no plugin of this contract provides \
                     the transport. Use http or https for a provider over HTTP.",
                    self.name
                ),
            )),
        }
    }

    /// The transport of HTTP interactions.
    pub fn http(base_url: &str) -> Result<Self, SetupError> {
        Self::new("http", base_url)
    }
}

impl Options {
    /// The defaults: no transport, no states, 5 s for a request, 30 s for a callback, up to 10 redirects, to other hosts without
    /// credentials.
    pub fn new(provider: impl Into<String>) -> Self {
        Self {
            provider: provider.into(),
            ..Self::default()
        }
    }

    /// Refuses what cannot work. Ways to reach the provider may still be missing.
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

    /// Options for following redirects.
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
    /// As [`Options::new`], for a provider that is yet to be named.
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
    /// A handler without teardown, whose missing states fail.
    pub fn new(handler: Arc<dyn StateHandler>) -> Self {
        Self {
            handler,
            teardown: false,
            missing: MissingState::Error,
        }
    }
}

impl CustomHeader {
    /// A header that is always the same.
    pub fn fixed(name: impl Into<String>, value: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            value: HeaderValue::Fixed(value.into()),
        }
    }

    /// Refuses a name or a value that cannot be sent.
    pub fn check(&self) -> Result<(), SetupError> {
        let refuse = |problem| {
            Err(SetupError::Header {
                name: self.name.clone(),
                problem,
            })
        };
        if http::HeaderName::from_bytes(self.name.as_bytes()).is_err() {
            return refuse("its name is not that of a header");
        }
        match &self.value {
            // The value may be a secret, so it does not stand in the text.
            HeaderValue::Fixed(value) if http::HeaderValue::from_bytes(value.as_bytes()).is_err() => {
                refuse("its value holds line breaks or other control characters")
            }
            _ => Ok(()),
        }
    }
}

impl std::fmt::Debug for Options {
    /// Leaves out header values and callbacks.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Options")
            .field("provider", &self.provider)
            .field("transports", &self.transports)
            .field("filter", &self.filter)
            .field("request_timeout", &self.request_timeout)
            .finish_non_exhaustive()
    }
}
