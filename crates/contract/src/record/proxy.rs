//! A proxy that forwards requests to a provider and records them.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use contract_mock_server::{BoxFuture, Handler, MockServer, Reply};
use contract_model::Query;
use contract_pipeline::Environment;
use contract_recording::Exchange;
use contract_wire::{BaseUrl, Client, ClientOptions, Outgoing, Redirects, decode_headers, parse_query};
use http::header::{CONTENT_TYPE, HOST, HeaderMap, HeaderValue, LOCATION};
use http::request::Parts;
use http::{HeaderName, StatusCode};
use http_body_util::Full;

use super::{RecordOptions, RecordedContract};
use crate::failure::Failure;
use crate::listen::ListenOptions;
use contract_call::error::{ArgumentError, OPTIONS};

/// Maximum number of recorded exchanges.
const MAX_EXCHANGES: usize = 10_000;
/// Maximum total size of the recorded bodies in bytes.
const MAX_BYTES: usize = 256 << 20;

/// Headers that concern one connection (RFC 9110, section 7.6.1), or that the HTTP client or server sets itself. They
/// are not forwarded.
const HOP_BY_HOP: [&str; 11] = [
    "connection",
    "content-length",
    "expect",
    "http2-settings",
    "keep-alive",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// Options for a recording proxy.
#[derive(Clone, Debug)]
pub struct ProxyOptions {
    /// Base URL of the provider, such as `http://127.0.0.1:8080/api`. The proxy appends the paths of requests to it.
    pub target: String,
    /// Timeout for a request to the provider.
    pub timeout: Duration,
    /// True to accept every TLS certificate of the provider.
    pub insecure: bool,
    /// Environment variables, for additional CA certificates and proxies.
    pub environment: Environment,
}

/// A running recording proxy.
#[derive(Debug)]
pub struct RecordingProxy {
    server: MockServer,
    proxy: Arc<Proxy>,
    options: contract_recording::Options,
    target: String,
}

#[derive(Debug)]
struct Proxy {
    client: Client,
    target: BaseUrl,
    timeout: Duration,
    body_limit: usize,
    recorded: Mutex<Recorded>,
    /// Number of exchanges that were not recorded because a maximum was reached.
    dropped: AtomicUsize,
    url: OnceLock<String>,
}

#[derive(Debug, Default)]
struct Recorded {
    exchanges: Vec<Exchange>,
    bytes: usize,
}

impl RecordingProxy {
    /// Starts the proxy. It connects to the provider only when it forwards a request.
    pub async fn start(proxy: ProxyOptions, listen: &ListenOptions, options: &RecordOptions) -> Result<Self, Failure> {
        let invalid = |problem: String| ArgumentError::new(OPTIONS, problem).for_argument("target");
        let options = options.options()?;
        let target = BaseUrl::parse(&proxy.target).map_err(|error| invalid(error.to_string()))?;
        let mut client = ClientOptions {
            proxies: proxy.environment.proxies(),
            ..ClientOptions::default()
        };
        client.tls.insecure = proxy.insecure || proxy.environment.skips_certificates();
        client.tls.more = proxy.environment.authorities(&mut Vec::new());
        let name = target.to_string();
        let handler = Arc::new(Proxy {
            client: Client::new(client).map_err(|error| invalid(error.to_string()))?,
            target,
            timeout: proxy.timeout,
            body_limit: options.body_limit,
            recorded: Mutex::default(),
            dropped: AtomicUsize::new(0),
            url: OnceLock::new(),
        });
        let server = MockServer::start_handler(Arc::clone(&handler) as _, listen.server_options()).await?;
        handler.url.get_or_init(|| server.url().to_owned());
        Ok(Self {
            server,
            proxy: handler,
            options,
            target: name,
        })
    }

    /// Returns the base URL of the proxy.
    pub fn url(&self) -> &str {
        self.server.url()
    }

    /// Returns the base URL of the provider, without credentials.
    pub fn target(&self) -> &str {
        &self.target
    }

    /// Returns, in PEM format, the CA certificate that clients must trust. Returns `None` unless the certificate was
    /// created for this server.
    pub fn ca_certificate(&self) -> Option<&str> {
        self.server.ca_certificate()
    }

    /// Stops the proxy. Returns the contract, and the number of exchanges that were not recorded because there were
    /// more than 10,000 of them or more than 256 MiB of bodies.
    pub async fn stop(self) -> (RecordedContract, usize) {
        self.server.stop().await;
        let mut recorded = self.proxy.recorded.lock().unwrap_or_else(PoisonError::into_inner);
        let exchanges = std::mem::take(&mut recorded.exchanges);
        let contract = RecordedContract::new(exchanges, &self.options);
        (contract, self.proxy.dropped.load(Relaxed))
    }
}

impl Handler for Proxy {
    fn handle(&self, parts: Parts, body: Bytes) -> BoxFuture<'_, Reply> {
        Box::pin(self.forward(parts, body))
    }
}

impl Proxy {
    async fn forward(&self, parts: Parts, body: Bytes) -> Reply {
        let mut exchange = Exchange {
            method: parts.method.as_str().into(),
            path: parts.uri.path().into(),
            query: parts.uri.query().map_or_else(Query::new, parse_query),
            request_headers: decode_headers(&parts.headers),
            request_body: body.clone(),
            ..Exchange::default()
        };
        match self.send(&parts, body).await {
            Ok(answer) => {
                exchange.status = answer.status;
                let mut headers = answer.headers;
                remove_connection_headers(&mut headers);
                // The client has decompressed the body.
                headers.remove("content-encoding");
                exchange.response_headers = decode_headers(&headers);
                // Bodies above the limit are omitted later. Keep one byte more than the limit, to recognize them.
                let kept = answer.body.len().min(self.body_limit.saturating_add(1));
                exchange.response_body = answer.body.slice(..kept);
                self.record(exchange);
                self.redirect_to_proxy(&mut headers);
                let mut reply = http::Response::new(Full::new(answer.body));
                *reply.status_mut() = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::BAD_GATEWAY);
                *reply.headers_mut() = headers;
                reply
            }
            Err(problem) => {
                let problem = contract_report::redact::text(&problem).into_owned();
                tracing::warn!(target: "contract::record", "{problem}");
                let document = serde_json::json!({
                    "type": "urn:contract:provider-unreachable", "title": "The provider did not respond",
                    "status": 502, "detail": problem,
                });
                exchange.problem = Some(problem);
                self.record(exchange);
                let mut reply = http::Response::new(Full::new(Bytes::from(document.to_string())));
                *reply.status_mut() = StatusCode::BAD_GATEWAY;
                let kind = HeaderValue::from_static("application/problem+json");
                reply.headers_mut().insert(CONTENT_TYPE, kind);
                reply
            }
        }
    }

    async fn send(&self, parts: &Parts, body: Bytes) -> Result<contract_wire::Answer, String> {
        let uri = self
            .target
            .join(parts.uri.path(), parts.uri.query().unwrap_or_default())
            .map_err(|error| format!("the request target is invalid: {error}"))?;
        let mut headers = parts.headers.clone();
        remove_connection_headers(&mut headers);
        headers.remove(HOST);
        // The client decompresses these, so that bodies can be recorded.
        headers.insert("accept-encoding", HeaderValue::from_static("gzip, deflate, br"));
        if let Some(credentials) = self.target.credentials() {
            headers.entry("authorization").or_insert_with(|| credentials.clone());
        }
        let outgoing = Outgoing {
            method: parts.method.clone(),
            uri,
            headers,
            body,
            confidential: Vec::new(),
        };
        let answer = self.client.send(outgoing, Redirects::up_to(0), self.timeout).await;
        answer.map_err(|error| error.to_string())
    }

    fn record(&self, exchange: Exchange) {
        let size = exchange.request_body.len() + exchange.response_body.len();
        let mut recorded = self.recorded.lock().unwrap_or_else(PoisonError::into_inner);
        if recorded.exchanges.len() >= MAX_EXCHANGES || recorded.bytes + size > MAX_BYTES {
            self.dropped.fetch_add(1, Relaxed);
            return;
        }
        recorded.bytes += size;
        recorded.exchanges.push(exchange);
    }

    /// If a response redirects to the provider, replaces the provider's base URL in `Location` with the proxy's URL.
    fn redirect_to_proxy(&self, headers: &mut HeaderMap) {
        let target = self.target.to_string();
        let location = headers.get(LOCATION).and_then(|value| value.to_str().ok());
        let rest = location.and_then(|location| location.strip_prefix(target.as_str()));
        if let (Some(rest), Some(url)) = (
            rest.filter(|rest| rest.is_empty() || rest.starts_with('/')),
            self.url.get(),
        ) && let Ok(changed) = HeaderValue::from_str(&format!("{url}{rest}"))
        {
            headers.insert(LOCATION, changed);
        }
    }
}

/// Removes the headers that concern one connection, including those that `Connection` lists.
fn remove_connection_headers(headers: &mut HeaderMap) {
    let listed_headers: Vec<HeaderName> = headers
        .get_all("connection")
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(|name| name.trim().parse().ok())
        .collect();
    for name in listed_headers {
        headers.remove(name);
    }
    for name in HOP_BY_HOP {
        headers.remove(name);
    }
}
