//! An HTTP client that sends requests unchanged.
//!
//! This client is based on hyper and not on `reqwest`. `reqwest` normalizes URLs as defined by WHATWG (so that
//! `/a/../b` and `/%2e%2e/b` would not reach the provider unchanged), adds `Accept: */*`, and does not report which
//! step failed.

mod connect;
mod error;
mod fetch;
mod options;
mod proxies;
mod request;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use http::header::{CONTENT_ENCODING, LOCATION, PROXY_AUTHORIZATION};
use http::{HeaderMap, Request, Response, StatusCode, Uri};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper_util::client::legacy;
use hyper_util::client::legacy::connect::capture_connection;
use hyper_util::rt::{TokioExecutor, TokioTimer};

pub use error::{RequestError, RequestErrorKind, seconds};
pub use fetch::{FetchError, Fetched, check_url};
pub use options::ClientOptions;
pub use proxies::{Proxies, ProxyRules};
pub use request::{Answer, Outgoing, Redirects};

use crate::url::resolve;
use crate::{HttpVersion, SettingsError, coding, read_body, redact};
use connect::{Connector, Uses};
use request::redirect;

/// Time after which idle connections are closed. It is shorter than the 5 s of a Node.js server, because a request
/// fails if it is sent while the server closes the connection.
const IDLE: Duration = Duration::from_secs(3);

type Pool = legacy::Client<Connector, Full<Bytes>>;

/// An HTTP client with a connection pool. Clones share the pool.
#[derive(Clone)]
pub struct Client(Arc<Inner>);

struct Inner {
    connector: Connector,
    options: ClientOptions,
    pool: Mutex<Pool>,
}

impl Default for Client {
    fn default() -> Self {
        Self::new(ClientOptions::default()).expect("the defaults are valid")
    }
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Client").field(&self.0.options).finish()
    }
}

impl Client {
    /// Fails if a certificate or key is invalid, or if the connect timeout is zero.
    pub fn new(options: ClientOptions) -> Result<Self, SettingsError> {
        if options.connect_timeout.is_zero() {
            return Err(SettingsError::Zero {
                what: "the connect timeout",
            });
        }
        let connector = Connector::new(&options)?;
        let pool = Mutex::new(pool(&connector, options.http));
        Ok(Self(Arc::new(Inner {
            connector,
            options,
            pool,
        })))
    }

    /// Closes idle connections, so that a provider can stop immediately.
    pub fn close_idle(&self) {
        let fresh = pool(&self.0.connector, self.0.options.http);
        *self.0.pool.lock().unwrap_or_else(PoisonError::into_inner) = fresh;
    }

    fn pool(&self) -> Pool {
        self.0.pool.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Sends a request, follows redirects, and reads the response. The timeout covers all steps together.
    pub async fn send(
        &self,
        request: Outgoing,
        redirects: Redirects,
        timeout: Duration,
    ) -> Result<Answer, RequestError> {
        let first = request.uri.clone();
        tokio::time::timeout(timeout, self.follow(request, redirects))
            .await
            .unwrap_or_else(|_| Err(RequestError::timeout(&first, timeout)))
    }

    async fn follow(&self, mut request: Outgoing, redirects: Redirects) -> Result<Answer, RequestError> {
        let mut trail = Vec::new();
        loop {
            let response = self.exchange(&request).await?;
            let next = match response.headers().get(LOCATION) {
                Some(location) if redirects.most > 0 && is_redirect(response.status()) => location.clone(),
                _ => return self.read(&request, response).await,
            };
            trail.push(request.uri.clone());
            if trail.len() > redirects.most {
                return Err(RequestError::redirects(&trail, redirects.most));
            }
            let next = next
                .to_str()
                .ok()
                .and_then(|location| resolve(&request.uri, location))
                .ok_or_else(|| RequestError::location(&request.uri, &next))?;
            redirect(&mut request, response.status(), next, redirects.with_credentials);
        }
    }

    /// Sends a request. If the server closed the idle connection in the meantime, a request with a safe method, such as
    /// GET, is sent again.
    async fn exchange(&self, request: &Outgoing) -> Result<Response<Incoming>, RequestError> {
        loop {
            let mut message = self.message(request)?;
            let connection = capture_connection(&mut message);
            let result = self.pool().request(message).await;
            let reused = connection.connection_metadata().as_ref().is_some_and(Uses::count);
            match result {
                Ok(response) => {
                    tracing::debug!(
                        "{} {}: {}",
                        request.method,
                        redact::redact_uri(&request.uri),
                        response.status()
                    );
                    return Ok(response);
                }
                Err(error) if reused && request.method.is_safe() && error::is_cut(&error) => {
                    tracing::debug!("{} closed an idle connection; retrying", redact::origin(&request.uri));
                }
                Err(error) => return Err(RequestError::request(&request.uri, &error, "provider")),
            }
        }
    }

    fn message(&self, request: &Outgoing) -> Result<Request<Full<Bytes>>, RequestError> {
        let mut message = Request::new(Full::new(request.body.clone()));
        *message.method_mut() = request.method.clone();
        *message.uri_mut() = request.uri.clone();
        *message.headers_mut() = request.headers.clone();
        if let Some(credentials) = self.0.connector.proxy_credentials(&request.uri) {
            message.headers_mut().entry(PROXY_AUTHORIZATION).or_insert(credentials);
        }
        if request.uri.authority().is_none() {
            return Err(RequestError::invalid(&request.uri, "the URL has no host"));
        }
        Ok(message)
    }

    async fn read(&self, request: &Outgoing, response: Response<Incoming>) -> Result<Answer, RequestError> {
        let limit = self.0.options.body_limit;
        let (parts, mut body) = response.into_parts();
        let body = read_body(&mut body, limit)
            .await
            .map_err(|error| RequestError::body(&request.uri, &error))?;
        let body = decompressed(&request.uri, &parts.headers, body, limit)?;
        Ok(Answer {
            status: parts.status.as_u16(),
            headers: parts.headers,
            body,
        })
    }
}

/// Decompresses a body with the encodings gzip, deflate, or br. Fails if the result is larger than `limit` bytes.
pub fn decompressed(uri: &Uri, headers: &HeaderMap, body: Bytes, limit: usize) -> Result<Bytes, RequestError> {
    coding::decode(body, headers.get_all(CONTENT_ENCODING), limit)
        .map_err(|problem| RequestError::decoding(uri, limit, problem))
}

fn pool(connector: &Connector, version: HttpVersion) -> Pool {
    legacy::Client::builder(TokioExecutor::new())
        .pool_idle_timeout(IDLE)
        .pool_timer(TokioTimer::new())
        .timer(TokioTimer::new())
        .http2_only(version == HttpVersion::Http2)
        .build(connector.clone())
}

fn is_redirect(status: StatusCode) -> bool {
    matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308)
}
