//! Starts test providers, and verifies contracts in JSON format.

use std::convert::Infallible;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use contract_model::{Contract, Json, Object, Text};
use contract_verifier::{
    BoxFuture, CallbackError, ErrorCode, InteractionReport, NamedContract, Options, Report, StateAction, StateChange,
    StateHandler, Status, Transport, Verifier,
};
use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// A provider that runs until the end of the test.
pub(crate) struct Provider {
    pub(crate) url: String,
    requests: Arc<Mutex<Vec<Request<Bytes>>>>,
    connections: Arc<Mutex<usize>>,
}

impl Provider {
    /// Starts a provider that calls a function for each request.
    pub(crate) async fn start(answer: impl Fn(&Request<Bytes>) -> Response<Bytes> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let connections = Arc::new(Mutex::new(0));
        let provider = Self {
            url,
            requests: Arc::clone(&requests),
            connections: Arc::clone(&connections),
        };
        let answer = Arc::new(answer);
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                *connections.lock().unwrap() += 1;
                let (answer, requests) = (Arc::clone(&answer), Arc::clone(&requests));
                tokio::spawn(serve(stream, move |request| {
                    let response = answer(&request);
                    requests.lock().unwrap().push(request);
                    response
                }));
            }
        });
        provider
    }

    pub(crate) fn requests(&self) -> Vec<Request<Bytes>> {
        self.requests.lock().unwrap().clone()
    }

    pub(crate) fn connections(&self) -> usize {
        *self.connections.lock().unwrap()
    }
}

pub(crate) async fn serve<S>(stream: S, answer: impl Fn(Request<Bytes>) -> Response<Bytes> + Clone + Send + 'static)
where
    S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin + Send + 'static,
{
    let service = service_fn(move |request: Request<hyper::body::Incoming>| {
        let answer = answer.clone();
        async move {
            let (parts, body) = request.into_parts();
            let body = body
                .collect()
                .await
                .map(http_body_util::Collected::to_bytes)
                .unwrap_or_default();
            Ok::<_, Infallible>(answer(Request::from_parts(parts, body)).map(Full::new))
        }
    });
    // Ignore errors, because clients may close the connection at any time.
    let _ = auto::Builder::new(TokioExecutor::new())
        .serve_connection(TokioIo::new(stream), service)
        .await;
}

/// Starts a server that reads the head of each request, and passes the stream to a function. Returns its URL.
pub(crate) async fn raw<F: Future<Output = ()> + Send>(
    answer: impl Fn(TcpStream) -> F + Send + Sync + 'static,
) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let answer = Arc::new(answer);
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let answer = Arc::clone(&answer);
            tokio::spawn(async move {
                let mut head = Vec::new();
                let mut buffer = [0; 1024];
                while !head.windows(4).any(|window| window == b"\r\n\r\n") {
                    match stream.read(&mut buffer).await {
                        Ok(0) | Err(_) => return,
                        Ok(count) => head.extend_from_slice(&buffer[..count]),
                    }
                }
                answer(stream).await;
            });
        }
    });
    url
}

/// Starts a server that writes these bytes and closes the connection. Returns its URL.
pub(crate) async fn bytes(answer: impl Into<Vec<u8>>) -> String {
    let answer = Arc::new(answer.into());
    raw(move |mut stream| {
        let answer = Arc::clone(&answer);
        async move {
            let _ = stream.write_all(&answer).await;
            let _ = stream.shutdown().await;
        }
    })
    .await
}

pub(crate) fn json(text: &str) -> Json {
    Json::parse(text.as_bytes()).unwrap_or_else(|error| panic!("{error} in {text}"))
}

pub(crate) fn answer(status: u16, body: &str) -> Response<Bytes> {
    Response::builder()
        .status(status)
        .header("Content-Type", "application/json")
        .body(Bytes::copy_from_slice(body.as_bytes()))
        .unwrap()
}

/// Returns a contract with these interactions in the V4 format. The `type` member is optional for HTTP interactions.
pub(crate) fn contract(interactions: &str) -> NamedContract {
    let mut list = json(interactions);
    if let Json::Array(interactions) = &mut list {
        for interaction in interactions {
            let object = interaction.as_object_mut().unwrap();
            if !object.contains_key("type") {
                object.insert("type", "Synchronous/HTTP");
            }
        }
    }
    let mut document = json(
        r#"{"consumer": {"name": "web"}, "provider": {"name": "orders"}, "metadata": {"pactSpecification": {"version": "4.0"}}}"#,
    );
    document.as_object_mut().unwrap().insert("interactions", list);
    NamedContract::new(
        Contract::from_json(document).unwrap().contract,
        "contracts/web-orders.json",
    )
}

/// Returns a contract with one interaction: a request and the expected response.
pub(crate) fn exchange(request: &str, response: &str) -> NamedContract {
    contract(&format!(
        r#"[{{"description": "a request", "request": {request}, "response": {response}}}]"#
    ))
}

pub(crate) fn options(url: &str) -> Options {
    let mut options = Options::new("orders");
    options.transports.push(Transport::http(url).unwrap());
    options
}

pub(crate) async fn verify(options: Options, contract: NamedContract) -> Report {
    Verifier::new(options).unwrap().verify(vec![contract]).await.unwrap()
}

/// Runs a verification with one interaction. Returns the result of the interaction.
pub(crate) async fn verify_one(options: Options, contract: NamedContract) -> InteractionReport {
    let report = verify(options, contract).await;
    assert_eq!(report.contracts.len(), 1);
    assert_eq!(report.contracts[0].interactions.len(), 1);
    report.contracts[0].interactions[0].clone()
}

#[track_caller]
pub(crate) fn assert_passed(report: &InteractionReport) {
    assert_eq!(
        report.status,
        Status::Passed,
        "{:?} {:?}",
        report.error,
        report.mismatches.iter().map(ToString::to_string).collect::<Vec<_>>()
    );
}

#[track_caller]
pub(crate) fn assert_error(report: &InteractionReport, code: ErrorCode, parts: &[&str]) {
    let error = report
        .error
        .as_ref()
        .unwrap_or_else(|| panic!("no error, but {:?}", report.mismatches));
    assert_eq!(error.code, code, "{}", error.message);
    for part in parts {
        assert!(error.message.contains(part), "{part:?} is not in {:?}", error.message);
    }
    assert_eq!(report.status, Status::Failed);
}

/// Returns the mismatches as text.
pub(crate) fn texts(report: &InteractionReport) -> Vec<String> {
    report.mismatches.iter().map(ToString::to_string).collect()
}

pub(crate) const SHORT: Duration = Duration::from_millis(80);

type Change = dyn Fn(&StateChange) -> Result<Object, CallbackError> + Send + Sync;

/// State handlers that record the calls they receive.
pub(crate) struct Handlers {
    pub(crate) log: Arc<Mutex<Vec<String>>>,
    pub(crate) known: Option<Vec<String>>,
    pub(crate) empty: bool,
    change: Box<Change>,
}

impl Handlers {
    pub(crate) fn new(change: impl Fn(&StateChange) -> Result<Object, CallbackError> + Send + Sync + 'static) -> Self {
        Self {
            log: Arc::default(),
            known: None,
            empty: false,
            change: Box::new(change),
        }
    }

    pub(crate) fn log(&self) -> Arc<Mutex<Vec<String>>> {
        Arc::clone(&self.log)
    }
}

impl StateHandler for Handlers {
    fn change(&self, change: StateChange) -> BoxFuture<'_, Result<Object, CallbackError>> {
        self.log
            .lock()
            .unwrap()
            .push(format!("{} {}", change.action, change.state));
        let result = (self.change)(&change);
        // Some tests need a handler that hangs.
        let hangs = change.state == "hangs" && change.action == StateAction::Setup;
        Box::pin(async move {
            if hangs {
                std::future::pending::<()>().await;
            }
            result
        })
    }

    fn knows(&self, state: &str) -> Option<bool> {
        self.known
            .as_ref()
            .map(|known| known.iter().any(|known| known == state))
    }

    fn known_names(&self) -> Vec<String> {
        self.known.clone().unwrap_or_default()
    }

    fn takes_empty_state(&self) -> bool {
        self.empty
    }
}

pub(crate) fn values(pairs: &[(&str, Json)]) -> Object {
    pairs
        .iter()
        .map(|(name, value)| (Text::from(*name), value.clone()))
        .collect()
}
