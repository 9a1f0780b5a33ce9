//! Removes secrets from reports, errors, and logs. Values are compared before they are redacted.

mod cookie;
mod request;
mod text;

use std::borrow::Cow;

use contract_matching::{Location, Mismatch, MismatchKind};
use contract_model::{Json, Number, REDACTED, Text, is_secret};

pub(crate) use cookie::sentence as cookies;
pub use request::{object, parts, query};
pub use text::text;

/// Redacts members with sensitive names, and secrets in strings. Values keep their types, because sentences may mention
/// them.
///
/// ```
/// use contract_model::Json;
/// let mut value = Json::parse(br#"{"user": "ann", "token": {"id": 7, "text": "x"}}"#)?;
/// contract_report::redact::json(&mut value);
/// assert_eq!(value.to_text(), r#"{"user":"ann","token":{"id":0,"text":"[redacted]"}}"#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn json(value: &mut Json) {
    match value {
        Json::Object(members) => {
            for (name, value) in members.iter_mut() {
                if is_secret(name) {
                    hide(value);
                } else {
                    json(value);
                }
            }
        }
        Json::Array(items) => items.iter_mut().for_each(json),
        Json::String(value) => {
            if let Cow::Owned(redacted) = text(value) {
                *value = redacted.into();
            }
        }
        _ => {}
    }
}

/// Returns whether [`json`] would change the value. Most bodies contain no secrets, so this check avoids copying them.
pub fn has_secrets(value: &Json) -> bool {
    match value {
        Json::Array(items) => items.iter().any(has_secrets),
        Json::Object(members) => members
            .iter()
            .any(|(name, value)| has_secrets(value) || (is_secret(name) && !value.is_null())),
        Json::String(value) => matches!(text(value), Cow::Owned(_)),
        _ => false,
    }
}

fn hide(value: &mut Json) {
    match value {
        Json::Null | Json::Bool(_) => {}
        Json::Number(number) => {
            let zero = if number.as_str().contains(['.', 'e', 'E']) {
                "0.0"
            } else {
                "0"
            };
            *number = Number::from_text(zero).unwrap_or_else(|| 0_u64.into());
        }
        // Keep empty values. They are not secret, and are often the cause of the problem.
        Json::String(text) if text.is_empty() => {}
        Json::String(text) => *text = Text::const_new(REDACTED),
        Json::Array(items) => items.iter_mut().for_each(hide),
        Json::Object(members) => members.iter_mut().for_each(|(_, value)| hide(value)),
    }
}

pub fn url(url: &impl std::fmt::Display) -> String {
    text(&url.to_string()).into_owned()
}

/// Redacts the complete value if the header's name is sensitive, and otherwise only the secrets in it, as in `Location:
/// https://h/?token=…`. Keeps the scheme of an `Authorization` header, because a wrong scheme is a common mistake.
pub fn header<'v>(name: &str, value: &'v str) -> Cow<'v, str> {
    if !is_secret(name) || value.is_empty() {
        return text(value);
    }
    match value.split_once(' ') {
        Some((scheme, _))
            if scheme.bytes().all(|b| b.is_ascii_alphanumeric()) && !name.to_ascii_lowercase().contains("cookie") =>
        {
            Cow::Owned(format!("{scheme} {REDACTED}"))
        }
        _ => Cow::Borrowed(REDACTED),
    }
}

pub fn mismatch(mismatch: &mut Mismatch) {
    let is_secret = mismatch.at.is_secret();
    let header_name = match &mismatch.at {
        Location::Header { name, .. } => Some(name.clone()),
        _ => None,
    };
    for value in [&mut mismatch.expected, &mut mismatch.actual].into_iter().flatten() {
        match (value, &header_name) {
            (Json::String(value), Some(name)) => *value = header(name, value).into(),
            (value, _) if is_secret => hide(value),
            (value, _) => json(value),
        }
    }
    hide_kind(&mut mismatch.kind, is_secret);
}

/// Redacts the secrets in an explanation. If `is_secret` is true, the complete explanation is replaced.
pub(crate) fn explanation(explained: Option<String>, is_secret: bool) -> Option<String> {
    if is_secret {
        return Some("values redacted: the name looks sensitive".to_owned());
    }
    explained.map(|explained| text(&explained).into_owned())
}

/// Redacts the values that the mismatch's sentence contains.
fn hide_kind(kind: &mut MismatchKind, is_secret: bool) {
    match kind {
        MismatchKind::Regex { pattern: text }
        | MismatchKind::RegexBudget { pattern: text }
        | MismatchKind::Include { text } => {
            *text = if is_secret {
                Text::const_new(REDACTED)
            } else {
                self::text(text).into()
            };
        }
        MismatchKind::Unreadable { problem, .. }
        | MismatchKind::NotApplicable { problem }
        | MismatchKind::Plugin { problem } => {
            *problem = text(problem).into_owned();
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use contract_model::Json;

    use super::{has_secrets, header, json};

    #[test]
    fn headers_keep_the_scheme() {
        for (name, value, want) in [
            ("Authorization", "Bearer abc.def", "Bearer [redacted]"),
            ("authorization", "abc", "[redacted]"),
            ("Cookie", "a=1 b=2", "[redacted]"),
            ("X-Api-Key", "", ""),
            ("Accept", "a b", "a b"),
            ("Location", "https://h/a?token=x", "https://h/a?token=[redacted]"),
            ("X-Forwarded-Authentication", "Bearer abc.def", "Bearer [redacted]"),
        ] {
            assert_eq!(header(name, value), want);
        }
    }

    #[test]
    fn keeps_the_structure_of_documents() {
        for (input, want) in [
            (
                r#"{"a": [{"password": "x", "pin": 1}], "token": {"n": 12, "d": 1.5, "z": null}}"#,
                r#"{"a":[{"password":"[redacted]","pin":1}],"token":{"n":0,"d":0.0,"z":null}}"#,
            ),
            (
                r#"{"url": "https://me:you@h/?token=x", "in": "{\"pwd\": \"x\"}"}"#,
                r#"{"url":"https://[redacted]@h/?token=[redacted]","in":"{\"pwd\": \"[redacted]\"}"}"#,
            ),
            (
                r#"{"user": {"password": "", "name": "y"}, "token": ["a"]}"#,
                r#"{"user":{"password":"","name":"y"},"token":["[redacted]"]}"#,
            ),
        ] {
            let mut value = Json::parse(input.as_bytes()).unwrap();
            assert!(has_secrets(&value));
            json(&mut value);
            assert_eq!(value.to_text(), want);
        }
        for harmless in [r#"{"user": [{"token": null}]}"#, r#"{"at": "12:30", "note": "a = b"}"#] {
            assert!(!has_secrets(&Json::parse(harmless.as_bytes()).unwrap()), "{harmless}");
        }
    }
}
