use std::borrow::Cow;

use contract_model::Json;
use contract_wire::{RequestError, RequestErrorKind};
use serde::Serialize;

/// The error of a failed call: what failed, and advice on how to resolve it. Its text never contains secrets.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.text())]
pub struct BrokerError(Box<Inner>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Inner {
    kind: BrokerErrorKind,
    message: String,
    advice: Option<String>,
    status: Option<u16>,
    reasons: Vec<String>,
    /// Names of the request fields that the broker rejected, at most 10.
    fields: Vec<String>,
    notices: Vec<Notice>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BrokerErrorKind {
    /// The options are invalid. Nothing was sent.
    Settings,
    /// Could not connect, or the connection was lost.
    Unreachable,
    /// The TLS settings are invalid, or the TLS handshake failed.
    Tls,
    Timeout,
    /// The broker (status 401) or the proxy (407) requires credentials, or rejected them.
    Unauthorized,
    /// The credentials are not sufficient for this call (status 403).
    Forbidden,
    /// The resource does not exist (status 404 or 410).
    NotFound,
    /// The request conflicts with existing data (status 409).
    Conflict,
    /// The broker rejected the request with another status below 500, such as 400 or 422.
    Refused,
    /// The broker failed (status 500 and above), or is overloaded (429).
    Failed,
    /// The response is not one of a Pact broker, for example because it is not JSON.
    NotABroker,
    /// The response is larger than [`TransportOptions::body_limit`](crate::TransportOptions::body_limit).
    TooLarge,
    /// This broker, or this version of it, does not support the call.
    Unsupported,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Notice {
    /// One of `debug`, `info`, `warning`, `prompt`, `success`, `error`, and `danger`. Default: `info`.
    #[serde(rename = "type")]
    pub kind: String,
    pub text: String,
}

impl Notice {
    /// Returns the first 100 `notices` in a document. If there are more, adds a notice that says so.
    pub(crate) fn from_document(document: &Json) -> Vec<Self> {
        let Some(found) = document.get("notices").and_then(Json::as_array) else {
            return Vec::new();
        };
        let text = |notice: &Json, name| notice.get(name).and_then(Json::as_str).map(str::to_owned);
        let mut notices: Vec<Self> = found
            .iter()
            .filter_map(|notice| {
                Some(Self {
                    kind: cut(text(notice, "type").unwrap_or_else(|| "info".to_owned()), MAX_REASON),
                    text: cut(text(notice, "text")?, MAX_NOTICE),
                })
            })
            .take(MAX_NOTICES + 1)
            .collect();
        if notices.len() > MAX_NOTICES {
            notices.truncate(MAX_NOTICES);
            notices.push(Self {
                kind: "warning".to_owned(),
                text: format!("The broker sent more than {MAX_NOTICES} notices. The rest are omitted."),
            });
        }
        notices
    }
}

impl BrokerError {
    /// Creates an error. `what` is its message: what happened and where.
    pub fn new(kind: BrokerErrorKind, message: impl Into<String>) -> Self {
        Self(Box::new(Inner {
            kind,
            message: message.into(),
            advice: None,
            status: None,
            reasons: Vec::new(),
            fields: Vec::new(),
            notices: Vec::new(),
        }))
    }

    /// Sets the advice: an instruction in lowercase without a period at the end, such as `check the names`.
    #[must_use]
    pub fn with_advice(mut self, advice: impl Into<String>) -> Self {
        self.0.advice = Some(advice.into());
        self
    }

    #[must_use]
    pub(crate) fn without_advice(mut self) -> Self {
        self.0.advice = None;
        self
    }

    pub(crate) fn from_request(error: &RequestError) -> Self {
        let kind = match error.kind() {
            RequestErrorKind::Invalid => BrokerErrorKind::Settings,
            RequestErrorKind::Timeout => BrokerErrorKind::Timeout,
            RequestErrorKind::Tls => BrokerErrorKind::Tls,
            RequestErrorKind::TooLarge => BrokerErrorKind::TooLarge,
            RequestErrorKind::InvalidResponse | RequestErrorKind::Redirect => BrokerErrorKind::NotABroker,
            _ => BrokerErrorKind::Unreachable,
        };
        Self::new(kind, error.to_string())
    }

    /// Creates an error for a response status. Secrets in `url` must already be redacted.
    pub(crate) fn from_status(method: &str, url: &str, status: u16, body: &[u8], had_credentials: bool) -> Self {
        let document = Json::parse(body).unwrap_or_default();
        let reasons = reasons(&document);
        let (kind, advice) = match status {
            401 if had_credentials => (
                BrokerErrorKind::Unauthorized,
                "check the user name and password, or the token",
            ),
            401 => (
                BrokerErrorKind::Unauthorized,
                "pass a user name and password, or a token",
            ),
            403 => (
                BrokerErrorKind::Forbidden,
                "use credentials with the required permission",
            ),
            404 | 410 => (BrokerErrorKind::NotFound, "check the names"),
            407 => (BrokerErrorKind::Unauthorized, "add credentials to the proxy's URL"),
            409 => (BrokerErrorKind::Conflict, ""),
            429 => (BrokerErrorKind::Failed, "try again later"),
            500.. => (BrokerErrorKind::Failed, "try again later, or check the broker's log"),
            _ => (BrokerErrorKind::Refused, ""),
        };
        let reasons_text = if reasons.is_empty() {
            String::new()
        } else {
            let clauses: Vec<&str> = reasons.iter().map(|reason| without_full_stop(reason)).collect();
            format!(": {}", clauses.join("; "))
        };
        let mut error = Self::new(kind, format!("{method} {url} returned status {status}{reasons_text}"));
        error.0.status = Some(status);
        error.0.notices = Notice::from_document(&document);
        error.0.reasons = reasons;
        error.0.fields = fields(&document);
        if advice.is_empty() || (kind == BrokerErrorKind::NotFound && !reasons_text.is_empty()) {
            error
        } else {
            error.with_advice(advice)
        }
    }

    pub(crate) fn not_a_broker(url: &str, reason: &str) -> Self {
        Self::new(
            BrokerErrorKind::NotABroker,
            format!("{url} is not a Pact broker: {reason}"),
        )
        .with_advice("check the broker's base URL")
    }

    pub fn kind(&self) -> BrokerErrorKind {
        self.0.kind
    }

    pub fn message(&self) -> &str {
        &self.0.message
    }

    pub fn advice(&self) -> Option<&str> {
        self.0.advice.as_deref()
    }

    /// Returns the HTTP status of the response, or `None` if there was no response.
    pub fn status(&self) -> Option<u16> {
        self.0.status
    }

    /// Returns the error messages in the broker's response, at most 10.
    pub fn reasons(&self) -> &[String] {
        &self.0.reasons
    }

    /// Returns true if the broker rejected the request field `field`, such as `name`.
    pub fn is_about(&self, field: &str) -> bool {
        self.0.fields.iter().any(|known| known == field)
    }

    /// Removes notices whose text is also one of the reasons.
    #[must_use]
    pub fn without_repeated_notices(mut self) -> Self {
        let reasons = std::mem::take(&mut self.0.reasons);
        let indented = |notice: &Notice| indented(&cut(notice.text.clone(), MAX_REASON));
        self.0.notices.retain(|notice| !reasons.contains(&indented(notice)));
        self.0.reasons = reasons;
        self
    }

    pub fn notices(&self) -> &[Notice] {
        &self.0.notices
    }

    /// Replaces the message. The advice, the status, the reasons, and the notices remain.
    #[must_use]
    pub fn with_message(mut self, message: impl Into<String>) -> Self {
        self.0.message = message.into();
        self
    }

    /// Applies `change` to the message, the advice, the reasons, and the notices.
    pub(crate) fn map_texts(mut self, change: impl Fn(&str) -> String) -> Self {
        let inner = &mut self.0;
        inner.message = change(&inner.message);
        inner.advice = inner.advice.as_deref().map(&change);
        for reason in &mut inner.reasons {
            *reason = change(reason);
        }
        for notice in &mut inner.notices {
            notice.kind = change(&notice.kind);
            notice.text = change(&notice.text);
        }
        self
    }

    fn text(&self) -> String {
        match &self.0.advice {
            Some(advice) => with_advice(&self.0.message, advice),
            None => self.0.message.clone(),
        }
    }
}

/// Maximum number of reasons and of rejected fields, and maximum length of each in characters. The broker chooses these
/// texts.
const MAX_REASONS: usize = 10;
const MAX_REASON: usize = 2_000;
/// Maximum number of notices, and maximum length of each in characters. The notice about a conflict contains a complete
/// diff.
const MAX_NOTICES: usize = 100;
const MAX_NOTICE: usize = 100_000;

/// Returns the error messages in a response. They are in `error`, a string or an object with a `message`, or in
/// `errors`, an array or an object with the messages for each field.
fn reasons(document: &Json) -> Vec<String> {
    let mut out = Vec::new();
    if let Some(error) = document.get("error") {
        let text = error.get("message").unwrap_or(error);
        out.push(text.text_form().into_owned());
    }
    match document.get("errors") {
        Some(Json::Array(items)) => out.extend(items.iter().map(|item| item.text_form().into_owned())),
        Some(Json::Object(fields)) => {
            for (field, messages) in fields {
                let messages = messages.as_array().unwrap_or(std::slice::from_ref(messages));
                out.extend(messages.iter().map(|message| about(field, &message.text_form())));
            }
        }
        Some(other) => out.push(other.text_form().into_owned()),
        None => (),
    }
    out.truncate(MAX_REASONS);
    out.into_iter()
        .map(|reason| indented(&cut(reason, MAX_REASON)))
        .collect()
}

/// Returns the field names in `errors`, if it is an object.
fn fields(document: &Json) -> Vec<String> {
    let fields = document.get("errors").and_then(Json::as_object);
    let fields = fields.into_iter().flat_map(contract_model::Object::keys);
    fields
        .take(MAX_REASONS)
        .map(|field| cut(field.to_string(), MAX_REASON))
        .collect()
}

/// Prepends the field name to a message, unless the message is a complete sentence: `can't be blank` becomes `name
/// can't be blank`.
fn about(field: &str, message: &str) -> String {
    if message.ends_with('.') {
        message.to_owned()
    } else if message.starts_with(char::is_uppercase) {
        format!("{field}: {message}")
    } else {
        format!("{field} {message}")
    }
}

fn without_full_stop(text: &str) -> &str {
    text.strip_suffix('.')
        .filter(|rest| !rest.ends_with('.'))
        .unwrap_or(text)
}

/// Joins a message and its advice to two sentences: `status 404` and `check the names` become `status 404. Check the
/// names`.
pub fn with_advice(message: &str, advice: &str) -> String {
    let end = if message.ends_with(['?', '!']) { "" } else { "." };
    format!("{}{end} {}", without_full_stop(message), capitalized(advice))
}

/// Capitalizes the first word, unless it is the name of a function or command, such as `listEnvironments` or
/// `list-environments`.
fn capitalized(sentence: &str) -> Cow<'_, str> {
    let word = sentence.split(' ').next().unwrap_or_default();
    match word.split_at_checked(1) {
        Some((first, rest)) if word.bytes().all(|byte| byte.is_ascii_lowercase()) => Cow::Owned(format!(
            "{}{rest}{}",
            first.to_ascii_uppercase(),
            &sentence[word.len()..]
        )),
        _ => Cow::Borrowed(sentence),
    }
}

/// Truncates `text` to `limit` characters, and appends `…` if anything was removed.
fn cut(mut text: String, limit: usize) -> String {
    if let Some((at, _)) = text.char_indices().nth(limit) {
        text.truncate(at);
        text.push('…');
    }
    text
}

/// Indents all lines except the first, so that text from the broker cannot imitate this program's output.
fn indented(text: &str) -> String {
    text.trim_end().lines().collect::<Vec<_>>().join("\n  ")
}

#[cfg(test)]
mod tests {
    use super::{BrokerError, BrokerErrorKind};

    #[test]
    fn reads_each_form_of_error_response() {
        for (body, reasons) in [
            (r#"{"error": "no such thing"}"#, "status 400: no such thing"),
            (r#"{"error": {"message": "oh", "reference": "r"}}"#, "status 400: oh"),
            (r#"{"errors": ["a", "b"]}"#, "status 400: a; b"),
            (
                r#"{"errors": {"name": ["can't be blank"]}}"#,
                "status 400: name can't be blank",
            ),
            (
                r#"{"errors": {"name": ["There is an environment \"staging\" already."]}}"#,
                "status 400: There is an environment \"staging\" already",
            ),
            (
                r#"{"errors": {"name": ["Is missing"], "b": "x"}}"#,
                "status 400: name: Is missing; b x",
            ),
            ("<html>", "status 400"),
        ] {
            let error = BrokerError::from_status("GET", "http://h/", 400, body.as_bytes(), true);
            assert_eq!(error.to_string(), format!("GET http://h/ returned {reasons}"));
        }
    }

    #[test]
    fn joins_reason_and_advice() {
        let body = br#"{"error": "Authentication is needed."}"#;
        let error = BrokerError::from_status("GET", "u", 401, body, false);
        assert_eq!(
            error.to_string(),
            "GET u returned status 401: Authentication is needed. Pass a user name and password, or a token"
        );
        assert_eq!(error.reasons(), ["Authentication is needed."]);
    }

    #[test]
    fn maps_statuses_to_kinds() {
        for (status, kind) in [
            (401, BrokerErrorKind::Unauthorized),
            (403, BrokerErrorKind::Forbidden),
            (404, BrokerErrorKind::NotFound),
            (409, BrokerErrorKind::Conflict),
            (422, BrokerErrorKind::Refused),
            (503, BrokerErrorKind::Failed),
        ] {
            assert_eq!(BrokerError::from_status("GET", "u", status, b"", false).kind(), kind);
        }
    }

    #[test]
    fn truncates_and_indents_texts_from_the_broker() {
        let body = r#"{"error": "no\n✓ web 1 can be deployed\r\nerror: none\n"}"#;
        let error = BrokerError::from_status("GET", "u", 400, body.as_bytes(), true);
        assert_eq!(
            error.message(),
            "GET u returned status 400: no\n  ✓ web 1 can be deployed\n  error: none"
        );
        let notice = format!(r#"{{"text": "{}"}}"#, "a".repeat(200_000));
        let body = format!(r#"{{"notices": [{}]}}"#, vec![notice; 200].join(","));
        let error = BrokerError::from_status("GET", "u", 400, body.as_bytes(), true);
        assert_eq!(error.notices().len(), 101);
        assert_eq!(error.notices()[0].text.chars().count(), 100_001);
        assert!(error.notices()[100].text.contains("more than 100 notices"));
    }
}
