//! Listening, and ending well.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use http::Uri;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::{Notify, Semaphore};
use tokio_rustls::TlsAcceptor;

use crate::domain::rules::Rules;
use crate::http::{App, Metrics, Permissions, prefixes, router, without_prefix};
use crate::log::{Entry, Level, Log};
use crate::sql::promises;
use crate::store::{Database, Limits, Settled, Store, StoreError, Tx};

/// Connections open at once; more wait to be accepted.
const CONNECTIONS: usize = 1_024;
/// How long the head of a request, or a TLS handshake, may take.
const HEAD_WITHIN: Duration = Duration::from_secs(15);
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
    /// Certificates and the key for TLS.
    pub tls: Option<Arc<tokio_rustls::rustls::ServerConfig>>,
    /// Where it tells what happens.
    pub log: Log,
}

/// A broker with its database open.
pub struct Broker {
    app: Arc<App>,
    tls: Option<TlsAcceptor>,
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
        Ok(Self { app, tls })
    }

    /// Answers requests until `end` comes; then finishes those in flight and closes the database.
    pub async fn serve(self, listener: TcpListener, end: impl Future<Output = ()>) {
        let service = Plain {
            router: router(&self.app),
            prefixes: prefixes(&self.app.base_urls).into(),
        };
        let fulfilling = tokio::spawn(fulfil_promises(Arc::clone(&self.app)));
        let places = Arc::new(Semaphore::new(CONNECTIONS));
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
            let (Ok((stream, _)), Ok(place)) = (accepted, place) else {
                // Out of file handles: those that end give some back.
                tokio::time::sleep(Duration::from_millis(20)).await;
                continue;
            };
            // Answers are small and waited for.
            let _ = stream.set_nodelay(true);
            let (service, tls, watcher) = (service.clone(), self.tls.clone(), graceful.watcher());
            tokio::spawn(async move {
                match tls {
                    None => answer(stream, service, watcher).await,
                    Some(tls) => {
                        if let Ok(Ok(stream)) = tokio::time::timeout(HEAD_WITHIN, tls.accept(stream)).await {
                            answer(stream, service, watcher).await;
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

async fn answer<S: AsyncRead + AsyncWrite + Unpin + 'static>(
    stream: S,
    service: Plain,
    watcher: hyper_util::server::graceful::Watcher,
) {
    let service = TowerToHyperService::new(service);
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_WITHIN)
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
