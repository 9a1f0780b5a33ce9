//! Parses a webhook in a request body.

use http::{HeaderName, HeaderValue};
use serde_json::{Map, Value};

use super::super::reply::HandlerError;
use super::super::request::{Fields, Request};
use contract_broker_core::sql::pacticipants;
use contract_broker_core::sql::webhooks::Participant;
use contract_broker_core::store::{StoreError, Tx};
use contract_broker_domain::webhook::{Event, PARAMETERS, SigningSecret, WebhookRequest, unknown_parameter};

/// Maximum size in bytes of the body of a webhook's request.
const MAX_BODY: usize = 1024 * 1024;
/// Maximum number of headers of a webhook's request.
const MAX_HEADERS: usize = 100;
/// Maximum length in bytes of a URL, a header value, a user name, a password, or a signing secret.
const MAX_VALUE: usize = 8 * 1024;
/// Headers that the broker sets itself, so that webhooks cannot contain them.
const OWN_HEADERS: [&str; 10] = [
    "connection",
    "content-length",
    "host",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "webhook-id",
    "webhook-signature",
    "webhook-timestamp",
];

/// The valid properties of a webhook in a request body.
pub(super) struct Sent {
    pub(super) description: Option<String>,
    pub(super) enabled: bool,
    /// The consumers and the providers to which the webhook applies.
    pub(super) participants: [Participant; 2],
    /// A JSON array of event names. `None` if the request body has no events.
    pub(super) events: Option<String>,
    pub(super) request: WebhookRequest,
    pub(super) removes_signature: bool,
}

impl Sent {
    pub(super) fn parse(rq: &Request, tx: &mut Tx<'_>, sent: &Map<String, Value>) -> Result<Self, HandlerError> {
        let mut fields = Fields::new(sent);
        let description = fields.text("description").map(str::to_owned);
        let enabled = match sent.get("enabled") {
            None | Some(Value::Null) => true,
            Some(Value::Bool(enabled)) => *enabled,
            Some(_) => {
                fields.error("enabled", "must be boolean");
                true
            }
        };
        let participants = [
            participant(tx, &mut fields, "consumer")?,
            participant(tx, &mut fields, "provider")?,
        ];
        let events = events(&mut fields);
        let request = request(rq, &mut fields);
        let removes_signature =
            sent.get("request").and_then(|request| request.get("signingSecret")) == Some(&Value::Null);
        fields.finish()?;
        Ok(Self {
            description,
            enabled,
            participants,
            events,
            request,
            removes_signature,
        })
    }
}

fn participant(tx: &mut Tx<'_>, fields: &mut Fields<'_>, role: &str) -> Result<Participant, StoreError> {
    let sent = match fields.members.get(role) {
        None | Some(Value::Null) => return Ok(Participant::Any),
        Some(Value::Object(sent)) => sent,
        Some(_) => {
            fields.error(role, "must be an object with a name or a label");
            return Ok(Participant::Any);
        }
    };
    let text = |key: &str| sent.get(key).filter(|value| !value.is_null());
    match (text("name"), text("label")) {
        (None, None) => Ok(Participant::Any),
        (Some(_), Some(_)) => {
            let problem = "name and label cannot be provided at the same time";
            fields.error(&format!("{role}.label"), problem);
            Ok(Participant::Any)
        }
        (None, Some(label)) => {
            if let Some(label) = label.as_str().filter(|label| !label.trim().is_empty()) {
                return Ok(Participant::Label(label.to_owned()));
            }
            fields.error(&format!("{role}.label"), "cannot be blank");
            Ok(Participant::Any)
        }
        (Some(name), None) => {
            let Some(name) = name.as_str().filter(|name| !name.trim().is_empty()) else {
                fields.error(&format!("{role}.name"), "cannot be blank");
                return Ok(Participant::Any);
            };
            if let Some(found) = pacticipants::find(tx, name)? {
                return Ok(Participant::Application(found.id, found.name));
            }
            let problem = "does not match an existing pacticipant";
            fields.error(&format!("{role}.name"), problem);
            Ok(Participant::Any)
        }
    }
}

fn events(fields: &mut Fields<'_>) -> Option<String> {
    let list = match fields.members.get("events") {
        None | Some(Value::Null) => return None,
        Some(Value::Array(list)) => list,
        Some(_) => {
            fields.error("events", "must be an array");
            return None;
        }
    };
    if list.is_empty() {
        fields.error("events", "size cannot be less than 1");
    }
    let mut names: Vec<&str> = Vec::new();
    for (at, event) in list.iter().enumerate().take(100) {
        match event["name"].as_str().and_then(Event::parse) {
            Some(event) if names.contains(&event.name()) => {}
            Some(event) => names.push(event.name()),
            None => {
                let problem = format!("name must be one of: {} (at index {at})", Event::names());
                fields.error("events", problem);
            }
        }
    }
    Some(Value::from(names).to_string())
}

fn request(rq: &Request, fields: &mut Fields<'_>) -> WebhookRequest {
    let mut request = WebhookRequest::default();
    let sent = match fields.members.get("request") {
        None | Some(Value::Null) => {
            fields.error("request", "is missing");
            return request;
        }
        Some(Value::Object(sent)) => sent,
        Some(_) => {
            fields.error("request", "must be an object");
            return request;
        }
    };
    let rules = &rq.rules.webhooks;
    match sent.get("method").map(Value::as_str) {
        None => fields.error("request.method", "is missing"),
        Some(None) => fields.error("request.method", "is not a recognised HTTP method"),
        Some(Some(method)) => {
            request.method = method.to_ascii_uppercase();
            if let Err(problem) = rules.check_method(&request.method) {
                fields.error("request.method", problem.to_string());
            }
        }
    }
    match sent.get("url").map(Value::as_str) {
        None => fields.error("request.url", "is missing"),
        Some(None) => fields.error("request.url", "is not a valid URL eg. http://example.org"),
        Some(Some(url)) if url.len() > MAX_VALUE => {
            fields.error("request.url", format!("must have at most {MAX_VALUE} bytes"));
        }
        Some(Some(url)) => {
            url.clone_into(&mut request.url);
            if let Err(problem) = rules.check_template(url) {
                fields.error("request.url", problem.to_string());
            }
        }
    }
    request.headers = headers(fields, sent);
    request.body = sent.get("body").filter(|body| !body.is_null()).cloned();
    if request
        .body
        .as_ref()
        .is_some_and(|body| body.to_string().len() > MAX_BODY)
    {
        fields.error("request.body", format!("must have at most {MAX_BODY} bytes"));
    }
    request.username = text(fields, sent, "username");
    request.password = text(fields, sent, "password");
    request.signing_secret = text(fields, sent, "signingSecret");
    check_parameters(fields, &request);
    let is_mask = |secret: &String| secret.bytes().all(|byte| byte == b'*');
    if let Some(secret) = request.signing_secret.as_ref().filter(|secret| !is_mask(secret))
        && SigningSecret::parse(secret).is_none()
    {
        fields.error(
            "request.signingSecret",
            "must be \"whsec_\" followed by 24 to 64 random bytes in base64",
        );
    }
    request
}

/// Rejects unknown template parameters. The Pact Broker sends them unchanged, so that typing errors are found late.
fn check_parameters(fields: &mut Fields<'_>, request: &WebhookRequest) {
    let body = request.body.as_ref().map(Value::to_string);
    let texts = [
        ("request.url", Some(request.url.as_str())),
        ("request.body", body.as_deref()),
        ("request.username", request.username.as_deref()),
        ("request.password", request.password.as_deref()),
    ];
    let headers = request.headers.iter();
    let headers = headers.map(|(_, value)| ("request.headers", Some(value.as_str())));
    for (field, text) in texts.into_iter().chain(headers) {
        if let Some(name) = text.and_then(unknown_parameter) {
            let known = PARAMETERS.join(", ");
            let problem = format!("contains the unknown parameter ${{pactbroker.{name}}}. Known parameters: {known}");
            fields.error(field, problem);
        }
    }
}

fn text(fields: &mut Fields<'_>, sent: &Map<String, Value>, name: &str) -> Option<String> {
    match sent.get(name) {
        None | Some(Value::Null) => None,
        Some(Value::String(text)) if text.len() <= MAX_VALUE => Some(text.clone()),
        Some(_) => {
            let problem = format!("must be a string of at most {MAX_VALUE} bytes");
            fields.error(&format!("request.{name}"), problem);
            None
        }
    }
}

fn headers(fields: &mut Fields<'_>, sent: &Map<String, Value>) -> Vec<(String, String)> {
    const FIELD: &str = "request.headers";
    let sent = match sent.get("headers") {
        None | Some(Value::Null) => return Vec::new(),
        Some(Value::Object(sent)) if sent.len() <= MAX_HEADERS => sent,
        Some(_) => {
            fields.error(FIELD, format!("must be an object with at most {MAX_HEADERS} members"));
            return Vec::new();
        }
    };
    let mut headers = Vec::new();
    for (name, value) in sent {
        let value = match value {
            Value::String(value) => value.clone(),
            Value::Number(value) => value.to_string(),
            Value::Bool(value) => value.to_string(),
            _ => {
                fields.error(
                    FIELD,
                    format!("contains a value that is not a string, a number, or a boolean: {name:?}"),
                );
                continue;
            }
        };
        let lower = name.to_ascii_lowercase();
        if HeaderName::try_from(lower.as_str()).is_err() {
            fields.error(FIELD, format!("contains the invalid name {name:?}"));
        } else if OWN_HEADERS.contains(&lower.as_str()) {
            fields.error(FIELD, format!("cannot contain {name:?}, because the broker sets it"));
        } else if value.len() > MAX_VALUE || HeaderValue::from_bytes(value.as_bytes()).is_err() {
            fields.error(FIELD, format!("contains an invalid value for {name:?}"));
        } else {
            headers.push((lower, value));
        }
    }
    headers
}
