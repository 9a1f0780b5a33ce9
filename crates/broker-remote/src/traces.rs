//! Exports `OpenTelemetry` traces to a collector, with OTLP over HTTP. Names of attributes follow the semantic
//! conventions for HTTP.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Request, Response};
use opentelemetry::propagation::TextMapPropagator as _;
use opentelemetry::trace::{Span as _, SpanKind, Status, TraceContextExt as _, Tracer as _, TracerProvider as _};
use opentelemetry::{Context, KeyValue};
use opentelemetry_http::{HeaderExtractor, HeaderInjector, HttpClient, HttpError};
use opentelemetry_otlp::{ExporterBuildError, Protocol, SpanExporter, WithExportConfig as _, WithHttpConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::{SdkTracer, SdkTracerProvider};
use tokio::runtime::Handle;

use crate::log::{Level, Log, LogEntry};
use crate::tls;

/// Timeout for one export.
const TIMEOUT: Duration = Duration::from_secs(10);
/// Maximum size of the collector's response, in bytes.
const MAX_RESPONSE: usize = 64 * 1024;
const SERVICE: &str = "contract-broker";

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TracesError {
    #[error("{0:?} must be a URL that starts with http:// or https://")]
    Url(String),
    #[error("could not create the HTTP client: {0}")]
    Client(String),
    #[error(transparent)]
    Exporter(#[from] ExporterBuildError),
}

/// Records requests and other operations as spans, and exports the spans to a collector.
///
/// The `OpenTelemetry` environment variables for sampling (`OTEL_TRACES_SAMPLER`), batches (`OTEL_BSP_…`), headers
/// (`OTEL_EXPORTER_OTLP_HEADERS`), and resources (`OTEL_SERVICE_NAME`, `OTEL_RESOURCE_ATTRIBUTES`) apply.
#[derive(Clone)]
pub struct Traces {
    provider: SdkTracerProvider,
    tracer: SdkTracer,
}

impl fmt::Debug for Traces {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Traces").finish_non_exhaustive()
    }
}

impl Traces {
    /// `endpoint` is the collector's base URL, such as `http://localhost:4318`. Failures to export are written to
    /// `log`. Must be called in a tokio runtime.
    pub fn new(endpoint: &str, log: Log) -> Result<Self, TracesError> {
        let url = url::Url::parse(endpoint).ok();
        if !url.is_some_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host()) {
            return Err(TracesError::Url(endpoint.to_owned()));
        }
        let client = Client {
            http: tls::http_client(None, TIMEOUT).map_err(TracesError::Client)?,
            runtime: Handle::current(),
            has_failed: AtomicBool::new(false),
            log,
        };
        let exporter = SpanExporter::builder()
            .with_http()
            .with_http_client(client)
            .with_protocol(Protocol::HttpBinary)
            .with_endpoint(format!("{}/v1/traces", endpoint.trim_end_matches('/')))
            .with_timeout(TIMEOUT)
            .build()?;
        let name = std::env::var("OTEL_SERVICE_NAME").ok().filter(|name| !name.is_empty());
        let resource = Resource::builder().with_service_name(name.unwrap_or_else(|| SERVICE.to_owned()));
        let version = KeyValue::new("service.version", env!("CARGO_PKG_VERSION"));
        let provider = SdkTracerProvider::builder()
            .with_batch_exporter(exporter)
            .with_resource(resource.with_attribute(version).build())
            .build();
        let tracer = provider.tracer(SERVICE);
        Ok(Self { provider, tracer })
    }

    /// Starts the span of a request. If the request's headers contain a trace, the span belongs to that trace.
    pub fn request(&self, headers: &HeaderMap, name: String, attributes: Vec<KeyValue>) -> Trace {
        let parent = TraceContextPropagator::new().extract_with_context(&Context::new(), &HeaderExtractor(headers));
        self.start(&parent, SpanKind::Server, name, attributes)
    }

    /// Starts the span of an operation that does not belong to a request.
    pub fn operation(&self, kind: SpanKind, name: String, attributes: Vec<KeyValue>) -> Trace {
        self.start(&Context::new(), kind, name, attributes)
    }

    fn start(&self, parent: &Context, kind: SpanKind, name: String, attributes: Vec<KeyValue>) -> Trace {
        let span = self
            .tracer
            .span_builder(name)
            .with_kind(kind)
            .with_attributes(attributes);
        let span = span.start_with_context(&self.tracer, parent);
        if span.is_recording() {
            Trace(Some((self.clone(), parent.with_span(span))))
        } else {
            Trace(None)
        }
    }

    /// Exports the remaining spans, for at most 3 seconds.
    pub async fn shut_down(self) {
        let shutting_down =
            tokio::task::spawn_blocking(move || self.provider.shutdown_with_timeout(Duration::from_secs(3)));
        // The client has logged failures.
        let _ = shutting_down.await;
    }
}

/// An operation that may have a span. It has none if traces are disabled or the operation is not sampled.
#[derive(Clone, Debug, Default)]
pub struct Trace(Option<(Traces, Context)>);

impl Trace {
    /// Starts a span for a part of this operation.
    #[must_use]
    pub fn child(&self, kind: SpanKind, name: &'static str, attributes: Vec<KeyValue>) -> Self {
        match &self.0 {
            None => Self(None),
            Some((traces, context)) => traces.start(context, kind, name.to_owned(), attributes),
        }
    }

    /// Ends the span. `status` is the HTTP status of the response, if there is one.
    pub fn end(self, status: Option<u16>, error: Option<String>) {
        let Some((_, context)) = self.0 else { return };
        let span = context.span();
        if let Some(status) = status {
            span.set_attribute(KeyValue::new("http.response.status_code", i64::from(status)));
        }
        if let Some(error) = error {
            span.set_status(Status::error(error));
        }
        span.end();
    }

    /// Adds headers to a request, so that the receiver can continue the trace.
    pub fn inject(&self, headers: &mut HeaderMap<HeaderValue>) {
        if let Some((_, context)) = &self.0 {
            TraceContextPropagator::new().inject_context(context, &mut HeaderInjector(headers));
        }
    }

    /// Returns the trace ID in hexadecimal, or `None` if the operation has no span.
    pub fn id(&self) -> Option<String> {
        let (_, context) = self.0.as_ref()?;
        Some(context.span().span_context().trace_id().to_string())
    }
}

/// The HTTP client that sends spans to the collector.
struct Client {
    http: reqwest::Client,
    /// The runtime on which requests are sent, because the exporter calls the client on a thread without a runtime.
    runtime: Handle,
    /// Whether the last export failed. It ensures that an outage is logged only once.
    has_failed: AtomicBool,
    log: Log,
}

impl fmt::Debug for Client {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Client").finish_non_exhaustive()
    }
}

impl Client {
    fn note(&self, problem: Option<String>) {
        let had_failed = self.has_failed.swap(problem.is_some(), Ordering::Relaxed);
        if let Some(problem) = problem.filter(|_| !had_failed) {
            (self.log)(&LogEntry {
                level: Level::Error,
                message: format!("could not export traces: {problem}"),
                fields: Vec::new(),
            });
        }
    }
}

#[async_trait::async_trait]
impl HttpClient for Client {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let client = self.http.clone();
        let sent = self.runtime.spawn(async move { send(&client, request).await }).await;
        let sent = sent.unwrap_or_else(|error| Err(error.into()));
        self.note(match &sent {
            Ok(response) if response.status().is_success() => None,
            Ok(response) => Some(format!("the collector responded with status {}", response.status())),
            Err(error) => Some(with_causes(error.as_ref())),
        });
        sent
    }
}

async fn send(client: &reqwest::Client, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
    let mut received = client.execute(reqwest::Request::try_from(request)?).await?;
    let mut body = Vec::new();
    while let Some(chunk) = received.chunk().await? {
        if body.len() + chunk.len() > MAX_RESPONSE {
            return Err("the collector's response is too large".into());
        }
        body.extend_from_slice(&chunk);
    }
    let mut response = Response::new(Bytes::from(body));
    *response.status_mut() = received.status();
    *response.headers_mut() = std::mem::take(received.headers_mut());
    Ok(response)
}

fn with_causes(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
}
