use std::sync::Arc;
use std::time::{Duration, SystemTime};

use contract_datetime::DateTime;
use contract_model::{Interaction, SpecificationVersion};
use contract_wire::ServerCertificate;

use crate::plugin::PluginWork;

#[derive(Clone, Debug)]
pub struct ServerOptions {
    /// IP address or host name. For `localhost`, the server listens on 127.0.0.1 and, if the machine supports IPv6, on
    /// `::1`.
    pub host: String,
    /// Port number. 0 selects a free port.
    pub port: u16,
    pub transport: Transport,
    /// If true, the server responds to CORS preflight requests and adds `Access-Control-*` headers to responses.
    /// Headers in the contract take precedence.
    pub cors: bool,
    /// If true, body fields that the contract does not define are mismatches. If false, they are listed in
    /// [`Received::unexpected_fields`](crate::Received::unexpected_fields).
    pub strict: bool,
    /// Specification version of the contract. It affects matching only for V1, in which the query is a string.
    pub specification: SpecificationVersion,
    pub order: Order,
    /// If false, each HTTP/1 connection is closed after one request.
    pub keep_alive: bool,
    pub limits: Limits,
    /// Seed for generated values. If `None`, the seed is random.
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
    /// Selects the interaction with the fewest responses so far, so that the responses of interactions with the same
    /// request alternate.
    #[default]
    Balanced,
    /// Selects the first interaction in the list that has not reached its `times`. An interaction without `times`
    /// responds once. If all of them have responded, the last one responds again.
    Listed,
}

#[derive(Clone, Debug)]
pub struct Limits {
    /// Maximum size of a request body in bytes. Requests with larger bodies are rejected with status 413.
    pub body: usize,
    /// Maximum size of a request head in bytes. Values below 8 KiB are treated as 8 KiB. Requests with larger heads are
    /// rejected with status 431.
    pub head: usize,
    /// Maximum number of request headers. Values above 16,384 are treated as 16,384. Requests with more headers are
    /// rejected with status 431.
    pub headers: usize,
    /// Maximum total size of the generated values of a response, in bytes. If it is exceeded, the remaining values are
    /// the examples, and the log contains a warning.
    pub generated: usize,
    /// Maximum number of open connections. Additional connections are rejected with status 503.
    pub connections: usize,
    /// Timeout for receiving a request head, measured from its first byte.
    pub head_time: Duration,
    /// Time without transferred bytes after which a connection is closed.
    pub idle_time: Duration,
    /// Timeout for receiving the request body and sending the response.
    pub request_time: Duration,
    pub handshake_time: Duration,
    /// Maximum time to wait for requests in flight when the server stops. After this, their connections are closed.
    pub stop_time: Duration,
    /// Maximum number of requests to store in the journal. Older requests are discarded, but still counted.
    pub journal: usize,
    /// Maximum size of a stored body in bytes. Only the start of a larger body is stored.
    pub journal_body: usize,
}

/// The default number of headers in hyper, which avoids an allocation for each request.
pub(crate) const HEADERS: usize = 100;

/// A function that returns the current time.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> DateTime + Send + Sync>);

#[derive(Clone, Debug)]
pub struct ServedInteraction {
    pub interaction: Arc<Interaction>,
    /// Allowed number of requests. If `None`, the interaction must be requested at least once.
    pub times: Option<Times>,
    /// If true, the interaction does not have to be requested.
    pub optional: bool,
    pub plugin: Option<Arc<dyn PluginWork>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Times {
    pub min: u64,
    /// Maximum number of requests, or `None` for no maximum.
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
    /// Returns `head`, but at least 8 KiB, the minimum that hyper supports.
    pub(crate) fn largest_head(&self) -> usize {
        const SMALLEST: usize = 8 << 10;
        self.head.max(SMALLEST)
    }

    /// Returns `headers`, but at most 16,384, the maximum that hyper supports.
    pub(crate) fn most_headers(&self) -> usize {
        self.headers.min(16 << 10)
    }
}

impl Clock {
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

    /// Returns `times`, or "at least once" if it is `None`. If the interaction is optional, the minimum is 0.
    pub(crate) fn bounds(&self) -> Times {
        let mut times = self.times.unwrap_or(Times::at_least(1));
        if self.optional {
            times.min = 0;
        }
        times
    }
}
