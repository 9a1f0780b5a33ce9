//! Determines which parts of paths, queries, and headers become part of a contract.

use std::collections::BTreeSet;

use contract_model::{Headers, Query, Rule, RuleList, Text, is_secret};
use contract_report::redact;

use crate::text::{TextKind, escaped, is_credential};

/// Names of headers that are left out because their values depend on the client, the connection, or the time. A `*` at
/// the end matches any characters. Headers that look like credentials are left out as well.
pub const OMITTED_HEADERS: [&str; 79] = [
    "accept-encoding",
    "accept-language",
    "accept-ranges",
    "access-control-*",
    "age",
    "alt-svc",
    "authorization",
    "b3",
    "baggage",
    "cache-control",
    "cdn-*",
    "cf-*",
    "connection",
    "content-encoding",
    "content-length",
    "content-security-policy*",
    "cookie",
    "cross-origin-*",
    "date",
    "dnt",
    "etag",
    "expect",
    "expires",
    "forwarded",
    "host",
    "http2-settings",
    "if-match",
    "if-modified-since",
    "if-none-match",
    "if-range",
    "if-unmodified-since",
    "keep-alive",
    "last-modified",
    "nel",
    "origin",
    "origin-agent-cluster",
    "permissions-policy",
    "postman-token",
    "pragma",
    "priority",
    "proxy-*",
    "purpose",
    "rate-limit*",
    "ratelimit*",
    "referer",
    "referrer-policy",
    "report-to",
    "reporting-endpoints",
    "retry-after",
    "sec-*",
    "server",
    "server-timing",
    "set-cookie",
    "strict-transport-security",
    "te",
    "timing-allow-origin",
    "traceparent",
    "tracestate",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "upgrade-insecure-requests",
    "user-agent",
    "vary",
    "via",
    "warning",
    "x-amz-*",
    "x-amzn-*",
    "x-b3-*",
    "x-cache*",
    "x-content-type-options",
    "x-correlation-id",
    "x-dns-prefetch-control",
    "x-forwarded-*",
    "x-frame-options",
    "x-powered-by",
    "x-ratelimit*",
    "x-request-id",
    "x-xss-protection",
];

/// Prefixes of other headers that are left out, because frameworks and proxies set them.
const OMITTED_PREFIXES: [&str; 7] = [
    "x-download-options",
    "x-envoy-",
    "x-permitted-cross-domain-policies",
    "x-real-ip",
    "x-runtime",
    "x-served-by",
    "x-trace",
];

fn is_omitted(name: &str, more: &[String]) -> bool {
    let name = name.to_ascii_lowercase();
    let is_listed = |listed: &&str| match listed.strip_suffix('*') {
        Some(prefix) => name.starts_with(prefix),
        None => name == **listed,
    };
    OMITTED_HEADERS.iter().any(is_listed)
        || OMITTED_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
        || more.iter().any(|listed| listed.eq_ignore_ascii_case(&name))
        || is_secret(&name)
}

/// Returns true if a string contains a credential.
pub(crate) fn has_credential(text: &str) -> bool {
    is_credential(text) || redact::text(text) != text
}

/// Returns the headers that become part of the contract. Adds the names of headers that may vary or contain credentials
/// to `omitted`. `more` contains additional names to leave out.
pub(crate) fn kept_headers(headers: &Headers, more: &[String], omitted: &mut BTreeSet<String>) -> Headers {
    let mut kept = Headers::new();
    for (name, values) in headers.iter() {
        let is_any = name.eq_ignore_ascii_case("accept") && values.iter().any(|value| value.contains("*/*"));
        if is_omitted(name, more) || values.iter().any(|value| has_credential(value)) {
            omitted.insert(name.as_str().to_ascii_lowercase());
        } else if !is_any && !values.iter().all(Text::is_empty) {
            kept.insert(name.clone(), values.to_vec());
        }
    }
    kept
}

/// A path in which variable segments, such as IDs, are recognized.
pub(crate) struct PathTemplate {
    /// The path with the kind of each variable segment, such as `/orders/{number}`.
    pub(crate) template: String,
    /// A regular expression for the path, or `None` if no segment is variable.
    pub(crate) pattern: Option<String>,
}

pub(crate) fn path_template(path: &str) -> PathTemplate {
    let mut template = Vec::new();
    let mut pattern = Vec::new();
    let mut is_variable = false;
    for segment in path.split('/') {
        if let Some(kind) = TextKind::of_segment(segment) {
            is_variable = true;
            template.push(format!("{{{}}}", kind.name()));
            let inner = kind.pattern();
            pattern.push(if inner.contains('|') {
                format!("({inner})")
            } else {
                inner
            });
        } else {
            template.push(segment.to_owned());
            pattern.push(escaped(segment));
        }
    }
    PathTemplate {
        template: template.join("/"),
        pattern: is_variable.then(|| pattern.join("/")),
    }
}

/// Returns a regular expression for the value of a `Location` header. It accepts any origin.
pub(crate) fn location_pattern(value: &str) -> String {
    let (origin, path) = match value.split_once("://") {
        Some((_, rest)) => (r"https?://[^/]+", rest.find('/').map_or("", |at| &rest[at..])),
        None => ("", value),
    };
    let (path, query) = path.split_once('?').map_or((path, ""), |(path, _)| (path, r"\?.*"));
    let path = path_template(path).pattern.unwrap_or_else(|| escaped(path));
    format!("{origin}{path}{query}")
}

/// Returns the query parameters that become part of the contract. Adds the names of those that may contain credentials
/// to `omitted`.
pub(crate) fn kept_query(query: &Query, omitted: &mut BTreeSet<String>) -> Query {
    let mut kept = Query::new();
    for (name, value) in query.pairs() {
        if is_secret(name) || value.as_ref().is_some_and(|value| has_credential(value)) {
            omitted.insert(name.to_string());
        } else {
            kept.append(name.clone(), value.clone());
        }
    }
    kept
}

/// Returns the kind of string that all values of a parameter have in common, or `None` if there is none.
pub(crate) fn query_kind(query: &Query, name: &str) -> Option<TextKind> {
    let mut kinds = query
        .values(name)
        .map(|value| value.and_then(|value| TextKind::of_segment(value)));
    let first = kinds.next()??;
    kinds.all(|kind| kind == Some(first)).then_some(first)
}

pub(crate) fn regex(pattern: impl Into<Text>) -> RuleList {
    RuleList::single(Rule::Regex(pattern.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_digits_and_identifiers_of_a_path_are_variable() {
        let path = path_template("/v2/orders/7/items/7d44b1f9-6f0f-4b3e-9f0a-2f7f3c6a9d10/a.b");
        assert_eq!(path.template, "/v2/orders/{number}/items/{uuid}/a.b");
        let pattern = path.pattern.unwrap();
        assert!(pattern.starts_with(r"/v2/orders/\d+/items/("), "{pattern}");
        assert!(pattern.ends_with(r")/a\.b"), "{pattern}");
        assert!(path_template("/orders").pattern.is_none());
    }

    #[test]
    fn locations_may_have_another_origin() {
        assert_eq!(location_pattern("http://h:1/orders/7"), r"https?://[^/]+/orders/\d+");
        assert_eq!(location_pattern("/a?b=1"), r"/a\?.*");
    }

    #[test]
    fn credentials_and_volatile_headers_are_omitted() {
        let headers: Headers = [
            ("Authorization", "Bearer abc"),
            ("Cookie", "a=b"),
            ("X-Api-Key", "k"),
            ("X-Other", "Bearer abcdefgh"),
            ("Date", "now"),
            ("Sec-Fetch-Mode", "cors"),
            ("X-Mine", "1"),
            ("Accept", "*/*"),
            ("Content-Type", "application/json"),
            ("X-Tenant", "7"),
        ]
        .into_iter()
        .collect();
        let mut omitted = BTreeSet::new();
        let kept = kept_headers(&headers, &["x-mine".to_owned()], &mut omitted);
        let names: Vec<&str> = kept.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["Content-Type", "X-Tenant"]);
        assert!(omitted.contains("x-other") && omitted.contains("x-mine") && !omitted.contains("accept"));
    }

    #[test]
    fn credentials_in_queries_are_omitted() {
        let mut omitted = BTreeSet::new();
        let kept = kept_query(&Query::parse("page=2&access_token=abc&q=tea"), &mut omitted);
        assert_eq!(kept.to_text(), "page=2&q=tea");
        assert_eq!(query_kind(&kept, "page"), Some(TextKind::Digits));
        assert_eq!(query_kind(&kept, "q"), None);
        assert!(omitted.contains("access_token"));
    }
}
