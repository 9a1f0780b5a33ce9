//! Received requests, responses, and messages.

use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use contract_model::{Body, ContentType, Headers, Json, JsonError, Message, Object, Query, Request, Response, Text};

/// A received body. It is parsed as JSON at most once, even if it is compared with several interactions.
#[derive(Debug, Default)]
pub struct ActualBody {
    bytes: Bytes,
    declared: Option<ContentType>,
    is_missing: bool,
    json: OnceLock<Result<Arc<Json>, JsonError>>,
}

impl ActualBody {
    pub fn new(bytes: impl Into<Bytes>, declared: Option<ContentType>) -> Self {
        let bytes = bytes.into();
        Self {
            is_missing: bytes.is_empty(),
            bytes,
            declared,
            json: OnceLock::new(),
        }
    }

    /// Creates the body of a multipart part. A part with empty content counts as present.
    pub(crate) fn for_part(bytes: Bytes, declared: Option<ContentType>) -> Self {
        Self {
            is_missing: false,
            ..Self::new(bytes, declared)
        }
    }

    pub fn bytes(&self) -> &Bytes {
        &self.bytes
    }

    /// Returns the declared content type. If there is none, detects the type from the bytes. Returns `None` if it
    /// cannot be detected.
    pub fn content_type(&self) -> Option<ContentType> {
        self.declared.clone().or_else(|| contract_model::detect(&self.bytes))
    }

    pub fn declared(&self) -> Option<&ContentType> {
        self.declared.as_ref()
    }

    pub fn is_missing(&self) -> bool {
        self.is_missing
    }

    pub fn json(&self) -> Result<&Arc<Json>, &JsonError> {
        self.json
            .get_or_init(|| Json::parse(&self.bytes).map(Arc::new))
            .as_ref()
    }

    /// Returns the body as JSON if it was already parsed successfully, otherwise `None`.
    pub(crate) fn json_if_read(&self) -> Option<&Json> {
        self.json.get()?.as_deref().ok()
    }
}

impl From<&Body> for ActualBody {
    fn from(body: &Body) -> Self {
        match body {
            Body::Missing | Body::Empty => Self {
                is_missing: true,
                ..Self::default()
            },
            Body::Null => Self::new("null", Some(ContentType::json())),
            Body::Present(content) => {
                let actual = Self::new(content.bytes(), content.content_type.clone());
                if let contract_model::ContentValue::Json(value) = &content.value {
                    // The JSON value is already known, so store it instead of parsing it again. A new cell is always
                    // empty.
                    let _ = actual.json.set(Ok(Arc::clone(value)));
                }
                actual
            }
        }
    }
}

#[derive(Debug, Default)]
pub struct ActualRequest {
    pub method: Text,
    /// The path as received, without the query string.
    pub path: Text,
    /// The query with decoded names and values.
    pub query: Query,
    /// The headers, with separate values for list headers; see [`Headers::split`].
    pub headers: Arc<Headers>,
    pub body: ActualBody,
}

#[derive(Debug, Default)]
pub struct ActualResponse {
    pub status: u16,
    /// The headers, with separate values for list headers; see [`Headers::split`].
    pub headers: Headers,
    pub body: ActualBody,
}

#[derive(Debug, Default)]
pub struct ActualMessage {
    pub contents: ActualBody,
    pub metadata: Object,
}

impl From<&Request> for ActualRequest {
    fn from(request: &Request) -> Self {
        Self {
            method: request.method.clone(),
            path: request.path.clone(),
            query: request.query.clone(),
            headers: Arc::new(request.headers.clone()),
            body: body_of(&request.body, &request.headers),
        }
    }
}

impl From<&Response> for ActualResponse {
    fn from(response: &Response) -> Self {
        Self {
            status: response.status,
            headers: response.headers.clone(),
            body: body_of(&response.body, &response.headers),
        }
    }
}

impl From<&Message> for ActualMessage {
    fn from(message: &Message) -> Self {
        Self {
            contents: (&message.contents).into(),
            metadata: message.metadata.clone(),
        }
    }
}

fn body_of(body: &Body, headers: &Headers) -> ActualBody {
    let mut actual = ActualBody::from(body);
    if let Some(declared) = headers.first("content-type").and_then(|text| text.parse().ok()) {
        actual.declared = Some(declared);
    }
    actual
}
