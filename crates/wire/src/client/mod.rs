//! The HTTP client.
//!
//! Hyper's own client, not `reqwest`: that one puts every URL through WHATWG normalisation, so that
//! `/a/../b` and `/%2e%2e/b` never reach the provider as the contract has them; it adds `Accept: */*`; and it hides which
//! step failed behind one sentence.

mod connect;
mod error;
mod fetch;
mod proxies;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use contract_model::is_secret;
use http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, LOCATION, PROXY_AUTHORIZATION};
use http::{HeaderMap, HeaderName, Method, Request, Response, StatusCode, Uri};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper_util::client::legacy;
use hyper_util::client::legacy::connect::capture_connection;
use hyper_util::rt::{TokioExecutor, TokioTimer};

pub use error::{RequestError, RequestErrorKind, seconds};
pub use fetch::{FetchError, Fetched, check_url};
pub use proxies::Proxies;

use crate::url::resolve;
use crate::{SettingsError, Tls, coding, read_body, redact};
use connect::{Connector, Uses};

/// How long a connection is kept for the next request. Below the 5 s after which Node's server closes one: a request that
/// is sent at that very moment would be lost.
const IDLE: Duration = Duration::from_secs(3);

/// How connections are made, and how much of an answer is read.
#[derive(Clone, Debug)]
pub struct ClientOptions {
    /// Certificates.
    pub tls: Tls,
    /// Proxies; never used for this machine's own addresses.
    pub proxies: Proxies,
    /// For name look-up, connection and TLS handshake.
    pub connect_timeout: Duration,
    /// Which version of HTTP is spoken.
    pub http: HttpVersion,
    /// Most bytes of a response body, before and after decompression.
    pub body_limit: usize,
}

impl Default for ClientOptions {
    /// No proxies, 5 s to connect, HTTP/2 where TLS negotiates it, bodies up to 64 MiB.
    fn default() -> Self {
        Self {
            tls: Tls::default(),
            proxies: Proxies::default(),
            connect_timeout: Duration::from_secs(5),
            http: HttpVersion::default(),
            body_limit: 64 * 1024 * 1024,
        }
    }
}

/// Which version of HTTP is spoken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HttpVersion {
    /// HTTP/1.1 without TLS; with TLS, HTTP/2 where the provider agrees.
    #[default]
    Negotiated,
    /// HTTP/1.1.
    Http1,
    /// HTTP/2, without TLS by prior knowledge.
    Http2,
}

type Pool = legacy::Client<Connector, Full<Bytes>>;

/// An HTTP client that keeps connections alive. Clones share them.
#[derive(Clone)]
pub struct Client(Arc<Inner>);

struct Inner {
    connector: Connector,
    options: ClientOptions,
    pool: Mutex<Pool>,
}

/// A request to send.
pub struct Outgoing {
    /// The method.
    pub method: Method,
    /// The whole URL.
    pub uri: Uri,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: Bytes,
    /// Headers that may hold credentials although their names do not say so.
    pub confidential: Vec<HeaderName>,
}

/// How redirects are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Redirects {
    /// How many; 0 takes them as answers.
    pub most: usize,
    /// Whether headers that hold credentials are sent to another scheme, host or port.
    pub with_credentials: bool,
}

impl Redirects {
    /// So many; credentials stay with the host that they are for.
    pub const fn up_to(most: usize) -> Self {
        Self {
            most,
            with_credentials: false,
        }
    }
}

/// An answer, read to its end and decompressed.
pub struct Answer {
    /// The status.
    pub status: u16,
    /// The headers, as they came.
    pub headers: HeaderMap,
    /// The body.
    pub body: Bytes,
}

impl Default for Client {
    fn default() -> Self {
        Self::new(ClientOptions::default()).expect("the defaults hold nothing that could be wrong")
    }
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Client").field(&self.0.options).finish()
    }
}

impl Client {
    /// Makes a client. Fails when a certificate or a key cannot be used.
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

    /// Lets go of idle connections, so that a provider can stop at once.
    pub fn close_idle(&self) {
        let fresh = pool(&self.0.connector, self.0.options.http);
        *self.0.pool.lock().unwrap_or_else(PoisonError::into_inner) = fresh;
    }

    fn pool(&self) -> Pool {
        self.0.pool.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Sends a request and reads the answer, all within the time.
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

    /// Sends a request that may go again. A kept connection may have been closed by the other side in the meantime; safe
    /// requests are then sent once more.
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
                        redact::redacted_uri(&request.uri),
                        response.status()
                    );
                    return Ok(response);
                }
                Err(error) if reused && request.method.is_safe() && error::is_cut(&error) => {
                    tracing::debug!(
                        "{} was closed in the meantime; asking again",
                        redact::origin(&request.uri)
                    );
                }
                Err(error) => return Err(RequestError::request(&request.uri, &error)),
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
        let body = coding::decode(body, parts.headers.get_all(CONTENT_ENCODING), limit)
            .map_err(|problem| RequestError::decoding(&request.uri, limit, problem))?;
        Ok(Answer {
            status: parts.status.as_u16(),
            headers: parts.headers,
            body,
        })
    }
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

/// The request that a redirect asks for (RFC 9110 section 15.4).
fn redirect(request: &mut Outgoing, status: StatusCode, to: Uri, with_credentials: bool) {
    let becomes_get = match status.as_u16() {
        301 | 302 => request.method == Method::POST,
        303 => request.method != Method::HEAD && request.method != Method::GET,
        _ => false,
    };
    if becomes_get {
        request.method = Method::GET;
        request.body = Bytes::new();
        request.headers.remove(CONTENT_TYPE);
        request.headers.remove(CONTENT_LENGTH);
        request.headers.remove(CONTENT_ENCODING);
    }
    if to.scheme() != request.uri.scheme() || to.authority() != request.uri.authority() {
        request.headers.remove(http::header::HOST);
        if !with_credentials {
            drop_credentials(request);
        }
    }
    request.uri = to;
}

/// What tells another host who asks was not meant for it.
fn drop_credentials(request: &mut Outgoing) {
    let named: Vec<HeaderName> = request
        .headers
        .keys()
        .filter(|name| is_secret(name.as_str()))
        .cloned()
        .collect();
    for name in named.iter().chain(&request.confidential) {
        request.headers.remove(name);
    }
}
