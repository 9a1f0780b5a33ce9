//! Accepts connections, serves requests, and shuts down gracefully.

use std::future::Future;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use axum::Router;
use http::Uri;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, Semaphore, watch};
use tokio::time::Instant;
use tokio_rustls::TlsAcceptor;

use crate::audit;
use crate::denials::Denials;
use crate::http::{Access, App, Metrics, Permissions, prefixes, router, without_prefix};
use crate::outbox;
use crate::request_id;
use crate::retention::{Retention, run_in_background};
use crate::traffic::{Client, Clients, HttpLimits, PacedStream};
use contract_broker_api::live::Live;
use contract_broker_core::cases::branches;
use contract_broker_core::store::{Database, Limits, Store, StoreError, Tx, TxOutcome};
use contract_broker_domain::rules::Rules;
use contract_broker_remote::log::{Level, Log, LogEntry};
use contract_broker_remote::traces::Traces;
use contract_broker_remote::webhooks::{WebhookOptions, WebhookSender};

/// Maximum size of a request's head, and of a connection's read buffer, in bytes.
const MAX_HEAD: usize = 128 * 1024;
/// The response to a client whose address already has the maximum number of connections.
const TOO_MANY_CONNECTIONS: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
/// Time after which freed memory is returned to the operating system. Until then, other requests can reuse it.
const RELEASE_AFTER: Duration = Duration::from_secs(1);
/// Maximum time for finishing requests during shutdown. Docker kills a container 10 seconds after it asks it to stop.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(8);
/// Delay before a failed background job is retried.
const RETRY_INTERVAL: Duration = Duration::from_secs(5);

#[derive(Clone)]
pub struct Options {
    pub database: Database,
    /// Base URLs of links. If there are several, the first one whose host is that of the request is used, or else the
    /// first one. If empty, the base URL is derived from the request's headers: `X-Forwarded-…`, or else `Host`.
    pub base_urls: Vec<String>,
    pub permissions: Permissions,
    pub rules: Rules,
    /// When to delete old data. `None` keeps all data.
    pub retention: Option<Retention>,
    /// Age in days at which audit log entries are deleted. `None` keeps all entries.
    pub audit_days: Option<u32>,
    pub webhooks: WebhookOptions,
    pub limits: Limits,
    pub http: HttpLimits,
    /// Returns memory that the allocator holds but does not use to the operating system. Called after large requests
    /// and responses.
    pub release_memory: fn(),
    /// Certificates and key for HTTPS. If `None`, the broker serves HTTP.
    pub tls: Option<Arc<tokio_rustls::rustls::ServerConfig>>,
    /// Where to export traces. `None` disables them.
    pub traces: Option<Traces>,
    pub log: Log,
}

pub struct Broker {
    app: Arc<App>,
    tls: Option<TlsAcceptor>,
    clients: Arc<Clients>,
    release_memory: fn(),
    retention: Option<Retention>,
    audit_days: Option<u32>,
}

impl Broker {
    /// Opens the database, and migrates its schema if necessary. Must be called in a tokio runtime.
    pub async fn open(options: Options) -> Result<Self, StoreError> {
        let store = Store::open(&options.database, &options.limits).await?;
        let tls = options.tls.map(TlsAcceptor::from);
        let log = request_id::log_with_ids(options.log);
        let app = Arc::new(App {
            access: Access::new(options.permissions, store.clone(), Arc::clone(&log)).await?,
            store,
            base_urls: options.base_urls,
            denials: Denials::default(),
            rules: Arc::new(options.rules),
            log,
            traces: options.traces.clone(),
            database: match options.database {
                Database::Postgres(_) => "postgresql",
                Database::Memory | Database::Sqlite(_) => "sqlite",
            },
            metrics: Metrics::default(),
            is_secure: tls.is_some(),
            background_job: Notify::new(),
            sender: Arc::new(WebhookSender::new(options.webhooks, options.traces)),
            known_contents: Arc::default(),
            deliveries: Notify::new(),
            retention: options
                .retention
                .as_ref()
                .map(|retention| Arc::new(retention.policy.clone())),
            live: Live::new(options.http.waiting),
        });
        Ok(Self {
            app,
            tls,
            clients: Arc::new(Clients::new(options.http)),
            release_memory: options.release_memory,
            retention: options.retention,
            audit_days: options.audit_days,
        })
    }

    /// Returns true if all requests are currently allowed without credentials.
    pub async fn is_open(&self) -> Result<bool, StoreError> {
        self.app.access.is_open().await
    }

    /// Serves requests until `end` completes. Then finishes the requests in flight, for at most 8 seconds, and closes
    /// the database.
    pub async fn serve(self, listener: TcpListener, end: impl Future<Output = ()>) {
        let (app, router) = (&self.app, router(&self.app));
        let prefixes: Arc<[String]> = prefixes(&app.base_urls).into();
        let limits = self.clients.limits();
        let background = tokio::spawn(run_background_jobs(Arc::clone(app)));
        let retention = self
            .retention
            .map(|retention| tokio::spawn(run_in_background(Arc::clone(app), retention)));
        let denials = tokio::spawn(audit::store_denials_in_background(Arc::clone(app)));
        let audit = self
            .audit_days
            .map(|days| tokio::spawn(audit::delete_old_in_background(Arc::clone(app), days)));
        let releasing = tokio::spawn(release_memory(Arc::clone(&self.clients), self.release_memory));
        let slots = Arc::new(Semaphore::new(limits.connections));
        let graceful = Arc::new(GracefulShutdown::new());
        let (stop, stopping) = watch::channel(false);
        let mut webhooks = tokio::spawn(outbox::send_in_background(Arc::clone(app), stopping.clone()));
        let mut end = std::pin::pin!(end);
        loop {
            let slot = tokio::select! {
                slot = Arc::clone(&slots).acquire_owned() => slot,
                () = &mut end => break,
            };
            let accepted = tokio::select! {
                accepted = listener.accept() => accepted,
                () = &mut end => break,
            };
            let (Ok((stream, peer)), Ok(slot)) = (accepted, slot) else {
                // The process has no free file handles. Wait until connections close.
                tokio::time::sleep(Duration::from_millis(20)).await;
                continue;
            };
            // Responses are small, and clients wait for them.
            let _ = stream.set_nodelay(true);
            let Some(client) = self.clients.admit(peer.ip()) else {
                reject_connection(app, &stream, peer.ip(), self.tls.is_some());
                continue;
            };
            let client = Arc::new(client);
            let stream = PacedStream::new(stream, Arc::clone(&client));
            let service = NormalizePath {
                router: router.clone(),
                prefixes: Arc::clone(&prefixes),
                client: Arc::clone(&client),
            };
            let (tls, watcher, head) = (self.tls.clone(), graceful.watcher(), limits.head);
            let connection = async move {
                match tls {
                    None => answer(stream, service, watcher, head).await,
                    Some(tls) => {
                        if let Ok(Ok(stream)) = tokio::time::timeout(head, tls.accept(stream)).await {
                            answer(stream, service, watcher, head).await;
                        }
                    }
                }
                drop(slot);
            };
            tokio::spawn(until_idle(connection, stopping.clone(), client));
        }
        drop(listener);
        let _ = stop.send(true);
        app.live.stop();
        let deadline = Instant::now() + SHUTDOWN_TIMEOUT;
        if let Some(graceful) = Arc::into_inner(graceful) {
            // Connections that do not finish in time are closed.
            let _ = tokio::time::timeout_at(deadline, graceful.shutdown()).await;
        }
        // Webhook requests that do not finish in time are sent again after the next start.
        if tokio::time::timeout_at(deadline, &mut webhooks).await.is_err() {
            webhooks.abort();
        }
        // Background jobs continue after the next start.
        background.abort();
        if let Some(retention) = retention {
            retention.abort();
        }
        releasing.abort();
        denials.abort();
        if let Some(audit) = audit {
            audit.abort();
        }
        audit::store_denials(&self.app).await;
        self.app.store.close().await;
        if let Some(traces) = self.app.traces.clone() {
            traces.shut_down().await;
        }
    }
}

/// Runs the background jobs that requests have enqueued, including jobs that an earlier process did not finish.
async fn run_background_jobs(app: Arc<App>) {
    loop {
        let work = |tx: &mut Tx<'_>| branches::delete_enqueued(tx).map(TxOutcome::Commit);
        match app.store.write(work).await {
            Ok(true) => tokio::task::yield_now().await,
            Ok(false) => app.background_job.notified().await,
            Err(error) => {
                let message = format!("could not delete branches (will retry): {error}");
                (app.log)(&LogEntry {
                    level: Level::Error,
                    message,
                    fields: vec![],
                });
                tokio::time::sleep(RETRY_INTERVAL).await;
            }
        }
    }
}

/// Calls `release` after memory was freed, at most once per [`RELEASE_AFTER`].
async fn release_memory(clients: Arc<Clients>, release: fn()) {
    loop {
        clients.memory_freed().await;
        tokio::time::sleep(RELEASE_AFTER).await;
        let _ = tokio::task::spawn_blocking(release).await;
    }
}

/// Rejects a connection, because its address already has the maximum number of connections.
fn reject_connection(app: &App, stream: &TcpStream, address: IpAddr, is_tls: bool) {
    if !is_tls {
        // The send buffer of a new connection has enough room for this response.
        let _ = stream.try_write(TOO_MANY_CONNECTIONS);
    }
    app.metrics.connections_rejected();
    (app.log)(&LogEntry {
        level: Level::Info,
        message: "connection rejected: too many connections from this address".to_owned(),
        fields: vec![("address", address.to_string())],
    });
}

/// Serves a connection until it ends. When `stopping` becomes true, ends it as soon as no request is being answered,
/// even if the client has already sent a part of the next request.
async fn until_idle(connection: impl Future<Output = ()>, mut stopping: watch::Receiver<bool>, client: Arc<Client>) {
    let mut connection = std::pin::pin!(connection);
    let mut stop = std::pin::pin!(stopping.wait_for(|is_stopping| *is_stopping));
    let mut is_stopping = false;
    std::future::poll_fn(|context| {
        // Poll the connection first, because it may have received the rest of a request.
        if connection.as_mut().poll(context).is_ready() {
            return Poll::Ready(());
        }
        is_stopping = is_stopping || stop.as_mut().poll(context).is_ready();
        if is_stopping && client.is_waiting_for_request() {
            return Poll::Ready(());
        }
        Poll::Pending
    })
    .await;
}

async fn answer<S: AsyncRead + AsyncWrite + Unpin + 'static>(
    stream: S,
    service: NormalizePath,
    watcher: hyper_util::server::graceful::Watcher,
    head: Duration,
) {
    let service = TowerToHyperService::new(service);
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(head)
        .max_buf_size(MAX_HEAD)
        .serve_connection(TokioIo::new(stream), service);
    // Connection errors affect only the client.
    let _ = watcher.watch(connection).await;
}

/// Normalizes the paths of requests. Removes extra slashes, which some clients add, and the path of the base URL, which
/// some proxies do not remove.
#[derive(Clone)]
struct NormalizePath {
    router: Router,
    prefixes: Arc<[String]>,
    client: Arc<Client>,
}

impl tower_service::Service<http::Request<hyper::body::Incoming>> for NormalizePath {
    type Response = http::Response<axum::body::Body>;
    type Error = std::convert::Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, _: &mut std::task::Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, mut request: http::Request<hyper::body::Incoming>) -> Self::Future {
        if let Some(uri) = normalized(request.uri(), &self.prefixes) {
            *request.uri_mut() = uri;
        }
        request.extensions_mut().insert(Arc::clone(&self.client));
        let answering = self.client.answering();
        let response = tower_service::Service::call(&mut self.router, request.map(axum::body::Body::new));
        Box::pin(async move {
            let response = response.await;
            drop(answering);
            response
        })
    }
}

fn normalized(uri: &Uri, prefixes: &[String]) -> Option<Uri> {
    let path = uri.path();
    let trimmed = without_prefix(path, prefixes).trim_matches('/');
    if path == "/" || path.len() == trimmed.len() + 1 && path.starts_with('/') {
        return None;
    }
    let query = uri.query().map_or_else(String::new, |query| format!("?{query}"));
    format!("/{trimmed}{query}").parse().ok()
}
