//! Requests in reports, with redacted secrets and truncated bodies.

use base64::Engine;
use bytes::Bytes;
use contract_model::{Body, ContentType, Headers, Json, Query, Request, Text, detect};
use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::redact;
use crate::shorten::MAX_TEXT_SIZE;

/// Size to which bodies are truncated, in bytes.
const MAX_BODY_SIZE: usize = 16 << 10;

/// A request in a report. Secrets are redacted. The body is truncated to 16 KiB.
#[derive(Clone, Debug, PartialEq)]
pub struct RequestView {
    /// The method, as received or as written in the contract.
    pub method: Text,
    pub path: Text,
    /// The query string without the question mark. `None` if the request has no query.
    pub query: Option<String>,
    /// Names and values of the headers, in order.
    pub headers: Headers,
    /// The body; `None` if it is empty.
    pub body: Option<BodyView>,
    /// Size of the complete body in bytes.
    pub body_length: u64,
}

/// The body of a request, as text or bytes.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum BodyView {
    Json(Json),
    /// A text body, possibly truncated.
    Text(String),
    /// A binary body, possibly truncated.
    Binary(Bytes),
}

impl RequestView {
    /// Creates the view of a received request. `length` is the size of the complete body in bytes, because `body` may
    /// be truncated.
    pub fn new((method, path): (&Text, &Text), query: &Query, headers: &Headers, body: &Bytes, length: u64) -> Self {
        Self {
            method: method.clone(),
            path: path.clone(),
            query: (!query.is_empty()).then(|| redact::query(query)),
            headers: redacted(headers),
            body: BodyView::new(body, length, headers.content_type().as_ref()),
            body_length: length,
        }
    }

    pub fn expected(request: &Request) -> Self {
        let body = request.body.bytes();
        let mut view = Self::new(
            (&request.method, &request.path),
            &request.query,
            &request.headers,
            &body,
            body.len() as u64,
        );
        if let Body::Present(content) = &request.body {
            view.body = BodyView::new(&body, body.len() as u64, content.content_type.as_ref());
        }
        view
    }

    /// Returns the method, path, and query, such as `GET /users?page=2`.
    pub fn target(&self) -> String {
        match &self.query {
            Some(query) => format!("{} {}?{query}", self.method, self.path),
            None => format!("{} {}", self.method, self.path),
        }
    }
}

fn redacted(headers: &Headers) -> Headers {
    let lines = headers
        .iter()
        .flat_map(|(name, values)| values.iter().map(move |value| (name, value)));
    lines
        .map(|(name, value)| (name.clone(), Text::from(redact::header(name, value))))
        .collect()
}

impl BodyView {
    fn new(body: &Bytes, length: u64, content_type: Option<&ContentType>) -> Option<Self> {
        if body.is_empty() {
            return None;
        }
        let detected = if content_type.is_none() { detect(body) } else { None };
        let is_json = content_type.or(detected.as_ref()).is_some_and(ContentType::is_json);
        let is_whole = body.len() as u64 == length && body.len() <= MAX_BODY_SIZE;
        if is_json
            && is_whole
            && let Ok(mut value) = Json::parse(body)
        {
            redact::json(&mut value);
            return Some(Self::Json(value));
        }
        let start = body.get(..MAX_BODY_SIZE).unwrap_or(body);
        Some(match readable(start, is_whole) {
            Some(text) if content_type.is_some_and(ContentType::is_multipart) => Self::Text(redact::parts(text)),
            Some(text) => Self::Text(redact::text(text).into_owned()),
            None => Self::Binary(body.slice(..start.len().min(MAX_TEXT_SIZE))),
        })
    }
}

/// Returns the bytes as text, or `None` if they are binary. If the bytes were truncated (`is_whole` is false), the last
/// character may be incomplete.
fn readable(bytes: &[u8], is_whole: bool) -> Option<&str> {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) if !is_whole && error.error_len().is_none() => {
            std::str::from_utf8(&bytes[..error.valid_up_to()]).ok()?
        }
        Err(_) => return None,
    };
    let is_control = |c: char| c.is_control() && !matches!(c, '\n' | '\r' | '\t');
    (!text.contains(is_control)).then_some(text)
}

impl Serialize for RequestView {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("method", self.method.as_str())?;
        map.serialize_entry("path", self.path.as_str())?;
        if let Some(query) = &self.query {
            map.serialize_entry("query", query)?;
        }
        map.serialize_entry("headers", &HeaderMap(&self.headers))?;
        if let Some(body) = &self.body {
            map.serialize_entry("body", body)?;
            map.serialize_entry("bodyLength", &self.body_length)?;
            if let BodyView::Binary(_) = body {
                map.serialize_entry("bodyEncoding", "base64")?;
            }
        }
        map.end()
    }
}

impl Serialize for BodyView {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Json(value) => value.serialize(serializer),
            Self::Text(text) => serializer.serialize_str(text),
            Self::Binary(bytes) => serializer.serialize_str(&base64::prelude::BASE64_STANDARD.encode(bytes)),
        }
    }
}

struct HeaderMap<'a>(&'a Headers);

impl Serialize for HeaderMap<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize_headers(self.0, serializer)
    }
}

/// Serializes headers as an object. Several values of a header are joined by commas.
pub fn serialize_headers<S: Serializer>(headers: &Headers, serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(None)?;
    for (name, values) in headers.iter() {
        map.serialize_entry(name.as_str(), &values.join(", "))?;
    }
    map.end()
}
