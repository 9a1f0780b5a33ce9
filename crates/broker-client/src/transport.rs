//! Requests and answers over HTTP: retried, redirected, bounded.
//!
//! URLs, retries and redirects are those of an ordinary client; the connection below is that of `contract-wire`.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use contract_wire::{
    Client, ClientOptions, Outgoing, Proxies, Redirects, RequestError, Tls, header_name, header_value, seconds,
    shown_url, without_credentials,
};
use http::header::{ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, CONTENT_TYPE, LOCATION, USER_AGENT};
use http::{HeaderMap, HeaderValue, Method, Uri};
use percent_encoding::percent_decode_str;
use url::Url;

use crate::error::{BrokerError, BrokerErrorKind};
use crate::retry::{self, Retries};

/// Most redirects that are followed.
const MAX_REDIRECTS: usize = 10;

/// How connections are made, how long they may take, and how much of an answer is read.
#[derive(Clone, Debug)]
pub struct TransportOptions {
    /// What errors call the other side: `broker`, `server`.
    pub who: &'static str,
    /// Certificates.
    pub tls: Tls,
    /// Proxies; never used for this machine's own addresses.
    pub proxies: Proxies,
    /// For name look-up, connection and TLS handshake.
    pub connect_timeout: Duration,
    /// For one request and its whole answer.
    pub timeout: Duration,
    /// Whether and when a request is sent again.
    pub retries: Retries,
    /// Most bytes of an answer, before and after decompression.
    pub body_limit: usize,
}

impl Default for TransportOptions {
    /// 10 s to connect, a minute for an answer of up to 64 MiB, five retries.
    fn default() -> Self {
        Self {
            who: "server",
            tls: Tls::default(),
            proxies: Proxies::default(),
            connect_timeout: Duration::from_secs(10),
            timeout: Duration::from_secs(60),
            retries: Retries::default(),
            body_limit: 64 * 1024 * 1024,
        }
    }
}

/// An ordinary HTTP client that keeps its connections. Clones share them.
#[derive(Clone)]
pub struct Transport(Arc<Inner>);

struct Inner {
    client: Client,
    options: TransportOptions,
}

impl std::fmt::Debug for Transport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Transport").field(&self.0.options).finish()
    }
}

/// An answer, read to its end and decompressed, whatever its status.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: Bytes,
    /// The URL that answered, after redirects, without credentials.
    pub url: String,
}

impl Answer {
    /// Whether the status is one of success.
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }
}

/// A request to send.
#[derive(Clone)]
pub(crate) struct Ask {
    pub(crate) method: Method,
    pub(crate) url: Url,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    /// Whether sending it twice does the same as once.
    pub(crate) is_repeatable: bool,
    /// Headers that are for this origin alone.
    pub(crate) confidential: Vec<http::HeaderName>,
}

/// Why there is no answer.
struct Failure {
    error: BrokerError,
    /// Whether the same request may fare better a moment later.
    may_pass: bool,
    /// Whether the other side may have read the request.
    may_be_done: bool,
}

impl Transport {
    /// Makes a client. Fails when a certificate or a key cannot be used.
    pub fn new(options: TransportOptions) -> Result<Self, BrokerError> {
        let client = Client::new(ClientOptions {
            who: options.who,
            tls: options.tls.clone(),
            proxies: options.proxies.clone(),
            connect_timeout: options.connect_timeout,
            body_limit: options.body_limit,
            ..ClientOptions::default()
        });
        let client = client.map_err(|error| BrokerError::new(BrokerErrorKind::Settings, error.to_string()))?;
        Ok(Self(Arc::new(Inner { client, options })))
    }

    /// Reads what stands behind an http or https URL, whatever the status. Credentials in the URL are used; all headers but
    /// `Accept` are for its origin alone.
    pub async fn get(&self, url: &str, headers: &[(String, String)]) -> Result<Answer, BrokerError> {
        let mut ask = Ask {
            method: Method::GET,
            url: parse(url)?,
            headers: HeaderMap::new(),
            body: Bytes::new(),
            is_repeatable: true,
            confidential: Vec::new(),
        };
        for (name, value) in custom_headers(headers)? {
            if name != ACCEPT {
                ask.confidential.push(name.clone());
            }
            ask.headers.append(name, value);
        }
        self.send(ask).await
    }

    /// Sends a request until there is an answer that stays, or nothing more to hope for.
    pub(crate) async fn send(&self, ask: Ask) -> Result<Answer, BrokerError> {
        let retries = self.0.options.retries;
        let mut attempts = 0;
        loop {
            attempts += 1;
            let outcome = self.follow(ask.clone()).await;
            let is_last = attempts > retries.count;
            let (asked, why) = match &outcome {
                Ok(answer) if retry::may_change(answer.status, ask.is_repeatable) => (
                    retry::asked_delay(&answer.headers, SystemTime::now()),
                    format!("status {}", answer.status),
                ),
                Ok(_) => return outcome.map_err(|failure| failure.error),
                Err(failure) if failure.may_pass && (ask.is_repeatable || !failure.may_be_done) => {
                    (None, failure.error.what().to_owned())
                }
                Err(_) => return outcome.map_err(|failure| told(failure, &ask)),
            };
            if let Some(asked) = asked.filter(|asked| *asked > retries.longest_delay) {
                return Err(self.too_long(&ask, asked));
            }
            if is_last {
                return outcome.map_err(|failure| told(failure, &ask));
            }
            let delay = asked.unwrap_or_else(|| retries.delay(attempts, fastrand::f64()));
            tracing::info!(
                "{} {}: {why}; asking again in {} ms ({attempts} of {})",
                ask.method,
                shown(&ask.url),
                delay.as_millis(),
                retries.count
            );
            tokio::time::sleep(delay).await;
        }
    }

    fn too_long(&self, ask: &Ask, asked: Duration) -> BrokerError {
        let what = format!(
            "{} {}: the {} asks to come back after {}",
            ask.method,
            shown(&ask.url),
            self.0.options.who,
            seconds(asked)
        );
        BrokerError::new(BrokerErrorKind::Failed, what).with_advice("try again then")
    }

    async fn follow(&self, mut ask: Ask) -> Result<Answer, Failure> {
        for _ in 0..=MAX_REDIRECTS {
            let answer = self.once(&ask).await?;
            let next = match answer.headers.get(LOCATION) {
                Some(location) if matches!(answer.status, 301 | 302 | 303 | 307 | 308) => location.to_str().ok(),
                _ => return Ok(answer),
            };
            let next = next
                .and_then(|location| ask.url.join(location).ok())
                .filter(|url| matches!(url.scheme(), "http" | "https"));
            let Some(next) = next else {
                return Err(Failure::hopeless(BrokerError::not_a_broker(
                    &shown(&ask.url),
                    "it redirects to what is no URL that could be followed",
                )));
            };
            redirect(&mut ask, answer.status, next);
        }
        Err(Failure::hopeless(BrokerError::not_a_broker(
            &shown(&ask.url),
            &format!("it redirects more than {MAX_REDIRECTS} times"),
        )))
    }

    async fn once(&self, ask: &Ask) -> Result<Answer, Failure> {
        let outgoing = Outgoing {
            method: ask.method.clone(),
            uri: uri_of(&ask.url).map_err(Failure::hopeless)?,
            headers: headers(ask),
            body: ask.body.clone(),
            confidential: Vec::new(),
        };
        let sent = self
            .0
            .client
            .send(outgoing, Redirects::up_to(0), self.0.options.timeout);
        let answer = sent.await.map_err(|error| Failure::of(&error))?;
        Ok(Answer {
            status: answer.status,
            headers: answer.headers,
            body: answer.body,
            url: without_credentials(ask.url.as_str()),
        })
    }
}

/// The request's headers, with those that clients send unless they are told otherwise.
fn headers(ask: &Ask) -> HeaderMap {
    let mut headers = ask.headers.clone();
    for (name, value) in [
        (ACCEPT, "*/*"),
        (ACCEPT_ENCODING, "gzip, deflate, br"),
        (USER_AGENT, concat!("contract/", env!("CARGO_PKG_VERSION"))),
    ] {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
    if let Some(credentials) = credentials(&ask.url) {
        headers.entry(AUTHORIZATION).or_insert(credentials);
    }
    headers
}

/// Those that stand in the URL.
fn credentials(url: &Url) -> Option<HeaderValue> {
    if url.username().is_empty() && url.password().is_none() {
        return None;
    }
    let mut both: Vec<u8> = percent_decode_str(url.username()).collect();
    both.push(b':');
    both.extend(percent_decode_str(url.password().unwrap_or_default()));
    let mut value = HeaderValue::try_from(format!("Basic {}", BASE64_STANDARD.encode(both))).ok()?;
    value.set_sensitive(true);
    Some(value)
}

impl Failure {
    fn of(error: &RequestError) -> Self {
        Self {
            may_pass: error.may_pass(),
            may_be_done: !error.is_unsent(),
            error: BrokerError::of_request(error),
        }
    }

    fn hopeless(error: BrokerError) -> Self {
        Self {
            error,
            may_pass: false,
            may_be_done: true,
        }
    }
}

/// A write whose answer was lost may have been done: whoever reads the error is to know.
fn told(failure: Failure, ask: &Ask) -> BrokerError {
    if failure.may_be_done && !ask.is_repeatable && failure.error.kind() == BrokerErrorKind::Unreachable {
        return failure
            .error
            .with_advice("it may have been done all the same: look before you try again");
    }
    failure.error
}

/// The request that a redirect asks for. A broker that moved did not do what was asked, so the method stays.
fn redirect(ask: &mut Ask, status: u16, next: Url) {
    if status == 303 {
        ask.method = Method::GET;
        ask.body = Bytes::new();
        ask.headers.remove(CONTENT_TYPE);
    }
    if !stays(&ask.url, &next) {
        for name in &ask.confidential {
            ask.headers.remove(name);
        }
    }
    ask.url = next;
}

/// Whether credentials may go along: to the same origin, and from http to https on the same host.
pub(crate) fn stays(from: &Url, to: &Url) -> bool {
    let is_upgrade = from.scheme() == "http" && to.scheme() == "https" && from.host() == to.host();
    from.origin() == to.origin() || is_upgrade
}

/// An http or https URL.
pub(crate) fn parse(text: &str) -> Result<Url, BrokerError> {
    let problem = match Url::parse(text.trim()) {
        Ok(url) if !matches!(url.scheme(), "http" | "https") => "only http and https are spoken".to_owned(),
        Ok(url) => return Ok(url),
        Err(_) if !text.contains("://") => "it lacks http:// or https://".to_owned(),
        Err(error) => error.to_string(),
    };
    let what = format!("{:?} is not a URL: {problem}", shown_url(text));
    Err(BrokerError::new(BrokerErrorKind::Settings, what).with_advice("write it as https://broker.example.com"))
}

/// Headers that somebody gave.
pub(crate) fn custom_headers(
    headers: &[(String, String)],
) -> Result<Vec<(http::HeaderName, HeaderValue)>, BrokerError> {
    let settings = |error: contract_wire::HeaderError| BrokerError::new(BrokerErrorKind::Settings, error.to_string());
    headers
        .iter()
        .map(|(name, value)| {
            let mut value = header_value(name, value).map_err(settings)?;
            value.set_sensitive(true);
            Ok((header_name(name).map_err(settings)?, value))
        })
        .collect()
}

/// As people may read it.
pub(crate) fn shown(url: &Url) -> String {
    shown_url(url.as_str())
}

fn uri_of(url: &Url) -> Result<Uri, BrokerError> {
    let text = without_credentials(url.as_str());
    let text = text.split('#').next().unwrap_or_default();
    text.parse().map_err(|_| {
        let what = format!("{:?} is not a URL that can be sent", shown_url(text));
        BrokerError::new(BrokerErrorKind::Settings, what)
    })
}
