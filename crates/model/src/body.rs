//! Request, response, and message bodies.

use std::borrow::Cow;
use std::sync::Arc;

use bytes::Bytes;

use crate::{ContentType, Json, Number};

/// The body of a request, a response, or a message.
#[derive(Clone, Debug, PartialEq, Default)]
pub enum Body {
    /// No body: the contract does not restrict the body.
    #[default]
    Missing,
    Empty,
    /// The JSON value `null`, which differs from a missing body.
    Null,
    Present(Content),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Content {
    pub value: ContentValue,
    /// The declared content type, or else the one detected from the bytes. `None` if neither is known.
    pub content_type: Option<ContentType>,
    /// The value of `contentTypeHint` in the contract file. `None` if it is missing.
    pub hint: Option<ContentHint>,
}

/// The value of a present body. [`Content::new`] uses `Json` for all valid JSON, so that equal bodies from different
/// sources compare equal.
#[derive(Clone, Debug, PartialEq)]
pub enum ContentValue {
    Json(Arc<Json>),
    /// Any other content, including invalid JSON.
    Bytes(Bytes),
}

/// How the body is written in V4 files if the content type does not determine it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContentHint {
    /// The body is written as base64.
    Binary,
    /// The body is written as text.
    Text,
    /// The content type determines how the body is written.
    Default,
}

impl Content {
    /// Creates content from bytes. Detects the content type if `content_type` is `None`.
    pub fn new(bytes: impl Into<Bytes>, content_type: Option<ContentType>) -> Self {
        let bytes = bytes.into();
        let content_type = content_type.or_else(|| detect(&bytes));
        let value = match &content_type {
            Some(json) if json.is_json() => match Json::parse(&bytes) {
                Ok(value) => ContentValue::Json(Arc::new(value)),
                Err(_) => ContentValue::Bytes(bytes),
            },
            _ => ContentValue::Bytes(bytes),
        };
        Self {
            value,
            content_type,
            hint: None,
        }
    }

    /// Creates content from a JSON document.
    pub fn json(value: Json) -> Self {
        Self {
            value: ContentValue::Json(Arc::new(value)),
            content_type: Some(ContentType::json()),
            hint: None,
        }
    }

    /// Returns the bytes to send. JSON is written without whitespace.
    pub fn bytes(&self) -> Bytes {
        match &self.value {
            ContentValue::Json(value) => value.to_text().into(),
            ContentValue::Bytes(bytes) => bytes.clone(),
        }
    }

    /// Returns the bytes as text, or `None` if they are not valid UTF-8.
    pub fn text(&self) -> Option<Cow<'_, str>> {
        match &self.value {
            ContentValue::Json(value) => Some(value.to_text().into()),
            ContentValue::Bytes(bytes) => std::str::from_utf8(bytes).ok().map(Cow::Borrowed),
        }
    }
}

impl Body {
    /// Creates a body from bytes. No bytes become [`Body::Empty`]. Detects the content type if `content_type` is
    /// `None`.
    pub fn from_bytes(bytes: impl Into<Bytes>, content_type: Option<ContentType>) -> Self {
        let bytes = bytes.into();
        if bytes.is_empty() {
            Self::Empty
        } else {
            Self::Present(Content::new(bytes, content_type))
        }
    }

    pub fn content(&self) -> Option<&Content> {
        if let Self::Present(content) = self {
            Some(content)
        } else {
            None
        }
    }

    pub fn content_type(&self) -> Option<&ContentType> {
        self.content().and_then(|content| content.content_type.as_ref())
    }

    /// Returns the bytes to send: none for a missing or empty body, and `null` for a null body.
    pub fn bytes(&self) -> Bytes {
        match self {
            Self::Missing | Self::Empty => Bytes::new(),
            Self::Null => Bytes::from_static(b"null"),
            Self::Present(content) => content.bytes(),
        }
    }
}

/// Detects JSON, XML, HTML, and plain text from the first bytes. Returns `None` if the bytes are not text.
pub fn detect(bytes: &[u8]) -> Option<ContentType> {
    let text = match std::str::from_utf8(&bytes[..bytes.len().min(64)]) {
        Ok(text) => text,
        // The limit may have split a multi-byte character.
        Err(error) if error.error_len().is_none() => std::str::from_utf8(&bytes[..error.valid_up_to()]).ok()?,
        Err(_) => return None,
    };
    let start = text.trim_start_matches('\u{feff}').trim_start();
    let begins = |prefix: &str| {
        start
            .get(..prefix.len())
            .is_some_and(|head| head.eq_ignore_ascii_case(prefix))
    };
    if begins("<?xml") {
        return Some(ContentType::xml());
    }
    if begins("<!doctype") || begins("<html") {
        return "text/html".parse().ok();
    }
    if start.starts_with('<') && start[1..].starts_with(|c: char| c.is_alphabetic() || c == '_') {
        return Some(ContentType::xml());
    }
    let is_json = start.starts_with(['{', '[', '"']) || is_scalar(start.trim_end(), text.len() < bytes.len());
    Some(if is_json {
        ContentType::json()
    } else {
        ContentType::text()
    })
}

/// Returns true if the whole text is a number, a boolean, or null. `2026-01-05` and `12 apples` are not scalars.
fn is_scalar(text: &str, is_cut: bool) -> bool {
    let is_digit = |c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.' | 'e' | 'E');
    matches!(text, "true" | "false" | "null")
        || Number::from_text(text).is_some()
        || (is_cut
            && text.starts_with(['-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9'])
            && text.chars().all(is_digit))
}

#[cfg(test)]
mod tests {
    use super::{Body, Content, ContentValue, detect};
    use crate::Json;

    #[test]
    fn detection() {
        for (bytes, want) in [
            (&b"<?xml version='1.0'?><a/>"[..], "application/xml"),
            (b"<note><b/></note>", "application/xml"),
            (b"<HTML>", "text/html"),
            (b"<!DOCTYPE html>", "text/html"),
            (b" {\"a\": 1}", "application/json"),
            (b"true", "application/json"),
            (b"12", "application/json"),
            (b" -1.5e3\n", "application/json"),
            (b"null ", "application/json"),
            (b"2026-01-05", "text/plain"),
            (b"12 apples", "text/plain"),
            (b"1b4e28ba-2fa1-11d2-883f-0016d3cca427", "text/plain"),
            (b"--boundary\r\n", "text/plain"),
            (b"nullable", "text/plain"),
            (b"hello", "text/plain"),
            (b"< 3", "text/plain"),
        ] {
            assert_eq!(
                detect(bytes).unwrap().essence(),
                want,
                "{}",
                String::from_utf8_lossy(bytes)
            );
        }
        assert_eq!(detect(b"\xff\xd8\xff"), None);
        let long_number = "7".repeat(10_000);
        assert_eq!(detect(long_number.as_bytes()).unwrap().essence(), "application/json");
        let cut_in_a_character = "a".repeat(63) + "é";
        assert_eq!(detect(cut_in_a_character.as_bytes()).unwrap().essence(), "text/plain");
    }

    #[test]
    fn json_is_read_once() {
        let content = Content::new("{ \"a\": 1.0 }", Some("application/json".parse().unwrap()));
        assert!(matches!(&content.value, ContentValue::Json(value) if value.get("a").is_some()));
        assert_eq!(content, Content::json(Json::parse(b"{\"a\":1.0}").unwrap()));
        assert!(matches!(
            Content::new("{", Some("application/json".parse().unwrap())).value,
            ContentValue::Bytes(_)
        ));
    }

    #[test]
    fn no_bytes_are_empty() {
        assert_eq!(Body::from_bytes("", None), Body::Empty);
    }
}
