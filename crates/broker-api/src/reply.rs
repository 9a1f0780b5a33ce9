//! Responses of handlers, including errors in the formats of the Pact Broker.

use std::time::Duration;

use serde::Serialize;
use serde_json::{Value, json};

use contract_broker_core::cases::CaseError;
use contract_broker_core::store::StoreError;
use contract_broker_domain::access::Denied;
use contract_broker_domain::selector::FieldErrors;
use contract_broker_remote::webhooks::Execution;

#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub media: Option<Media>,
    pub headers: Vec<(&'static str, String)>,
    pub body: String,
    /// Whether the request has enqueued a background job.
    pub enqueues_job: bool,
    /// Whether the request has changed tokens or users.
    pub changes_credentials: bool,
    /// Whether the request has enqueued webhook requests.
    pub enqueues_deliveries: bool,
    pub follow_up: Option<FollowUp>,
    /// The URL of what the request changed, for the audit log. `None` if the request's path or the `Location` header
    /// names it.
    pub changed: Option<Box<str>>,
    /// Why the request was denied, for the audit log. `None` if it was not denied.
    pub denial: Option<Box<str>>,
}

/// What a waiting request watches. It is answered when a count changes, or after `wait`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Watched {
    pub wait: Duration,
    pub counts: [usize; 4],
}

/// Work that follows the transaction of a request.
#[derive(Debug)]
pub enum FollowUp {
    /// Send a webhook request as a test. A reply with its result replaces this one.
    Execute(Box<Execution>),
    /// Run the request again when a count changes.
    Wait(Box<Watched>),
}

/// The media type of a response body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Media {
    Hal,
    Json,
    Text,
    Csv,
    Svg,
    Html,
    /// One JSON object per line (JSON Lines).
    Lines,
    Prometheus,
    Css,
    JavaScript,
    /// Server-sent events.
    Events,
}

impl Media {
    pub fn header(self) -> &'static str {
        match self {
            Self::Hal => "application/hal+json;charset=utf-8",
            Self::Json => "application/json;charset=utf-8",
            Self::Text => "text/plain;charset=utf-8",
            Self::Csv => "text/csv;charset=utf-8",
            Self::Svg => "image/svg+xml;charset=utf-8",
            Self::Html => "text/html;charset=utf-8",
            Self::Lines => "application/x-ndjson",
            Self::Prometheus => "text/plain; version=0.0.4",
            Self::Css => "text/css;charset=utf-8",
            Self::JavaScript => "text/javascript;charset=utf-8",
            Self::Events => "text/event-stream;charset=utf-8",
        }
    }

    /// Returns the media types in an `Accept` header that select this format.
    pub fn names(self) -> &'static [&'static str] {
        match self {
            Self::Hal | Self::Json => &["application/hal+json", "application/json"],
            Self::Text | Self::Prometheus => &["text/plain"],
            Self::Csv => &["text/csv"],
            Self::Svg => &["image/svg+xml"],
            Self::Html => &["text/html"],
            Self::Lines => &["application/x-ndjson", "application/jsonl"],
            Self::Css => &["text/css"],
            Self::JavaScript => &["text/javascript"],
            Self::Events => &["text/event-stream"],
        }
    }
}

/// Why a handler failed. Its writes are rolled back.
#[derive(Debug)]
pub enum HandlerError {
    Rejected(Box<Reply>),
    Store(StoreError),
}

pub type HandlerResult = Result<Reply, HandlerError>;

impl From<StoreError> for HandlerError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<Reply> for HandlerError {
    fn from(reply: Reply) -> Self {
        Self::Rejected(Box::new(reply))
    }
}

impl From<Denied> for HandlerError {
    fn from(denied: Denied) -> Self {
        forbidden(&denied).into()
    }
}

impl From<CaseError<Denied>> for HandlerError {
    fn from(error: CaseError<Denied>) -> Self {
        Self::from_case(error, |denied| forbidden(&denied))
    }
}

impl HandlerError {
    /// Converts the error of a use case. `reply` creates the response to a rejected request.
    pub fn from_case<R>(error: CaseError<R>, reply: impl FnOnce(R) -> Reply) -> Self {
        match error {
            CaseError::Rejected(rejection) => reply(rejection).into(),
            CaseError::Store(error) => Self::Store(error),
        }
    }
}

/// Returns the JSON of a response. This is faster than `Value::to_string`, which formats piece by piece.
pub fn to_json(body: &impl Serialize) -> String {
    // Fails only if the keys of a map are not strings.
    serde_json::to_string(body).unwrap_or_default()
}

impl Reply {
    pub fn hal(status: u16, body: &impl Serialize) -> Self {
        Self::text(status, Media::Hal, to_json(body))
    }

    pub fn ok(body: &impl Serialize) -> Self {
        Self::hal(200, body)
    }

    pub fn text(status: u16, media: Media, body: String) -> Self {
        Self {
            status,
            media: Some(media),
            headers: Vec::new(),
            body,
            enqueues_job: false,
            changes_credentials: false,
            enqueues_deliveries: false,
            follow_up: None,
            changed: None,
            denial: None,
        }
    }

    pub fn empty(status: u16) -> Self {
        Self {
            status,
            media: None,
            headers: Vec::new(),
            body: String::new(),
            enqueues_job: false,
            changes_credentials: false,
            enqueues_deliveries: false,
            follow_up: None,
            changed: None,
            denial: None,
        }
    }

    #[must_use]
    pub fn with(mut self, header: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((header, value.into()));
        self
    }

    pub(crate) fn with_deliveries(mut self, enqueues_deliveries: bool) -> Self {
        self.enqueues_deliveries = enqueues_deliveries;
        self
    }

    pub(crate) fn with_execution(mut self, execution: Execution) -> Self {
        self.follow_up = Some(FollowUp::Execute(Box::new(execution)));
        self
    }

    pub(crate) fn with_background_job(mut self) -> Self {
        self.enqueues_job = true;
        self
    }

    pub(crate) fn with_changed_credentials(mut self) -> Self {
        self.changes_credentials = true;
        self
    }

    /// Adds the effects of another reply, such as enqueued jobs.
    pub(crate) fn with_effects_of(mut self, other: Self) -> Self {
        self.enqueues_job |= other.enqueues_job;
        self.changes_credentials |= other.changes_credentials;
        self.enqueues_deliveries |= other.enqueues_deliveries;
        self.follow_up = other.follow_up.or(self.follow_up);
        self
    }

    /// Creates the response to a request that is denied for `reason`. The audit log records the reason.
    pub fn denied(status: u16, reason: impl Into<String>) -> Self {
        let reason = reason.into();
        let mut reply = Self::error(status, reason.as_str());
        reply.denial = Some(reason.into());
        reply
    }

    /// Creates the response (status 201) after a resource was created at the URL `location`.
    pub fn created(body: &Value, location: impl Into<String>) -> Self {
        Self::hal(201, body).with("location", location)
    }

    /// Sets the URL of what the request changed, for the audit log.
    #[must_use]
    pub(crate) fn with_changed(mut self, url: &str) -> Self {
        self.changed = Some(url.into());
        self
    }

    /// Returns the path of what the request created or changed, for the audit log.
    pub fn resource(&self) -> Option<&str> {
        let location = || self.headers.iter().find(|(name, _)| *name == "location");
        let url = match &self.changed {
            Some(url) => url,
            None => location()
                .filter(|_| self.status == 201)
                .map(|(_, location)| location.as_str())?,
        };
        let (_, rest) = url.split_once("//")?;
        rest.find('/').map(|at| &rest[at..])
    }

    pub fn error(status: u16, text: impl Into<String>) -> Self {
        Self::hal(status, &json!({ "error": text.into() }))
    }
}

/// Creates the response (status 503) if the broker temporarily lacks memory or another resource.
pub fn busy(text: &str) -> Reply {
    Reply::error(503, text).with("retry-after", "5")
}

/// Creates the response (status 403) if the credentials lack a required scope.
pub fn forbidden(denied: &Denied) -> Reply {
    Reply::denied(403, denied.to_string())
}

/// The error message if a resource does not exist.
pub const NOT_FOUND: &str = "The resource was not found.";

pub fn not_found() -> Reply {
    let body = json!({ "error": NOT_FOUND });
    Reply::text(404, Media::Json, body.to_string())
}

/// Creates the 404 response if the name in the path does not exist. `role` is what the name refers to, such as
/// `consumer`.
pub fn name_not_found(role: &str, name: &str) -> Reply {
    Reply::error(404, unknown_name(role, name))
}

/// Creates the 404 response if the application in the path of a page does not exist. `suggestions` contains similar
/// names. `deleted_at` is the time in milliseconds at which an application with this name was deleted, or `None` if
/// there was none.
pub fn name_not_found_on_page(name: &str, suggestions: &[String], deleted_at: Option<i64>) -> Reply {
    let error = format!("Application {name} does not exist.");
    let body = json!({ "error": error, "suggestions": suggestions, "deletedAt": deleted_at });
    Reply::hal(404, &body)
}

fn unknown_name(role: &str, name: &str) -> String {
    let mut role = role.to_owned();
    role[..1].make_ascii_uppercase();
    format!("{role} {name:?} does not exist.")
}

/// Creates the response (status 400) to a request with invalid fields.
pub fn invalid(errors: FieldErrors) -> Reply {
    fields(400, errors)
}

pub fn fields(status: u16, errors: FieldErrors) -> Reply {
    let mut by_field = serde_json::Map::new();
    for (field, text) in errors {
        let texts = by_field.entry(field).or_insert_with(|| json!([]));
        if let Some(texts) = texts.as_array_mut() {
            texts.push(text.into());
        }
    }
    Reply::hal(status, &json!({ "errors": by_field }))
}

pub fn invalid_field(field: &str, text: impl Into<String>) -> Reply {
    invalid(vec![(field.to_owned(), text.into())])
}

/// Creates the response (status 400) with errors that no field caused.
pub fn invalid_query(texts: &[String]) -> Reply {
    Reply::hal(400, &json!({ "errors": texts }))
}
