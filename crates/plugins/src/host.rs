//! The host service. Plugins call it to compare or generate values with the core or with other plugins.
//!
//! The service accepts only calls from plugins that this host started. They authenticate by sending their instance ID
//! as `authorization`, or the ID of an active call chain.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::io;
use std::net::Ipv4Addr;
use std::sync::{Arc, Weak};
use std::time::Duration;

use bytes::Bytes;
use contract_model::{Object, PathError, PathExpression, Rule};
use hyper::server::conn::http2;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tonic::metadata::MetadataMap;
use tonic::{Request, Response, Status};

use crate::callback::{Callback, Known};
use crate::catalogue::EntryKind;
use crate::chain::{Broken, Chains, ID, Link};
use crate::contents::{Difference, read_body, read_generator, read_rules, write_body};
use crate::core::{Core, CoreComparison};
use crate::error::MessageError;
use crate::field::{read_field, write_field};
use crate::plugin::{MESSAGE_LIMIT, Plugin};
use crate::slots::Slots;
use crate::values::{from_struct, is_provider};
use crate::wire::v2;
use crate::wire::v2::plugin_host_server::{PluginHost, PluginHostServer};

/// Starts the host service.
pub(crate) async fn start(slots: Weak<Slots>, chains: Arc<Chains>, core: Arc<dyn Core>) -> io::Result<Callback> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let port = listener.local_addr()?.port();
    let known = Arc::new(Known::default());
    let service = Service {
        slots,
        chains,
        core,
        known: Arc::clone(&known),
    };
    let service = PluginHostServer::new(service)
        .max_decoding_message_size(MESSAGE_LIMIT)
        .max_encoding_message_size(usize::MAX);
    let task = tokio::spawn(accept(listener, service)).abort_handle();
    Ok(Callback::new(port, known, task))
}

/// Maximum number of concurrent connections.
const CONNECTIONS: usize = 256;
/// Time to wait before accepting connections again if the system is out of sockets.
const OUT_OF_SOCKETS: Duration = Duration::from_millis(20);

async fn accept(listener: TcpListener, service: PluginHostServer<Service>) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            biased;
            Some(_) = connections.join_next() => {}
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) if connections.len() < CONNECTIONS => {
                    let service = TowerToHyperService::new(service.clone());
                    connections.spawn(async move {
                        let _ = stream.set_nodelay(true);
                        // gRPC reports connection errors to the plugin.
                        let _ = http2::Builder::new(TokioExecutor::new())
                            .timer(TokioTimer::new())
                            .serve_connection(TokioIo::new(stream), service)
                            .await;
                    });
                }
                Ok(_) => {}
                Err(_) => tokio::time::sleep(OUT_OF_SOCKETS).await,
            }
        }
    }
}

#[derive(Debug)]
struct Service {
    slots: Weak<Slots>,
    chains: Arc<Chains>,
    core: Arc<dyn Core>,
    known: Arc<Known>,
}

/// The implementation of a catalogue entry: the host, with the entry's key, or a plugin.
enum Serves {
    Core(String),
    Plugin(Box<Plugin>),
}

type Answer<T> = Result<Response<T>, Status>;

impl Service {
    /// Returns true if the metadata contains the instance ID of a running plugin, or the ID of an active call chain.
    fn is_known(&self, metadata: &MetadataMap) -> bool {
        let text = |name: &str| metadata.get(name).and_then(|value| value.to_str().ok());
        text("authorization").is_some_and(|instance| self.known.title(instance).is_some())
            || text(ID).is_some_and(|chain| self.chains.knows(chain))
    }

    /// Adds a call of the entry `key` to the caller's chain, or starts a chain if the caller has none. Returns the time
    /// left until the chain's deadline.
    fn link(&self, metadata: &MetadataMap, key: &str) -> Result<(Link, Duration), Status> {
        const ALONE: Duration = Duration::from_secs(30);
        if !self.is_known(metadata) {
            return Err(Status::unauthenticated(
                "only plugins that this host started may call it. Send the instance ID in the metadata authorization, or \
                 the ID of an active call chain in pact-call-chain-id",
            ));
        }
        let chain = metadata.get(ID).and_then(|value| value.to_str().ok());
        let Some(chain) = chain else {
            return Ok((self.chains.begin(key, ALONE), ALONE));
        };
        match self.chains.follow(chain, key) {
            Ok(link) => Ok(link),
            Err(Broken::Unknown) if metadata.get("authorization").is_some() => {
                Ok((self.chains.begin(key, ALONE), ALONE))
            }
            Err(Broken::Unknown) => Err(Status::unauthenticated("unknown call chain")),
            Err(Broken::Cycle) => Err(Status::already_exists(format!(
                "{key} is already active in this call chain"
            ))),
            Err(Broken::Late) => Err(Status::deadline_exceeded("the deadline of this call chain has passed")),
            Err(Broken::Deep) => Err(Status::resource_exhausted("this call chain has too many nested calls")),
        }
    }

    /// Finds an entry by `plugin/<name>/<kind>/<key>`, `core/<kind>/<key>`, `<kind>/<key>`, or `<key>`. For the last
    /// two forms, plugins take precedence over the host.
    fn resolve(&self, kind: EntryKind, entry: &str) -> Result<Serves, Status> {
        let bare = entry.rsplit('/').next().unwrap_or_default();
        let running = self.slots.upgrade().map(|slots| slots.running()).unwrap_or_default();
        let named = entry.strip_prefix("plugin/").and_then(|rest| rest.split('/').next());
        let is_core = entry.starts_with("core/");
        let mut found = running
            .into_iter()
            .filter(|plugin| !is_core && named.is_none_or(|name| plugin.name() == name))
            .filter(|plugin| plugin.has(kind, bare));
        match found.next() {
            Some(plugin) => Ok(Serves::Plugin(Box::new(plugin))),
            None if named.is_none() => Ok(Serves::Core(bare.to_owned())),
            None => Err(unknown(kind, entry)),
        }
    }
}

fn unknown(kind: EntryKind, entry: &str) -> Status {
    Status::not_found(format!("unknown {} {entry:?}", kind.name()))
}

fn invalid(error: impl Display) -> Status {
    Status::invalid_argument(error.to_string())
}

fn on_wire(difference: Difference) -> v2::ContentMismatch {
    v2::ContentMismatch {
        expected: difference.expected.map(|bytes: Bytes| bytes.to_vec()),
        actual: difference.actual.map(|bytes: Bytes| bytes.to_vec()),
        mismatch: difference.message,
        path: difference.path,
        diff: difference.diff,
        mismatch_type: difference.part,
    }
}

fn paths<W, T>(
    map: BTreeMap<String, W>,
    read: impl Fn(W) -> Result<T, MessageError>,
) -> Result<BTreeMap<PathExpression, T>, Status> {
    map.into_iter()
        .map(|(path, value)| {
            let path: PathExpression = path.parse().map_err(|error: PathError| invalid(error))?;
            Ok((path, read(value).map_err(invalid)?))
        })
        .collect()
}

#[tonic::async_trait]
impl PluginHost for Service {
    async fn compare_contents(
        &self,
        request: Request<v2::HostCompareContentsRequest>,
    ) -> Answer<v2::CompareContentsResponse> {
        let kind = EntryKind::ContentMatcher;
        let (metadata, _, message) = request.into_parts();
        let (link, left) = self.link(&metadata, &message.entry_key)?;
        let inner = message.request.unwrap_or_default();
        match self.resolve(kind, &message.entry_key)? {
            Serves::Plugin(plugin) => {
                let answer = plugin.0.compare(inner, left, Some(&link.id)).await?;
                Ok(Response::new(answer))
            }
            Serves::Core(key) => {
                let (expected, actual) = (
                    read_body(inner.expected).map_err(invalid)?,
                    read_body(inner.actual).map_err(invalid)?,
                );
                let rules = paths(inner.rules, read_rules)?;
                let comparison = CoreComparison {
                    expected: &expected,
                    actual: &actual,
                    allow_unexpected: inner.allow_unexpected_keys,
                    rules: &rules,
                };
                let differences = self
                    .core
                    .compare(&key, comparison)
                    .ok_or_else(|| unknown(kind, &message.entry_key))?;
                let mut results = BTreeMap::<String, v2::ContentMismatches>::new();
                for difference in differences {
                    let list = results.entry(difference.path.clone()).or_default();
                    list.mismatches.push(on_wire(difference));
                }
                Ok(Response::new(v2::CompareContentsResponse {
                    results,
                    ..v2::CompareContentsResponse::default()
                }))
            }
        }
    }

    async fn generate_content(
        &self,
        request: Request<v2::HostGenerateContentRequest>,
    ) -> Answer<v2::GenerateContentResponse> {
        let kind = EntryKind::ContentGenerator;
        let (metadata, _, message) = request.into_parts();
        let (link, left) = self.link(&metadata, &message.entry_key)?;
        let inner = message.request.unwrap_or_default();
        match self.resolve(kind, &message.entry_key)? {
            Serves::Plugin(plugin) => {
                let answer = plugin.0.generate(inner, left, Some(&link.id)).await?;
                Ok(Response::new(answer))
            }
            Serves::Core(key) => {
                let is_provider = is_provider(inner.test_mode);
                let contents = read_body(inner.contents).map_err(invalid)?;
                let generators = paths(inner.generators, read_generator)?;
                let context = inner.test_context.map_or_else(Object::new, from_struct);
                let generated = self.core.generate(&key, &contents, &generators, &context, is_provider);
                let generated = generated
                    .ok_or_else(|| unknown(kind, &message.entry_key))?
                    .map_err(invalid)?;
                Ok(Response::new(v2::GenerateContentResponse {
                    contents: Some(write_body(&generated)),
                }))
            }
        }
    }

    async fn match_field(&self, request: Request<v2::HostMatchFieldRequest>) -> Answer<v2::MatchFieldResponse> {
        let kind = EntryKind::Matcher;
        let (metadata, _, message) = request.into_parts();
        let (link, left) = self.link(&metadata, &message.entry_key)?;
        let inner = message.request.unwrap_or_default();
        match self.resolve(kind, &message.entry_key)? {
            Serves::Plugin(plugin) => {
                let answer = plugin.0.match_field(inner, left, Some(&link.id)).await?;
                Ok(Response::new(answer))
            }
            Serves::Core(_) => {
                let rule = inner.rule.unwrap_or_default();
                let values = rule.values.map_or_else(Object::new, from_struct);
                let rule = Rule::from_attributes(&rule.r#type, &values).map_err(invalid)?;
                let (expected, actual) = (read_field(inner.expected), read_field(inner.actual));
                let differences = self
                    .core
                    .match_field(&rule, &inner.path, &expected, &actual)
                    .ok_or_else(|| unknown(kind, &message.entry_key))?;
                Ok(Response::new(v2::MatchFieldResponse {
                    error: String::new(),
                    mismatches: differences.into_iter().map(on_wire).collect(),
                }))
            }
        }
    }

    async fn generate_field(
        &self,
        request: Request<v2::HostGenerateFieldRequest>,
    ) -> Answer<v2::GenerateFieldResponse> {
        let kind = EntryKind::Generator;
        let (metadata, _, message) = request.into_parts();
        let (link, left) = self.link(&metadata, &message.entry_key)?;
        let inner = message.request.unwrap_or_default();
        match self.resolve(kind, &message.entry_key)? {
            Serves::Plugin(plugin) => {
                let answer = plugin.0.generate_field(inner, left, Some(&link.id)).await?;
                Ok(Response::new(answer))
            }
            Serves::Core(_) => {
                let generator = read_generator(inner.generator.unwrap_or_default()).map_err(invalid)?;
                let example = read_field(inner.example_value);
                let context = inner.test_context.map_or_else(Object::new, from_struct);
                let generated = self
                    .core
                    .generate_field(&generator, &example, &context, is_provider(inner.test_mode));
                let generated = generated
                    .ok_or_else(|| unknown(kind, &message.entry_key))?
                    .map_err(invalid)?;
                Ok(Response::new(v2::GenerateFieldResponse {
                    error: String::new(),
                    value: Some(write_field(&generated)),
                }))
            }
        }
    }

    async fn log(&self, request: Request<v2::LogMessage>) -> Answer<()> {
        let message = request.get_ref();
        let title = self.known.title(&message.plugin_instance_id);
        let Some(title) = title else {
            return Err(Status::unauthenticated("unknown plugin instance"));
        };
        let text = &message.message;
        match message.level.to_ascii_uppercase().as_str() {
            "ERROR" => tracing::error!(target: "contract::plugins", plugin = title, "{text}"),
            "WARN" => tracing::warn!(target: "contract::plugins", plugin = title, "{text}"),
            "INFO" => tracing::info!(target: "contract::plugins", plugin = title, "{text}"),
            _ => tracing::debug!(target: "contract::plugins", plugin = title, "{text}"),
        }
        Ok(Response::new(()))
    }
}
