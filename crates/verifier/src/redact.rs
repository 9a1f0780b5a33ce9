//! Keeps secrets out of reports and error texts.

use std::borrow::Cow;
use std::sync::LazyLock;

use contract_matching::Mismatch;
use contract_model::{Json, REDACTED, is_secret};
use http::Uri;
use regex::{Captures, Regex};

/// Hides the text of every member whose name speaks of a secret.
pub(crate) fn json(value: &mut Json) {
    match value {
        Json::Array(items) => items.iter_mut().for_each(json),
        Json::Object(object) => {
            for (name, value) in object.iter_mut() {
                match value {
                    Json::String(text) if !text.is_empty() && is_secret(name) => *text = REDACTED.into(),
                    other => json(other),
                }
            }
        }
        _ => {}
    }
}

/// Whether [`json`] would change anything: most bodies hold no secret and need not be copied.
pub(crate) fn has_secrets(value: &Json) -> bool {
    match value {
        Json::Array(items) => items.iter().any(has_secrets),
        Json::Object(object) => object.iter().any(|(name, value)| {
            (matches!(value, Json::String(text) if !text.is_empty()) && is_secret(name)) || has_secrets(value)
        }),
        _ => false,
    }
}

/// Hides the values that a mismatch quotes from a place that holds a secret.
pub(crate) fn mismatch(mismatch: &mut Mismatch) {
    let place_is_secret = mismatch.at.is_secret();
    if place_is_secret {
        mismatch.explanation =
            Some("the values are hidden, because the name of the place speaks of a secret".to_owned());
    }
    for value in [&mut mismatch.expected, &mut mismatch.actual].into_iter().flatten() {
        match value {
            Json::String(text) if place_is_secret && !text.is_empty() => *text = REDACTED.into(),
            // A whole body that has no JSON form.
            Json::String(body) => *body = text(body).as_ref().into(),
            other => json(other),
        }
    }
    if let Some(explanation) = &mut mismatch.explanation
        && let Cow::Owned(hidden) = text(explanation)
    {
        *explanation = hidden;
    }
}

/// Hides what looks like a secret in a text of whatever kind: members of JSON, parameters of forms, credentials of headers.
pub(crate) fn text(text: &str) -> Cow<'_, str> {
    static PAIRS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r#"(?x)
            "(?<member>[^"\\]+)"(?<colon>\s*:\s*)"(?:[^"\\]|\\.)+"
            | \b(?<parameter>[\w.-]+)=[^&\s"'<>;,]+
            | \b(?<scheme>Bearer|Basic)\s+[\w.~+/=-]{6,}"#,
        )
        .expect("the pattern is tested")
    });
    PAIRS.replace_all(text, |found: &Captures<'_>| {
        let named = |name| found.name(name).map(|part| part.as_str());
        match (named("member"), named("parameter"), named("scheme")) {
            (Some(member), ..) if is_secret(member) => {
                format!("\"{member}\"{}\"{REDACTED}\"", named("colon").unwrap_or(":"))
            }
            (_, Some(parameter), _) if is_secret(parameter) => format!("{parameter}={REDACTED}"),
            (_, _, Some(scheme)) => format!("{scheme} {REDACTED}"),
            _ => found[0].to_owned(),
        }
    })
}

/// A header's value for the report.
pub(crate) fn header(name: &str, value: &str) -> String {
    if is_secret(name) {
        REDACTED.to_owned()
    } else {
        value.to_owned()
    }
}

/// A URL for people to read.
pub(crate) fn uri(uri: &Uri) -> String {
    let Some(query) = uri.query() else {
        return uri.to_string();
    };
    format!("{}{}?{}", origin(uri), uri.path(), self::query(query))
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

pub(crate) fn query(text: &str) -> String {
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
    use contract_model::Json;

    use super::{json, uri};

    #[test]
    fn texts_are_searched() {
        for (text, want) in [
            (r#"+  "token": "a\"b","#, r#"+  "token": "[redacted]","#),
            (r#""name": "token", "token": null"#, r#""name": "token", "token": null"#),
            ("a=1&password=x%20y&b=2", "a=1&password=[redacted]&b=2"),
            ("Authorization: Bearer abc.def", "Authorization: Bearer [redacted]"),
            ("a basic idea", "a basic idea"),
        ] {
            assert_eq!(super::text(text), want);
        }
    }

    #[test]
    fn values_are_hidden() {
        let mut value =
            Json::parse(br#"{"user": {"password": "x", "name": "y", "token": null}, "token": ["a"]}"#).unwrap();
        json(&mut value);
        assert_eq!(
            value.to_text(),
            r#"{"user":{"password":"[redacted]","name":"y","token":null},"token":["a"]}"#
        );
        let shown = uri(&"http://h/a?x=1&access_token=s&y".parse().unwrap());
        assert_eq!(shown, "http://h/a?x=1&access_token=[redacted]&y");
    }
}
