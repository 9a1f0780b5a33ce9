//! Starts and stops the server, and accepts its connections.

use std::future::poll_fn;
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};
use std::task::Poll;
use std::time::{Duration, SystemTime};

use contract_report::{Counts, Outcome, ServerProblem};
use contract_wire::ServerTls;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Mutex, watch};
use tokio::task::{AbortHandle, JoinError, JoinHandle, JoinSet};

use crate::address::{self, Bound};
use crate::connection;
use crate::error::{Problem, StartError};
use crate::exchange::Exchange;
use crate::expectations::Expectations;
use crate::handler::Handler;
use crate::header_case::{HeaderCase, SharedCase};
use crate::journal::{Journal, Received};
use crate::log::{self, Life};
use crate::options::{ServedInteraction, ServerOptions, Transport};
use crate::refusal;
use crate::stream::Stream;

/// Time to wait before accepting connections again if the system is out of sockets.
const OUT_OF_SOCKETS: Duration = Duration::from_millis(20);

/// A running mock server. Dropping it stops the server and closes its connections immediately.
#[derive(Debug)]
pub struct MockServer {
    exchange: Arc<Exchange>,
    host: String,
    port: u16,
    authority: Option<String>,
    stop: watch::Sender<bool>,
    abort: AbortHandle,
    /// The task that accepts connections; `None` after it has ended.
    accepting: Mutex<Option<JoinHandle<()>>>,
    started: SystemTime,
    stopped: OnceLock<SystemTime>,
}

/// Compiled interactions and options. Preparing them takes time, but does not require a runtime or a port.
#[derive(Debug)]
pub struct Prepared {
    expectations: Expectations,
    options: ServerOptions,
}

impl Prepared {
    /// Compiles the HTTP interactions. Ignores message interactions.
    pub fn new<I>(interactions: I, options: ServerOptions) -> Result<Self, StartError>
    where
        I: IntoIterator,
        I::Item: Into<ServedInteraction>,
    {
        Ok(Self {
            expectations: Expectations::new(interactions.into_iter().map(Into::into), &options)?,
            options,
        })
    }
}

impl MockServer {
    /// Starts a server on the current runtime. Ignores message interactions.
    ///
    /// If the future is dropped before it completes, no server is left running.
    pub async fn start<I>(interactions: I, options: ServerOptions) -> Result<Self, StartError>
    where
        I: IntoIterator,
        I::Item: Into<ServedInteraction>,
    {
        Self::start_prepared(Prepared::new(interactions, options)?).await
    }

    /// Like [`Self::start`], for interactions that were compiled with [`Prepared::new`].
    pub async fn start_prepared(Prepared { expectations, options }: Prepared) -> Result<Self, StartError> {
        Self::listen(expectations, None, options).await
    }

    /// Starts a server that passes all requests to a handler. [`Self::outcome`] contains only requests that were
    /// rejected before the handler was called. The handler is responsible for CORS headers.
    pub async fn start_handler(handler: Arc<dyn Handler>, options: ServerOptions) -> Result<Self, StartError> {
        Self::listen(Expectations::new([], &options)?, Some(handler), options).await
    }

    async fn listen(
        expectations: Expectations,
        handler: Option<Arc<dyn Handler>>,
        options: ServerOptions,
    ) -> Result<Self, StartError> {
        let Bound { listeners, host, port } = address::bind(&options.host, options.port).await?;
        let tls = tls_of(&options.transport, &host)?;
        let authority = tls.as_ref().and_then(ServerTls::authority).map(str::to_owned);
        let exchange = Arc::new(Exchange {
            expectations,
            handler,
            journal: Journal::new(&options.limits),
            limits: options.limits,
            keep_alive: options.keep_alive,
            cors: options.cors,
            url: format!("{}://{host}:{port}", options.transport.scheme()),
            clock: options.clock,
            // Each `RandomState` has different keys, so the values differ between runs.
            seed: options.seed.unwrap_or_else(|| RandomState::new().hash_one(0)),
            generated: AtomicU64::new(0),
            substitute: RwLock::default(),
            header_case: SharedCase::default(),
        });
        let (stop, stopped) = watch::channel(false);
        let accepting = tokio::spawn(accept(listeners, tls, Arc::clone(&exchange), stopped));
        tracing::info!(target: "contract::mock_server", server = exchange.url, "listening");
        Ok(Self {
            exchange,
            host,
            port,
            authority,
            stop,
            abort: accepting.abort_handle(),
            accepting: Mutex::new(Some(accepting)),
            started: SystemTime::now(),
            stopped: OnceLock::new(),
        })
    }

    /// Returns the base URL, such as `http://127.0.0.1:49152`.
    pub fn url(&self) -> &str {
        &self.exchange.url
    }

    pub fn host(&self) -> &str {
        &self.host
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    /// Returns the CA certificate that clients must trust, in PEM format. Returns `None` for plain HTTP, or if the
    /// certificate was not generated by the server.
    pub fn ca_certificate(&self) -> Option<&str> {
        self.authority.as_deref()
    }

    /// Serves other interactions on the same port, with separate counts and a separate journal, until [`Self::restore`]
    /// is called. Only the options for comparing requests are taken from `prepared`. Requests in flight are completed
    /// with the previous interactions.
    pub fn substitute(&self, Prepared { expectations, .. }: Prepared) {
        let substitute = Arc::new(self.exchange.with_expectations(expectations));
        self.set_substitute(Some(substitute));
    }

    /// Serves the original interactions again, with header names in lower case. Returns the outcome of the interactions
    /// passed to [`Self::substitute`], or `None` if `substitute` was not called.
    pub fn restore(&self) -> Option<Outcome> {
        self.set_header_case(HeaderCase::default());
        self.set_substitute(None).map(|substitute| substitute.outcome())
    }

    /// Sets the letter case of header names in HTTP/1.1 responses.
    pub fn set_header_case(&self, case: HeaderCase) {
        self.exchange.header_case.set(case);
    }

    fn set_substitute(&self, substitute: Option<Arc<Exchange>>) -> Option<Arc<Exchange>> {
        let mut place = self.exchange.substitute.write().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut *place, substitute)
    }

    fn current(&self) -> Arc<Exchange> {
        self.exchange.substitute().unwrap_or_else(|| Arc::clone(&self.exchange))
    }

    /// Returns the stored requests, oldest first. The journal stores the most recent
    /// [`Limits::journal`](crate::Limits::journal) requests.
    pub fn received(&self) -> Vec<Received> {
        self.current().received()
    }

    /// Returns the method and path of the most recent request, such as `GET /users`, and its time. Returns `None` if no
    /// request is stored.
    pub fn last_request(&self) -> Option<(String, SystemTime)> {
        self.current().journal.last()
    }

    pub fn counts(&self) -> Counts {
        self.current().journal.counts()
    }

    /// Returns the outcome so far. It includes every request whose response was sent.
    pub fn outcome(&self) -> Outcome {
        self.current().outcome()
    }

    /// Returns the log, with one line per event and the time of day in UTC. It contains the most recent 1,000 requests,
    /// and up to 20 different server problems. Secrets are redacted.
    pub fn log(&self) -> String {
        let life = Life {
            started: self.started,
            stopped: self.stopped.get().copied(),
        };
        log::text(&self.exchange, life)
    }

    /// Returns true if the server has stopped or is stopping.
    pub fn is_stopped(&self) -> bool {
        *self.stop.borrow()
    }

    /// Stops the server and returns the outcome of the original interactions. The server accepts no new connections,
    /// closes idle connections immediately, and waits at most [`Limits::stop_time`](crate::Limits::stop_time) for
    /// requests in flight. When this method returns, all tasks of the server have ended. It may be called more than
    /// once.
    ///
    /// The server stops even if the future is dropped.
    pub async fn stop(&self) -> Outcome {
        self.restore();
        self.stop.send_replace(true);
        let mut accepting = self.accepting.lock().await;
        if let Some(task) = accepting.as_mut() {
            // An aborted task has ended as well.
            let _ = task.await;
            *accepting = None;
            self.stopped.get_or_init(SystemTime::now);
            tracing::info!(target: "contract::mock_server", server = self.exchange.url, "stopped");
        }
        self.outcome()
    }
}

impl Drop for MockServer {
    fn drop(&mut self) {
        self.stop.send_replace(true);
        // Aborting the task drops the connections that it owns.
        self.abort.abort();
    }
}

impl Transport {
    fn scheme(&self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Https(_) => "https",
        }
    }
}

fn tls_of(transport: &Transport, host: &str) -> Result<Option<ServerTls>, StartError> {
    match transport {
        Transport::Http => Ok(None),
        Transport::Https(certificate) => Ok(Some(ServerTls::new(certificate, host).map_err(Problem::Tls)?)),
    }
}

/// Serves a connection. This is not an `async fn`, because async functions are compiled in the crate that awaits them,
/// together with the HTTP code, and only this crate is optimized for speed.
fn spawn(
    on: &mut JoinSet<()>,
    stream: TcpStream,
    tls: Option<&ServerTls>,
    exchange: Arc<Exchange>,
    stop: watch::Receiver<bool>,
) {
    match tls {
        Some(tls) => on.spawn(crate::tls::serve(tls.clone(), stream, exchange, stop)),
        None => on.spawn(serve_plain(stream, exchange, stop)),
    };
}

/// Serves a connection without TLS. A connection that is closed without a request is not an error, because some clients
/// open connections in advance.
async fn serve_plain(stream: TcpStream, exchange: Arc<Exchange>, stop: watch::Receiver<bool>) {
    let _ = connection::serve(Stream::Plain(stream), exchange, stop).await;
}

/// Accepts connections until the server stops, and then waits until all connections have ended. Each connection limits
/// its own time to finish.
async fn accept(
    listeners: Vec<TcpListener>,
    tls: Option<ServerTls>,
    exchange: Arc<Exchange>,
    mut stop: watch::Receiver<bool>,
) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            biased;
            _ = stop.changed() => break,
            // This branch comes first, so that connections that have ended do not count toward the limit.
            Some(ended) = connections.join_next() => note(&ended, &exchange),
            accepted = next(&listeners) => match accepted {
                Ok(stream) if connections.len() < exchange.limits.connections => {
                    spawn(&mut connections, stream, tls.as_ref(), Arc::clone(&exchange), stop.clone());
                }
                Ok(stream) => turn_away(&stream, &exchange),
                Err(error) if is_about_one_connection(&error) => {}
                Err(error) => {
                    tracing::debug!(target: "contract::mock_server", %error, "cannot accept a connection");
                    tokio::time::sleep(OUT_OF_SOCKETS).await;
                }
            },
        }
    }
    drop(listeners);
    while let Some(ended) = connections.join_next().await {
        note(&ended, &exchange);
    }
}

/// Records an error if the task of a connection panicked. The test must fail, because the request was not processed.
fn note(ended: &Result<(), JoinError>, exchange: &Exchange) {
    if ended.as_ref().is_err_and(JoinError::is_panic) {
        exchange.journal.trouble(ServerProblem::Internal);
    }
}

/// Accepts the next connection on any listener.
async fn next(listeners: &[TcpListener]) -> io::Result<TcpStream> {
    poll_fn(|cx| {
        for listener in listeners {
            if let Poll::Ready(accepted) = listener.poll_accept(cx) {
                return Poll::Ready(accepted.map(|(stream, _)| stream));
            }
        }
        Poll::Pending
    })
    .await
    .inspect(|stream| {
        // Responses are small, so delaying them to fill packets would only add latency. Sockets that do not support
        // this option still work.
        let _ = stream.set_nodelay(true);
    })
}

fn turn_away(stream: &TcpStream, exchange: &Exchange) {
    let limit = exchange.limits.connections;
    exchange.journal.trouble(ServerProblem::TooManyConnections { limit });
    let answer = refusal::raw(
        "503 Service Unavailable",
        "too many open connections. Raise the mock server's `connections` limit",
    );
    // The buffer of a new socket has enough space for these few bytes. An error means that the client has disconnected.
    let _ = stream.try_write(answer.as_bytes());
}

/// Returns true if the error concerns a single connection whose client has disconnected. Other errors would occur again
/// immediately.
fn is_about_one_connection(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionRefused | io::ErrorKind::ConnectionAborted | io::ErrorKind::ConnectionReset
    )
}
