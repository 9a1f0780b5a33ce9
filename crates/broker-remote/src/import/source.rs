//! Sends requests to the broker from which data is imported.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::StatusCode;
use reqwest::header::{ACCEPT, AUTHORIZATION, HeaderValue};
use serde_json::Value;
use tokio::sync::Semaphore;
use url::Url;

use super::ImportError;
use crate::tls;

/// Timeout for one attempt.
const TIMEOUT: Duration = Duration::from_secs(60);
/// Maximum size of a response, in bytes.
const MAX_BODY: usize = 256 * 1024 * 1024;
/// Characters to percent-encode: all except the unreserved ones (RFC 3986, section 2.3).
const UNRESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
/// Delays before each of the 5 retries.
const RETRIES: [Duration; 5] = [
    Duration::from_millis(500),
    Duration::from_secs(1),
    Duration::from_secs(2),
    Duration::from_secs(4),
    Duration::from_secs(8),
];

/// Percent-encodes a name for a path segment or a query value.
pub(super) fn encode(name: &str) -> String {
    utf8_percent_encode(name, UNRESERVED).to_string()
}

#[derive(Clone, PartialEq, Eq)]
pub enum SourceCredentials {
    None,
    Token(String),
    Basic { username: String, password: String },
}

/// The broker to import from, and how to access it.
#[derive(Clone)]
pub struct ImportSource {
    /// The broker's base URL, without credentials.
    pub url: String,
    pub credentials: SourceCredentials,
    /// Maximum number of concurrent requests. 0 has the same effect as 1. Default: 4.
    pub max_requests: u16,
}

impl ImportSource {
    /// More concurrent requests could slow down a small broker for its users.
    pub const DEFAULT_MAX_REQUESTS: u16 = 4;

    pub fn new(url: impl Into<String>, credentials: SourceCredentials) -> Self {
        Self {
            url: url.into(),
            credentials,
            max_requests: Self::DEFAULT_MAX_REQUESTS,
        }
    }
}

/// A client for the broker to import from.
pub(super) struct Source {
    client: reqwest::Client,
    base: Url,
    authorization: Option<HeaderValue>,
    /// One permit for each request that can run at the same time.
    permits: Semaphore,
    max_requests: usize,
}

/// Why one attempt failed. Only temporary failures are retried.
enum Failure {
    Temporary(ImportError),
    Permanent(ImportError),
}

impl Source {
    pub(super) fn new(from: &ImportSource) -> Result<Self, ImportError> {
        let invalid = || ImportError::Url(from.url.clone());
        let mut url = Url::parse(&from.url).map_err(|_| invalid())?;
        if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
            return Err(invalid());
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(ImportError::UrlCredentials);
        }
        // Paths are resolved below the path of the base URL.
        let path = format!("{}/", url.path().trim_end_matches('/'));
        url.set_path(&path);
        let header = match &from.credentials {
            SourceCredentials::None => None,
            SourceCredentials::Token(token) => Some(format!("Bearer {token}")),
            SourceCredentials::Basic { username, password } => {
                Some(format!("Basic {}", STANDARD.encode(format!("{username}:{password}"))))
            }
        };
        let authorization = header.map(|header| {
            let mut header = HeaderValue::from_str(&header).map_err(|_| ImportError::Credentials)?;
            header.set_sensitive(true);
            Ok::<_, ImportError>(header)
        });
        let max_requests = usize::from(from.max_requests.max(1));
        Ok(Self {
            client: tls::http_client(None, TIMEOUT).map_err(ImportError::Certificates)?,
            base: url,
            authorization: authorization.transpose()?,
            permits: Semaphore::new(max_requests),
            max_requests,
        })
    }

    pub(super) fn max_requests(&self) -> usize {
        self.max_requests
    }

    /// Returns the URL of a path, which must not start with a slash, below the base URL.
    pub(super) fn at(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }

    /// Fetches a JSON object. Returns `None` if the resource does not exist. Retries temporary failures.
    pub(super) async fn get(&self, url: &str) -> Result<Option<Value>, ImportError> {
        let Some(body) = self.get_body(url).await? else {
            return Ok(None);
        };
        match serde_json::from_slice(&body) {
            Ok(value @ Value::Object(_)) => Ok(Some(value)),
            _ => Err(ImportError::NotJson(url.to_owned())),
        }
    }

    /// Fetches the body of a resource. Returns `None` if the resource does not exist. Retries temporary failures.
    pub(super) async fn get_body(&self, url: &str) -> Result<Option<Vec<u8>>, ImportError> {
        let target = self.resolve(url)?;
        let mut waits = RETRIES.iter();
        loop {
            match (self.attempt(&target).await, waits.next()) {
                (Ok(found), _) => return Ok(found),
                (Err(Failure::Temporary(_)), Some(wait)) => tokio::time::sleep(*wait).await,
                (Err(Failure::Temporary(error) | Failure::Permanent(error)), _) => return Err(error),
            }
        }
    }

    /// Fetches a JSON object. Returns an error if the resource does not exist.
    pub(super) async fn require(&self, url: &str) -> Result<Value, ImportError> {
        let found = self.get(url).await?;
        found.ok_or_else(|| ImportError::Missing(url.to_owned()))
    }

    /// Resolves a URL relative to the base URL. URLs with another origin are errors, because other servers must not
    /// receive the credentials.
    fn resolve(&self, url: &str) -> Result<Url, ImportError> {
        let target = self.base.join(url).map_err(|_| ImportError::Link(url.to_owned()))?;
        if target.origin() == self.base.origin() {
            Ok(target)
        } else {
            Err(ImportError::OtherHost {
                link: url.to_owned(),
                base: self.base.origin().ascii_serialization(),
            })
        }
    }

    async fn attempt(&self, target: &Url) -> Result<Option<Vec<u8>>, Failure> {
        // The semaphore is never closed.
        let _permit = self.permits.acquire().await;
        let failed = |source| {
            Failure::Temporary(ImportError::Request {
                url: target.to_string(),
                source,
            })
        };
        let mut request = self
            .client
            .get(target.clone())
            .header(ACCEPT, "application/hal+json, application/json");
        if let Some(authorization) = &self.authorization {
            request = request.header(AUTHORIZATION, authorization);
        }
        let mut response = request.send().await.map_err(failed)?;
        let status = response.status();
        let of_status = || ImportError::Status(target.to_string(), status);
        match status {
            StatusCode::NOT_FOUND => return Ok(None),
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
                return Err(Failure::Permanent(ImportError::Denied(target.to_string(), status)));
            }
            StatusCode::TOO_MANY_REQUESTS => return Err(Failure::Temporary(of_status())),
            status if status.is_server_error() => return Err(Failure::Temporary(of_status())),
            status if !status.is_success() => return Err(Failure::Permanent(of_status())),
            _ => {}
        }
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(failed)? {
            if body.len() + chunk.len() > MAX_BODY {
                return Err(Failure::Permanent(ImportError::TooLarge(target.to_string())));
            }
            body.extend_from_slice(&chunk);
        }
        Ok(Some(body))
    }
}
