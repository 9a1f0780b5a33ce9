//! What went wrong, and what to do.

use contract_model::Json;
use contract_wire::{RequestError, RequestErrorKind};
use serde::Serialize;

/// Why a call had no success: what happened and where, and what to do. No secret stands in its text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.text())]
pub struct BrokerError(Box<Inner>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Inner {
    kind: BrokerErrorKind,
    what: String,
    advice: Option<String>,
    status: Option<u16>,
    reasons: Vec<String>,
    /// The fields that the reasons are about.
    fields: Vec<String>,
    notices: Vec<Notice>,
}

/// Which kind of failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BrokerErrorKind {
    /// What was given cannot work: nothing was sent.
    Settings,
    /// No connection, or it broke off.
    Unreachable,
    /// No agreement on encryption.
    Tls,
    /// No answer in time.
    Timeout,
    /// The broker does not know who asks (401).
    Unauthorized,
    /// The broker knows who asks, and does not let them (403).
    Forbidden,
    /// What was asked for is not there (404).
    NotFound,
    /// It contradicts what is there (409).
    Conflict,
    /// The broker refuses what was sent (any other 4xx).
    Refused,
    /// The broker failed (5xx).
    Failed,
    /// What answers is no broker, or says what no broker says.
    NotABroker,
    /// An answer above the limit.
    TooLarge,
    /// The broker cannot do this.
    Unsupported,
}

/// Something that the broker wants people to know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Notice {
    /// `debug`, `info`, `warning`, `prompt`, `success`, `error` or `danger`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The text.
    pub text: String,
}

impl Notice {
    /// Those of a document: its `notices`, at most 100 of them.
    pub(crate) fn of(document: &Json) -> Vec<Self> {
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
                text: format!("The broker sent more than {MAX_NOTICES} notices; the others are not shown."),
            });
        }
        notices
    }
}

impl BrokerError {
    /// An error of this kind. The text says what happened, and where.
    pub fn new(kind: BrokerErrorKind, what: impl Into<String>) -> Self {
        Self(Box::new(Inner {
            kind,
            what: what.into(),
            advice: None,
            status: None,
            reasons: Vec::new(),
            fields: Vec::new(),
            notices: Vec::new(),
        }))
    }

    /// With what to do.
    #[must_use]
    pub fn with_advice(mut self, advice: impl Into<String>) -> Self {
        self.0.advice = Some(advice.into());
        self
    }

    pub(crate) fn of_request(error: &RequestError) -> Self {
        let kind = match error.kind() {
            RequestErrorKind::Invalid => BrokerErrorKind::Settings,
            RequestErrorKind::Timeout => BrokerErrorKind::Timeout,
            RequestErrorKind::Tls => BrokerErrorKind::Tls,
            RequestErrorKind::TooLarge => BrokerErrorKind::TooLarge,
            RequestErrorKind::Answer | RequestErrorKind::Redirect => BrokerErrorKind::NotABroker,
            _ => BrokerErrorKind::Unreachable,
        };
        Self::new(kind, error.to_string())
    }

    /// Of an answer that says no; `url` as people may read it.
    pub(crate) fn of_status(method: &str, url: &str, status: u16, body: &[u8], had_credentials: bool) -> Self {
        let document = Json::parse(body).unwrap_or_default();
        let reasons = reasons(&document);
        let (kind, advice) = match status {
            401 if had_credentials => (
                BrokerErrorKind::Unauthorized,
                "check the name and password, or the token",
            ),
            401 => (
                BrokerErrorKind::Unauthorized,
                "it wants to know who asks: give a username and password, or a token",
            ),
            403 => (
                BrokerErrorKind::Forbidden,
                "these credentials may not do this: ask for others, or for the right to",
            ),
            404 | 410 => (BrokerErrorKind::NotFound, "check the names"),
            407 => (
                BrokerErrorKind::Unauthorized,
                "a proxy wants credentials: put them into its URL",
            ),
            409 => (BrokerErrorKind::Conflict, ""),
            429 => (BrokerErrorKind::Failed, "it is asked too often: try again later"),
            500.. => (BrokerErrorKind::Failed, "try again; its log tells more"),
            _ => (BrokerErrorKind::Refused, ""),
        };
        let said = if reasons.is_empty() {
            String::new()
        } else {
            let clauses: Vec<&str> = reasons.iter().map(|reason| without_full_stop(reason)).collect();
            format!(": {}", clauses.join("; "))
        };
        let mut error = Self::new(kind, format!("{method} {url} was answered with status {status}{said}"));
        error.0.status = Some(status);
        error.0.notices = Notice::of(&document);
        error.0.reasons = reasons;
        error.0.fields = fields(&document);
        if advice.is_empty() || (kind == BrokerErrorKind::NotFound && !said.is_empty()) {
            error
        } else {
            error.with_advice(advice)
        }
    }

    /// Something that answers as no broker does.
    pub(crate) fn not_a_broker(url: &str, why: &str) -> Self {
        Self::new(
            BrokerErrorKind::NotABroker,
            format!("{url} does not answer as a broker does: {why}"),
        )
        .with_advice("is this the broker's base URL?")
    }

    /// Which kind.
    pub fn kind(&self) -> BrokerErrorKind {
        self.0.kind
    }

    /// What happened, and where.
    pub fn what(&self) -> &str {
        &self.0.what
    }

    /// What to do.
    pub fn advice(&self) -> Option<&str> {
        self.0.advice.as_deref()
    }

    /// The status of the answer, if there was one.
    pub fn status(&self) -> Option<u16> {
        self.0.status
    }

    /// What the broker itself gave as reasons.
    pub fn reasons(&self) -> &[String] {
        &self.0.reasons
    }

    /// Whether one of the reasons is about this field of what was sent.
    pub fn is_about(&self, field: &str) -> bool {
        self.0.fields.iter().any(|known| known == field)
    }

    /// Without the notices that only repeat the reasons.
    #[must_use]
    pub fn without_repeated_notices(mut self) -> Self {
        let reasons = std::mem::take(&mut self.0.reasons);
        let indented = |notice: &Notice| indented(&cut(notice.text.clone(), MAX_REASON));
        self.0.notices.retain(|notice| !reasons.contains(&indented(notice)));
        self.0.reasons = reasons;
        self
    }

    /// What the broker wants people to know.
    pub fn notices(&self) -> &[Notice] {
        &self.0.notices
    }

    /// With another sentence about what happened; the rest stays.
    #[must_use]
    pub fn told(mut self, what: impl Into<String>) -> Self {
        self.0.what = what.into();
        self
    }

    /// With each of its texts changed.
    pub(crate) fn map_texts(mut self, change: impl Fn(&str) -> String) -> Self {
        let inner = &mut self.0;
        inner.what = change(&inner.what);
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

    pub(crate) fn with_kind(mut self, kind: BrokerErrorKind) -> Self {
        self.0.kind = kind;
        self
    }

    fn text(&self) -> String {
        match &self.0.advice {
            Some(advice) => with_advice(&self.0.what, advice),
            None => self.0.what.clone(),
        }
    }
}

/// Most reasons that are repeated, and most characters of each: they are another's words.
const MAX_REASONS: usize = 10;
const MAX_REASON: usize = 2_000;
/// Maximum number of notices, and of characters of each. A notice of a conflict holds a whole diff.
const MAX_NOTICES: usize = 100;
const MAX_NOTICE: usize = 100_000;

/// What brokers say when they refuse: `error` as text or object, `errors` as a list or by field.
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

/// The fields that are wrong.
fn fields(document: &Json) -> Vec<String> {
    let fields = document.get("errors").and_then(Json::as_object);
    let fields = fields.into_iter().flat_map(contract_model::Object::keys);
    fields
        .take(MAX_REASONS)
        .map(|field| cut(field.to_string(), MAX_REASON))
        .collect()
}

/// What is wrong with a field. Brokers write a predicate ("can't be blank") or a whole sentence, which needs no subject.
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

/// What happened and what to do, as one sentence.
pub fn with_advice(what: &str, advice: &str) -> String {
    format!("{}; {advice}", without_full_stop(what))
}

/// At most so many characters of a text.
fn cut(mut text: String, limit: usize) -> String {
    if let Some((at, _)) = text.char_indices().nth(limit) {
        text.truncate(at);
        text.push('…');
    }
    text
}

/// A foreign text within one of ours: its further lines are indented, so that none of them looks like a line of ours.
fn indented(text: &str) -> String {
    text.trim_end().lines().collect::<Vec<_>>().join("\n  ")
}

#[cfg(test)]
mod tests {
    use super::{BrokerError, BrokerErrorKind};

    #[test]
    fn each_form_of_refusal_is_read() {
        for (body, words) in [
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
            let error = BrokerError::of_status("GET", "http://h/", 400, body.as_bytes(), true);
            assert_eq!(error.to_string(), format!("GET http://h/ was answered with {words}"));
        }
    }

    #[test]
    fn a_reason_and_an_advice_are_one_sentence() {
        let body = br#"{"error": "Authentication is needed."}"#;
        let error = BrokerError::of_status("GET", "u", 401, body, false);
        assert_eq!(
            error.to_string(),
            "GET u was answered with status 401: Authentication is needed; it wants to know who asks: give a username and \
             password, or a token"
        );
        assert_eq!(error.reasons(), ["Authentication is needed."]);
    }

    #[test]
    fn statuses_have_kinds() {
        for (status, kind) in [
            (401, BrokerErrorKind::Unauthorized),
            (403, BrokerErrorKind::Forbidden),
            (404, BrokerErrorKind::NotFound),
            (409, BrokerErrorKind::Conflict),
            (422, BrokerErrorKind::Refused),
            (503, BrokerErrorKind::Failed),
        ] {
            assert_eq!(BrokerError::of_status("GET", "u", status, b"", false).kind(), kind);
        }
    }

    #[test]
    fn what_a_broker_says_is_bounded_and_imitates_no_line_of_ours() {
        let body = r#"{"error": "no\n✓ web 1 can be deployed\r\nerror: none\n"}"#;
        let error = BrokerError::of_status("GET", "u", 400, body.as_bytes(), true);
        assert_eq!(
            error.what(),
            "GET u was answered with status 400: no\n  ✓ web 1 can be deployed\n  error: none"
        );
        let notice = format!(r#"{{"text": "{}"}}"#, "a".repeat(200_000));
        let body = format!(r#"{{"notices": [{}]}}"#, vec![notice; 200].join(","));
        let error = BrokerError::of_status("GET", "u", 400, body.as_bytes(), true);
        assert_eq!(error.notices().len(), 101);
        assert_eq!(error.notices()[0].text.chars().count(), 100_001);
        assert!(error.notices()[100].text.contains("more than 100 notices"));
    }
}
