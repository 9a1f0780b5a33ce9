//! Measures how much time a comparison by a plugin takes compared with a bare call of the same plugin. Run it with `npm
//! run bench:plugins`.
//!
//! `bare` uses the generated client on a separate connection and sends a prepared message in consecutive calls.
//! `driver` is `contract_plugins`, including the conversion of contents and rules. `verifier` is the additional time to
//! verify a message that a plugin compares instead of the core. All measurements use the same runtime and the same
//! plugin process.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a program for developers")]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use contract::{
    BoxFuture, CallbackError, Callbacks, ContractBuilder, Json, Object, Role, RunContext, RunOptions, UserFunction,
    Verification, VerifierOperation,
};
use contract_model::{Body, ContentType, PathExpression, PathRules, Rule};
use contract_plugins::wire::v1::pact_plugin_client::PactPluginClient;
use contract_plugins::wire::v2;
use contract_plugins::{Compared, Comparison, Configuration, Core, Plugin, Registry, Search, Times};
use hyper::client::conn::http2::{self, SendRequest};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tower_service::Service;

const TYPE: &str = "application/x-pairs";
/// The key that the fixture plugin requires.
const KEY: &str = "fixture-secret-key";
const ROUNDS: usize = 31;
const CALLS: u32 = 200;
const MESSAGES: u32 = 1000;
const LIMIT: Duration = Duration::from_secs(30);

fn main() {
    let Some(program) = std::env::var_os("CONTRACT_FIXTURE_PLUGIN") else {
        println!("run it with: npm run bench:plugins");
        return;
    };
    let directory = tempfile::tempdir().unwrap();
    install(directory.path(), &PathBuf::from(program));
    for lines in [2, 1000] {
        let place = directory.path().to_owned();
        run(async move { calls(&place, lines).await });
    }
    let place = directory.path().to_owned();
    run(async move { verifications(&place).await });
}

/// Runs a future on the runtime's threads, as user calls do.
fn run(future: impl Future<Output = ()> + Send + 'static) {
    let task = contract::runtime::try_handle().unwrap().spawn(future);
    contract::runtime::run_here(task).unwrap().unwrap();
}

fn install(directory: &Path, program: &Path) {
    let folder = directory.join("pairs");
    std::fs::create_dir(&folder).unwrap();
    let manifest = format!(
        r#"{{"pluginInterfaceVersion": 1, "name": "pairs", "version": "1.0.0", "executableType": "exec", "entryPoint": {}}}"#,
        Json::from(program.to_str().unwrap()).to_text()
    );
    std::fs::write(folder.join("pact-plugin.json"), manifest).unwrap();
}

async fn calls(directory: &Path, lines: usize) {
    let search = Search {
        directories: vec![directory.to_owned()],
        configured_by: "the benchmark",
    };
    let registry = Registry::new(Arc::new(NoCore));
    let plugin = registry.load("pairs", None, &search, Times::default()).await.unwrap();
    let port = std::fs::read_to_string(directory.join("pairs/port.txt")).unwrap();
    let mut bare = Bare::open(&port).await;
    let text = (0..lines).map(|line| format!("colour{line}=red\n")).collect::<Vec<_>>();
    let text = text.concat();
    let contents = Contents::new(&text);
    let (mut times, mut own) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let began = Instant::now();
        for _ in 0..CALLS {
            bare.compare(contents.message.clone()).await;
        }
        times.push(began.elapsed() / CALLS);
        let began = Instant::now();
        for _ in 0..CALLS {
            contents.compare(&plugin).await;
        }
        own.push(began.elapsed() / CALLS);
    }
    let (bare, driver) = (median(times), median(own));
    println!(
        "{} bytes: bare {:.1} µs, driver {:.1} µs (factor {:.2})",
        text.len(),
        micros(bare),
        micros(driver),
        micros(driver) / micros(bare)
    );
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

/// Matching contents in the forms for the driver and for the bare client.
struct Contents {
    expected: Body,
    actual: Bytes,
    rules: PathRules,
    configuration: Configuration,
    context: Object,
    message: v2::CompareContentsRequest,
}

impl Contents {
    fn new(text: &str) -> Self {
        let content_type: ContentType = TYPE.parse().unwrap();
        let expected = Body::from_bytes(text.to_owned(), Some(content_type));
        let body = v2::Body {
            content_type: TYPE.to_owned(),
            content: Some(text.as_bytes().to_vec()),
            content_type_hint: 0,
        };
        let rule = v2::MatchingRule {
            r#type: "integer".to_owned(),
            values: None,
        };
        let path: PathExpression = "size".parse().unwrap();
        Self {
            expected,
            actual: text.to_owned().into(),
            rules: [(path, contract_model::RuleList::single(Rule::Integer))].into(),
            configuration: Configuration::default(),
            context: Object::new(),
            message: v2::CompareContentsRequest {
                expected: Some(body.clone()),
                actual: Some(body),
                allow_unexpected_keys: true,
                rules: [("size".to_owned(), v2::MatchingRules { rule: vec![rule] })].into(),
                plugin_configuration: Some(v2::PluginConfiguration::default()),
                test_context: None,
            },
        }
    }

    async fn compare(&self, plugin: &Plugin) {
        let comparison = Comparison {
            expected: &self.expected,
            actual: &self.actual,
            actual_type: self.expected.content_type(),
            allow_unexpected: true,
            rules: &self.rules,
            configuration: &self.configuration,
            context: &self.context,
        };
        let compared = plugin.compare(comparison, LIMIT).await.unwrap();
        assert_eq!(compared, Compared::Contents(Vec::new()));
    }
}

/// The generated client with its own connection.
struct Bare(PactPluginClient<Sender>);

#[derive(Clone)]
struct Sender(SendRequest<tonic::body::Body>, String);

impl Bare {
    async fn open(port: &str) -> Self {
        let stream = tokio::net::TcpStream::connect(format!("127.0.0.1:{port}"))
            .await
            .unwrap();
        stream.set_nodelay(true).unwrap();
        let opened = http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await;
        let (send, connection) = opened.unwrap();
        tokio::spawn(connection);
        Self(PactPluginClient::new(Sender(send, format!("127.0.0.1:{port}"))).max_decoding_message_size(usize::MAX))
    }

    async fn compare(&mut self, message: v2::CompareContentsRequest) {
        let answer = self.0.compare_contents(message).await.unwrap();
        assert!(answer.into_inner().error.is_empty());
    }
}

impl Service<http::Request<tonic::body::Body>> for Sender {
    type Response = http::Response<hyper::body::Incoming>;
    type Error = hyper::Error;
    type Future = std::pin::Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut std::task::Context<'_>) -> std::task::Poll<Result<(), Self::Error>> {
        self.0.poll_ready(context)
    }

    fn call(&mut self, mut request: http::Request<tonic::body::Body>) -> Self::Future {
        let path = request.uri().path().to_owned();
        *request.uri_mut() = format!("http://{}{path}", self.1).parse().unwrap();
        let key = http::HeaderValue::from_static(KEY);
        request.headers_mut().insert(http::header::AUTHORIZATION, key);
        Box::pin(self.0.send_request(request))
    }
}

/// Compares how long it takes to verify messages that the core compares and messages that the plugin compares.
async fn verifications(directory: &Path) {
    // This value keeps the plugin running, so that its start is not measured.
    let options = plugins(directory);
    let _lease = builder(&options);
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..ROUNDS {
        for (content_type, times) in ["text/plain", TYPE].into_iter().zip(&mut times) {
            times.push(verify(content_type, &options).await / MESSAGES);
        }
    }
    let [plain, compared] = times.map(median);
    println!(
        "verification of one message: {:.1} µs with the core, {:.1} µs with the plugin ({:.1} µs more)",
        micros(plain),
        micros(compared),
        micros(compared.saturating_sub(plain))
    );
}

fn plugins(directory: &Path) -> Json {
    let directory = Json::from(directory.to_str().unwrap()).to_text();
    json(&format!(r#"{{"directories": [{directory}]}}"#))
}

fn json(text: &str) -> Json {
    Json::parse(text.as_bytes()).unwrap()
}

fn builder(options: &Json) -> ContractBuilder {
    let text = format!(r#"{{"consumer": "web", "provider": "shop", "options": {{"plugins": {options}}}}}"#);
    let builder = ContractBuilder::from_text(&text).unwrap();
    builder
        .apply_text(r#"{"using_plugin": {"plugin": "pairs"}}"#, "")
        .unwrap();
    builder
}

fn contract(content_type: &str) -> String {
    let messages: Vec<_> = (0..MESSAGES)
        .map(|number| {
            format!(
                r#"{{"type": "Asynchronous/Messages", "description": "colour {number}", "metadata": {{"contentType": "{content_type}"}},
                    "contents": {{"content": "colour=red\n", "contentType": "{content_type}", "encoded": false}}}}"#
            )
        })
        .collect();
    format!(
        r#"{{"consumer": {{"name": "web"}}, "provider": {{"name": "shop"}}, "interactions": [{}], "metadata": {{
            "pactSpecification": {{"version": "4.0"}}, "plugins": [{{"name": "pairs", "version": "1.0.0"}}]}}}}"#,
        messages.join(",")
    )
}

/// Returns the time to verify all messages, excluding the time to read the file.
async fn verify(content_type: &'static str, options: &Json) -> Duration {
    let contract = contract(content_type);
    let verification = Verification::new("shop").unwrap();
    for operation in [
        format!(r#"{{"set_plugins": {options}}}"#),
        format!(r#"{{"add_source": {{"source": {{"json": {contract}, "name": "contract"}}}}}}"#),
        r#"{"message_handler": {"handlers": {"contract:value": "function", "id": 1}}}"#.to_owned(),
    ] {
        verification
            .apply(VerifierOperation::from_json(json(&operation)).unwrap())
            .unwrap();
    }
    let context = RunContext::default();
    verification.prepare(&context).await.unwrap();
    let began = Instant::now();
    let verified = verification
        .verify(RunOptions::default(), &context, Arc::new(Colours(content_type)))
        .await
        .unwrap();
    let took = began.elapsed();
    assert!(verified.report.success, "not all interactions passed");
    took
}

/// A message handler that returns the message of the contract.
struct Colours(&'static str);

impl Callbacks for Colours {
    fn call(&self, _: UserFunction, _: Role, _: Vec<Json>) -> BoxFuture<'_, Result<Json, CallbackError>> {
        let content_type = self.0;
        Box::pin(async move {
            Ok(json(&format!(
                r#"{{"contents": "colour=red\n", "contentType": "{content_type}"}}"#
            )))
        })
    }
}

/// The services of the host. The plugins of this benchmark do not call them.
#[derive(Debug)]
struct NoCore;

impl Core for NoCore {}
