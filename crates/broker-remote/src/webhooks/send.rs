//! Sends one webhook request.

use std::time::Duration;

use bytes::Bytes;
use contract_broker_core::sql::webhooks::Webhook;
use contract_broker_domain::time;
use contract_broker_domain::webhook::{EventData, Parameters, SigningSecret, WebhookRequest, WebhookRules, parse};
use http::header::{ACCEPT, AUTHORIZATION, CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, HOST, USER_AGENT};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Response, Uri};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use opentelemetry::KeyValue;
use opentelemetry::trace::SpanKind;
use tokio::sync::Semaphore;
use tokio::time::Instant;
use url::Url;

use super::WebhookOptions;
use super::connect::Connector;
use super::credentials::basic;
use super::error::SendError;
use super::log::{ExchangeLog, Masks, shown_headers};
use crate::traces::{Trace, Traces};

/// Maximum number of bytes that are read from a response body. The rest is ignored.
const MAX_BODY: usize = 16 * 1024;
/// Maximum size of a response's head, in bytes.
const MAX_HEAD: usize = 64 * 1024;
/// Maximum number of response headers.
const MAX_HEADERS: usize = 100;
/// Maximum number of webhook tests that run at the same time.
const MAX_TESTS: usize = 8;

pub struct WebhookSender {
    pub options: WebhookOptions,
    traces: Option<Traces>,
    connector: Connector,
    /// One permit for each webhook test that can run at the same time.
    pub tests: Semaphore,
}

/// A webhook request to send, and the event that it reports.
#[derive(Debug)]
pub struct Execution {
    pub request: WebhookRequest,
    pub data: EventData,
    /// The value of the `webhook-id` header, which is the same in all attempts.
    pub id: String,
    /// The `_links` member of the API response to a webhook test. `null` if the request is not a test.
    pub links: serde_json::Value,
}

/// A webhook request that was sent, with its outcome.
pub struct Exchange {
    pub success: bool,
    /// The headers that were sent. Secrets are masked.
    pub headers: Vec<(String, String)>,
    pub body: String,
    /// The response, or the reason why there is none.
    pub response: Result<Received, SendError>,
    pub log: String,
}

pub struct Received {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    /// At most the first 16 KiB of the body.
    pub body: String,
}

impl Received {
    fn masked(self, masks: &Masks) -> Self {
        let headers = self.headers.into_iter();
        Self {
            status: self.status,
            headers: headers.map(|(name, value)| (name, masks.apply(&value))).collect(),
            body: masks.apply(&self.body),
        }
    }
}

/// A request in which the parameters, such as `${pactbroker.pactUrl}`, were replaced with their values.
struct Rendered {
    url: Url,
    method: Method,
    headers: HeaderMap,
    body: Bytes,
}

impl WebhookSender {
    pub fn new(options: WebhookOptions, traces: Option<Traces>) -> Self {
        Self {
            options,
            traces,
            connector: Connector::new(),
            tests: Semaphore::new(MAX_TESTS),
        }
    }

    /// Returns the request of a stored webhook, including its decrypted secrets.
    pub fn read_request(&self, webhook: &Webhook) -> Result<WebhookRequest, String> {
        let decrypt = |secrets: &String| {
            let context = format!("webhook {}", webhook.uuid);
            self.options.keys.decrypt(&context, secrets)
        };
        let secrets = webhook.secrets.as_ref().map(decrypt).transpose();
        let secrets = secrets.map_err(|error| format!("The webhook secrets cannot be read: {error}.\n"))?;
        Ok(WebhookRequest::from_stored(&webhook.request, secrets.as_deref()))
    }

    /// Sends a request, and returns the outcome. `conclusion` creates the last line of the log. Its argument is true if
    /// the request succeeded.
    pub async fn send(
        &self,
        rules: &WebhookRules,
        execution: &Execution,
        conclusion: impl FnOnce(bool) -> String,
    ) -> Exchange {
        let request = &execution.request;
        let parameters = execution.data.parameters();
        let mut log = ExchangeLog::new(Masks::new(request, &parameters));
        log.debug(&format!("Webhook context {}", execution.data.to_value()));
        let mut exchange = match render(rules, request, &parameters, &execution.id) {
            Ok(mut rendered) => {
                let trace = self.trace(&mut rendered);
                let headers = shown_headers(request, &rendered.headers);
                let body = String::from_utf8_lossy(&rendered.body).into_owned();
                let url = request.shown_url(rendered.url.as_str());
                log.info(&format!("HTTP/1.1 {} {url}", rendered.method));
                for (name, value) in &headers {
                    log.info(&format!("{name}: {value}"));
                }
                if !body.is_empty() {
                    log.info(&body);
                }
                let response = self.exchange(rules, rendered).await;
                // Receivers may return what they received.
                let response = response.map(|received| received.masked(&log.masks));
                match &response {
                    Ok(received) if received.status < 400 => trace.end(Some(received.status), None),
                    Ok(received) => trace.end(Some(received.status), Some(format!("status {}", received.status))),
                    Err(problem) => trace.end(None, Some(problem.to_string())),
                }
                Exchange {
                    success: false,
                    headers,
                    body,
                    response,
                    log: String::new(),
                }
            }
            Err(problem) => Exchange {
                success: false,
                headers: vec![],
                body: String::new(),
                response: Err(problem),
                log: String::new(),
            },
        };
        match &exchange.response {
            Ok(received) => {
                exchange.success = self.options.success.contains(&received.status);
                let status = http::StatusCode::from_u16(received.status).unwrap_or_default();
                log.info(&format!("HTTP/1.1 {status}"));
                for (name, value) in &received.headers {
                    log.info(&format!("{name}: {value}"));
                }
                if !received.body.is_empty() {
                    log.info(&received.body);
                }
                if status.is_redirection() {
                    log.error("Redirects are not followed. Set the URL of the webhook to the new address.");
                }
            }
            Err(problem) => log.error(&format!("Error executing webhook: {problem}")),
        }
        let conclusion = conclusion(exchange.success);
        if exchange.success {
            log.info(&conclusion);
        } else {
            log.error(&conclusion);
        }
        exchange.log = log.finish();
        exchange
    }

    /// Starts the span of a request, and adds headers with which the receiver can continue the trace.
    fn trace(&self, rendered: &mut Rendered) -> Trace {
        let Some(traces) = &self.traces else {
            return Trace::default();
        };
        let method = rendered.method.to_string();
        let attributes = vec![
            KeyValue::new("http.request.method", method.clone()),
            KeyValue::new("server.address", rendered.url.host_str().unwrap_or_default().to_owned()),
        ];
        let trace = traces.operation(SpanKind::Client, format!("{method} webhook"), attributes);
        if !rendered.headers.contains_key("traceparent") {
            trace.inject(&mut rendered.headers);
        }
        trace
    }

    async fn exchange(&self, rules: &WebhookRules, rendered: Rendered) -> Result<Received, SendError> {
        let deadline = Instant::now() + self.options.timeout;
        let timed_out = |_| SendError::TimedOut(self.options.timeout);
        let response = tokio::time::timeout_at(deadline, self.response(rules, rendered)).await;
        let (response, _connection) = response.map_err(timed_out)??;
        let (parts, body) = response.into_parts();
        // The status determines whether the request succeeded, even if the body never ends.
        let body = tokio::time::timeout_at(deadline, start_of(body))
            .await
            .unwrap_or_default();
        let headers = shown_headers(&WebhookRequest::default(), &parts.headers);
        Ok(Received {
            status: parts.status.as_u16(),
            headers,
            body: String::from_utf8_lossy(&body).into_owned(),
        })
    }

    async fn response(
        &self,
        rules: &WebhookRules,
        rendered: Rendered,
    ) -> Result<(Response<Incoming>, ConnectionTask), SendError> {
        let stream = self.connector.connect(rules, &rendered.url).await?;
        let (mut sender, connection) = http1::Builder::new()
            .max_buf_size(MAX_HEAD)
            .max_headers(MAX_HEADERS)
            .handshake::<_, Full<Bytes>>(TokioIo::new(stream))
            .await?;
        let connection = ConnectionTask(tokio::spawn(async move { drop(connection.await) }));
        let target = &rendered.url[url::Position::BeforePath..url::Position::AfterQuery];
        let mut request = Request::new(Full::new(rendered.body));
        *request.method_mut() = rendered.method;
        *request.uri_mut() = target.parse::<Uri>()?;
        *request.headers_mut() = rendered.headers;
        let response = sender.send_request(request).await?;
        Ok((response, connection))
    }
}

/// The task that transfers the data of a connection. Dropping this aborts the task.
struct ConnectionTask(tokio::task::JoinHandle<()>);

impl Drop for ConnectionTask {
    fn drop(&mut self) {
        self.0.abort();
    }
}

async fn start_of(mut body: Incoming) -> Vec<u8> {
    let mut start = Vec::new();
    while let Some(Ok(frame)) = body.frame().await {
        if let Some(data) = frame.data_ref() {
            let room = MAX_BODY - start.len();
            start.extend_from_slice(&data[..room.min(data.len())]);
            if start.len() == MAX_BODY {
                break;
            }
        }
    }
    start
}

/// Returns whether the body of a request is JSON, according to its headers. Without a header, a body that starts like a
/// JSON object or array is JSON.
fn is_json_text(request: &WebhookRequest, body: &str) -> bool {
    let media_type = request.headers.iter().find(|(name, _)| name == CONTENT_TYPE.as_str());
    match media_type {
        Some((_, value)) => {
            let value = value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
            value.ends_with("/json") || value.ends_with("+json")
        }
        None => body.trim_start().starts_with(['{', '[']),
    }
}

fn render(
    rules: &WebhookRules,
    request: &WebhookRequest,
    parameters: &Parameters,
    id: &str,
) -> Result<Rendered, SendError> {
    let url = parse(&parameters.render_url(&request.url)?).ok_or(SendError::Invalid("URL"))?;
    // The rules may have changed since the webhook was created.
    rules.check_url(&url).map_err(SendError::Url)?;
    rules.check_method(&request.method).map_err(SendError::Method)?;
    let method = Method::from_bytes(request.method.as_bytes()).map_err(|_| SendError::Invalid("method"))?;
    let (body, is_json) = match &request.body {
        None => (String::new(), false),
        Some(serde_json::Value::String(text)) if is_json_text(request, text) => {
            (parameters.render_json_text(text)?, false)
        }
        Some(serde_json::Value::String(text)) => (parameters.render_text(text)?, false),
        Some(json) => (parameters.render_json(json)?, true),
    };
    let body = Bytes::from(body);
    let mut headers = HeaderMap::new();
    headers.insert(HOST, value(&host(&url))?);
    let agent = concat!("Contract Broker v", env!("CARGO_PKG_VERSION"));
    headers.insert(USER_AGENT, HeaderValue::from_static(agent));
    headers.insert(ACCEPT, HeaderValue::from_static("*/*"));
    if is_json {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    }
    for (name, template) in &request.headers {
        let name = HeaderName::try_from(name.as_str()).map_err(|_| SendError::HeaderName(name.clone()))?;
        headers.insert(name, value(&parameters.render_header(template)?)?);
    }
    if let Some(encoded) = basic(request, parameters)? {
        headers.insert(AUTHORIZATION, value(&format!("Basic {encoded}"))?);
    }
    headers.insert(CONTENT_LENGTH, HeaderValue::from(body.len()));
    headers.insert(CONNECTION, HeaderValue::from_static("close"));
    let timestamp = time::now() / 1_000;
    headers.insert("webhook-id", value(id)?);
    headers.insert("webhook-timestamp", HeaderValue::from(timestamp));
    if let Some(secret) = &request.signing_secret {
        let secret = SigningSecret::parse(secret).ok_or(SendError::Invalid("signing secret"))?;
        headers.insert("webhook-signature", value(&secret.sign(id, timestamp, &body))?);
    }
    Ok(Rendered {
        url,
        method,
        headers,
        body,
    })
}

/// Returns the value of the `Host` header: the host, followed by the port unless it is the default one.
fn host(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    url.port()
        .map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

fn value(text: &str) -> Result<HeaderValue, SendError> {
    HeaderValue::from_bytes(text.as_bytes()).map_err(|_| SendError::HeaderValue)
}

/// Formats a duration in whole seconds, such as `10 seconds`.
pub fn seconds(time: Duration) -> String {
    format!("{} seconds", time.as_secs())
}
