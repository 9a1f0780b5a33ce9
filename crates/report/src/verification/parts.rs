//! Requests, responses, and expectations in reports, with redacted secrets and truncated bodies.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use contract_matching::{ActualBody, ActualMessage, ActualResponse};
use contract_model::{Body, ContentType, Headers, Json, Message, Object, Response};
use serde::Serialize;

use crate::redact;
use crate::shorten::beginning;

/// Summary of the expected response or message.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Expectation {
    /// Expected status code. Missing for a message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// Expected headers. Empty for a message.
    pub headers: Vec<ReportedHeader>,
    /// Expected metadata of a message. Missing for an HTTP response.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Json>,
    /// True if the contract defines a body or message contents.
    pub body: bool,
}

/// A header with all its values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReportedHeader {
    /// Name of the header.
    pub name: String,
    /// Values in order. Secrets are redacted.
    pub values: Vec<String>,
}

/// The request that was sent to the provider. Headers and body are missing if the interaction passed. Secrets are
/// redacted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReportedRequest {
    /// Method in uppercase, such as `GET`.
    pub method: String,
    /// URL including the query string.
    pub url: String,
    /// All headers: from the contract, custom headers, and headers that filters added. Missing if the interaction
    /// passed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub headers: Option<Vec<ReportedHeader>>,
    /// Body that was sent. Missing if it was empty or the interaction passed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<ReportedBody>,
}

/// The response or message that was received. Its details are missing if the interaction passed. Secrets are redacted.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReportedResponse {
    /// Received status code. Missing for a message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// Received headers. Missing for a message, or if the interaction passed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub headers: Option<Vec<ReportedHeader>>,
    /// Received metadata of a message. Missing for an HTTP response.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Json>,
    /// Received body or message contents. Missing if there are none, or if the interaction passed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<ReportedBody>,
}

/// Body of a request, response, or message. Secrets are redacted. Long bodies are truncated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReportedBody {
    /// Content type of the body, either declared or detected. Missing if it is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
    /// Size of the decompressed body in bytes.
    pub size: usize,
    /// Encoding of `content`: `text`, or `base64` for a binary body.
    pub encoding: &'static str,
    /// The text of the body, or its bytes in base64, depending on `encoding`.
    pub content: String,
    /// True if `content` is truncated.
    pub truncated: bool,
}

impl Expectation {
    pub fn of_response(response: &Response) -> Self {
        Self {
            status: Some(response.status),
            headers: headers(&response.headers),
            metadata: None,
            body: response.body != Body::Missing,
        }
    }

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
    /// Creates a request without headers and body. Secrets in the URL must already be redacted.
    pub fn brief(method: &str, url: String) -> Self {
        Self {
            method: method.to_owned(),
            url,
            headers: None,
            body: None,
        }
    }

    /// Adds the headers and at most `limit` bytes of the body.
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
    pub fn brief(status: u16) -> Self {
        Self {
            status: Some(status),
            headers: None,
            metadata: None,
            body: None,
        }
    }

    /// Creates a response with the headers and at most `limit` bytes of the body.
    pub fn full(response: &ActualResponse, limit: usize) -> Self {
        Self {
            headers: Some(headers(&response.headers)),
            body: ReportedBody::new(&response.body, limit),
            ..Self::brief(response.status)
        }
    }

    /// Creates a message with at most `limit` bytes of its contents.
    pub fn message(message: &ActualMessage, limit: usize) -> Self {
        Self {
            status: None,
            headers: None,
            metadata: metadata(&message.metadata),
            body: ReportedBody::new(&message.contents, limit),
        }
    }
}

/// A request, response, or message, prepared for all text formats.
pub(super) struct MessageView<'a> {
    /// Method and URL of a request, or status of a response. Empty for a message.
    pub(super) first_line: String,
    /// Headers of a request or response, or metadata of a message.
    pub(super) headers: Vec<(&'a str, String)>,
    pub(super) body: Option<&'a ReportedBody>,
}

impl MessageView<'_> {
    pub(super) fn has_details(&self) -> bool {
        !self.headers.is_empty() || self.body.is_some()
    }
}

fn named<'a>(
    headers: Option<&'a Vec<ReportedHeader>>,
    metadata: Option<&'a Json>,
) -> impl Iterator<Item = (&'a str, String)> {
    let headers = headers.into_iter().flatten();
    let metadata = metadata.and_then(Json::as_object).into_iter().flatten();
    headers
        .map(|header| (header.name.as_str(), header.values.join(", ")))
        .chain(metadata.map(|(name, value)| (name.as_str(), value.text_form().into_owned())))
}

impl ReportedRequest {
    pub(super) fn first_line(&self) -> String {
        format!("{} {}", self.method, self.url)
    }

    pub(super) fn view(&self) -> MessageView<'_> {
        MessageView {
            first_line: self.first_line(),
            headers: named(self.headers.as_ref(), None).collect(),
            body: self.body.as_ref(),
        }
    }
}

impl ReportedResponse {
    pub(super) fn view(&self) -> MessageView<'_> {
        MessageView {
            first_line: self.status.map(|status| format!("Status {status}")).unwrap_or_default(),
            headers: named(self.headers.as_ref(), self.metadata.as_ref()).collect(),
            body: self.body.as_ref(),
        }
    }
}

impl ReportedBody {
    /// Returns true if `content` is text, and false if it is base64.
    pub fn is_text(&self) -> bool {
        self.encoding == "text"
    }

    /// Converts a body and truncates it to `limit` bytes. Returns `None` if there is no body.
    fn new(body: &ActualBody, limit: usize) -> Option<Self> {
        if body.is_missing() {
            return None;
        }
        let content_type = body.content_type();
        let size = body.bytes().len();
        let type_text = content_type.as_ref().map(ToString::to_string);
        let Some((text, is_cut)) = redacted_text(body, content_type.as_ref(), limit) else {
            let cut = &body.bytes()[..size.min(limit)];
            return Some(Self {
                content_type: type_text,
                size,
                encoding: "base64",
                content: BASE64_STANDARD.encode(cut),
                truncated: cut.len() < size,
            });
        };
        let content = beginning(&text, limit);
        Some(Self {
            content_type: type_text,
            size,
            encoding: "text",
            content: content.to_owned(),
            truncated: content.len() < text.len() || is_cut,
        })
    }
}

/// Factor by which a body may exceed the limit before it is truncated without being parsed first.
const PARSE_FACTOR: usize = 8;

/// Returns the body as text with secrets redacted, and whether it is truncated. Returns `None` for a binary body.
fn redacted_text(body: &ActualBody, content_type: Option<&ContentType>, limit: usize) -> Option<(String, bool)> {
    let text = std::str::from_utf8(body.bytes()).ok()?;
    let most = limit.saturating_mul(PARSE_FACTOR);
    if text.len() > most {
        return Some((redact::text(beginning(text, most)).into_owned(), true));
    }
    if content_type.is_some_and(ContentType::is_json)
        && let Ok(value) = body.json()
    {
        if !redact::has_secrets(value) {
            return Some((text.to_owned(), false));
        }
        let mut value = (**value).clone();
        redact::json(&mut value);
        return Some((value.to_text(), false));
    }
    if content_type.is_some_and(ContentType::is_multipart) {
        return Some((redact::parts(text), false));
    }
    Some((redact::text(text).into_owned(), false))
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
