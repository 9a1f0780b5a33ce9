//! HTTP requests with retries, redirects, and limits.
//!
//! Uses reqwest; TLS settings, proxies, and error messages come from `contract-wire`.

use std::sync::{Arc, OnceLock};
use std::time::{Duration, SystemTime};

use bytes::{Bytes, BytesMut};
use contract_wire::{
    ClientTls, HttpVersion, Proxies, ProxyRules, RequestError, RequestErrorKind, Tls, decompressed, header_name,
    header_value, redact_url, seconds, without_credentials,
};
use http::header::{ACCEPT, ACCEPT_ENCODING, CONTENT_TYPE, LOCATION};
use http::{HeaderMap, HeaderValue, Method, Uri};
use reqwest::Url;

use crate::credentials::Credentials;
use crate::error::{BrokerError, BrokerErrorKind};
use crate::retry::{self, Retries};
use crate::secrets::Secrets;

const MAX_REDIRECTS: usize = 10;
const MAX_HEADERS: usize = 1_000;
/// Maximum number of bytes to allocate before a response body is read, because `Content-Length` can be wrong.
const SET_ASIDE: usize = 1 << 20;

#[derive(Clone, Debug)]
pub struct TransportOptions {
    /// What error messages call the server: `broker` or `server`.
    pub server_name: &'static str,
    pub tls: Tls,
    /// Proxies to use, except for local addresses such as `localhost`.
    pub proxies: Proxies,
    /// Timeout for DNS lookup, connection, and TLS handshake. Default: 10 s.
    pub connect_timeout: Duration,
    /// Timeout for one attempt, including the response body. Default: 60 s.
    pub timeout: Duration,
    pub retries: Retries,
    /// Maximum size of a response body in bytes, both before and after decompression. Default: 64 MiB.
    pub body_limit: usize,
}

impl Default for TransportOptions {
    fn default() -> Self {
        Self {
            server_name: "server",
            tls: Tls::default(),
            proxies: Proxies::default(),
            connect_timeout: Duration::from_secs(10),
            timeout: Duration::from_secs(60),
            retries: Retries::default(),
            body_limit: 64 * 1024 * 1024,
        }
    }
}

/// An HTTP client with a connection pool. Clones share the pool.
#[derive(Clone)]
pub struct Transport(Arc<Inner>);

struct Inner {
    plain: reqwest::Client,
    /// Created for the first `https` URL, because reading the system's certificates takes time.
    secure: OnceLock<Result<reqwest::Client, ClientError>>,
    tls: ClientTls,
    options: TransportOptions,
}

/// The reason why no client for `https` URLs could be created, for example invalid TLS settings.
type ClientError = Box<dyn std::error::Error + Send + Sync>;

impl std::fmt::Debug for Transport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Transport").field(&self.0.options).finish()
    }
}

/// A complete response with a decompressed body. Its status can be an error status.
#[derive(Clone, Debug)]
pub struct Response {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Bytes,
    /// URL of the response after redirects, without credentials.
    pub url: String,
}

impl Response {
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }
}

#[derive(Clone)]
pub(crate) struct OutgoingRequest {
    pub(crate) method: Method,
    pub(crate) url: Url,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    /// True if the request can be retried even if the server may have processed it.
    pub(crate) is_repeatable: bool,
    /// Names of the headers to remove when a redirect leads to another origin.
    pub(crate) confidential: Vec<http::HeaderName>,
    /// Secrets to redact in error messages and logged URLs.
    pub(crate) secrets: Secrets,
}

impl OutgoingRequest {
    /// Returns the URL for messages, without credentials and secrets.
    pub(crate) fn display_url(&self) -> String {
        self.secrets.redact(&display_url(&self.url)).into_owned()
    }
}

/// The reason why a request got no usable response.
struct SendFailure {
    error: BrokerError,
    /// True if another attempt may succeed, for example after a lost connection.
    is_temporary_failure: bool,
    /// True if the server may have received and processed the request.
    may_be_processed: bool,
    is_refused: bool,
}

impl Transport {
    /// Creates a client. Returns an error if a configured certificate or key is invalid.
    pub fn new(options: TransportOptions) -> Result<Self, BrokerError> {
        let settings = |text: String| BrokerError::new(BrokerErrorKind::Settings, text);
        let tls = ClientTls::new(&options.tls, HttpVersion::Http1).map_err(|error| settings(error.to_string()))?;
        let unused = tls.unused_config().map_err(|error| settings(error.to_string()))?;
        let plain = build(&options, unused).map_err(|error| settings(error.to_string()))?;
        Ok(Self(Arc::new(Inner {
            plain,
            secure: OnceLock::new(),
            tls,
            options,
        })))
    }

    pub(crate) fn timeout(&self) -> Duration {
        self.0.options.timeout
    }

    pub(crate) fn body_limit(&self) -> usize {
        self.0.options.body_limit
    }

    /// Fetches an `http` or `https` URL, and returns the response even if its status is an error status. Credentials in
    /// the URL are used. If a redirect leads to another origin, only the `Accept` header is sent there.
    pub async fn get(&self, url: &str, headers: &[(String, String)]) -> Result<Response, BrokerError> {
        let mut request = OutgoingRequest {
            method: Method::GET,
            url: parse(url)?,
            headers: HeaderMap::new(),
            body: Bytes::new(),
            is_repeatable: true,
            confidential: Vec::new(),
            secrets: Secrets::default(),
        };
        for (name, value) in custom_headers(headers)? {
            if name != ACCEPT {
                request.confidential.push(name.clone());
            }
            request.headers.append(name, value);
        }
        request.secrets = Secrets::new(&Credentials::None, &request.headers);
        self.send(request).await
    }

    /// Sends a request, follows redirects, and retries the request after a temporary failure.
    pub(crate) async fn send(&self, request: OutgoingRequest) -> Result<Response, BrokerError> {
        let secrets = request.secrets.clone();
        let outcome = self.send_with_retries(request).await;
        outcome.map_err(|error| secrets.redact_error(error))
    }

    async fn send_with_retries(&self, request: OutgoingRequest) -> Result<Response, BrokerError> {
        let retries = self.0.options.retries;
        let mut attempts = 0;
        loop {
            attempts += 1;
            let outcome = self.follow(request.clone()).await;
            let max_retries = match &outcome {
                Err(failure) if failure.is_refused => retries.refused,
                _ => retries.count,
            };
            let is_last = attempts > max_retries;
            let (requested, reason) = match &outcome {
                Ok(response) if retry::is_retryable(response.status, request.is_repeatable) => (
                    retry::retry_after(&response.headers, SystemTime::now()),
                    format!("status {}", response.status),
                ),
                Ok(_) => return outcome.map_err(|failure| failure.error),
                Err(failure)
                    if failure.is_temporary_failure && (request.is_repeatable || !failure.may_be_processed) =>
                {
                    (None, failure.error.message().to_owned())
                }
                Err(_) => return outcome.map_err(|failure| with_attempts(failure, &request, attempts)),
            };
            if let Some(requested) = requested.filter(|requested| *requested > retries.longest_delay) {
                return Err(self.too_long(&request, requested));
            }
            if is_last {
                return outcome.map_err(|failure| with_attempts(failure, &request, attempts));
            }
            let delay = requested.unwrap_or_else(|| retries.delay(attempts, fastrand::f64()));
            tracing::info!(
                "{} {}: {reason}. Retrying in {} ms (retry {attempts} of {max_retries})",
                request.method,
                request.display_url(),
                delay.as_millis()
            );
            tokio::time::sleep(delay).await;
        }
    }

    fn too_long(&self, request: &OutgoingRequest, requested: Duration) -> BrokerError {
        let message = format!(
            "{} {}: the {} requested a delay of {} before the next attempt",
            request.method,
            request.display_url(),
            self.0.options.server_name,
            seconds(requested)
        );
        BrokerError::new(BrokerErrorKind::Failed, message).with_advice("try again after this delay")
    }

    async fn follow(&self, mut request: OutgoingRequest) -> Result<Response, SendFailure> {
        for _ in 0..=MAX_REDIRECTS {
            let response = self.once(&request).await?;
            let next = match response.headers.get(LOCATION) {
                Some(location) if matches!(response.status, 301 | 302 | 303 | 307 | 308) => location.to_str().ok(),
                _ => return Ok(response),
            };
            let next = next
                .and_then(|location| request.url.join(location).ok())
                .filter(|url| matches!(url.scheme(), "http" | "https"));
            let Some(next) = next else {
                return Err(SendFailure::permanent(BrokerError::not_a_broker(
                    &request.display_url(),
                    "it redirects to an invalid URL",
                )));
            };
            redirect(&mut request, response.status, next);
        }
        Err(SendFailure::permanent(BrokerError::not_a_broker(
            &request.display_url(),
            &format!("more than {MAX_REDIRECTS} redirects"),
        )))
    }

    async fn once(&self, request: &OutgoingRequest) -> Result<Response, SendFailure> {
        let uri = uri_of(&request.url).map_err(SendFailure::permanent)?;
        let client = self.client(&request.url).map_err(SendFailure::permanent)?;
        let mut builder = client
            .request(request.method.clone(), request.url.clone())
            .headers(request.headers.clone());
        if !request.headers.contains_key(ACCEPT_ENCODING) {
            builder = builder.header(ACCEPT_ENCODING, "gzip, deflate, br");
        }
        if !request.body.is_empty() {
            builder = builder.body(request.body.clone());
        }
        let limit = self.0.options.timeout;
        let response = tokio::time::timeout(limit, self.read(builder, request, &uri)).await;
        let response = response.unwrap_or_else(|elapsed| {
            let error = RequestError::from_error(&uri, &elapsed, self.0.options.server_name, limit);
            Err(SendFailure {
                error: BrokerError::from_request(&error),
                is_temporary_failure: false,
                may_be_processed: true,
                is_refused: false,
            })
        });
        if let Ok(response) = &response {
            tracing::debug!("{} {}: {}", request.method, request.display_url(), response.status);
        }
        response
    }

    async fn read(
        &self,
        builder: reqwest::RequestBuilder,
        request: &OutgoingRequest,
        uri: &Uri,
    ) -> Result<Response, SendFailure> {
        let limit = self.0.options.body_limit;
        let mut response = builder.send().await.map_err(|error| self.failure(uri, &error))?;
        let announced = response.content_length().unwrap_or_default();
        let too_large =
            || SendFailure::permanent(BrokerError::from_request(&RequestError::response_too_large(uri, limit)));
        let announced = usize::try_from(announced).map_err(|_| too_large())?;
        if announced > limit {
            return Err(too_large());
        }
        let mut body = BytesMut::with_capacity(announced.min(SET_ASIDE));
        while let Some(chunk) = response.chunk().await.map_err(|error| self.failure(uri, &error))? {
            if body.len() + chunk.len() > limit {
                return Err(too_large());
            }
            body.extend_from_slice(&chunk);
        }
        let body = decompressed(uri, response.headers(), body.freeze(), limit)
            .map_err(|error| SendFailure::permanent(BrokerError::from_request(&error)))?;
        Ok(Response {
            status: response.status().as_u16(),
            headers: std::mem::take(response.headers_mut()),
            body,
            url: without_credentials(request.url.as_str()),
        })
    }

    fn failure(&self, uri: &Uri, error: &reqwest::Error) -> SendFailure {
        let (origin, after) = if error.is_connect() {
            (self.0.options.server_name, self.0.options.connect_timeout)
        } else {
            (self.0.options.server_name, self.0.options.timeout)
        };
        let request_error = RequestError::from_error(uri, error, origin, after);
        let is_broken = matches!(
            request_error.kind(),
            RequestErrorKind::Connect | RequestErrorKind::Closed
        );
        SendFailure {
            is_temporary_failure: is_broken && (!error.is_dns() || is_temporary(error)),
            may_be_processed: !error.is_connect(),
            is_refused: is_refused(error),
            error: BrokerError::from_request(&request_error),
        }
    }

    fn client(&self, url: &Url) -> Result<&reqwest::Client, BrokerError> {
        if url.scheme() != "https" {
            return Ok(&self.0.plain);
        }
        let secure = self.0.secure.get_or_init(|| {
            let config = self.0.tls.config()?;
            Ok(build(&self.0.options, config)?)
        });
        secure
            .as_ref()
            .map_err(|error| BrokerError::new(BrokerErrorKind::Tls, format!("the TLS settings are invalid: {error}")))
    }
}

impl SendFailure {
    fn permanent(error: BrokerError) -> Self {
        Self {
            error,
            is_temporary_failure: false,
            may_be_processed: true,
            is_refused: false,
        }
    }
}

/// Adds the number of attempts to the message. If a write may have been processed although the response was lost, the
/// advice warns about that.
fn with_attempts(mut failure: SendFailure, request: &OutgoingRequest, attempts: u32) -> BrokerError {
    if attempts > 1 {
        let message = format!("{} (tried {attempts} times)", failure.error.message());
        failure.error = failure.error.with_message(message);
    }
    if failure.may_be_processed && !request.is_repeatable && failure.error.kind() == BrokerErrorKind::Unreachable {
        return failure
            .error
            .with_advice("the broker may have processed the request. Check before you retry");
    }
    failure.error
}

fn build<C: std::any::Any>(options: &TransportOptions, config: C) -> reqwest::Result<reqwest::Client> {
    let rules = ProxyRules::new(&options.proxies);
    let proxy = reqwest::Proxy::custom(move |url| rules.proxy_url(&url.as_str().parse().ok()?));
    reqwest::Client::builder()
        .tls_backend_preconfigured(config)
        .user_agent(concat!("contract/", env!("CARGO_PKG_VERSION")))
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(options.connect_timeout)
        .tcp_nodelay(true)
        .no_proxy()
        .proxy(proxy)
        .retry(reqwest::retry::never())
        .build()
}

fn causes(error: &reqwest::Error) -> impl Iterator<Item = &(dyn std::error::Error + 'static)> {
    std::iter::successors(Some(error as &(dyn std::error::Error + 'static)), |error| {
        error.source()
    })
}

/// Returns true if a name server reported that the DNS lookup may succeed later.
fn is_temporary(error: &reqwest::Error) -> bool {
    causes(error).any(|cause| {
        let text = cause.to_string();
        text.contains("emporary failure") || text.contains("ry again")
    })
}

fn is_refused(error: &reqwest::Error) -> bool {
    causes(error)
        .filter_map(|cause| cause.downcast_ref::<std::io::Error>())
        .any(|cause| cause.kind() == std::io::ErrorKind::ConnectionRefused)
}

/// Changes a request to follow a redirect to `next`. Status 303 changes the method to GET and removes the body. If
/// `next` has another origin, confidential headers are removed.
fn redirect(request: &mut OutgoingRequest, status: u16, next: Url) {
    if status == 303 {
        request.method = Method::GET;
        request.body = Bytes::new();
        request.headers.remove(CONTENT_TYPE);
    }
    if !stays(&request.url, &next) {
        for name in &request.confidential {
            request.headers.remove(name);
        }
    }
    request.url = next;
}

/// Returns true if credentials may be sent to the redirect target `to`: it has the same origin, or it is an upgrade
/// from http to https on the same host.
pub(crate) fn stays(from: &Url, to: &Url) -> bool {
    let is_upgrade = from.scheme() == "http" && to.scheme() == "https" && from.host() == to.host();
    from.origin() == to.origin() || is_upgrade
}

/// Parses a URL. Returns an error if its scheme is not `http` or `https`.
pub(crate) fn parse(text: &str) -> Result<Url, BrokerError> {
    let problem = match Url::parse(text.trim()) {
        Ok(url) if !matches!(url.scheme(), "http" | "https") => "only http and https are supported".to_owned(),
        Ok(url) => return Ok(url),
        Err(_) if !text.contains("://") => "it must start with http:// or https://".to_owned(),
        Err(error) => error.to_string(),
    };
    let message = format!("{:?} is not a URL: {problem}", redact_url(text));
    Err(BrokerError::new(BrokerErrorKind::Settings, message)
        .with_advice("use a URL such as https://broker.example.com"))
}

pub(crate) fn custom_headers(
    headers: &[(String, String)],
) -> Result<Vec<(http::HeaderName, HeaderValue)>, BrokerError> {
    let settings = |error: contract_wire::HeaderError| BrokerError::new(BrokerErrorKind::Settings, error.to_string());
    if headers.len() > MAX_HEADERS {
        let message = format!(
            "there are {} custom headers; the maximum is {MAX_HEADERS}",
            headers.len()
        );
        return Err(BrokerError::new(BrokerErrorKind::Settings, message));
    }
    headers
        .iter()
        .map(|(name, value)| {
            let mut value = header_value(name, value).map_err(settings)?;
            value.set_sensitive(true);
            Ok((header_name(name).map_err(settings)?, value))
        })
        .collect()
}

/// Returns the URL for messages, without credentials.
pub(crate) fn display_url(url: &Url) -> String {
    redact_url(url.as_str())
}

fn uri_of(url: &Url) -> Result<Uri, BrokerError> {
    let text = without_credentials(url.as_str());
    let text = text.split('#').next().unwrap_or_default();
    text.parse().map_err(|_| {
        let message = format!("{:?} is not a valid URL", redact_url(text));
        BrokerError::new(BrokerErrorKind::Settings, message)
    })
}
