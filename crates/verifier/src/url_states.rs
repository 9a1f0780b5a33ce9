//! Changes provider states by sending requests to a URL.

use std::fmt::Write as _;
use std::time::Duration;

use bytes::Bytes;
use contract_model::{Json, Object, Query};
use contract_wire::{Answer, BaseUrl, Client, Outgoing, Redirects, SettingsError, header_value, redact_url};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Uri};

use crate::{BoxFuture, CallbackError, SetupError, StateChange, StateHandler};

/// How a state change request contains the state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StateForm {
    /// In a JSON body: `{"state": …, "params": {…}, "action": "setup"}`.
    #[default]
    Body,
    /// In the query parameters `state` and `action` and one parameter for each state parameter, and in the headers
    /// `Contract-State` (percent-encoded), `Contract-State-Action`, and `Contract-State-Params` (JSON in ASCII).
    Query,
}

/// Changes provider states by sending POST requests to a URL of the provider.
#[derive(Clone, Debug)]
pub struct UrlStateHandler {
    url: Uri,
    form: StateForm,
    headers: HeaderMap,
    client: Client,
    timeout: Duration,
    retries: usize,
    pause: Duration,
}

impl UrlStateHandler {
    /// Creates a handler. If a response to a setup or teardown contains a JSON object, its members become state values.
    pub fn new(url: &str, form: StateForm, client: Client) -> Result<Self, SetupError> {
        let (address, query) = url
            .split_once('?')
            .map_or((url, ""), |(address, query)| (address, query));
        let base = BaseUrl::parse(address)?;
        let url = base.join("", query).map_err(|error| SettingsError::Url {
            url: redact_url(url),
            problem: error.to_string(),
        })?;
        let mut headers = HeaderMap::new();
        if let Some(credentials) = base.credentials() {
            headers.insert(http::header::AUTHORIZATION, credentials.clone());
        }
        Ok(Self {
            url,
            form,
            headers,
            client,
            timeout: Duration::from_secs(5),
            retries: 4,
            pause: Duration::from_millis(250),
        })
    }

    /// Adds a header to all requests. It replaces a header with the same name.
    pub fn with_header(mut self, name: &str, value: &str) -> Result<Self, SetupError> {
        let refuse = |problem| SetupError::Header {
            name: name.to_owned(),
            problem,
        };
        let key = HeaderName::from_bytes(name.as_bytes()).map_err(|_| refuse("the name is not a valid header name"))?;
        let value = header_value(name, value)
            .map_err(|_| refuse("the value contains line breaks or other control characters"))?;
        self.headers.insert(key, value);
        Ok(self)
    }

    /// Sets the timeout for each request. Default: 5 s.
    #[must_use]
    pub fn with_timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }

    /// Sets the number of retries after status 408, 429, or 5xx, and the time to wait before the first retry. The time
    /// doubles with each retry. The `Retry-After` header overrides it. Default: 4 retries and 250 ms.
    #[must_use]
    pub fn with_retries(self, retries: usize, pause: Duration) -> Self {
        Self { retries, pause, ..self }
    }

    async fn call(&self, change: StateChange) -> Result<Object, CallbackError> {
        let mut pause = self.pause;
        let mut attempt = 0;
        loop {
            let answer = self
                .client
                .send(self.request(&change)?, Redirects::up_to(10), self.timeout)
                .await
                .map_err(|error| CallbackError::new(error.to_string()))?;
            if (200..300).contains(&answer.status) {
                return Ok(json_object(&answer.body).unwrap_or_default());
            }
            let is_retryable = matches!(answer.status, 408 | 429 | 500..);
            if !is_retryable || attempt >= self.retries {
                return Err(self.status_error(&answer, attempt));
            }
            attempt += 1;
            tokio::time::sleep(retry_after(&answer).unwrap_or(pause)).await;
            pause = pause.saturating_mul(2);
        }
    }

    fn status_error(&self, answer: &Answer, retries: usize) -> CallbackError {
        const SHOWN: usize = 300;
        let body = String::from_utf8_lossy(&answer.body[..answer.body.len().min(SHOWN)]);
        let body = if body.trim().is_empty() {
            String::new()
        } else {
            format!(": {}", body.trim())
        };
        let tried = if retries > 0 {
            format!(" after {retries} retries")
        } else {
            String::new()
        };
        CallbackError::new(format!(
            "{} returned status {}{tried}{body}",
            contract_report::redact::url(&self.url),
            answer.status
        ))
    }

    fn request(&self, change: &StateChange) -> Result<Outgoing, CallbackError> {
        let mut headers = self.headers.clone();
        let (uri, body) = match self.form {
            StateForm::Body => {
                headers.insert(http::header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
                (self.url.clone(), body(change))
            }
            StateForm::Query => {
                for (name, value) in state_headers(change) {
                    // Headers set by the user take precedence.
                    headers.entry(name).or_insert(value);
                }
                (self.with_query(change)?, Bytes::new())
            }
        };
        let confidential = headers.keys().cloned().collect();
        Ok(Outgoing {
            method: Method::POST,
            uri,
            headers,
            body,
            confidential,
        })
    }

    fn with_query(&self, change: &StateChange) -> Result<Uri, CallbackError> {
        let mut query = Query::new();
        query.append("state", Some(change.state.clone()));
        query.append("action", Some(change.action.name().into()));
        for (name, value) in &change.parameters {
            query.append(name.clone(), Some(value.text_form().into()));
        }
        let (path, own) = (self.url.path(), self.url.query().map(|own| format!("{own}&")));
        let mut parts = self.url.clone().into_parts();
        let target = format!("{path}?{}{}", own.unwrap_or_default(), query.to_text());
        parts.path_and_query = Some(target.parse().map_err(|error: http::uri::InvalidUri| {
            CallbackError::new(format!(
                "the state and its parameters do not fit into a URL ({error}). Send them in the body"
            ))
        })?);
        Uri::from_parts(parts).map_err(|error| CallbackError::new(error.to_string()))
    }
}

/// Parses a JSON object. Returns `None` for any other body.
fn json_object(bytes: &Bytes) -> Option<Object> {
    match Json::parse(bytes).ok()? {
        Json::Object(object) => Some(object),
        _ => None,
    }
}

/// Returns the headers for [`StateForm::Query`].
fn state_headers(change: &StateChange) -> impl Iterator<Item = (HeaderName, HeaderValue)> {
    let parameters = ascii(&Json::from(change.parameters.clone()).to_text());
    let all = [
        ("contract-state", percent_encoded(&change.state)),
        ("contract-state-action", change.action.name().to_owned()),
        ("contract-state-params", parameters),
    ];
    all.into_iter()
        .filter_map(|(name, value)| Some((HeaderName::from_static(name), HeaderValue::from_str(&value).ok()?)))
}

/// Percent-encodes a string for use in a header.
fn percent_encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_graphic() && byte != b'%' && byte != b'+' {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

/// Escapes the non-ASCII characters in JSON as `\u` sequences.
fn ascii(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for character in json.chars() {
        if character.is_ascii() && character != '\u{7f}' {
            out.push(character);
        } else {
            let mut units = [0; 2];
            for unit in character.encode_utf16(&mut units) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        }
    }
    out
}

fn body(change: &StateChange) -> Bytes {
    let mut object = Object::new();
    object.insert("state", change.state.clone());
    object.insert("params", change.parameters.clone());
    object.insert("action", change.action.name());
    Json::from(object).to_text().into()
}

/// Returns the time in the `Retry-After` header, at most 60 s. Returns `None` if the header is missing or contains a
/// date.
fn retry_after(answer: &Answer) -> Option<Duration> {
    let seconds: u64 = answer
        .headers
        .get(http::header::RETRY_AFTER)?
        .to_str()
        .ok()?
        .trim()
        .parse()
        .ok()?;
    Some(Duration::from_secs(seconds.min(60)))
}

impl StateHandler for UrlStateHandler {
    fn change(&self, change: StateChange) -> BoxFuture<'_, Result<Object, CallbackError>> {
        Box::pin(self.call(change))
    }
}
