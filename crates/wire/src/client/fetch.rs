//! Fetches documents, such as contracts, from URLs.

use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method};

use super::{Client, Outgoing, Redirects};
use crate::{BaseUrl, HeaderError, SettingsError, header_name, header_value, redact_url};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fetched {
    pub status: u16,
    /// The body after decompression.
    pub body: Bytes,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct FetchError(String);

/// Fails if `url` is not a valid http or https URL.
pub fn check_url(url: &str) -> Result<(), SettingsError> {
    target(url).map(drop)
}

fn target(url: &str) -> Result<(http::Uri, Option<HeaderValue>), SettingsError> {
    let url = url.split('#').next().unwrap_or_default();
    let (address, query) = url.split_once('?').unwrap_or((url, ""));
    let base = BaseUrl::parse(address)?;
    // A trailing slash is ignored in a base URL, but it is significant here.
    let slash = if address.ends_with('/') { "/" } else { "" };
    let uri = base.join(slash, query).map_err(|error| SettingsError::Url {
        url: redact_url(url),
        problem: error.to_string(),
    })?;
    Ok((uri, base.credentials().cloned()))
}

impl Client {
    /// Fetches a document. Follows at most 10 redirects, and sends headers other than `Accept`, and the credentials in
    /// the URL, only to the URL's own scheme, host, and port. The timeout applies to all requests together.
    pub async fn fetch(
        &self,
        url: &str,
        headers: &[(String, String)],
        timeout: Duration,
    ) -> Result<Fetched, FetchError> {
        let (uri, credentials) = target(url).map_err(|error| FetchError(error.to_string()))?;
        let mut map = HeaderMap::new();
        let mut confidential = Vec::new();
        for (name, value) in headers {
            let fetch_error = |error: HeaderError| FetchError(error.to_string());
            let value = header_value(name, value).map_err(fetch_error)?;
            let name = header_name(name).map_err(fetch_error)?;
            if name != http::header::ACCEPT {
                confidential.push(name.clone());
            }
            map.append(name, value);
        }
        if let Some(credentials) = credentials {
            map.entry(http::header::AUTHORIZATION).or_insert(credentials);
        }
        let request = Outgoing {
            method: Method::GET,
            uri,
            headers: map,
            body: Bytes::new(),
            confidential,
        };
        let answer = self
            .send(request, Redirects::up_to(10), timeout)
            .await
            .map_err(|error| FetchError(error.to_string()))?;
        Ok(Fetched {
            status: answer.status,
            body: answer.body,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::target;

    #[test]
    fn targets() {
        let uri = |url: &str| target(url).unwrap().0.to_string();
        assert_eq!(uri("http://a:1/b/c.json?x=1#y"), "http://a:1/b/c.json?x=1");
        assert_eq!(uri("https://a/b/"), "https://a/b/");
        assert_eq!(uri("http://me:you@a"), "http://a/");
        assert!(target("http://me:you@a").unwrap().1.is_some());
        assert!(target("a/b").unwrap_err().to_string().contains("http://"));
    }
}
