//! Answers, and the field's forms of errors.

use serde_json::{Value, json};

use crate::domain::selector::FieldErrors;
use crate::store::StoreError;
use crate::traffic::Room;

/// What a resource answers.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) media: Option<Media>,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: String,
    /// Whether something was promised that is done afterwards.
    pub(crate) leaves_work: bool,
    /// The memory that the body takes, if it is large.
    pub(crate) room: Option<Room>,
}

/// The form of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Media {
    Hal,
    Json,
    Text,
    Csv,
    Svg,
    Prometheus,
}

impl Media {
    pub(crate) fn header(self) -> &'static str {
        match self {
            Self::Hal => "application/hal+json;charset=utf-8",
            Self::Json => "application/json;charset=utf-8",
            Self::Text => "text/plain;charset=utf-8",
            Self::Csv => "text/csv;charset=utf-8",
            Self::Svg => "image/svg+xml;charset=utf-8",
            Self::Prometheus => "text/plain; version=0.0.4",
        }
    }

    /// The types by which it can be asked for.
    pub(crate) fn names(self) -> &'static [&'static str] {
        match self {
            Self::Hal | Self::Json => &["application/hal+json", "application/json"],
            Self::Text | Self::Prometheus => &["text/plain"],
            Self::Csv => &["text/csv"],
            Self::Svg => &["image/svg+xml"],
        }
    }
}

/// Why a resource did not do what was asked: nothing it wrote is kept.
#[derive(Debug)]
pub(crate) enum Failure {
    Refused(Box<Reply>),
    Store(StoreError),
}

pub(crate) type Outcome = Result<Reply, Failure>;

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<Reply> for Failure {
    fn from(reply: Reply) -> Self {
        Self::Refused(Box::new(reply))
    }
}

impl Reply {
    pub(crate) fn hal(status: u16, body: &Value) -> Self {
        Self::text(status, Media::Hal, body.to_string())
    }

    pub(crate) fn ok(body: &Value) -> Self {
        Self::hal(200, body)
    }

    pub(crate) fn text(status: u16, media: Media, body: String) -> Self {
        Self {
            status,
            media: Some(media),
            headers: Vec::new(),
            body,
            leaves_work: false,
            room: None,
        }
    }

    pub(crate) fn empty(status: u16) -> Self {
        Self {
            status,
            media: None,
            headers: Vec::new(),
            body: String::new(),
            leaves_work: false,
            room: None,
        }
    }

    pub(crate) fn with(mut self, header: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((header, value.into()));
        self
    }

    /// Something of it is done afterwards.
    pub(crate) fn leaving_work(mut self) -> Self {
        self.leaves_work = true;
        self
    }

    /// A new resource stands at `location`.
    pub(crate) fn created(body: &Value, location: impl Into<String>) -> Self {
        Self::hal(201, body).with("location", location)
    }

    pub(crate) fn error(status: u16, text: impl Into<String>) -> Self {
        Self::hal(status, &json!({ "error": text.into() }))
    }
}

/// There is no memory for a body at the moment.
pub(crate) fn busy(text: &str) -> Reply {
    Reply::error(503, text).with("retry-after", "5")
}

/// Nothing stands at this path.
pub(crate) fn not_found() -> Reply {
    let body = json!({ "error": "There is nothing at this address." });
    Reply::text(404, Media::Json, body.to_string())
}

/// What the path names does not exist.
pub(crate) fn no_such(role: &str, name: &str) -> Reply {
    Reply::error(404, format!("There is no {role} {name:?}."))
}

/// Fields with what is wrong about them.
pub(crate) fn invalid(errors: FieldErrors) -> Reply {
    fields(400, errors)
}

pub(crate) fn fields(status: u16, errors: FieldErrors) -> Reply {
    let mut by_field = serde_json::Map::new();
    for (field, text) in errors {
        let texts = by_field.entry(field).or_insert_with(|| json!([]));
        if let Some(texts) = texts.as_array_mut() {
            texts.push(text.into());
        }
    }
    Reply::hal(status, &json!({ "errors": by_field }))
}

pub(crate) fn invalid_field(field: &str, text: impl Into<String>) -> Reply {
    invalid(vec![(field.to_owned(), text.into())])
}

/// What is wrong, without a field that it belongs to.
pub(crate) fn refused(texts: &[String]) -> Reply {
    Reply::hal(400, &json!({ "errors": texts }))
}
