//! Parses base URLs, and encodes paths and queries.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use contract_model::Query;
use http::uri::{Authority, Scheme};
use http::{HeaderValue, Uri};
use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};

use crate::SettingsError;

/// Characters that are percent-encoded in a path (RFC 3986, section 3.3). Everything else is sent unchanged, including
/// `//` and `..`.
const PATH: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'[')
    .add(b'\\')
    .add(b']')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');

/// Characters that are percent-encoded in a contract's query string. Everything else is sent unchanged.
const QUERY: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'<')
    .add(b'>')
    .add(b'\\')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');

/// A base URL: scheme, host, port, path prefix, and credentials.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BaseUrl {
    scheme: Scheme,
    authority: Authority,
    /// The percent-encoded path prefix without a trailing slash. Empty if there is none.
    prefix: String,
    credentials: Option<HeaderValue>,
}

impl BaseUrl {
    /// Parses an http or https URL, such as `http://host:port/prefix`. It may contain `user:password@`, but no query
    /// and no fragment.
    pub fn parse(text: &str) -> Result<Self, SettingsError> {
        let text = text.trim();
        let invalid = |problem: &str| SettingsError::Url {
            url: display_base(text),
            problem: problem.to_owned(),
        };
        if text.contains(['#', '?']) {
            return Err(invalid("a query or a fragment is not allowed"));
        }
        let (scheme, rest) = text
            .split_once("://")
            .ok_or_else(|| invalid("it must start with http:// or https://"))?;
        let scheme = match scheme.to_ascii_lowercase().as_str() {
            "http" => Scheme::HTTP,
            "https" => Scheme::HTTPS,
            _ => return Err(invalid("only http and https are supported")),
        };
        let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let (authority, credentials) = split_credentials(authority);
        let authority: Authority = authority
            .parse()
            .map_err(|_| invalid("the host is missing or invalid"))?;
        if authority.host().is_empty() || (authority.as_str() != authority.host() && authority.port_u16().is_none()) {
            return Err(invalid("the host is missing, or the port is invalid"));
        }
        Ok(Self {
            scheme,
            authority,
            prefix: encode_path(path.trim_end_matches('/')),
            credentials,
        })
    }

    /// Returns the host name or IP address. IPv6 addresses have no brackets.
    pub fn host(&self) -> &str {
        self.authority.host().trim_start_matches('[').trim_end_matches(']')
    }

    /// Returns the port, by default 80 for http and 443 for https.
    pub fn port(&self) -> u16 {
        let usual = if self.scheme == Scheme::HTTPS { 443 } else { 80 };
        self.authority.port_u16().unwrap_or(usual)
    }

    /// Appends a percent-encoded path and query to the base URL.
    pub fn join(&self, path: &str, query: &str) -> Result<Uri, http::Error> {
        let slash = if path.starts_with('/') || (path.is_empty() && !self.prefix.is_empty()) {
            ""
        } else {
            "/"
        };
        let mark = if query.is_empty() { "" } else { "?" };
        Uri::builder()
            .scheme(self.scheme.clone())
            .authority(self.authority.clone())
            .path_and_query(format!("{}{slash}{path}{mark}{query}", self.prefix))
            .build()
    }

    /// Returns the `Authorization` header value for the credentials in the URL, or `None` if it contains no
    /// credentials.
    pub fn credentials(&self) -> Option<&HeaderValue> {
        self.credentials.as_ref()
    }
}

impl std::fmt::Display for BaseUrl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}://{}{}", self.scheme, self.authority, self.prefix)
    }
}

/// Removes secrets from an invalid base URL. The query or fragment is replaced by `…`.
fn display_base(text: &str) -> String {
    let parameters = text.find(['?', '#']);
    let (base, mark) = match parameters {
        Some(at) => (&text[..at], format!("{}…", &text[at..=at])),
        None => (text, String::new()),
    };
    format!("{}{mark}", crate::redact_url(base))
}

fn split_credentials(authority: &str) -> (&str, Option<HeaderValue>) {
    let Some((user, host)) = authority.rsplit_once('@') else {
        return (authority, None);
    };
    let decoded: Vec<u8> = percent_decode_str(user).collect();
    let value = HeaderValue::from_str(&format!("Basic {}", BASE64_STANDARD.encode(decoded))).ok();
    (host, value)
}

/// Removes `user:password@` from a URL. The URL may be invalid.
pub fn without_credentials(url: &str) -> String {
    let start = match url.find("://") {
        Some(at) => at + 3,
        None if url.starts_with("//") => 2,
        None => 0,
    };
    let end = url[start..].find(['/', '?', '#']).map_or(url.len(), |at| start + at);
    match url[start..end].rfind('@') {
        Some(at) => format!("{}{}", &url[..start], &url[start + at + 1..]),
        None => url.to_owned(),
    }
}

/// Percent-encodes the characters that a path must not contain. Existing percent-encoded characters are kept.
pub fn encode_path(path: &str) -> String {
    encode(path, PATH)
}

/// Encodes the query of a contract. A query that the contract contains as a string keeps its notation.
pub fn encode_query(query: &Query) -> String {
    match query.raw() {
        Some(raw) => encode(raw, QUERY),
        None => query.to_text(),
    }
}

/// Parses the query of a received URL. If the query starts with `?`, the `?` is part of the first parameter name.
pub fn parse_query(text: &str) -> Query {
    if text.starts_with('?') {
        Query::parse(&["?", text].concat())
    } else {
        Query::parse(text)
    }
}

fn encode(text: &str, set: &'static AsciiSet) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('%') {
        out.extend(utf8_percent_encode(&rest[..at], set));
        let escaped = rest.as_bytes()[at + 1..]
            .first_chunk::<2>()
            .is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit));
        out.push_str(if escaped { "%" } else { "%25" });
        rest = &rest[at + 1..];
    }
    out.extend(utf8_percent_encode(rest, set));
    out
}

/// Resolves the value of a `Location` header relative to the request's URL (RFC 3986, section 5.2). Returns `None` if
/// the value is invalid or has a scheme other than http and https.
pub(crate) fn resolve(from: &Uri, location: &str) -> Option<Uri> {
    let location = location.split('#').next().unwrap_or_default().trim();
    let scheme = from.scheme_str()?;
    let authority = from.authority()?;
    let encoded = |text: &str| {
        let (path, query) = text
            .split_once('?')
            .map_or((text, None), |(path, query)| (path, Some(query)));
        match query {
            Some(query) => format!("{}?{}", encode_path(path), encode(query, QUERY)),
            None => encode_path(path),
        }
    };
    if location.starts_with("http://") || location.starts_with("https://") {
        let (scheme, rest) = location.split_once("://")?;
        let host = rest.find(['/', '?']).unwrap_or(rest.len());
        let (host, rest) = rest.split_at(host);
        let slash = if rest.starts_with('/') { "" } else { "/" };
        return format!("{scheme}://{host}{slash}{}", encoded(rest)).parse().ok();
    }
    if let Some(rest) = location.strip_prefix("//") {
        return resolve(from, &format!("{scheme}://{rest}"));
    }
    let path = if location.starts_with('/') {
        location.to_owned()
    } else if location.is_empty() {
        from.path_and_query()?.as_str().to_owned()
    } else if location.starts_with('?') {
        format!("{}{location}", from.path())
    } else if location.split(['/', '?']).next()?.contains(':') {
        // Other schemes are not supported.
        return None;
    } else {
        let folder = &from.path()[..=from.path().rfind('/')?];
        without_dots(&format!("{folder}{location}"))
    };
    format!("{scheme}://{authority}{}", encoded(&path)).parse().ok()
}

/// Removes the segments `.` and `..` from a path, which may be followed by a query.
fn without_dots(path: &str) -> String {
    let (path, query) = path.find('?').map_or((path, ""), |at| path.split_at(at));
    let mut out: Vec<&str> = Vec::new();
    let mut segments = path.split('/').peekable();
    while let Some(segment) = segments.next() {
        let is_last = segments.peek().is_none();
        match segment {
            "." | ".." => {
                if segment == ".." && out.len() > 1 {
                    out.pop();
                }
                if is_last {
                    out.push("");
                }
            }
            other => out.push(other),
        }
    }
    format!("{}{query}", out.join("/"))
}

#[cfg(test)]
mod tests {
    use contract_model::Query;
    use http::Uri;

    use super::{BaseUrl, encode_path, encode_query, parse_query, resolve};

    fn joined(base: &str, path: &str, query: &str) -> String {
        BaseUrl::parse(base)
            .unwrap()
            .join(&encode_path(path), query)
            .unwrap()
            .to_string()
    }

    #[test]
    fn sends_paths_unchanged() {
        for (path, want) in [
            ("/a//b/../c/./d", "http://h/a//b/../c/./d"),
            ("//x", "http://h//x"),
            ("/a b/é", "http://h/a%20b/%C3%A9"),
            ("/a%20b%2Fc/100%/%zz", "http://h/a%20b%2Fc/100%25/%25zz"),
            ("/a?b#c", "http://h/a%3Fb%23c"),
            ("/a;v=1,2:3@4!$&'()*+=", "http://h/a;v=1,2:3@4!$&'()*+="),
            ("/[1]{2}|3", "http://h/%5B1%5D%7B2%7D%7C3"),
            ("", "http://h/"),
        ] {
            assert_eq!(joined("http://h", path, ""), want);
        }
    }

    proptest::proptest! {
        #[test]
        fn any_path_and_query_make_a_url(path in ".*", name in ".*", value in ".*", raw in ".*") {
            let base = BaseUrl::parse("http://h/prefix").unwrap();
            let mut query = Query::new();
            query.append(name, Some(value.into()));
            for query in [query, Query::parse(&raw)] {
                let uri = base.join(&encode_path(&path), &encode_query(&query)).unwrap();
                // Decoding the path that was sent returns the original path.
                let sent = percent_encoding::percent_decode_str(uri.path()).collect::<Vec<_>>();
                let decoded = percent_encoding::percent_decode_str(&path).collect::<Vec<_>>();
                proptest::prop_assert!(sent.ends_with(&decoded));
            }
        }

        #[test]
        fn nothing_panics(text in ".*", other in ".*") {
            let _ = BaseUrl::parse(&text);
            let _ = BaseUrl::parse(&format!("http://{text}"));
            let _ = super::without_credentials(&text);
            if let Ok(from) = format!("http://h/{}", encode_path(&other)).parse::<Uri>() {
                let _ = resolve(&from, &text);
                let _ = crate::redact::redact_uri(&from);
            }
        }
    }

    #[test]
    fn adds_the_prefix() {
        assert_eq!(joined("http://h:81/api/v1/", "/a", "b=1"), "http://h:81/api/v1/a?b=1");
        assert_eq!(joined("http://h/api", "", ""), "http://h/api");
        assert_eq!(joined("https://[::1]:8443", "/", ""), "https://[::1]:8443/");
    }

    #[test]
    fn rejects_invalid_base_urls() {
        for (url, problem) in [
            ("127.0.0.1:8080", "must start with http://"),
            ("ftp://h", "only http and https"),
            ("http://h?a", "query or a fragment"),
            ("http://", "host is missing"),
            ("http://h:99999", "port is invalid"),
            ("http://h:x", "host is missing"),
            ("", "must start with http://"),
        ] {
            let error = BaseUrl::parse(url).unwrap_err().to_string();
            assert!(error.contains(problem), "{url}: {error}");
        }
        for url in [
            "ftp://me:secret@h",
            "http:///me:secret@h",
            "me:secret@h",
            "http://h/?a=secret",
            "http://h/#secret",
        ] {
            let error = BaseUrl::parse(url).unwrap_err().to_string();
            assert!(!error.contains("secret"), "{error}");
        }
    }

    #[test]
    fn credentials_become_a_header() {
        let base = BaseUrl::parse("http://me:p%40ss@h/x").unwrap();
        assert_eq!(base.to_string(), "http://h/x");
        assert_eq!(base.credentials().unwrap(), "Basic bWU6cEBzcw==");
    }

    #[test]
    fn keeps_the_notation_of_queries() {
        assert_eq!(encode_query(&Query::parse("b=a%20b&a=ü&c")), "b=a%20b&a=%C3%BC&c");
        let mut query = Query::new();
        query.append("q", Some("a b&c".into()));
        assert_eq!(encode_query(&query), "q=a+b%26c");
    }

    #[test]
    fn a_second_question_mark_belongs_to_the_first_name() {
        for (text, name) in [("a=1", "a"), ("?a=1", "?a"), ("??", "??")] {
            assert_eq!(parse_query(text).names(), [name], "{text}");
        }
    }

    #[test]
    fn redirects_are_resolved() {
        let from: Uri = "http://h:1/a/b?c".parse().unwrap();
        for (location, want) in [
            ("https://x", "https://x/"),
            ("https://x?q", "https://x/?q"),
            ("//y/z", "http://y/z"),
            ("/é?ü#f", "http://h:1/%C3%A9?%C3%BC"),
            ("c", "http://h:1/a/c"),
            ("../../c/./d?x=..", "http://h:1/c/d?x=.."),
            ("..", "http://h:1/"),
            ("?d", "http://h:1/a/b?d"),
            ("", "http://h:1/a/b?c"),
        ] {
            assert_eq!(resolve(&from, location).unwrap().to_string(), want, "{location}");
        }
        assert_eq!(resolve(&from, "mailto:a@b"), None);
    }
}
