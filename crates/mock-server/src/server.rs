//! The server: starts, accepts, stops.

use std::future::poll_fn;
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, OnceLock};
use std::task::Poll;
use std::time::{Duration, SystemTime};

use contract_report::{Counts, Outcome, Trouble};
use contract_wire::ServerTls;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Mutex, watch};
use tokio::task::{AbortHandle, JoinError, JoinHandle, JoinSet};

use crate::address::{self, Bound};
use crate::connection;
use crate::error::{Problem, StartError};
use crate::exchange::Exchange;
use crate::expectations::Expectations;
use crate::journal::{Journal, Received};
use crate::log::{self, Life};
use crate::options::{ServedInteraction, ServerOptions, Transport};
use crate::refusal;
use crate::stream::Stream;

/// Pause when the system has no more sockets.
const OUT_OF_SOCKETS: Duration = Duration::from_millis(20);

/// A server that plays the provider. Dropping it stops it, cutting off what is in flight.
#[derive(Debug)]
pub struct MockServer {
    exchange: Arc<Exchange>,
    host: String,
    port: u16,
    authority: Option<String>,
    stop: watch::Sender<bool>,
    abort: AbortHandle,
    /// Taken when it has ended.
    accepting: Mutex<Option<JoinHandle<()>>>,
    started: SystemTime,
    stopped: OnceLock<SystemTime>,
}

/// Interactions made ready to be served, which costs time for each of them: all that can be done before there is a socket.
#[derive(Debug)]
pub struct Prepared {
    expectations: Expectations,
    options: ServerOptions,
}

impl Prepared {
    /// Makes interactions ready. Those that are not HTTP are passed over.
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
    /// Starts a server on the runtime that this is called in. Interactions that are not HTTP are passed over.
    ///
    /// Dropping the future before it is done leaves nothing behind.
    pub async fn start<I>(interactions: I, options: ServerOptions) -> Result<Self, StartError>
    where
        I: IntoIterator,
        I::Item: Into<ServedInteraction>,
    {
        Self::start_prepared(Prepared::new(interactions, options)?).await
    }

    /// As [`Self::start`], with what was made ready before.
    pub async fn start_prepared(Prepared { expectations, options }: Prepared) -> Result<Self, StartError> {
        let Bound { listeners, host, port } = address::bind(&options.host, options.port).await?;
        let tls = tls_of(&options.transport, &host)?;
        let authority = tls.as_ref().and_then(ServerTls::authority).map(str::to_owned);
        let exchange = Arc::new(Exchange {
            expectations,
            journal: Journal::new(&options.limits),
            limits: options.limits,
            keep_alive: options.keep_alive,
            cors: options.cors,
            url: format!("{}://{host}:{port}", options.transport.scheme()),
            clock: options.clock,
            // Two of these never hash alike, so that runs differ.
            seed: options.seed.unwrap_or_else(|| RandomState::new().hash_one(0)),
            generated: AtomicU64::new(0),
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

    /// Where it listens, such as `http://127.0.0.1:49152`.
    pub fn url(&self) -> &str {
        &self.exchange.url
    }

    /// The host in the URL.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// What clients have to trust, as PEM, when the certificate is self-signed.
    pub fn ca_certificate(&self) -> Option<&str> {
        self.authority.as_deref()
    }

    /// The requests that came, in order; the latest, when they are more than the journal keeps.
    pub fn received(&self) -> Vec<Received> {
        self.exchange.received()
    }

    /// Method and path of the last request, and when it came; nothing of those that the journal does not keep.
    pub fn last_request(&self) -> Option<(String, SystemTime)> {
        self.exchange.journal.last()
    }

    /// Requests in numbers.
    pub fn counts(&self) -> Counts {
        self.exchange.journal.counts()
    }

    /// The verdict so far. A request counts from before its answer is sent.
    pub fn outcome(&self) -> Outcome {
        self.exchange.outcome()
    }

    /// What happened so far, a line for each thing, with the time of day in UTC: requests and what became of them, the
    /// latest thousand, and what went wrong around them. Secrets are blanked out.
    pub fn log(&self) -> String {
        let life = Life {
            started: self.started,
            stopped: self.stopped.get().copied(),
        };
        log::text(&self.exchange, life)
    }

    /// Whether it has been stopped, or is stopping.
    pub fn is_stopped(&self) -> bool {
        *self.stop.borrow()
    }

    /// Stops and gives the verdict: no new connections, idle ones end at once, a request in flight has a short time left.
    /// When this is done no task of the server is left. It may be called again.
    ///
    /// Dropping the future leaves the server stopping.
    pub async fn stop(&self) -> Outcome {
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
        // The set of connections goes down with the task that owns it.
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

/// The TLS of a server that speaks it.
fn tls_of(transport: &Transport, host: &str) -> Result<Option<ServerTls>, StartError> {
    match transport {
        Transport::Http => Ok(None),
        Transport::Https(certificate) => Ok(Some(ServerTls::new(certificate, host).map_err(Problem::Tls)?)),
    }
}

/// Serves a connection. No `async fn`: those are compiled where they are awaited, which is in another crate, and all of HTTP
/// would be with them. This crate is made for speed.
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

/// Clients may connect ahead of need: without TLS that says nothing.
async fn serve_plain(stream: TcpStream, exchange: Arc<Exchange>, stop: watch::Receiver<bool>) {
    let _ = connection::serve(Stream::Plain(stream), exchange, stop).await;
}

/// Accepts until the server stops, then waits for the connections to end; each of them has a deadline.
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
            // Before the next one is accepted, so that those that have ended do not count.
            Some(ended) = connections.join_next() => note(&ended, &exchange),
            accepted = next(&listeners) => match accepted {
                Ok(stream) if connections.len() < exchange.limits.connections => {
                    spawn(&mut connections, stream, tls.as_ref(), Arc::clone(&exchange), stop.clone());
                }
                Ok(stream) => turn_away(&stream, &exchange),
                Err(error) if is_about_one_connection(&error) => {}
                Err(error) => {
                    tracing::debug!(target: "contract::mock_server", %error, "cannot accept");
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

/// A connection that panicked took its request with it, which nobody may take for a pass.
fn note(ended: &Result<(), JoinError>, exchange: &Exchange) {
    if ended.as_ref().is_err_and(JoinError::is_panic) {
        exchange.journal.trouble(Trouble::Internal);
    }
}

/// The next connection on any of the listeners.
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
        // Answers are small: waiting for more to send only delays them. A socket that refuses still works.
        let _ = stream.set_nodelay(true);
    })
}

fn turn_away(stream: &TcpStream, exchange: &Exchange) {
    let limit = exchange.limits.connections;
    exchange.journal.trouble(Trouble::TooManyConnections { limit });
    let answer = refusal::raw(
        "503 Service Unavailable",
        "too many connections at a time; raise the server's limit",
    );
    // A fresh socket has room for these few bytes; a client that is gone needs them no more.
    let _ = stream.try_write(answer.as_bytes());
}

/// The client went away before it was served; all others mean that the next try will fail too.
fn is_about_one_connection(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionRefused | io::ErrorKind::ConnectionAborted | io::ErrorKind::ConnectionReset
    )
}
