//! The client for one broker: resolves the broker's links, adds credentials, and sends requests.

use std::sync::Arc;
use std::time::Duration;

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
use crate::transport::{OutgoingRequest, Response, Transport, custom_headers, display_url, parse};

const MEDIA_TYPES: &str = "application/hal+json, application/json";
/// A header of this project's broker, whose responses to denied requests say what to do.
const SELF_EXPLAINING: &str = "x-contract-broker-version";
/// Media type of request bodies, except for partial updates.
pub(crate) const JSON: &str = "application/json";
/// Media type of partial updates (RFC 7396).
pub(crate) const MERGE_PATCH: &str = "application/merge-patch+json";
/// Maximum number of pages that are read of a list.
const MAX_PAGES: usize = 1_000;
/// Maximum total size of the pages of a list, as a multiple of
/// [`TransportOptions::body_limit`](crate::TransportOptions::body_limit).
const MAX_LIST: usize = 2;

/// A client for one broker. Clones share connections and the cached index.
#[derive(Clone)]
pub struct BrokerClient(Arc<Inner>);

struct Inner {
    transport: Transport,
    /// The base URL. Ends with a slash, so that relative URLs are resolved below its path.
    base: Url,
    headers: HeaderMap,
    index: OnceCell<Resource>,
    has_credentials: bool,
    credentials_kind: &'static str,
    secrets: Secrets,
}

impl std::fmt::Debug for BrokerClient {
    /// Omits credentials from the URL.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("BrokerClient").field(&self.url()).finish()
    }
}

/// A link in the index: its relation, and the path to use if the index has no such link.
pub(crate) struct IndexLink<'a> {
    pub(crate) relation: &'a str,
    pub(crate) path: &'a str,
}

pub(crate) struct RequestBody<'a> {
    pub(crate) body: &'a Json,
    pub(crate) media_type: &'static str,
    pub(crate) is_repeatable: bool,
}

impl<'a> RequestBody<'a> {
    /// Creates a body for a request that can be retried even if the broker may have processed it.
    pub(crate) fn repeatable(body: &'a Json) -> Self {
        Self {
            body,
            media_type: JSON,
            is_repeatable: true,
        }
    }

    /// Creates a body for a request that is retried only if the broker has not processed it.
    pub(crate) fn once(body: &'a Json) -> Self {
        Self {
            is_repeatable: false,
            ..Self::repeatable(body)
        }
    }

    /// Creates a body for a partial update, which can be retried even if the broker may have processed it.
    pub(crate) fn patch(body: &'a Json) -> Self {
        Self {
            media_type: MERGE_PATCH,
            ..Self::repeatable(body)
        }
    }
}

impl BrokerClient {
    /// Creates a client without sending anything. Returns an error if the URL, a header, or a certificate is invalid.
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
            explicit => (url, explicit),
        };
        let mut base = parse(&url)?;
        base.set_query(None);
        base.set_fragment(None);
        if !base.path().ends_with('/') {
            base.set_path(&format!("{}/", base.path()));
        }
        let mut all_headers: HeaderMap = custom_headers(&headers)?.into_iter().collect();
        if !all_headers.contains_key(ACCEPT) {
            all_headers.insert(ACCEPT, HeaderValue::from_static(MEDIA_TYPES));
        }
        let credentials_kind = match &credentials {
            crate::Credentials::None if all_headers.contains_key(AUTHORIZATION) => "a header",
            credentials => credentials.kind(),
        };
        let authorization = credentials.header()?;
        if authorization.is_some() && all_headers.contains_key(AUTHORIZATION) {
            let message = "the broker options contain both a custom Authorization header and other credentials";
            return Err(BrokerError::new(BrokerErrorKind::Settings, message).with_advice("use one of them"));
        }
        if let Some(value) = authorization {
            all_headers.insert(AUTHORIZATION, value);
        }
        let has_credentials = all_headers.contains_key(AUTHORIZATION);
        let secrets = Secrets::new(&credentials, &all_headers);
        Ok(Self(Arc::new(Inner {
            transport,
            base,
            headers: all_headers,
            index: OnceCell::new(),
            has_credentials,
            credentials_kind,
            secrets,
        })))
    }

    /// Returns the base URL without credentials and without a trailing slash.
    pub fn url(&self) -> String {
        display_url(&self.0.base).trim_end_matches('/').to_owned()
    }

    pub fn has_credentials(&self) -> bool {
        self.0.has_credentials
    }

    /// Describes the kind of credentials: `a token`, `a user name and a password`, `a header`, or `no credentials`.
    pub fn credentials_kind(&self) -> &'static str {
        self.0.credentials_kind
    }

    /// Returns the secrets that must be redacted in text from the broker.
    pub fn secrets(&self) -> &Secrets {
        &self.0.secrets
    }

    pub(crate) fn notices(&self, document: &Json) -> Vec<Notice> {
        let notices = Notice::from_document(document);
        notices
            .iter()
            .map(|notice| self.0.secrets.redact_notice(notice))
            .collect()
    }

    /// Returns the index document, whose links show what the broker supports. The client fetches it once and caches it.
    pub async fn index(&self) -> Result<&Resource, BrokerError> {
        self.0
            .index
            .get_or_try_init(|| async {
                let index = self.get(self.0.base.as_str()).await?;
                if index.document().get("_links").is_some() {
                    return Ok(index);
                }
                Err(BrokerError::not_a_broker(&self.url(), "the index has no links"))
            })
            .await
    }

    /// Returns the URL of a link in the index. `names` contains the values of the link's variables.
    pub(crate) async fn index_url(
        &self,
        index_link: &IndexLink<'_>,
        names: &[(&str, &str)],
    ) -> Result<String, BrokerError> {
        let link = self.index().await?.link(index_link.relation);
        self.link_url(link.as_ref(), index_link.path, names)
    }

    /// Returns the URL of `link`, or of `path` if `link` is `None`. `names` contains the values of the variables.
    pub(crate) fn link_url(
        &self,
        link: Option<&Link>,
        path: &str,
        names: &[(&str, &str)],
    ) -> Result<String, BrokerError> {
        self.template_url(link.map_or(path, |link| &link.href), names)
    }

    /// Expands a template, which is a URL or a path, and returns its URL. `names` contains the values of the variables.
    pub(crate) fn template_url(&self, template: &str, names: &[(&str, &str)]) -> Result<String, BrokerError> {
        Ok(self.resolve(&expand(template, names)?)?.into())
    }

    /// Resolves a URL, or a path below the base URL. A URL with the broker's host gets the scheme and the port of the
    /// base URL, because brokers behind a proxy often use the wrong ones in links.
    fn resolve(&self, href: &str) -> Result<Url, BrokerError> {
        let base = &self.0.base;
        let is_below = base.path() != "/" && href.starts_with(base.path());
        if let Some(path) = href
            .strip_prefix('/')
            .filter(|path| !path.starts_with('/') && !is_below)
        {
            return parse(&format!("{base}{path}"));
        }
        let mut url = base.join(href).map_err(|error| {
            BrokerError::not_a_broker(&self.url(), &format!("it sent a link that is not a URL: {error}"))
        })?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(BrokerError::not_a_broker(
                &self.url(),
                "it sent a link that does not start with http:// or https://",
            ));
        }
        if url.host() == base.host() && url.origin() != base.origin() {
            // This cannot fail, because both URLs have a host.
            let _ = url.set_scheme(base.scheme());
            let _ = url.set_port(base.port());
        }
        Ok(url)
    }

    pub(crate) fn timeout(&self) -> Duration {
        self.0.transport.timeout()
    }

    /// Fetches a document. `url` is a URL, or a path below the base URL.
    pub async fn get(&self, url: &str) -> Result<Resource, BrokerError> {
        let response = self.request(Method::GET, url, None).await?;
        self.resource(response)
    }

    /// Fetches a document, or returns `None` if it does not exist.
    pub async fn find(&self, url: &str) -> Result<Option<Resource>, BrokerError> {
        match self.get(url).await {
            Ok(resource) => Ok(Some(resource)),
            Err(error) if error.kind() == BrokerErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Fetches all pages of a list, and returns the documents that are embedded under `name`.
    pub async fn list(&self, url: &str, name: &str) -> Result<Vec<Json>, BrokerError> {
        let mut documents = Vec::new();
        let mut seen = Vec::new();
        let mut bytes = 0;
        let limit = self.0.transport.body_limit().saturating_mul(MAX_LIST);
        let mut next = Some(url.to_owned());
        while let Some(url) = next.take() {
            if seen.len() == MAX_PAGES {
                let message = format!("the list at {} has more than {MAX_PAGES} pages", self.url());
                return Err(BrokerError::new(BrokerErrorKind::TooLarge, message));
            }
            let page = self.get(&url).await?;
            bytes += page.bytes().len();
            if bytes > limit {
                let message = format!(
                    "the pages of the list at {} have more than {limit} bytes in total",
                    self.url()
                );
                return Err(BrokerError::new(BrokerErrorKind::TooLarge, message));
            }
            documents.extend_from_slice(embedded(page.document(), name));
            seen.push(url);
            next = links(page.document(), "next")
                .into_iter()
                .next()
                .map(|link| link.href)
                .filter(|href| !seen.contains(href));
        }
        Ok(documents)
    }

    /// Sends a document and returns the response document, or `None` if the response has no body.
    pub(crate) async fn send(
        &self,
        method: Method,
        url: &str,
        body: RequestBody<'_>,
    ) -> Result<Option<Resource>, BrokerError> {
        let response = self.request(method, url, Some(body)).await?;
        if response.body.is_empty() {
            return Ok(None);
        }
        self.resource(response).map(Some)
    }

    /// Sends a document and returns the response document. A response without a body is an error.
    pub(crate) async fn exchange(
        &self,
        method: Method,
        url: &str,
        body: RequestBody<'_>,
    ) -> Result<Resource, BrokerError> {
        let response = self.send(method, url, body).await?;
        response.ok_or_else(|| BrokerError::not_a_broker(&contract_wire::redact_url(url), "the response is empty"))
    }

    /// Deletes a resource. Returns false if it does not exist.
    pub(crate) async fn delete(&self, url: &str) -> Result<bool, BrokerError> {
        match self.request(Method::DELETE, url, None).await {
            Ok(_) => Ok(true),
            Err(error) if error.kind() == BrokerErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Sends a request. Any response status other than 2xx is an error.
    pub(crate) async fn request(
        &self,
        method: Method,
        url: &str,
        request_body: Option<RequestBody<'_>>,
    ) -> Result<Response, BrokerError> {
        let url = self.resolve(url)?;
        let is_broker = url.origin() == self.0.base.origin();
        let mut headers = if is_broker {
            self.0.headers.clone()
        } else {
            // Credentials are sent only to the broker, regardless of where a link points.
            [(ACCEPT, HeaderValue::from_static(MEDIA_TYPES))].into_iter().collect()
        };
        let mut is_repeatable = is_idempotent(&method);
        let mut body = Bytes::new();
        if let Some(request_body) = request_body {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static(request_body.media_type));
            is_repeatable = request_body.is_repeatable;
            body = request_body.body.to_text().into();
        }
        let secrets = self.0.secrets.clone();
        let confidential = headers.keys().filter(|name| **name != ACCEPT && **name != CONTENT_TYPE);
        let request = OutgoingRequest {
            confidential: confidential.cloned().collect(),
            method,
            url,
            headers,
            body,
            is_repeatable,
            secrets,
        };
        let (method, display_url) = (request.method.clone(), request.display_url());
        let response = self.0.transport.send(request).await?;
        if response.is_success() {
            return Ok(response);
        }
        let error = BrokerError::from_status(
            method.as_str(),
            &display_url,
            response.status,
            &response.body,
            self.0.has_credentials && is_broker,
        );
        let mut error = self.0.secrets.redact_error(error);
        let is_denied = matches!(error.kind(), BrokerErrorKind::Unauthorized | BrokerErrorKind::Forbidden);
        if is_denied && response.headers.contains_key(SELF_EXPLAINING) && !error.reasons().is_empty() {
            error = error.without_advice();
        }
        if !is_broker && error.kind() == BrokerErrorKind::Unauthorized {
            return Err(error.with_advice(format!(
                "no credentials were sent, because the link leads to a different server than {}. Check the base URL in the broker's settings",
                self.url()
            )));
        }
        Err(error)
    }

    /// Parses a response, which must be a JSON object.
    pub(crate) fn resource(&self, response: Response) -> Result<Resource, BrokerError> {
        let document = Json::parse(&response.body).map_err(|_| {
            let media_type = response.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
            let reason = match media_type {
                Some(text) if !text.contains("json") => format!("it sent {text} instead of JSON"),
                _ => "it sent invalid JSON".to_owned(),
            };
            let error = BrokerError::not_a_broker(&contract_wire::redact_url(&response.url), &reason);
            self.0.secrets.redact_error(error)
        })?;
        if document.as_object().is_none() {
            let url = contract_wire::redact_url(&response.url);
            let error = BrokerError::not_a_broker(&url, "it sent JSON that is not an object");
            return Err(self.0.secrets.redact_error(error));
        }
        Ok(Resource::new(response.url, response.body, document))
    }
}
