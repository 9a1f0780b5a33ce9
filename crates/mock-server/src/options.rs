//! What a server is told when it starts.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use contract_datetime::DateTime;
use contract_model::{Interaction, SpecificationVersion};
use contract_wire::ServerCertificate;

use crate::plugin::PluginWork;

/// How a mock server behaves.
#[derive(Clone, Debug)]
pub struct ServerOptions {
    /// An IP address or a name. `localhost` is both 127.0.0.1 and, where there is IPv6, `::1`. Addresses need no resolver.
    pub host: String,
    /// 0 takes a free one.
    pub port: u16,
    /// HTTP or HTTPS.
    pub transport: Transport,
    /// Whether pre-flight requests of browsers are answered and `Access-Control-*` headers added to answers, unless the
    /// contract has its own.
    pub cors: bool,
    /// Whether body fields that the contract does not name are mismatches. If not, the journal lists them.
    pub strict: bool,
    /// The version of the contract. Only V1 compares otherwise: its query is a string.
    pub specification: SpecificationVersion,
    /// Which interaction answers when several match in full.
    pub order: Order,
    /// Whether a connection serves several requests.
    pub keep_alive: bool,
    /// Limits of size and time.
    pub limits: Limits,
    /// Determines the generated values; without one they differ from run to run.
    pub seed: Option<u64>,
    /// What generated dates and times start from.
    pub clock: Clock,
}

/// HTTP, or HTTPS with its certificate.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub enum Transport {
    /// Plain HTTP: 1.1, and 2 with prior knowledge.
    #[default]
    Http,
    /// HTTP over TLS: 1.1 and 2.
    Https(ServerCertificate),
}

/// Which of several interactions that match in full answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// The one that answered less often, so that two answers to one request both come.
    #[default]
    Balanced,
    /// The first listed whose `times` are not used up, without `times` the first that has not answered: a script of
    /// answers, of which the last one stays.
    Listed,
}

/// Bounds. The defaults suit tests; raise them where a test needs more.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Largest body of a request in bytes. A larger one is answered 413.
    pub body: usize,
    /// Largest head of a request in bytes, at least 8 KiB. A larger one is answered 431.
    pub head: usize,
    /// Most headers of a request, at most 16,384. One with more is answered 431.
    pub headers: usize,
    /// Bytes that are generated for one response. Beyond them the examples stand, with a word in the log.
    pub generated: usize,
    /// Connections open at a time. Further ones are answered 503.
    pub connections: usize,
    /// Time to send the head of a request, from its first byte.
    pub head_time: Duration,
    /// Time in which nothing moves on a connection.
    pub idle_time: Duration,
    /// Time to send the body of a request and take the answer.
    pub request_time: Duration,
    /// Time for a TLS handshake.
    pub handshake_time: Duration,
    /// Time that a request in flight has left when the server stops.
    pub stop_time: Duration,
    /// Requests that the journal keeps; counts stay exact beyond.
    pub journal: usize,
    /// Bytes of one body that the journal keeps.
    pub journal_body: usize,
}

/// As many as the HTTP library keeps room for without asking for memory.
pub(crate) const HEADERS: usize = 100;

/// Tells the time of day.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> DateTime + Send + Sync>);

/// An interaction to serve, with what only this server needs to know about it.
#[derive(Clone, Debug)]
pub struct ServedInteraction {
    /// The interaction.
    pub interaction: Arc<Interaction>,
    /// How often it must be requested. Without: once or more.
    pub times: Option<Times>,
    /// Whether it may stay unrequested.
    pub optional: bool,
    /// What plugins do for it.
    pub plugin: Option<Arc<dyn PluginWork>>,
}

/// How often an interaction must be requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Times {
    /// Least number.
    pub min: u64,
    /// Greatest number; none is no bound.
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
            // Longer than any client keeps a connection, so that the server is not the one to close it under a request.
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
    /// The largest head that is read; the HTTP library needs some room.
    pub(crate) fn largest_head(&self) -> usize {
        const SMALLEST: usize = 8 << 10;
        self.head.max(SMALLEST)
    }

    /// The most headers that are read; the HTTP library holds not many more.
    pub(crate) fn most_headers(&self) -> usize {
        self.headers.min(16 << 10)
    }
}

impl Clock {
    /// A clock that asks `now`.
    pub fn new(now: impl Fn() -> DateTime + Send + Sync + 'static) -> Self {
        Self(Arc::new(now))
    }

    /// A clock that stands still.
    pub fn fixed(at: DateTime) -> Self {
        Self::new(move || at.clone())
    }

    pub(crate) fn now(&self) -> DateTime {
        (self.0)()
    }
}

impl Default for Clock {
    /// The system's clock, in UTC.
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
    /// So often, no more and no less.
    pub const fn exactly(count: u64) -> Self {
        Self {
            min: count,
            max: Some(count),
        }
    }

    /// So often or more.
    pub const fn at_least(min: u64) -> Self {
        Self { min, max: None }
    }

    /// So often or less.
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
    /// With bounds on how often it is requested.
    #[must_use]
    pub fn times(mut self, times: Times) -> Self {
        self.times = Some(times);
        self
    }

    /// May stay unrequested.
    #[must_use]
    pub fn optional(mut self) -> Self {
        self.optional = true;
        self
    }

    /// The bounds that hold: those given, else once or more; an optional or pending interaction has no lower one.
    pub(crate) fn bounds(&self) -> Times {
        let mut times = self.times.unwrap_or(Times::at_least(1));
        if self.optional {
            times.min = 0;
        }
        times
    }
}
