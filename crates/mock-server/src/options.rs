use std::sync::Arc;
use std::time::{Duration, SystemTime};

use contract_datetime::DateTime;
use contract_model::{Interaction, SpecificationVersion};
use contract_wire::ServerCertificate;

use crate::plugin::PluginWork;

#[derive(Clone, Debug)]
pub struct ServerOptions {
    /// IP address or host name. `localhost` denotes 127.0.0.1 and, if the machine supports IPv6, `::1`.
    pub host: String,
    /// Port number. 0 selects a free port.
    pub port: u16,
    pub transport: Transport,
    /// True to respond to CORS preflight requests and to add `Access-Control-*` headers to responses. Headers in the
    /// contract take precedence.
    pub cors: bool,
    /// True if body fields that the contract does not define are mismatches. Otherwise, the journal lists them.
    pub strict: bool,
    /// Specification version of the contract. It matters only for V1, in which the query is a string.
    pub specification: SpecificationVersion,
    /// Determines which interaction responds if several of them match.
    pub order: Order,
    /// True if a connection may be used for several requests.
    pub keep_alive: bool,
    pub limits: Limits,
    /// Seed for generated values. Random by default.
    pub seed: Option<u64>,
    /// Source of the current time for generated dates and times.
    pub clock: Clock,
}

#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub enum Transport {
    /// Plain HTTP: HTTP/1.1, and HTTP/2 with prior knowledge.
    #[default]
    Http,
    /// HTTP over TLS: HTTP/1.1 and HTTP/2.
    Https(ServerCertificate),
}

/// Determines which interaction responds if several of them match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// The interaction with the fewest responses so far, so that two responses to the same request alternate.
    #[default]
    Balanced,
    /// The first interaction in the list that has not reached its `times`. Without `times`, the first one that has not
    /// responded yet. After that, the last interaction responds again.
    Listed,
}

#[derive(Clone, Debug)]
pub struct Limits {
    /// Maximum size of a request body in bytes. Requests with larger bodies are rejected with status 413.
    pub body: usize,
    /// Maximum size of a request head in bytes. The minimum is 8 KiB. Requests with larger heads are rejected with
    /// status 431.
    pub head: usize,
    /// Maximum number of request headers, up to 16,384. Requests with more headers are rejected with status 431.
    pub headers: usize,
    /// Maximum size in bytes of the values generated for a response. If it is exceeded, the examples are sent, and the
    /// log contains a warning.
    pub generated: usize,
    /// Maximum number of open connections. Additional connections are rejected with status 503.
    pub connections: usize,
    /// Timeout for receiving a request head, starting with its first byte.
    pub head_time: Duration,
    /// Timeout for a connection over which no bytes are transferred.
    pub idle_time: Duration,
    /// Timeout for receiving the request body and sending the response.
    pub request_time: Duration,
    pub handshake_time: Duration,
    /// Time that requests in flight get to finish when the server stops.
    pub stop_time: Duration,
    /// Maximum number of requests to store in the journal. The counts include all requests.
    pub journal: usize,
    /// Maximum size in bytes of a body to store in the journal.
    pub journal_body: usize,
}

/// hyper's default. It allocates no memory for this number of headers.
pub(crate) const HEADERS: usize = 100;

/// A source of the current time.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> DateTime + Send + Sync>);

/// An interaction to serve, with options for serving it.
#[derive(Clone, Debug)]
pub struct ServedInteraction {
    pub interaction: Arc<Interaction>,
    /// Allowed number of requests. Default: at least one.
    pub times: Option<Times>,
    /// True if the interaction passes even if it is not requested.
    pub optional: bool,
    pub plugin: Option<Arc<dyn PluginWork>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Times {
    pub min: u64,
    /// Maximum number of requests; `None` for no maximum.
    pub max: Option<u64>,
}

impl Default for ServerOptions {
    fn default() -> Self {
        Self {
            host: "127.0.0.1".into(),
            port: 0,
            transport: Transport::default(),
            cors: true,
            strict: false,
            specification: SpecificationVersion::default(),
            order: Order::default(),
            keep_alive: true,
            limits: Limits::default(),
            seed: None,
            clock: Clock::default(),
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body: 64 << 20,
            head: 64 << 10,
            headers: HEADERS,
            generated: 64 << 20,
            connections: 4096,
            head_time: Duration::from_secs(30),
            // Longer than clients keep idle connections open. Otherwise, the server could close a connection at the
            // moment when a client sends a request.
            idle_time: Duration::from_secs(300),
            request_time: Duration::from_secs(600),
            handshake_time: Duration::from_secs(10),
            stop_time: Duration::from_millis(500),
            journal: 10_000,
            journal_body: 1 << 20,
        }
    }
}

impl Limits {
    /// Returns the maximum size of a request head in bytes, which is at least the minimum that hyper requires.
    pub(crate) fn largest_head(&self) -> usize {
        const SMALLEST: usize = 8 << 10;
        self.head.max(SMALLEST)
    }

    /// Returns the maximum number of headers, which is at most the maximum that hyper supports.
    pub(crate) fn most_headers(&self) -> usize {
        self.headers.min(16 << 10)
    }
}

impl Clock {
    /// Creates a clock that calls `now` for the current time.
    pub fn new(now: impl Fn() -> DateTime + Send + Sync + 'static) -> Self {
        Self(Arc::new(now))
    }

    /// Creates a clock that always returns `at`.
    pub fn fixed(at: DateTime) -> Self {
        Self::new(move || at.clone())
    }

    pub(crate) fn now(&self) -> DateTime {
        (self.0)()
    }
}

impl Default for Clock {
    /// Creates a clock that returns the system time in UTC.
    fn default() -> Self {
        Self::new(|| {
            let since = SystemTime::now()
                .duration_since(SystemTime::UNIX_EPOCH)
                .unwrap_or_default();
            i64::try_from(since.as_secs())
                .ok()
                .and_then(|seconds| DateTime::from_unix(seconds, since.subsec_nanos(), 0).ok())
                .unwrap_or_else(|| DateTime::new(1970, 1, 1).expect("the epoch is a date"))
        })
    }
}

impl std::fmt::Debug for Clock {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Clock").finish_non_exhaustive()
    }
}

impl Times {
    pub const fn exactly(count: u64) -> Self {
        Self {
            min: count,
            max: Some(count),
        }
    }

    pub const fn at_least(min: u64) -> Self {
        Self { min, max: None }
    }

    pub const fn at_most(max: u64) -> Self {
        Self { min: 0, max: Some(max) }
    }
}

impl From<Arc<Interaction>> for ServedInteraction {
    fn from(interaction: Arc<Interaction>) -> Self {
        Self {
            interaction,
            times: None,
            optional: false,
            plugin: None,
        }
    }
}

impl From<Interaction> for ServedInteraction {
    fn from(interaction: Interaction) -> Self {
        Arc::new(interaction).into()
    }
}

impl ServedInteraction {
    #[must_use]
    pub fn times(mut self, times: Times) -> Self {
        self.times = Some(times);
        self
    }

    #[must_use]
    pub fn optional(mut self) -> Self {
        self.optional = true;
        self
    }

    /// Returns `times`, by default at least one. The minimum is 0 for optional interactions.
    pub(crate) fn bounds(&self) -> Times {
        let mut times = self.times.unwrap_or(Times::at_least(1));
        if self.optional {
            times.min = 0;
        }
        times
    }
}
