//! Traces and request IDs, with a local collector.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::sync::{Arc, LazyLock, Mutex, mpsc};
use std::time::Duration;

use contract_broker::{Database, LogEntry, Options, Traces, TracesError};
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value;
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message as _;
use serde_json::json;
use tokio::runtime::Runtime;

use crate::support::{self, Running};
use crate::webhooks::{self, HookReceiver};

/// A collector that stores the exports that it receives.
struct Collector {
    url: String,
    exports: mpsc::Receiver<ExportTraceServiceRequest>,
}

impl Collector {
    fn start(status: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let (sender, exports) = mpsc::channel();
        // The thread ends with the process.
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(mut stream) = stream else { continue };
                let mut request = Vec::new();
                let mut buffer = [0; 4096];
                let body = loop {
                    let count = stream.read(&mut buffer).unwrap_or(0);
                    assert!(count > 0, "the request ended early");
                    request.extend_from_slice(&buffer[..count]);
                    let Some(end) = request.windows(4).position(|window| window == b"\r\n\r\n") else {
                        continue;
                    };
                    let head = String::from_utf8_lossy(&request[..end]).to_ascii_lowercase();
                    assert!(head.starts_with("post /v1/traces "), "{head}");
                    let length = head
                        .split("content-length: ")
                        .nth(1)
                        .and_then(|rest| rest.lines().next());
                    let length: usize = length.and_then(|length| length.parse().ok()).expect("a length");
                    if request.len() >= end + 4 + length {
                        break request.split_off(end + 4);
                    }
                };
                let _ = sender.send(ExportTraceServiceRequest::decode(&*body).expect("spans"));
                let head = format!("HTTP/1.1 {status} X\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
                let _ = stream.write_all(head.as_bytes());
            }
        });
        Self { url, exports }
    }

    /// Returns the spans that were exported until the broker stopped.
    fn spans(&self) -> Vec<Span> {
        let exports = std::iter::from_fn(|| self.exports.recv_timeout(Duration::from_millis(500)).ok());
        let resources = exports.flat_map(|export| export.resource_spans);
        let scopes = resources.flat_map(|resource| resource.scope_spans);
        scopes.flat_map(|scope| scope.spans).collect()
    }
}

fn attribute(span: &Span, name: &str) -> Option<String> {
    let found = span.attributes.iter().find(|attribute| attribute.key == name)?;
    match found.value.as_ref()?.value.as_ref()? {
        any_value::Value::StringValue(text) => Some(text.clone()),
        any_value::Value::IntValue(number) => Some(number.to_string()),
        _ => None,
    }
}

/// The runtime on which traces are exported. It runs until the process ends.
static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| Runtime::new().expect("a runtime"));

type Entries = Arc<Mutex<Vec<LogEntry>>>;

/// Starts a broker, with traces if there is a collector.
fn broker(endpoint: Option<&str>) -> (Running, Entries) {
    let entries = Entries::default();
    let kept = Arc::clone(&entries);
    let log: contract_broker::Log = Arc::new(move |entry| kept.lock().expect("entries").push(entry.clone()));
    let traces = endpoint.map(|endpoint| {
        let _entered = RUNTIME.enter();
        Traces::new(endpoint, Arc::clone(&log)).expect("traces")
    });
    let options = Options {
        traces,
        log,
        ..webhooks::options(Database::Memory)
    };
    (support::start_as(options), entries)
}

fn field(entry: &LogEntry, name: &str) -> Option<String> {
    let found = entry.fields.iter().find(|(known, _)| *known == name);
    found.map(|(_, value)| value.clone())
}

#[test]
fn each_request_has_an_id_in_its_response_and_in_the_log() {
    let (broker, entries) = broker(None);
    let first = broker.get("/pacticipants");
    let id = first.header("x-request-id").expect("an ID").to_owned();
    assert_eq!(id.len(), 32, "{id}");
    let sent = broker.send("GET", "/nowhere", &[("x-request-id", "build-42")], None);
    assert_eq!((sent.status, sent.header("x-request-id")), (404, Some("build-42")));
    let entries = entries.lock().expect("entries");
    let ids: Vec<_> = entries.iter().filter_map(|entry| field(entry, "request")).collect();
    assert_eq!(ids, [id, "build-42".to_owned()]);
    assert!(entries.iter().all(|entry| field(entry, "trace").is_none()));
}

#[test]
fn requests_and_their_transactions_are_traced() {
    let collector = Collector::start(200);
    let (broker, entries) = broker(Some(&collector.url));
    let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    let headers = [("traceparent", parent), ("content-type", "application/json")];
    let put = broker.send("PUT", "/pacticipants/web", &headers, Some(b"{}"));
    assert_eq!(put.status, 201, "{put:?}");
    assert_eq!(broker.get("/pacticipants/missing?token=secret").status, 404);
    broker.stop();
    let spans = collector.spans();
    let find = |name: &str| spans.iter().find(|span| span.name == name).expect("a span");
    let request = find("PUT /pacticipants/{pacticipant}");
    assert_eq!(hex(&request.trace_id), "0af7651916cd43dd8448eb211c80319c");
    assert_eq!(hex(&request.parent_span_id), "b7ad6b7169203331");
    for (name, expected) in [
        ("http.request.method", "PUT"),
        ("http.route", "/pacticipants/{pacticipant}"),
        ("url.path", "/pacticipants/web"),
        ("http.response.status_code", "201"),
        ("client.address", "127.0.0.1"),
    ] {
        assert_eq!(attribute(request, name).as_deref(), Some(expected), "{name}");
    }
    let transaction = find("write transaction");
    assert_eq!(transaction.parent_span_id, request.span_id);
    let system = match std::env::var("CONTRACT_BROKER_POSTGRES") {
        Ok(_) => "postgresql",
        Err(_) => "sqlite",
    };
    assert_eq!(attribute(transaction, "db.system.name").as_deref(), Some(system));
    let missing = find("GET /pacticipants/{pacticipant}");
    assert!(missing.parent_span_id.is_empty(), "it starts a trace");
    assert!(!format!("{spans:?}").contains("secret"), "queries are not exported");
    let entries = entries.lock().expect("entries");
    let traces: Vec<_> = entries.iter().filter_map(|entry| field(entry, "trace")).collect();
    assert_eq!(traces, [hex(&request.trace_id), hex(&missing.trace_id)]);
}

#[test]
fn a_trace_that_the_client_does_not_sample_is_not_exported() {
    let collector = Collector::start(200);
    let (broker, _) = broker(Some(&collector.url));
    let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00";
    assert_eq!(
        broker
            .send("GET", "/pacticipants", &[("traceparent", parent)], None)
            .status,
        200
    );
    // An invalid header starts a new trace.
    assert_eq!(
        broker
            .send("GET", "/environments", &[("traceparent", "00-x")], None)
            .status,
        200
    );
    broker.stop();
    let names: Vec<_> = collector.spans().into_iter().map(|span| span.name).collect();
    assert!(names.contains(&"GET /environments".to_owned()), "{names:?}");
    assert!(!names.contains(&"GET /pacticipants".to_owned()), "{names:?}");
}

#[test]
fn the_receiver_of_a_webhook_can_continue_its_trace() {
    let (collector, receiver) = (Collector::start(200), HookReceiver::ok());
    let (broker, _) = broker(Some(&collector.url));
    let request = json!({ "request": { "method": "POST", "url": receiver.url("/?secret=1") } });
    let executed = broker.json("POST", "/webhooks/execute", &request);
    assert_eq!(executed.status, 200, "{executed:?}");
    let sent = receiver.next();
    broker.stop();
    let spans = collector.spans();
    let span = spans.iter().find(|span| span.name == "POST webhook").expect("a span");
    let expected = format!("00-{}-{}-01", hex(&span.trace_id), hex(&span.span_id));
    assert_eq!(sent.header("traceparent"), Some(expected.as_str()));
    assert_eq!(attribute(span, "server.address").as_deref(), Some("127.0.0.1"));
    assert!(
        !format!("{spans:?}").contains("secret"),
        "URLs of webhooks are not exported"
    );
}

#[test]
fn a_collector_that_fails_is_logged_once_and_does_not_affect_requests() {
    let collector = Collector::start(400);
    let (broker, entries) = broker(Some(&collector.url));
    assert_eq!(broker.get("/pacticipants").status, 200);
    broker.stop();
    let entries = entries.lock().expect("entries");
    let problems: Vec<_> = entries
        .iter()
        .filter(|entry| entry.message.contains("traces"))
        .collect();
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert_eq!(
        problems[0].message,
        "could not export traces: the collector responded with status 400 Bad Request"
    );
    assert_eq!(collector.spans().len(), 2);
}

#[test]
fn an_endpoint_must_be_a_url() {
    let _entered = RUNTIME.enter();
    for endpoint in ["localhost:4318", "grpc://localhost:4317", "", "http://"] {
        let error = Traces::new(endpoint, Arc::new(|_| ())).expect_err("an error");
        assert!(matches!(error, TracesError::Url(_)), "{endpoint}: {error}");
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes
        .iter()
        .fold(String::new(), |text, byte| format!("{text}{byte:02x}"))
}
