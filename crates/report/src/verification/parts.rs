//! Requests, responses and expectations as reports hold them: without secrets, bodies cut short.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use contract_matching::{ActualBody, ActualMessage, ActualResponse};
use contract_model::{Body, ContentType, Headers, Json, Message, Object, Response};
use serde::Serialize;

use crate::redact;

/// What a contract expects of an answer, in short.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Expectation {
    /// The status code; none for a message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// The headers that it names.
    pub headers: Vec<ReportedHeader>,
    /// The metadata that it names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Json>,
    /// Whether it says something about the body.
    pub body: bool,
}

/// One header with all its values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReportedHeader {
    /// Its name.
    pub name: String,
    /// Its values; secrets are hidden.
    pub values: Vec<String>,
}

/// A request that was sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReportedRequest {
    /// In upper case.
    pub method: String,
    /// With query; secrets are hidden.
    pub url: String,
    /// As the contract, custom headers and filters made them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub headers: Option<Vec<ReportedHeader>>,
    /// What was sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<ReportedBody>,
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReportedResponse {
    /// The status code; none for a message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// As they came.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub headers: Option<Vec<ReportedHeader>>,
    /// A message's metadata.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Json>,
    /// What came.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<ReportedBody>,
}

/// A body, or its beginning.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReportedBody {
    /// Its declared or detected type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
    /// Its size in bytes, decompressed.
    pub size: usize,
    /// `text` or `base64`.
    pub encoding: &'static str,
    /// Text, or base64 of bytes that are none; secrets are hidden.
    pub content: String,
    /// Whether `content` is the beginning only.
    pub truncated: bool,
}

impl Expectation {
    /// What a response must be like.
    pub fn of_response(response: &Response) -> Self {
        Self {
            status: Some(response.status),
            headers: headers(&response.headers),
            metadata: None,
            body: response.body != Body::Missing,
        }
    }

    /// What a message must be like.
    pub fn of_message(message: &Message) -> Self {
        Self {
            status: None,
            headers: Vec::new(),
            metadata: metadata(&message.metadata),
            body: message.contents != Body::Missing,
        }
    }
}

impl ReportedRequest {
    /// Its first line alone; the URL is one for people to read already.
    pub fn brief(method: &str, url: String) -> Self {
        Self {
            method: method.to_owned(),
            url,
            headers: None,
            body: None,
        }
    }

    /// With headers and the beginning of the body, up to so many bytes.
    #[must_use]
    pub fn with_details(self, sent: &Headers, body: Bytes, limit: usize) -> Self {
        let body = ActualBody::new(body, sent.content_type());
        Self {
            headers: Some(headers(sent)),
            body: ReportedBody::new(&body, limit),
            ..self
        }
    }
}

impl ReportedResponse {
    /// Its status alone.
    pub fn brief(status: u16) -> Self {
        Self {
            status: Some(status),
            headers: None,
            metadata: None,
            body: None,
        }
    }

    /// With headers and the beginning of the body, up to so many bytes.
    pub fn full(response: &ActualResponse, limit: usize) -> Self {
        Self {
            headers: Some(headers(&response.headers)),
            body: ReportedBody::new(&response.body, limit),
            ..Self::brief(response.status)
        }
    }

    /// A message with the beginning of its contents, up to so many bytes.
    pub fn message(message: &ActualMessage, limit: usize) -> Self {
        Self {
            status: None,
            headers: None,
            metadata: metadata(&message.metadata),
            body: ReportedBody::new(&message.contents, limit),
        }
    }
}

impl ReportedBody {
    /// `None` when there is no body.
    fn new(body: &ActualBody, limit: usize) -> Option<Self> {
        if body.is_missing() {
            return None;
        }
        let content_type = body.content_type();
        let size = body.bytes().len();
        let type_text = content_type.as_ref().map(ToString::to_string);
        let Some(text) = shown(body, content_type.as_ref()) else {
            let cut = &body.bytes()[..size.min(limit)];
            return Some(Self {
                content_type: type_text,
                size,
                encoding: "base64",
                content: BASE64_STANDARD.encode(cut),
                truncated: cut.len() < size,
            });
        };
        let cut = boundary(&text, limit);
        Some(Self {
            content_type: type_text,
            size,
            encoding: "text",
            content: text[..cut].to_owned(),
            truncated: cut < text.len(),
        })
    }
}

/// The last place at or before `limit` where a text can be cut.
pub(super) fn boundary(text: &str, limit: usize) -> usize {
    (0..=limit.min(text.len()))
        .rev()
        .find(|&at| text.is_char_boundary(at))
        .unwrap_or(0)
}

/// The body as text without secrets; `None` when it is no text.
fn shown(body: &ActualBody, content_type: Option<&ContentType>) -> Option<String> {
    let text = std::str::from_utf8(body.bytes()).ok()?;
    if content_type.is_some_and(ContentType::is_json)
        && let Ok(value) = body.json()
    {
        if !redact::has_secrets(value) {
            return Some(text.to_owned());
        }
        let mut value = (**value).clone();
        redact::json(&mut value);
        return Some(value.to_text());
    }
    Some(redact::text(text).into_owned())
}

fn headers(headers: &Headers) -> Vec<ReportedHeader> {
    headers
        .iter()
        .map(|(name, values)| ReportedHeader {
            name: name.to_string(),
            values: values
                .iter()
                .map(|value| redact::header(name, value).into_owned())
                .collect(),
        })
        .collect()
}

fn metadata(metadata: &Object) -> Option<Json> {
    let mut value = Json::from(metadata.clone());
    redact::json(&mut value);
    (!metadata.is_empty()).then_some(value)
}
