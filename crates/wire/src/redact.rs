//! Removes secrets from URLs in messages.

use contract_model::{REDACTED, is_secret};
use http::Uri;

/// The URL without credentials, and with the values of sensitive parameters redacted.
pub fn redact_uri(uri: &Uri) -> String {
    redact_url(&uri.to_string())
}

/// The same for a URL that may be invalid.
pub fn redact_url(url: &str) -> String {
    let url = crate::without_credentials(url);
    match url.split_once('?') {
        Some((path, query)) => format!("{path}?{}", self::query(query)),
        None => url,
    }
}

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
    use super::{redact_uri, redact_url};

    #[test]
    fn parameters_are_hidden() {
        let shown = redact_uri(&"http://h/a?x=1&access_token=s&y".parse().unwrap());
        assert_eq!(shown, "http://h/a?x=1&access_token=[redacted]&y");
        let shown = redact_uri(&"http://h/?api%5Bkey%5D=s&%74oken=t&page%5Bsize%5D=2".parse().unwrap());
        assert_eq!(
            shown,
            "http://h/?api%5Bkey%5D=[redacted]&%74oken=[redacted]&page%5Bsize%5D=2"
        );
    }

    #[test]
    fn user_and_password_are_hidden() {
        assert_eq!(redact_uri(&"http://me:hush@h/a".parse().unwrap()), "http://h/a");
        for (given, shown) in [
            ("https://me:hush@h:1/a?x=1", "https://h:1/a?x=1"),
            ("//me:hush@h/a", "//h/a"),
            ("ftp://me:hush@h", "ftp://h"),
            ("/a@b", "/a@b"),
        ] {
            assert_eq!(redact_url(given), shown);
        }
    }
}
