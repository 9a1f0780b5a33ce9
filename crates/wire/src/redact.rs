//! Keeps secrets of URLs out of texts.

use contract_model::{REDACTED, is_secret};
use http::Uri;

/// A URL for people to read: without the values of parameters whose names speak of secrets.
pub fn redacted_uri(uri: &Uri) -> String {
    let Some(query) = uri.query() else {
        return uri.to_string();
    };
    format!("{}{}?{}", origin(uri), uri.path(), self::query(query))
}

/// A URL as somebody wrote it, for people to read: without credentials, and without the values of parameters whose names
/// speak of secrets.
pub fn shown_url(url: &str) -> String {
    location(&crate::without_credentials(url))
}

/// A reference to another URL for people to read.
pub(crate) fn location(text: &str) -> String {
    match text.split_once('?') {
        Some((path, query)) => format!("{path}?{}", self::query(query)),
        None => text.to_owned(),
    }
}

/// Scheme, host and port.
pub(crate) fn origin(uri: &Uri) -> String {
    format!(
        "{}://{}",
        uri.scheme_str().unwrap_or("http"),
        uri.authority().map_or("", |authority| authority.as_str())
    )
}

fn query(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (at, pair) in text.split('&').enumerate() {
        if at > 0 {
            out.push('&');
        }
        match pair.split_once('=') {
            Some((name, _)) if is_secret(name) => {
                out.push_str(name);
                out.push('=');
                out.push_str(REDACTED);
            }
            _ => out.push_str(pair),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::redacted_uri;

    #[test]
    fn parameters_are_hidden() {
        let shown = redacted_uri(&"http://h/a?x=1&access_token=s&y".parse().unwrap());
        assert_eq!(shown, "http://h/a?x=1&access_token=[redacted]&y");
    }
}
