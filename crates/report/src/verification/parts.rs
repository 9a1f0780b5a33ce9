//! Requests, responses, and expectations in reports, with redacted secrets and truncated bodies.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use contract_matching::{ActualBody, ActualMessage, ActualResponse};
use contract_model::{Body, ContentType, Headers, Json, Message, Object, Response};
use serde::Serialize;

use crate::redact;
use crate::shorten::beginning;

/// Summary of the expected response.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Expectation {
    /// Expected status code. Missing for a message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// Expected headers.
    pub headers: Vec<ReportedHeader>,
    /// Expected metadata.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Json>,
    /// True if the contract contains a body.
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

/// The request that was sent. Headers and body are included if the interaction did not pass. Secrets are redacted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReportedRequest {
    /// Method, in upper case.
    pub method: String,
    /// URL, including the query string.
    pub url: String,
    /// Headers from the contract, custom headers, and headers added by filters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub headers: Option<Vec<ReportedHeader>>,
    /// The body that was sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<ReportedBody>,
}

/// The response that was received. Headers and body are included if the interaction did not pass. Secrets are redacted.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReportedResponse {
    /// Received status code. Missing for a message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// The received headers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub headers: Option<Vec<ReportedHeader>>,
    /// The metadata of a message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Json>,
    /// The received body.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<ReportedBody>,
}

/// Body of a request, response, or message. Secrets are redacted. Long bodies are truncated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReportedBody {
    /// Content type of the body, either declared or detected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
    /// Size of the decompressed body in bytes.
    pub size: usize,
    /// Encoding of `content`: `text`, or `base64` for a binary body.
    pub encoding: &'static str,
    /// The content, encoded as specified by `encoding`.
    pub content: String,
    /// True if `content` is truncated.
    pub truncated: bool,
}

impl Expectation {
    /// Creates a summary of an expected response.
    pub fn of_response(response: &Response) -> Self {
        Self {
            status: Some(response.status),
            headers: headers(&response.headers),
            metadata: None,
            body: response.body != Body::Missing,
        }
    }

    /// Creates a summary of an expected message.
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
    /// Creates a request without headers and body. The caller must redact secrets in the URL.
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
    /// Creates a response that consists only of a status.
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

/// A request or a response, prepared for all text formats.
pub(super) struct MessageView<'a> {
    /// Method and URL of a request, or status of a response. Empty for a message.
    pub(super) first_line: String,
    /// Headers or metadata.
    pub(super) headers: Vec<(&'a str, String)>,
    pub(super) body: Option<&'a ReportedBody>,
}

impl MessageView<'_> {
    /// Returns whether the message has headers or a body.
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
    /// Returns whether `content` is text, as opposed to base64.
    pub fn is_text(&self) -> bool {
        self.encoding == "text"
    }

    /// Converts a body. Returns `None` if there is no body.
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

/// A body is truncated before parsing if its size exceeds the limit multiplied by this factor.
const PARSE_FACTOR: usize = 8;

/// Returns the text of a body with secrets redacted, and whether it is truncated. Returns `None` for a binary body.
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
