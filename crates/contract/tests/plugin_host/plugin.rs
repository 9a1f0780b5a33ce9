//! The plugins. `asking` compares messages by calling its host as the messages specify, and the host calls `other`.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::pin::Pin;

use contract::Json;
use contract_plugins::wire::v2;
use contract_plugins::wire::v2::pact_plugin_server::{PactPlugin, PactPluginServer};
use contract_plugins::wire::v2::plugin_host_client::PluginHostClient;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::service::TowerToHyperService;
use prost_types::value::Kind;
use prost_types::{Struct, Value};
use tonic::metadata::MetadataMap;
use tonic::{Request, Response, Status};

use crate::NOTE;

const KEY: &str = "key-of-asking";

/// Runs a plugin until its process is killed.
pub(crate) fn run() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.unwrap().block_on(async {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        println!("\n{{\"port\":{port},\"serverKey\":\"{KEY}\"}}");
        let plugin = Asking::default();
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            stream.set_nodelay(true).unwrap();
            let service = TowerToHyperService::new(PactPluginServer::new(plugin.clone()));
            tokio::spawn(async move {
                let server = hyper::server::conn::http2::Builder::new(TokioExecutor::new());
                let _ = server.serve_connection(TokioIo::new(stream), service).await;
            });
        }
    });
}

#[derive(Clone, Default)]
struct Asking {
    /// The ID of a call chain that has ended.
    old: std::sync::Arc<std::sync::Mutex<Option<String>>>,
}

type Answer<T> = Result<Response<T>, Status>;

/// Returns the name of this plugin, which is the name of its directory.
fn name() -> String {
    let folder: PathBuf = std::env::current_dir().unwrap();
    folder.file_name().unwrap().to_string_lossy().into_owned()
}

fn bytes(body: Option<&v2::Body>) -> String {
    let content = body.and_then(|body| body.content.clone()).unwrap_or_default();
    String::from_utf8(content).unwrap()
}

fn text<'a>(json: &'a Json, name: &str) -> &'a str {
    json.get(name).and_then(Json::as_str).unwrap_or_default()
}

fn body(json: &Json, name: &str) -> v2::Body {
    v2::Body {
        content_type: text(json, "type").to_owned(),
        content: Some(text(json, name).as_bytes().to_vec()),
        content_type_hint: 0,
    }
}

fn value(json: &Json) -> Value {
    let kind = match json {
        Json::String(text) => Kind::StringValue(text.to_string()),
        other => Kind::NumberValue(other.to_text().parse().unwrap()),
    };
    Value { kind: Some(kind) }
}

/// Returns the members of an object except the one with this name.
fn others(json: &Json, but: &str) -> Option<Struct> {
    let members = json.as_object()?.iter().filter(|(name, _)| *name != but);
    Some(Struct {
        fields: members
            .map(|(name, member)| (name.to_string(), value(member)))
            .collect(),
    })
}

fn field(json: Option<&Json>) -> Option<v2::FieldValue> {
    use v2::field_value::Value as Field;
    let value = match json? {
        Json::String(text) => Field::StringValue(text.to_string()),
        other => Field::IntegerValue(other.as_i64().unwrap()),
    };
    Some(v2::FieldValue { value: Some(value) })
}

fn generator(json: &Json) -> v2::Generator {
    v2::Generator {
        r#type: text(json, "type").to_owned(),
        values: others(json, "type"),
    }
}

fn mismatch(message: String) -> v2::CompareContentsResponse {
    let mismatch = v2::ContentMismatch {
        path: "$".to_owned(),
        mismatch: message,
        ..v2::ContentMismatch::default()
    };
    let list = v2::ContentMismatches {
        mismatches: vec![mismatch],
    };
    v2::CompareContentsResponse {
        results: [("$".to_owned(), list)].into(),
        ..v2::CompareContentsResponse::default()
    }
}

/// Formats mismatches on one line.
fn line(mismatches: impl Iterator<Item = v2::ContentMismatch>) -> String {
    let each: Vec<_> = mismatches
        .map(|one| format!("{}: {}", one.path, one.mismatch))
        .collect();
    if each.is_empty() {
        "nothing differs".to_owned()
    } else {
        each.join("; ")
    }
}

/// Makes the call to the host that a message specifies.
async fn ask(asked: &Json, caller: MetadataMap) -> Result<String, Status> {
    let mut host = host().await;
    let with = |caller: &MetadataMap| caller.clone();
    if let Some(entry) = asked.get("compare").and_then(Json::as_str) {
        let rule = |kind: &str| v2::MatchingRules {
            rule: vec![v2::MatchingRule {
                r#type: kind.to_owned(),
                values: None,
            }],
        };
        let rules = asked.get("rules").and_then(Json::as_object);
        let rules: BTreeMap<_, _> = rules
            .into_iter()
            .flat_map(|rules| rules.iter())
            .map(|(path, kind)| (path.to_string(), rule(kind.as_str().unwrap())))
            .collect();
        let request = v2::HostCompareContentsRequest {
            entry_key: entry.to_owned(),
            request: Some(v2::CompareContentsRequest {
                expected: Some(body(asked, "expected")),
                actual: Some(body(asked, "actual")),
                allow_unexpected_keys: asked.get("more").is_some(),
                rules,
                ..v2::CompareContentsRequest::default()
            }),
        };
        let answer = host.compare_contents(call(request, with(&caller))).await?.into_inner();
        return Ok(line(answer.results.into_values().flat_map(|list| list.mismatches)));
    }
    if let Some(entry) = asked.get("generate").and_then(Json::as_str) {
        let generators = asked.get("generators").and_then(Json::as_object).unwrap();
        let request = v2::HostGenerateContentRequest {
            entry_key: entry.to_owned(),
            request: Some(v2::GenerateContentRequest {
                contents: Some(body(asked, "contents")),
                generators: generators
                    .iter()
                    .map(|(path, made)| (path.to_string(), generator(made)))
                    .collect(),
                test_context: asked.get("known").and_then(|known| others(known, "")),
                test_mode: 2,
                ..v2::GenerateContentRequest::default()
            }),
        };
        let answer = host.generate_content(call(request, with(&caller))).await?.into_inner();
        return Ok(bytes(answer.contents.as_ref()));
    }
    if let Some(entry) = asked.get("match").and_then(Json::as_str) {
        let rule = asked.get("rule").unwrap();
        let request = v2::HostMatchFieldRequest {
            entry_key: entry.to_owned(),
            request: Some(v2::MatchFieldRequest {
                rule: Some(v2::MatchingRule {
                    r#type: text(rule, "match").to_owned(),
                    values: others(rule, "match"),
                }),
                path: "$.here".to_owned(),
                expected: field(asked.get("expected")),
                actual: field(asked.get("actual")),
                ..v2::MatchFieldRequest::default()
            }),
        };
        let answer = host.match_field(call(request, with(&caller))).await?.into_inner();
        return Ok(line(answer.mismatches.into_iter()));
    }
    if let Some(entry) = asked.get("value").and_then(Json::as_str) {
        let request = v2::HostGenerateFieldRequest {
            entry_key: entry.to_owned(),
            request: Some(v2::GenerateFieldRequest {
                generator: asked.get("generator").map(generator),
                example_value: field(Some(&Json::from(1_u64))),
                ..v2::GenerateFieldRequest::default()
            }),
        };
        let answer = host.generate_field(call(request, with(&caller))).await?.into_inner();
        return Ok(match answer.value.and_then(|value| value.value) {
            Some(v2::field_value::Value::IntegerValue(value)) => value.to_string(),
            other => format!("{other:?}"),
        });
    }
    let instance = match text(asked, "as") {
        "instance" => std::env::var("PACT_PLUGIN_INSTANCE_ID").unwrap(),
        stranger => stranger.to_owned(),
    };
    let word = v2::LogMessage {
        plugin_instance_id: instance,
        level: "INFO".to_owned(),
        message: text(asked, "log").to_owned(),
        ..v2::LogMessage::default()
    };
    host.log(word).await?;
    Ok("heard".to_owned())
}

fn call<T>(message: T, metadata: MetadataMap) -> Request<T> {
    let mut request = Request::new(message);
    *request.metadata_mut() = metadata;
    request
}

/// Returns the credentials of the call to the host.
fn caller(asked: &Json, given: &MetadataMap, old: Option<&str>) -> MetadataMap {
    const CHAIN: &str = "pact-call-chain-id";
    let mut metadata = MetadataMap::new();
    let mut insert = |name: &'static str, value: &str| metadata.insert(name, value.parse().unwrap());
    match text(asked, "as") {
        "instance" => insert("authorization", &std::env::var("PACT_PLUGIN_INSTANCE_ID").unwrap()),
        "stranger" => insert("authorization", "stranger"),
        "nobody" => None,
        "old chain" => insert(CHAIN, old.unwrap()),
        _ => insert(CHAIN, given.get(CHAIN).unwrap().to_str().unwrap()),
    };
    metadata
}

impl Asking {
    async fn compare(&self, request: Request<v2::CompareContentsRequest>) -> v2::CompareContentsResponse {
        let (metadata, _, message) = request.into_parts();
        let expected = bytes(message.expected.as_ref());
        if name() == "other" {
            return match expected.as_str() {
                "never" => std::future::pending().await,
                "back" => {
                    let back = r#"{"compare": "plugin/asking/content-matcher/asking", "type": "application/x-asking"}"#;
                    let back = Json::parse(back.as_bytes()).unwrap();
                    let told = ask(&back, caller(&back, &metadata, None)).await;
                    mismatch(told.unwrap_or_else(|status| format!("{:?}", status.code())))
                }
                _ => mismatch("the other was asked".to_owned()),
            };
        }
        let asked = Json::parse(expected.as_bytes()).unwrap();
        let last = metadata.get("pact-call-chain-id").unwrap().to_str().unwrap().to_owned();
        let old = self.old.lock().unwrap().replace(last);
        let caller = caller(&asked, &metadata, old.as_deref());
        // This is a separate task, because the host cancels the outer call and everything that it awaits.
        let asking = tokio::spawn(async move { ask(&asked, caller).await.map_err(|status| status_line(&status)) });
        let told = asking.await.unwrap().unwrap_or_else(|status| status);
        mismatch(format!("told: {told}"))
    }
}

fn status_line(status: &Status) -> String {
    let told = format!("{:?}: {}", status.code(), status.message());
    std::fs::write(NOTE, &told).unwrap();
    told
}

async fn host() -> PluginHostClient<Sender> {
    let host = std::env::var("PACT_PLUGIN_HOST").unwrap();
    let stream = tokio::net::TcpStream::connect(&host).await.unwrap();
    let opened = hyper::client::conn::http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await;
    let (send, connection) = opened.unwrap();
    tokio::spawn(connection);
    PluginHostClient::with_origin(Sender(send), format!("http://{host}").parse().unwrap())
}

struct Sender(hyper::client::conn::http2::SendRequest<tonic::body::Body>);

impl tower_service::Service<http::Request<tonic::body::Body>> for Sender {
    type Response = http::Response<hyper::body::Incoming>;
    type Error = hyper::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut std::task::Context<'_>) -> std::task::Poll<Result<(), Self::Error>> {
        self.0.poll_ready(context)
    }

    fn call(&mut self, request: http::Request<tonic::body::Body>) -> Self::Future {
        Box::pin(self.0.send_request(request))
    }
}

macro_rules! not_this_one {
    ($($name:ident($in:ident) -> $out:ident;)*) => {
        #[tonic::async_trait]
        impl PactPlugin for Asking {
            async fn init_plugin(&self, _: Request<v2::InitPluginRequest>) -> Answer<v2::InitPluginResponse> {
                use v2::init_plugin_response::Response as Initialised;
                let name = name();
                let entry = v2::CatalogueEntry {
                    r#type: 0,
                    values: [("content-types".to_owned(), format!("application/x-{name}"))].into(),
                    key: name,
                };
                let success = v2::InitPluginSuccess { catalogue: vec![entry], plugin_capabilities: Vec::new() };
                let response = Some(Initialised::Success(success));
                Ok(Response::new(v2::InitPluginResponse { response }))
            }
            async fn update_catalogue(&self, _: Request<v2::Catalogue>) -> Answer<()> {
                Ok(Response::new(()))
            }
            async fn compare_contents(
                &self,
                request: Request<v2::CompareContentsRequest>,
            ) -> Answer<v2::CompareContentsResponse> {
                Ok(Response::new(self.compare(request).await))
            }
            $(async fn $name(&self, _: Request<v2::$in>) -> Answer<v2::$out> {
                Err(Status::unimplemented("it only compares"))
            })*
        }
    };
}

not_this_one! {
    configure_interaction(ConfigureInteractionRequest) -> ConfigureInteractionResponse;
    generate_content(GenerateContentRequest) -> GenerateContentResponse;
    start_mock_server(StartMockServerRequest) -> StartMockServerResponse;
    shutdown_mock_server(MockServerRequest) -> MockServerResults;
    get_mock_server_results(MockServerRequest) -> MockServerResults;
    prepare_interaction_for_verification(VerificationPreparationRequest) -> VerificationPreparationResponse;
    verify_interaction(VerifyInteractionRequest) -> VerifyInteractionResponse;
    match_field(MatchFieldRequest) -> MatchFieldResponse;
    generate_field(GenerateFieldRequest) -> GenerateFieldResponse;
}
