//! Removes secrets from URLs that appear in messages.

use std::borrow::Cow;

use contract_model::{REDACTED, is_secret};
use http::Uri;

/// Removes the credentials from a URL, and replaces the values of sensitive parameters with `[redacted]`.
pub fn redact_uri(uri: &Uri) -> String {
    redact_url(&uri.to_string())
}

/// Like [`redact_uri`], but also accepts invalid URLs. Parameters are found in the query, in the fragment, and after a
/// semicolon in the path.
pub fn redact_url(url: &str) -> String {
    parameters(&without_user(url))
}

/// Removes `user:password@`. Like servers and browsers, it ignores additional slashes and treats a backslash as a
/// slash.
fn without_user(url: &str) -> Cow<'_, str> {
    let is_slash = |c: char| c == '/' || c == '\\';
    let after_scheme = url.find(':').filter(|&at| url[at + 1..].starts_with(is_slash));
    let start = after_scheme.map_or(0, |at| at + 1);
    let slashes = url[start..].len() - url[start..].trim_start_matches(is_slash).len();
    // A path may contain an `@`.
    if start == 0 && slashes == 1 {
        return Cow::Borrowed(url);
    }
    let start = start + slashes;
    let end = url[start..]
        .find(|c| is_slash(c) || c == '?' || c == '#')
        .map_or(url.len(), |at| start + at);
    match url[start..end].rfind('@') {
        Some(at) => Cow::Owned(format!("{}{}", &url[..start], &url[start + at + 1..])),
        None => Cow::Borrowed(url),
    }
}

pub(crate) fn origin(uri: &Uri) -> String {
    format!(
        "{}://{}",
        uri.scheme_str().unwrap_or("http"),
        uri.authority().map_or("", |authority| authority.as_str())
    )
}

/// Replaces the values of sensitive parameters. `code` is one of them, because it can be an OAuth authorization code.
fn parameters(url: &str) -> String {
    let mut out = String::with_capacity(url.len());
    let mut rest = url;
    let mut is_path = true;
    while let Some(at) = rest.find('=') {
        let before = &rest[..at];
        is_path &= !before.contains(['?', '#']);
        let name = before.rsplit(['?', '#', '&', ';', '/']).next().unwrap_or_default();
        out.push_str(before);
        out.push('=');
        rest = &rest[at + 1..];
        if is_secret(name) || name.eq_ignore_ascii_case("code") {
            // A semicolon may either separate parameters or be part of a value.
            let ends: &[char] = if is_path { &['/', '?', '#'] } else { &['&', '#'] };
            let end = rest.find(ends).unwrap_or(rest.len());
            out.push_str(REDACTED);
            rest = &rest[end..];
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::{redact_uri, redact_url};

    #[test]
    fn parameters_are_hidden() {
        let redacted = redact_uri(&"http://h/a?x=1&access_token=s&y".parse().unwrap());
        assert_eq!(redacted, "http://h/a?x=1&access_token=[redacted]&y");
        let redacted = redact_uri(&"http://h/?api%5Bkey%5D=s&%74oken=t&page%5Bsize%5D=2".parse().unwrap());
        assert_eq!(
            redacted,
            "http://h/?api%5Bkey%5D=[redacted]&%74oken=[redacted]&page%5Bsize%5D=2"
        );
    }

    #[test]
    fn parameters_are_hidden_everywhere() {
        for (url, redacted) in [
            (
                "http://h/#access_token=s&state=1",
                "http://h/#access_token=[redacted]&state=1",
            ),
            ("http://h/#/a?access_token=s", "http://h/#/a?access_token=[redacted]"),
            ("http://h/a;token=s;v=1/b", "http://h/a;token=[redacted]/b"),
            ("http://h/a;v=1?b=1", "http://h/a;v=1?b=1"),
            ("http://h/?a=1;token=s;t&b=2", "http://h/?a=1;token=[redacted]&b=2"),
            ("http://h/?token=a?b=c/d&e=1#f", "http://h/?token=[redacted]&e=1#f"),
            ("http://h/?code=s&state=1", "http://h/?code=[redacted]&state=1"),
            ("http://h/?a=b=c&encode=1", "http://h/?a=b=c&encode=1"),
            ("/a?token=s", "/a?token=[redacted]"),
        ] {
            assert_eq!(redact_url(url), redacted);
        }
    }

    #[test]
    fn user_and_password_are_hidden() {
        assert_eq!(redact_uri(&"http://me:hush@h/a".parse().unwrap()), "http://h/a");
        for (url, redacted) in [
            ("https://me:hush@h:1/a?x=1", "https://h:1/a?x=1"),
            ("//me:hush@h/a", "//h/a"),
            ("ftp://me:hush@h", "ftp://h"),
            ("http:///me:hush@h/", "http:///h/"),
            ("http:/me:hush@h", "http:/h"),
            (r"http:\\me:hush@h\a@b", r"http:\\h\a@b"),
            (r"/\me:hush@h", r"/\h"),
            ("me:hush@h/a", "h/a"),
            ("http://h:80/a@b", "http://h:80/a@b"),
            ("mailto:a@b", "b"),
            ("/a@b", "/a@b"),
        ] {
            assert_eq!(redact_url(url), redacted);
        }
    }
}
