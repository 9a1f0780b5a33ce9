//! Listening, and ending well.

use std::future::Future;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use http::Uri;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, Semaphore};
use tokio_rustls::TlsAcceptor;

use crate::domain::rules::Rules;
use crate::http::{App, Metrics, Permissions, prefixes, router, without_prefix};
use crate::log::{Entry, Level, Log};
use crate::sql::promises;
use crate::store::{Database, Limits, Settled, Store, StoreError, Tx};
use crate::traffic::{Client, Clients, HttpLimits, PacedStream};

/// Maximum size of the head of a request, and of what a connection reads ahead, in bytes.
const LARGEST_HEAD: usize = 128 * 1024;
/// The response to a connection too many of one address.
const TOO_MANY: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
/// How long freed memory stays with the allocator for the next requests.
const RELEASE_AFTER: Duration = Duration::from_secs(1);
/// How long requests in flight may take when the broker ends.
const END_WITHIN: Duration = Duration::from_secs(20);
/// When to try again what was promised and failed.
const AGAIN_AFTER: Duration = Duration::from_secs(5);

/// How a broker is to be.
#[derive(Clone)]
pub struct Options {
    /// Where it keeps what it knows.
    pub database: Database,
    /// What links begin with; with several, the one whose host was asked. None: what the asker calls the broker.
    pub base_urls: Vec<String>,
    /// Who may do what.
    pub permissions: Permissions,
    /// What it does by itself and what it refuses.
    pub rules: Rules,
    /// How much of a database server it takes.
    pub limits: Limits,
    /// Limits of the HTTP server.
    pub http: HttpLimits,
    /// Returns free memory of the allocator to the operating system; called after large requests and responses.
    pub release_memory: fn(),
    /// Certificates and the key for TLS.
    pub tls: Option<Arc<tokio_rustls::rustls::ServerConfig>>,
    /// Where it tells what happens.
    pub log: Log,
}

/// A broker with its database open.
pub struct Broker {
    app: Arc<App>,
    tls: Option<TlsAcceptor>,
    clients: Arc<Clients>,
    release_memory: fn(),
}

impl Broker {
    /// Opens the database and brings it to the newest form. Call it within a tokio runtime.
    pub async fn open(options: Options) -> Result<Self, StoreError> {
        let store = Store::open(&options.database, &options.limits).await?;
        let tls = options.tls.map(TlsAcceptor::from);
        let app = Arc::new(App {
            store,
            base_urls: options.base_urls,
            permissions: options.permissions,
            rules: Arc::new(options.rules),
            log: options.log,
            metrics: Metrics::default(),
            is_secure: tls.is_some(),
            promised: Notify::new(),
        });
        Ok(Self {
            app,
            tls,
            clients: Arc::new(Clients::new(options.http)),
            release_memory: options.release_memory,
        })
    }

    /// Answers requests until `end` comes; then finishes those in flight and closes the database.
    pub async fn serve(self, listener: TcpListener, end: impl Future<Output = ()>) {
        let (app, router) = (&self.app, router(&self.app));
        let prefixes: Arc<[String]> = prefixes(&app.base_urls).into();
        let limits = self.clients.limits();
        let fulfilling = tokio::spawn(fulfil_promises(Arc::clone(app)));
        let releasing = tokio::spawn(release_memory(Arc::clone(&self.clients), self.release_memory));
        let places = Arc::new(Semaphore::new(limits.connections));
        let graceful = Arc::new(GracefulShutdown::new());
        let mut end = std::pin::pin!(end);
        loop {
            let place = tokio::select! {
                place = Arc::clone(&places).acquire_owned() => place,
                () = &mut end => break,
            };
            let accepted = tokio::select! {
                accepted = listener.accept() => accepted,
                () = &mut end => break,
            };
            let (Ok((stream, peer)), Ok(place)) = (accepted, place) else {
                // Out of file handles: those that end give some back.
                tokio::time::sleep(Duration::from_millis(20)).await;
                continue;
            };
            // Answers are small and waited for.
            let _ = stream.set_nodelay(true);
            let Some(client) = self.clients.admit(peer.ip()) else {
                turn_away(app, &stream, peer.ip(), self.tls.is_some());
                continue;
            };
            let client = Arc::new(client);
            let stream = PacedStream::new(stream, Arc::clone(&client));
            let service = Plain {
                router: router.clone(),
                prefixes: Arc::clone(&prefixes),
                client,
            };
            let (tls, watcher, head) = (self.tls.clone(), graceful.watcher(), limits.head);
            tokio::spawn(async move {
                match tls {
                    None => answer(stream, service, watcher, head).await,
                    Some(tls) => {
                        if let Ok(Ok(stream)) = tokio::time::timeout(head, tls.accept(stream)).await {
                            answer(stream, service, watcher, head).await;
                        }
                    }
                }
                drop(place);
            });
        }
        drop(listener);
        if let Some(graceful) = Arc::into_inner(graceful) {
            // Who does not finish in time is cut off.
            let _ = tokio::time::timeout(END_WITHIN, graceful.shutdown()).await;
        }
        // What is left of it is done after the next start.
        fulfilling.abort();
        releasing.abort();
        self.app.store.close().await;
    }
}

/// Does what requests left to be done afterwards; first what was left when the broker ended.
async fn fulfil_promises(app: Arc<App>) {
    loop {
        let work = |tx: &mut Tx<'_>| promises::fulfil(tx).map(Settled::Keep);
        match app.store.write(work).await {
            Ok(true) => tokio::task::yield_now().await,
            Ok(false) => app.promised.notified().await,
            Err(error) => {
                let message = format!("branches are not deleted yet: {error}");
                (app.log)(&Entry {
                    level: Level::Error,
                    message,
                    fields: vec![],
                });
                tokio::time::sleep(AGAIN_AFTER).await;
            }
        }
    }
}

/// Calls `release` after room was returned, but not more often than that is worth.
async fn release_memory(clients: Arc<Clients>, release: fn()) {
    loop {
        clients.room_returned().await;
        tokio::time::sleep(RELEASE_AFTER).await;
        let _ = tokio::task::spawn_blocking(release).await;
    }
}

/// Closes a connection of an address that has too many.
fn turn_away(app: &App, stream: &TcpStream, address: IpAddr, is_tls: bool) {
    if !is_tls {
        // A new connection takes that much, if its client still listens.
        let _ = stream.try_write(TOO_MANY);
    }
    app.metrics.turned_away();
    (app.log)(&Entry {
        level: Level::Info,
        message: "connection refused: too many connections from this address".to_owned(),
        fields: vec![("address", address.to_string())],
    });
}

async fn answer<S: AsyncRead + AsyncWrite + Unpin + 'static>(
    stream: S,
    service: Plain,
    watcher: hyper_util::server::graceful::Watcher,
    head: Duration,
) {
    let service = TowerToHyperService::new(service);
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(head)
        .max_buf_size(LARGEST_HEAD)
        .serve_connection(TokioIo::new(stream), service);
    // A connection that breaks is its client's affair.
    let _ = watcher.watch(connection).await;
}

/// Takes paths as clients join them: with a slash too many in front or at the end; and as proxies pass them on: with the path
/// of the base URL.
#[derive(Clone)]
struct Plain {
    router: Router,
    prefixes: Arc<[String]>,
    client: Arc<Client>,
}

impl tower_service::Service<http::Request<hyper::body::Incoming>> for Plain {
    type Response = http::Response<axum::body::Body>;
    type Error = std::convert::Infallible;
    type Future = <Router as tower_service::Service<http::Request<axum::body::Body>>>::Future;

    fn poll_ready(&mut self, _: &mut std::task::Context<'_>) -> std::task::Poll<Result<(), Self::Error>> {
        std::task::Poll::Ready(Ok(()))
    }

    fn call(&mut self, mut request: http::Request<hyper::body::Incoming>) -> Self::Future {
        if let Some(uri) = plain(request.uri(), &self.prefixes) {
            *request.uri_mut() = uri;
        }
        request.extensions_mut().insert(Arc::clone(&self.client));
        tower_service::Service::call(&mut self.router, request.map(axum::body::Body::new))
    }
}

fn plain(uri: &Uri, prefixes: &[String]) -> Option<Uri> {
    let path = uri.path();
    let trimmed = without_prefix(path, prefixes).trim_matches('/');
    if path == "/" || path.len() == trimmed.len() + 1 && path.starts_with('/') {
        return None;
    }
    let query = uri.query().map_or_else(String::new, |query| format!("?{query}"));
    format!("/{trimmed}{query}").parse().ok()
}
