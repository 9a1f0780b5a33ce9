//! The client: where the broker is, and how its links are followed.

use std::sync::Arc;

use bytes::Bytes;
use contract_model::Json;
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue, Method};
use reqwest::Url;
use tokio::sync::OnceCell;

use crate::credentials::Access;
use crate::error::{BrokerError, BrokerErrorKind, Notice};
use crate::options::BrokerOptions;
use crate::path::expand;
use crate::resource::{Link, Resource, embedded, links};
use crate::retry::is_idempotent;
use crate::secrets::Secrets;
use crate::transport::{Answer, Ask, Transport, custom_headers, parse, shown};

/// What brokers are asked for.
const MEDIA_TYPES: &str = "application/hal+json, application/json";
/// The media type of what is sent, but for partial changes.
pub(crate) const JSON: &str = "application/json";
/// The media type of partial changes (RFC 7396).
pub(crate) const MERGE_PATCH: &str = "application/merge-patch+json";
/// Maximum number of pages of a list that are followed.
const MAX_PAGES: usize = 1_000;
/// Maximum size of all pages of a list together, in multiples of the maximum size of one answer.
const MAX_LIST: usize = 2;

/// A broker, seen from outside. Clones share connections and what was read of the index.
#[derive(Clone)]
pub struct BrokerClient(Arc<Inner>);

struct Inner {
    transport: Transport,
    /// Ends with a slash, so that relative references stand below it.
    base: Url,
    headers: HeaderMap,
    index: OnceCell<Resource>,
    has_credentials: bool,
    credentials_kind: &'static str,
    secrets: Secrets,
}

impl std::fmt::Debug for BrokerClient {
    /// Shows no credentials.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("BrokerClient").field(&self.url()).finish()
    }
}

/// A relation of the index, and the path that stands in for it.
pub(crate) struct Place<'a> {
    pub(crate) relation: &'a str,
    pub(crate) path: &'a str,
}

/// What is sent along.
pub(crate) struct Sent<'a> {
    pub(crate) body: &'a Json,
    pub(crate) media_type: &'static str,
    pub(crate) is_repeatable: bool,
}

impl<'a> Sent<'a> {
    /// Something that is done once, however often it is sent.
    pub(crate) fn again(body: &'a Json) -> Self {
        Self {
            body,
            media_type: JSON,
            is_repeatable: true,
        }
    }

    /// Something that would be done twice.
    pub(crate) fn once(body: &'a Json) -> Self {
        Self {
            is_repeatable: false,
            ..Self::again(body)
        }
    }

    /// A partial change.
    pub(crate) fn patch(body: &'a Json) -> Self {
        Self {
            media_type: MERGE_PATCH,
            ..Self::again(body)
        }
    }
}

impl BrokerClient {
    /// Makes a client. Nothing is sent yet. Fails when the URL, a header or a certificate cannot be used.
    pub fn new(options: BrokerOptions) -> Result<Self, BrokerError> {
        let BrokerOptions {
            url,
            credentials,
            headers,
            transport,
        } = options;
        let transport = Transport::new(transport)?;
        let (url, credentials) = match credentials {
            crate::Credentials::None => Access {
                url: Some(url),
                ..Access::default()
            }
            .resolve()?,
            given => (url, given),
        };
        let mut base = parse(&url)?;
        base.set_query(None);
        base.set_fragment(None);
        if !base.path().ends_with('/') {
            base.set_path(&format!("{}/", base.path()));
        }
        let mut sent: HeaderMap = custom_headers(&headers)?.into_iter().collect();
        if !sent.contains_key(ACCEPT) {
            sent.insert(ACCEPT, HeaderValue::from_static(MEDIA_TYPES));
        }
        let credentials_kind = match &credentials {
            crate::Credentials::None if sent.contains_key(AUTHORIZATION) => "a header",
            known => known.kind(),
        };
        let authorization = credentials.header()?;
        if authorization.is_some() && sent.contains_key(AUTHORIZATION) {
            let what = "a custom header Authorization and other credentials are given for the broker";
            return Err(BrokerError::new(BrokerErrorKind::Settings, what).with_advice("give one of them"));
        }
        if let Some(value) = authorization {
            sent.insert(AUTHORIZATION, value);
        }
        let has_credentials = sent.contains_key(AUTHORIZATION);
        let secrets = Secrets::new(&credentials, &sent);
        Ok(Self(Arc::new(Inner {
            transport,
            base,
            headers: sent,
            index: OnceCell::new(),
            has_credentials,
            credentials_kind,
            secrets,
        })))
    }

    /// The broker's base URL, without credentials.
    pub fn url(&self) -> String {
        shown(&self.0.base).trim_end_matches('/').to_owned()
    }

    /// Whether it says who asks.
    pub fn has_credentials(&self) -> bool {
        self.0.has_credentials
    }

    /// Which kind of credentials it has, in words without a secret.
    pub fn credentials_kind(&self) -> &'static str {
        self.0.credentials_kind
    }

    /// What must not be shown of what the broker says.
    pub fn secrets(&self) -> &Secrets {
        &self.0.secrets
    }

    /// The notices of a document.
    pub(crate) fn notices(&self, document: &Json) -> Vec<Notice> {
        let notices = Notice::of(document);
        notices
            .iter()
            .map(|notice| self.0.secrets.blank_notice(notice))
            .collect()
    }

    /// What the broker can do, as it says itself. Read once and kept.
    pub async fn index(&self) -> Result<&Resource, BrokerError> {
        self.0
            .index
            .get_or_try_init(|| async {
                let index = self.get(self.0.base.as_str()).await?;
                if index.document().get("_links").is_some() {
                    return Ok(index);
                }
                Err(BrokerError::not_a_broker(&self.url(), "its index has no links"))
            })
            .await
    }

    /// The URL of a relation of the index, with names in it; the fixed path when the index has none.
    pub(crate) async fn place(&self, place: &Place<'_>, names: &[(&str, &str)]) -> Result<String, BrokerError> {
        let link = self.index().await?.link(place.relation);
        self.linked(link.as_ref(), place.path, names)
    }

    /// The URL of a link, with names in it; of the fixed path when there is no link.
    pub(crate) fn linked(
        &self,
        link: Option<&Link>,
        path: &str,
        names: &[(&str, &str)],
    ) -> Result<String, BrokerError> {
        self.located(link.map_or(path, |link| &link.href), names)
    }

    /// The URL of a link or a fixed path, with names in it.
    pub(crate) fn located(&self, template: &str, names: &[(&str, &str)]) -> Result<String, BrokerError> {
        Ok(self.resolve(&expand(template, names)?)?.into())
    }

    /// Where a link of the broker leads. A path stands below the base URL. Links to the broker's own host are taken with the
    /// base URL's scheme and port: behind a proxy, brokers often do not know their own.
    fn resolve(&self, href: &str) -> Result<Url, BrokerError> {
        let base = &self.0.base;
        let is_below = base.path() != "/" && href.starts_with(base.path());
        if let Some(path) = href
            .strip_prefix('/')
            .filter(|path| !path.starts_with('/') && !is_below)
        {
            return parse(&format!("{base}{path}"));
        }
        let mut url = base
            .join(href)
            .map_err(|error| BrokerError::not_a_broker(&self.url(), &format!("a link of it is no URL: {error}")))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(BrokerError::not_a_broker(
                &self.url(),
                "a link of it leads out of the web",
            ));
        }
        if url.host() == base.host() && url.origin() != base.origin() {
            // Neither fails: both are of URLs with a host.
            let _ = url.set_scheme(base.scheme());
            let _ = url.set_port(base.port());
        }
        Ok(url)
    }

    /// Reads a document of the broker, by its URL or by its path.
    pub async fn get(&self, url: &str) -> Result<Resource, BrokerError> {
        let answer = self.ask(Method::GET, url, None).await?;
        self.resource(answer)
    }

    /// Reads a document; nothing when it is not there.
    pub async fn find(&self, url: &str) -> Result<Option<Resource>, BrokerError> {
        match self.get(url).await {
            Ok(found) => Ok(Some(found)),
            Err(error) if error.kind() == BrokerErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Reads a list to its end, page by page: the documents that stand in it under a name.
    pub async fn list(&self, url: &str, name: &str) -> Result<Vec<Json>, BrokerError> {
        let mut found = Vec::new();
        let mut seen = Vec::new();
        let mut bytes = 0;
        let limit = self.0.transport.body_limit().saturating_mul(MAX_LIST);
        let mut next = Some(url.to_owned());
        while let Some(url) = next.take() {
            if seen.len() == MAX_PAGES {
                let why = format!("the list has more than {MAX_PAGES} pages");
                return Err(BrokerError::not_a_broker(&self.url(), &why).with_kind(BrokerErrorKind::TooLarge));
            }
            let page = self.get(&url).await?;
            bytes += page.bytes().len();
            if bytes > limit {
                let why = format!("the pages of the list have more than {limit} bytes");
                return Err(BrokerError::not_a_broker(&self.url(), &why).with_kind(BrokerErrorKind::TooLarge));
            }
            found.extend_from_slice(embedded(page.document(), name));
            seen.push(url);
            next = links(page.document(), "next")
                .into_iter()
                .next()
                .map(|link| link.href)
                .filter(|href| !seen.contains(href));
        }
        Ok(found)
    }

    /// Sends a document and reads what comes back; nothing comes of some.
    pub(crate) async fn send(
        &self,
        method: Method,
        url: &str,
        sent: Sent<'_>,
    ) -> Result<Option<Resource>, BrokerError> {
        let answer = self.ask(method, url, Some(sent)).await?;
        if answer.body.is_empty() {
            return Ok(None);
        }
        self.resource(answer).map(Some)
    }

    /// Sends a document and reads the one that comes back, which must be there.
    pub(crate) async fn exchange(&self, method: Method, url: &str, sent: Sent<'_>) -> Result<Resource, BrokerError> {
        let answer = self.send(method, url, sent).await?;
        answer.ok_or_else(|| BrokerError::not_a_broker(&contract_wire::shown_url(url), "it answers with nothing"))
    }

    /// Takes something away; whether it was there.
    pub(crate) async fn delete(&self, url: &str) -> Result<bool, BrokerError> {
        match self.ask(Method::DELETE, url, None).await {
            Ok(_) => Ok(true),
            Err(error) if error.kind() == BrokerErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Sends a request to the broker; any answer but success is an error.
    pub(crate) async fn ask(&self, method: Method, url: &str, sent: Option<Sent<'_>>) -> Result<Answer, BrokerError> {
        let url = self.resolve(url)?;
        let is_home = url.origin() == self.0.base.origin();
        let mut headers = if is_home {
            self.0.headers.clone()
        } else {
            // Whatever a link says: who asks is the broker's business alone.
            [(ACCEPT, HeaderValue::from_static(MEDIA_TYPES))].into_iter().collect()
        };
        let mut is_repeatable = is_idempotent(&method);
        let mut body = Bytes::new();
        if let Some(sent) = sent {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static(sent.media_type));
            is_repeatable = sent.is_repeatable;
            body = sent.body.to_text().into();
        }
        let secrets = self.0.secrets.clone();
        let confidential = headers.keys().filter(|name| **name != ACCEPT && **name != CONTENT_TYPE);
        let ask = Ask {
            confidential: confidential.cloned().collect(),
            method,
            url,
            headers,
            body,
            is_repeatable,
            secrets,
        };
        let (method, shown) = (ask.method.clone(), ask.shown());
        let answer = self.0.transport.send(ask).await?;
        if answer.is_success() {
            return Ok(answer);
        }
        let error = BrokerError::of_status(
            method.as_str(),
            &shown,
            answer.status,
            &answer.body,
            self.0.has_credentials && is_home,
        );
        let error = self.0.secrets.blank_error(error);
        if !is_home && error.kind() == BrokerErrorKind::Unauthorized {
            return Err(error.with_advice(format!(
                "the link leads away from {}, so no credentials went along: its base URL may be set wrong",
                self.url()
            )));
        }
        Err(error)
    }

    /// The document of an answer, which is an object.
    fn resource(&self, answer: Answer) -> Result<Resource, BrokerError> {
        let document = Json::parse(&answer.body).map_err(|_| {
            let media_type = answer.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
            let why = match media_type {
                Some(text) if !text.contains("json") => format!("it sends {text} instead of JSON"),
                _ => "it sends what is no JSON".to_owned(),
            };
            let error = BrokerError::not_a_broker(&contract_wire::shown_url(&answer.url), &why);
            self.0.secrets.blank_error(error)
        })?;
        if document.as_object().is_none() {
            let shown = contract_wire::shown_url(&answer.url);
            let error = BrokerError::not_a_broker(&shown, "it sends JSON that is no object");
            return Err(self.0.secrets.blank_error(error));
        }
        Ok(Resource::new(answer.url, answer.body, document))
    }
}
