//! Requests and answers over HTTP: retried, redirected, bounded.
//!
//! An ordinary client is enough here, so it is reqwest; TLS settings, proxies and the words for what goes wrong are those of
//! `contract-wire`, as for requests that must go out exactly as a contract has them.

use std::sync::{Arc, OnceLock};
use std::time::{Duration, SystemTime};

use bytes::{Bytes, BytesMut};
use contract_wire::{
    ClientTls, HttpVersion, Proxies, ProxyRules, RequestError, RequestErrorKind, Tls, decompressed, header_name,
    header_value, seconds, shown_url, without_credentials,
};
use http::header::{ACCEPT, ACCEPT_ENCODING, CONTENT_TYPE, LOCATION};
use http::{HeaderMap, HeaderValue, Method, Uri};
use reqwest::Url;

use crate::credentials::Credentials;
use crate::error::{BrokerError, BrokerErrorKind};
use crate::retry::{self, Retries};
use crate::secrets::Secrets;

/// Most redirects that are followed.
const MAX_REDIRECTS: usize = 10;
/// Maximum number of custom headers.
const MAX_HEADERS: usize = 1_000;
/// Most bytes that are set aside for a body before they have come: the announced length is the other side's word.
const SET_ASIDE: usize = 1 << 20;

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
    /// 10 s to connect, a minute for an answer of up to 64 MiB, and as many retries as
    /// [`Retries::default`] has.
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
    plain: reqwest::Client,
    /// Made at the first `https` URL: the system's certificates are read then.
    secure: OnceLock<Result<reqwest::Client, String>>,
    tls: ClientTls,
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
    /// What is not shown of URLs that the other side names.
    pub(crate) secrets: Secrets,
}

impl Ask {
    /// The URL as people may read it.
    pub(crate) fn shown(&self) -> String {
        self.secrets.blank(&shown(&self.url)).into_owned()
    }
}

/// Why there is no answer.
struct Failure {
    error: BrokerError,
    /// Whether the same request may fare better a moment later.
    may_pass: bool,
    /// Whether the other side may have read the request.
    may_be_done: bool,
    /// Whether nobody listens there.
    is_refused: bool,
}

impl Transport {
    /// Makes a client. Fails when a certificate or a key cannot be used.
    pub fn new(options: TransportOptions) -> Result<Self, BrokerError> {
        let settings = |text: String| BrokerError::new(BrokerErrorKind::Settings, text);
        let tls = ClientTls::new(&options.tls, HttpVersion::Http1).map_err(|error| settings(error.to_string()))?;
        let unused = tls.unused_config().map_err(|error| settings(error.to_string()))?;
        let plain = build(&options, unused).map_err(settings)?;
        Ok(Self(Arc::new(Inner {
            plain,
            secure: OnceLock::new(),
            tls,
            options,
        })))
    }

    /// Maximum size of an answer, in bytes.
    pub(crate) fn body_limit(&self) -> usize {
        self.0.options.body_limit
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
            secrets: Secrets::default(),
        };
        for (name, value) in custom_headers(headers)? {
            if name != ACCEPT {
                ask.confidential.push(name.clone());
            }
            ask.headers.append(name, value);
        }
        ask.secrets = Secrets::new(&Credentials::None, &ask.headers);
        self.send(ask).await
    }

    /// Sends a request until there is an answer that stays, or nothing more to hope for.
    pub(crate) async fn send(&self, ask: Ask) -> Result<Answer, BrokerError> {
        let secrets = ask.secrets.clone();
        let outcome = self.send_again(ask).await;
        outcome.map_err(|error| secrets.blank_error(error))
    }

    async fn send_again(&self, ask: Ask) -> Result<Answer, BrokerError> {
        let retries = self.0.options.retries;
        let mut attempts = 0;
        loop {
            attempts += 1;
            let outcome = self.follow(ask.clone()).await;
            let most = match &outcome {
                Err(failure) if failure.is_refused => retries.refused,
                _ => retries.count,
            };
            let is_last = attempts > most;
            let (asked, why) = match &outcome {
                Ok(answer) if retry::may_change(answer.status, ask.is_repeatable) => (
                    retry::asked_delay(&answer.headers, SystemTime::now()),
                    format!("status {}", answer.status),
                ),
                Ok(_) => return outcome.map_err(|failure| failure.error),
                Err(failure) if failure.may_pass && (ask.is_repeatable || !failure.may_be_done) => {
                    (None, failure.error.what().to_owned())
                }
                Err(_) => return outcome.map_err(|failure| told(failure, &ask, attempts)),
            };
            if let Some(asked) = asked.filter(|asked| *asked > retries.longest_delay) {
                return Err(self.too_long(&ask, asked));
            }
            if is_last {
                return outcome.map_err(|failure| told(failure, &ask, attempts));
            }
            let delay = asked.unwrap_or_else(|| retries.delay(attempts, fastrand::f64()));
            tracing::info!(
                "{} {}: {why}; asking again in {} ms ({attempts} of {most})",
                ask.method,
                ask.shown(),
                delay.as_millis()
            );
            tokio::time::sleep(delay).await;
        }
    }

    fn too_long(&self, ask: &Ask, asked: Duration) -> BrokerError {
        let what = format!(
            "{} {}: the {} asks to come back after {}",
            ask.method,
            ask.shown(),
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
                    &ask.shown(),
                    "it redirects to what is no URL that could be followed",
                )));
            };
            redirect(&mut ask, answer.status, next);
        }
        Err(Failure::hopeless(BrokerError::not_a_broker(
            &ask.shown(),
            &format!("it redirects more than {MAX_REDIRECTS} times"),
        )))
    }

    async fn once(&self, ask: &Ask) -> Result<Answer, Failure> {
        let uri = uri_of(&ask.url).map_err(Failure::hopeless)?;
        let client = self.client(&ask.url).map_err(Failure::hopeless)?;
        let mut request = client
            .request(ask.method.clone(), ask.url.clone())
            .headers(ask.headers.clone());
        if !ask.headers.contains_key(ACCEPT_ENCODING) {
            request = request.header(ACCEPT_ENCODING, "gzip, deflate, br");
        }
        if !ask.body.is_empty() {
            request = request.body(ask.body.clone());
        }
        let limit = self.0.options.timeout;
        let answer = tokio::time::timeout(limit, self.read(request, ask, &uri)).await;
        let answer = answer.unwrap_or_else(|elapsed| {
            let error = RequestError::of(&uri, &elapsed, self.0.options.who, limit);
            Err(Failure {
                error: BrokerError::of_request(&error),
                may_pass: false,
                may_be_done: true,
                is_refused: false,
            })
        });
        if let Ok(answer) = &answer {
            tracing::debug!("{} {}: {}", ask.method, ask.shown(), answer.status);
        }
        answer
    }

    async fn read(&self, request: reqwest::RequestBuilder, ask: &Ask, uri: &Uri) -> Result<Answer, Failure> {
        let limit = self.0.options.body_limit;
        let mut response = request.send().await.map_err(|error| self.failure(uri, &error))?;
        let announced = response.content_length().unwrap_or_default();
        let above = || Failure::hopeless(BrokerError::of_request(&RequestError::above(uri, limit)));
        let announced = usize::try_from(announced).map_err(|_| above())?;
        if announced > limit {
            return Err(above());
        }
        let mut body = BytesMut::with_capacity(announced.min(SET_ASIDE));
        while let Some(chunk) = response.chunk().await.map_err(|error| self.failure(uri, &error))? {
            if body.len() + chunk.len() > limit {
                return Err(above());
            }
            body.extend_from_slice(&chunk);
        }
        let body = decompressed(uri, response.headers(), body.freeze(), limit)
            .map_err(|error| Failure::hopeless(BrokerError::of_request(&error)))?;
        Ok(Answer {
            status: response.status().as_u16(),
            headers: std::mem::take(response.headers_mut()),
            body,
            url: without_credentials(ask.url.as_str()),
        })
    }

    fn failure(&self, uri: &Uri, error: &reqwest::Error) -> Failure {
        let (who, after) = if error.is_connect() {
            (self.0.options.who, self.0.options.connect_timeout)
        } else {
            (self.0.options.who, self.0.options.timeout)
        };
        let told = RequestError::of(uri, error, who, after);
        let is_broken = matches!(told.kind(), RequestErrorKind::Connect | RequestErrorKind::Closed);
        Failure {
            may_pass: is_broken && (!error.is_dns() || is_temporary(error)),
            may_be_done: !error.is_connect(),
            is_refused: is_refused(error),
            error: BrokerError::of_request(&told),
        }
    }

    fn client(&self, url: &Url) -> Result<&reqwest::Client, BrokerError> {
        if url.scheme() != "https" {
            return Ok(&self.0.plain);
        }
        let secure = self.0.secure.get_or_init(|| {
            let config = self.0.tls.config().map_err(|error| error.to_string())?;
            build(&self.0.options, config)
        });
        secure.as_ref().map_err(|problem| {
            BrokerError::new(
                BrokerErrorKind::Tls,
                format!("the TLS settings cannot be used: {problem}"),
            )
        })
    }
}

impl Failure {
    fn hopeless(error: BrokerError) -> Self {
        Self {
            error,
            may_pass: false,
            may_be_done: true,
            is_refused: false,
        }
    }
}

/// How often it was tried. A write whose answer was lost may have been done: whoever reads the error is to know.
fn told(mut failure: Failure, ask: &Ask, attempts: u32) -> BrokerError {
    if attempts > 1 {
        let what = format!("{} (tried {attempts} times)", failure.error.what());
        failure.error = failure.error.told(what);
    }
    if failure.may_be_done && !ask.is_repeatable && failure.error.kind() == BrokerErrorKind::Unreachable {
        return failure
            .error
            .with_advice("it may have been done all the same: look before you try again");
    }
    failure.error
}

fn build<C: std::any::Any>(options: &TransportOptions, config: C) -> Result<reqwest::Client, String> {
    let rules = ProxyRules::new(&options.proxies);
    let proxy = reqwest::Proxy::custom(move |url| rules.url_before(&url.as_str().parse().ok()?));
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
        .map_err(|error| error.to_string())
}

/// The error and what it stands for, down to the operating system's.
fn causes(error: &reqwest::Error) -> impl Iterator<Item = &(dyn std::error::Error + 'static)> {
    std::iter::successors(Some(error as &(dyn std::error::Error + 'static)), |error| {
        error.source()
    })
}

/// A name that cannot be looked up now may be found later; one that is not known will not.
fn is_temporary(error: &reqwest::Error) -> bool {
    causes(error).any(|cause| {
        let text = cause.to_string();
        text.contains("emporary failure") || text.contains("ry again")
    })
}

/// Whether nobody listens at the address.
fn is_refused(error: &reqwest::Error) -> bool {
    causes(error)
        .filter_map(|cause| cause.downcast_ref::<std::io::Error>())
        .any(|cause| cause.kind() == std::io::ErrorKind::ConnectionRefused)
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
        Ok(url) if !matches!(url.scheme(), "http" | "https") => "only http and https are supported".to_owned(),
        Ok(url) => return Ok(url),
        Err(_) if !text.contains("://") => "it must start with http:// or https://".to_owned(),
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
    if headers.len() > MAX_HEADERS {
        let what = format!(
            "{} custom headers are given; the maximum is {MAX_HEADERS}",
            headers.len()
        );
        return Err(BrokerError::new(BrokerErrorKind::Settings, what));
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
