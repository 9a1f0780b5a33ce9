//! What arrived: the parts that expected ones are compared with.

use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use contract_model::{Body, ContentType, Headers, Json, JsonError, Message, Object, Query, Request, Response, Text};

/// A body that arrived. It is read as JSON at most once, however many interactions it is compared with.
#[derive(Debug, Default)]
pub struct ActualBody {
    bytes: Bytes,
    declared: Option<ContentType>,
    is_missing: bool,
    json: OnceLock<Result<Arc<Json>, JsonError>>,
}

impl ActualBody {
    /// Bytes with the content type that came with them.
    pub fn new(bytes: impl Into<Bytes>, declared: Option<ContentType>) -> Self {
        let bytes = bytes.into();
        Self {
            is_missing: bytes.is_empty(),
            bytes,
            declared,
            json: OnceLock::new(),
        }
    }

    /// What a part of a multipart body holds. A part without content is a part all the same.
    pub(crate) fn of_part(bytes: Bytes, declared: Option<ContentType>) -> Self {
        Self {
            is_missing: false,
            ..Self::new(bytes, declared)
        }
    }

    /// The bytes.
    pub fn bytes(&self) -> &Bytes {
        &self.bytes
    }

    /// The content type that was declared, else one detected from the bytes.
    pub fn content_type(&self) -> Option<ContentType> {
        self.declared.clone().or_else(|| contract_model::detect(&self.bytes))
    }

    /// The content type that was declared.
    pub fn declared(&self) -> Option<&ContentType> {
        self.declared.as_ref()
    }

    /// Whether there is no body.
    pub fn is_missing(&self) -> bool {
        self.is_missing
    }

    /// The body as JSON.
    pub fn json(&self) -> Result<&Arc<Json>, &JsonError> {
        self.json
            .get_or_init(|| Json::parse(&self.bytes).map(Arc::new))
            .as_ref()
    }

    /// The body as JSON, when something has asked for it before and it is.
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
                    // Read already; a body made of it need not be read again. A fresh cell cannot be full.
                    let _ = actual.json.set(Ok(Arc::clone(value)));
                }
                actual
            }
        }
    }
}

/// A request that arrived.
#[derive(Debug, Default)]
pub struct ActualRequest {
    /// The request as received.
    pub method: Text,
    /// Without query, as received.
    pub path: Text,
    /// Decoded.
    pub query: Query,
    /// List headers split, see [`Headers::split`].
    pub headers: Headers,
    /// The body.
    pub body: ActualBody,
}

/// A response that arrived.
#[derive(Debug, Default)]
pub struct ActualResponse {
    /// The status code.
    pub status: u16,
    /// List headers split, see [`Headers::split`].
    pub headers: Headers,
    /// The body.
    pub body: ActualBody,
}

/// A message that arrived.
#[derive(Debug, Default)]
pub struct ActualMessage {
    /// What the message holds.
    pub contents: ActualBody,
    /// What travelled beside it.
    pub metadata: Object,
}

impl From<&Request> for ActualRequest {
    fn from(request: &Request) -> Self {
        Self {
            method: request.method.clone(),
            path: request.path.clone(),
            query: request.query.clone(),
            headers: request.headers.clone(),
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
