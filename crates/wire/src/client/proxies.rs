//! Selects the proxy for a request.

use std::net::IpAddr;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use http::{HeaderValue, Uri};
use hyper_util::client::proxy::matcher::{Intercept, Matcher};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

/// Proxy URLs, as in the usual environment variables. Requests to loopback addresses never use a proxy.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Proxies {
    /// Proxy for `http` URLs, from `HTTP_PROXY`. If `None`, `all` applies.
    pub http: Option<String>,
    /// Proxy for `https` URLs, from `HTTPS_PROXY`. If `None`, `all` applies.
    pub https: Option<String>,
    /// Proxy for URLs whose scheme has no proxy of its own, from `ALL_PROXY`. If `None`, these requests use no proxy.
    pub all: Option<String>,
    /// Hosts that are reached without a proxy, separated by commas, from `NO_PROXY`.
    pub no: Option<String>,
}

/// Compiled proxy settings.
pub struct ProxyRules(Option<Matcher>);

impl std::fmt::Debug for ProxyRules {
    /// Omits the settings, because they may contain credentials.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("ProxyRules").field(&self.0.is_some()).finish()
    }
}

impl ProxyRules {
    pub fn new(proxies: &Proxies) -> Self {
        if proxies.http.is_none() && proxies.https.is_none() && proxies.all.is_none() {
            return Self(None);
        }
        let text = |proxy: &Option<String>| proxy.clone().unwrap_or_default();
        let builder = Matcher::builder()
            .all(text(&proxies.all))
            .http(text(&proxies.http))
            .https(text(&proxies.https))
            .no(text(&proxies.no));
        Self(Some(builder.build()))
    }

    /// Returns the URL of the proxy for `uri`, with credentials, for clients that accept a proxy only as a URL. Returns
    /// `None` if no proxy is used.
    pub fn proxy_url(&self, uri: &Uri) -> Option<String> {
        let proxy = self.for_url(uri)?;
        let url = proxy.uri().to_string();
        let Some(credentials) = proxy.basic_auth().and_then(credentials) else {
            return Some(url);
        };
        let (scheme, rest) = url.split_once("://")?;
        Some(format!("{scheme}://{credentials}@{rest}"))
    }

    /// Returns the proxy for a URL, or `None` if no proxy is used.
    pub(super) fn for_url(&self, uri: &Uri) -> Option<Intercept> {
        let proxies = self.0.as_ref()?;
        if is_loopback(uri.host()?) {
            return None;
        }
        proxies.intercept(uri)
    }
}

/// Converts a `Basic` header value to `name:password`, percent-encoded for a URL. Returns `None` for other values.
fn credentials(header: &HeaderValue) -> Option<String> {
    let encoded = header.to_str().ok()?.strip_prefix("Basic ")?;
    let decoded = String::from_utf8(BASE64_STANDARD.decode(encoded).ok()?).ok()?;
    let (name, password) = decoded.split_once(':')?;
    let escaped = |text| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
    Some(format!("{}:{}", escaped(name), escaped(password)))
}

/// Returns true for loopback addresses, unspecified addresses such as 0.0.0.0, `localhost`, and names that end with
/// `.localhost`.
fn is_loopback(host: &str) -> bool {
    let host = host.trim_start_matches('[').trim_end_matches(']').trim_end_matches('.');
    match host.parse::<IpAddr>() {
        Ok(IpAddr::V4(address)) => address.is_loopback() || address.is_unspecified(),
        Ok(IpAddr::V6(address)) => {
            address.is_loopback()
                || address.is_unspecified()
                || address.to_ipv4_mapped().is_some_and(|address| address.is_loopback())
        }
        Err(_) => {
            let name = host.to_ascii_lowercase();
            name == "localhost" || name.ends_with(".localhost")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Proxies, ProxyRules, is_loopback};

    #[test]
    fn loopback() {
        for host in [
            "127.0.0.1",
            "127.8.9.1",
            "[::1]",
            "localhost",
            "LOCALHOST.",
            "a.localhost",
            "0.0.0.0",
            "[::ffff:127.0.0.1]",
        ] {
            assert!(is_loopback(host), "{host}");
        }
        for host in ["10.0.0.1", "localhost.example.com", "example.com", "[fe80::1]"] {
            assert!(!is_loopback(host), "{host}");
        }
    }

    #[test]
    fn one_proxy_per_scheme() {
        let text = |proxy: &str| Some(proxy.to_owned());
        let proxies = ProxyRules::new(&Proxies {
            http: text("http://plain:1"),
            https: None,
            all: text("http://all:2"),
            no: text("inside.example"),
        });
        let before = |url: &str| {
            proxies
                .for_url(&url.parse().unwrap())
                .map(|proxy| proxy.uri().to_string())
        };
        assert_eq!(before("http://a.example/x"), text("http://plain:1/"));
        assert_eq!(before("https://a.example/x"), text("http://all:2/"));
        assert_eq!(before("http://inside.example/x"), None);
        assert_eq!(before("http://127.0.0.1/x"), None);
        let guarded = ProxyRules::new(&Proxies {
            all: text("http://me:p%40ss@all:2"),
            ..Proxies::default()
        });
        let url = guarded.proxy_url(&"https://a.example/".parse().unwrap());
        assert_eq!(url, text("http://me:p%40ss@all:2/"));
        assert!(
            ProxyRules::new(&Proxies::default())
                .for_url(&"http://a.example".parse().unwrap())
                .is_none()
        );
    }
}
