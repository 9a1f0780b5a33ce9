//! Determines the base URL of links, and checks the `Host` header.

use http::Version;
use http::header::{HOST, HeaderMap};
use http::uri::Authority;

use contract_broker_api::reply::Reply;
use contract_broker_api::urls::Urls;

/// Returns the first configured base URL whose host is that of the request, or else the first one. If none is
/// configured, derives the base URL from the request's headers. `X-Forwarded-…` headers override `Host`.
pub(super) fn urls(base_urls: &[String], is_secure: bool, headers: &HeaderMap) -> Urls {
    let text = |name: &str| {
        let value = headers.get(name)?.to_str().ok()?.split(',').next()?.trim();
        Some(value).filter(|value| !value.is_empty())
    };
    let is_host = |host: &str| {
        host.bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b".-_:[]".contains(&byte))
    };
    let host = text("x-forwarded-host")
        .or_else(|| text("host"))
        .filter(|host| is_host(host))
        .unwrap_or("localhost");
    if let Some(first) = base_urls.first() {
        let is_of_host = |url: &&String| {
            url.split("://")
                .nth(1)
                .is_some_and(|rest| rest.split('/').next() == Some(host))
        };
        return Urls::new(base_urls.iter().find(is_of_host).unwrap_or(first));
    }
    let secure = match text("x-forwarded-proto").or_else(|| text("x-forwarded-scheme")) {
        Some(scheme) => scheme.eq_ignore_ascii_case("https"),
        None => is_secure || text("x-forwarded-ssl") == Some("on"),
    };
    let scheme = if secure { "https" } else { "http" };
    let port = text("x-forwarded-port").filter(|port| {
        let usual = if secure { "443" } else { "80" };
        text("x-forwarded-host").is_some()
            && !host.contains(':')
            && *port != usual
            && port.bytes().all(|byte| byte.is_ascii_digit())
    });
    match port {
        Some(port) => Urls::new(&format!("{scheme}://{host}:{port}")),
        None => Urls::new(&format!("{scheme}://{host}")),
    }
}

/// Returns an error response unless the request has exactly one valid `Host` header. HTTP/1.0 requests may omit it.
pub(super) fn check_host(version: Version, headers: &HeaderMap) -> Result<(), Reply> {
    let mut hosts = headers.get_all(HOST).iter();
    let problem = match (hosts.next(), hosts.next()) {
        (None, _) if version < Version::HTTP_11 => return Ok(()),
        (None, _) => "is missing",
        (Some(_), Some(_)) => "appears more than once",
        (Some(host), None) if is_authority(host.as_bytes()) => return Ok(()),
        (Some(_), None) => "is not a host name with an optional port",
    };
    let text = format!("The Host header {problem}. Send exactly one, for example \"Host: broker.example.com\".");
    Err(Reply::error(400, text))
}

fn is_authority(host: &[u8]) -> bool {
    host.is_empty() || (!host.contains(&b'@') && Authority::try_from(host).is_ok())
}

/// Returns the paths of the base URLs, such as `/broker`. Some proxies remove this prefix from the paths of requests,
/// and others do not.
pub(crate) fn prefixes(base_urls: &[String]) -> Vec<String> {
    let paths = base_urls
        .iter()
        .filter_map(|url| url.split("://").nth(1)?.split_once('/'));
    let paths = paths.map(|(_, path)| path.trim_matches('/'));
    paths
        .filter(|path| !path.is_empty())
        .map(|path| format!("/{path}"))
        .collect()
}

/// Removes the first of the `prefixes` with which the path starts.
pub(crate) fn without_prefix<'a>(path: &'a str, prefixes: &[String]) -> &'a str {
    let after = |prefix: &String| {
        path.strip_prefix(prefix.as_str())
            .filter(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    prefixes.iter().find_map(after).unwrap_or(path)
}
