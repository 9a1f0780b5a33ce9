//! A running plugin and its gRPC calls.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use contract_model::{ContentType, Object};
use thiserror::Error;
use tonic::metadata::MetadataValue;
use tonic::{Code, Request, Response, Status};

use crate::callback::Admitted;
use crate::catalogue::{self, Catalogue, Entry, EntryKind};
use crate::chain::{Chains, DEADLINE, ID};
use crate::connection::{Connection, ConnectionError, HOSTS};
use crate::error::{Kind, PluginError};
use crate::manifest::Manifest;
use crate::process::{Process, seconds};
use crate::times::Times;
use crate::wire::{v1, v2};

/// Maximum size in bytes of a message from a plugin.
pub const MESSAGE_LIMIT: usize = 64 << 20;
/// Maximum time to wait after a failed call for the process to end. If it ends, this is reported as the cause of the
/// failure.
const NOTICED: Duration = Duration::from_millis(500);
/// The name of this host, which plugins receive.
const IMPLEMENTATION: &str = "contract";

/// A running plugin. Clones share the process, which ends when the last clone is dropped.
#[derive(Clone, Debug)]
pub struct Plugin(pub(crate) Arc<Running>);

#[derive(Debug)]
pub(crate) struct Running {
    pub(crate) manifest: Manifest,
    pub(crate) catalogue: Catalogue,
    client: Client,
    chains: Arc<Chains>,
    /// Locked while a catalogue is sent, so that the last catalogue that the plugin receives is the current one.
    pub(crate) updates: tokio::sync::Mutex<()>,
    /// Must follow `client`, so that the connection is dropped before the process.
    process: Process,
    /// Permission to call the host service. `None` if the service could not be started.
    _host: Option<Admitted>,
}

#[derive(Clone, Debug)]
pub(crate) enum Client {
    V1(v1::pact_plugin_client::PactPluginClient<Connection>),
    V2(v2::pact_plugin_client::PactPluginClient<Connection>),
}

/// The arguments of [`Running::start`].
pub(crate) struct Launch<'a> {
    pub(crate) manifest: Manifest,
    pub(crate) instance: &'a str,
    pub(crate) host: Option<Admitted>,
    pub(crate) chains: Arc<Chains>,
    pub(crate) times: Times,
    /// Log level of the plugin, such as `INFO`.
    pub(crate) log_level: &'static str,
}

/// Reason why a plugin failed to start after its process was started.
#[derive(Debug, Error)]
enum StartError {
    #[error(transparent)]
    Connection(#[from] ConnectionError),
    #[error("its process ended ({0})")]
    Ended(String),
    #[error("{host}: no connection within {}", seconds(*limit))]
    NoConnection { host: IpAddr, limit: Duration },
    #[error("its process ended ({0}) during InitPlugin")]
    EndedDuringInit(String),
    #[error("it did not respond to InitPlugin within {}. If it needs longer, {advice}", seconds(*limit))]
    InitTimeout { limit: Duration, advice: &'static str },
    #[error("InitPlugin failed: {} ({:?})", .0.message(), .0.code())]
    Init(#[source] Status),
    #[error("InitPlugin returned an error: {}{}", .0.error, missing_capabilities(.0))]
    Refused(v2::InitPluginFailure),
    #[error("it responded to InitPlugin with neither success nor failure")]
    EmptyInit,
}

impl Running {
    pub(crate) async fn start(launch: Launch<'_>) -> Result<Self, PluginError> {
        let Launch {
            manifest,
            instance,
            host,
            chains,
            times,
            log_level,
        } = launch;
        let began = Instant::now();
        let mut environment = vec![
            ("LOG_LEVEL", log_level.to_owned()),
            ("RUST_LOG", log_level.to_owned()),
            ("PACT_PLUGIN_INSTANCE_ID", instance.to_owned()),
        ];
        environment.extend(host.iter().map(|host| ("PACT_PLUGIN_HOST", host.address())));
        let (process, announced) = Process::start(&manifest, &environment, times).await?;
        process.log.hide(instance);
        let left = times.start.saturating_sub(began.elapsed()).max(Duration::from_secs(1));
        let mut problems = Vec::new();
        for host_address in HOSTS {
            let opened = tokio::select! {
                opened = Client::open(manifest.interface, host_address, announced.port, &announced.key) => opened.map_err(StartError::from),
                exit = process.end() => Err(StartError::Ended(exit)),
                () = tokio::time::sleep(left) => Err(StartError::NoConnection { host: host_address, limit: left }),
            };
            let client = match opened {
                Ok(client) => client,
                Err(error) => {
                    problems.push(error.to_string());
                    continue;
                }
            };
            let initialized = tokio::select! {
                initialized = client.init(instance, left) => initialized,
                exit = process.end() => Err(StartError::EndedDuringInit(exit)),
                () = tokio::time::sleep(left) => Err(StartError::InitTimeout { limit: left, advice: times.start_raised_by }),
            };
            match initialized {
                Ok(entries) => {
                    let (catalogue, odd) = Catalogue::read(entries);
                    for problem in odd {
                        tracing::warn!(target: "contract::plugins", "the plugin {}: {problem}", manifest.title());
                    }
                    return Ok(Self {
                        manifest,
                        catalogue,
                        client,
                        chains,
                        updates: tokio::sync::Mutex::default(),
                        process,
                        _host: host,
                    });
                }
                Err(error) => problems.push(error.to_string()),
            }
        }
        problems.dedup();
        let message = format!(
            "the plugin {} did not start: it reported port {}, but {}",
            manifest.title(),
            announced.port,
            problems.join("; ")
        );
        Err(PluginError::new(Kind::Start, message).after(process.log.last_output()))
    }

    pub(crate) fn is_alive(&self) -> bool {
        self.process.ended().is_none()
    }

    /// Sends the combined catalogue of the host and all running plugins to this plugin.
    pub(crate) async fn update(&self, entries: Vec<v2::CatalogueEntry>, limit: Duration) -> Result<(), PluginError> {
        let catalogue = v2::Catalogue { catalogue: entries };
        match self.client.clone() {
            Client::V1(mut client) => {
                let call = client.update_catalogue(request(catalogue, limit, None));
                self.answer("UpdateCatalogue", limit, call).await.map(drop)
            }
            Client::V2(mut client) => {
                let call = client.update_catalogue(request(catalogue, limit, None));
                self.answer("UpdateCatalogue", limit, call).await.map(drop)
            }
        }
    }

    /// Waits for the response. Returns an error if the process ends or the timeout expires. The error includes the
    /// plugin's output.
    async fn answer<T>(
        &self,
        call: &'static str,
        limit: Duration,
        answer: impl Future<Output = Result<Response<T>, Status>>,
    ) -> Result<T, PluginError> {
        let title = self.manifest.title();
        let mark = self.process.log.mark();
        let error = tokio::select! {
            biased;
            answer = answer => match answer {
                Ok(response) => return Ok(response.into_inner()),
                Err(status) => self.failed(call, limit, &status).await,
            },
            exit = self.process.end() => self.died(call, &exit),
            () = tokio::time::sleep(limit) => PluginError::new(
                Kind::Timeout,
                format!("the plugin {title} did not respond to {call} within {}", seconds(limit)),
            ),
        };
        let log = &self.process.log;
        let output = log.since(mark);
        // Earlier output may explain why the plugin ended or hangs. It does not explain an error that the plugin
        // returned.
        let is_answer = !error.has_died() && !error.is_timeout();
        Err(error.after(if output.is_empty() && !is_answer {
            log.last_output()
        } else {
            output
        }))
    }

    fn died(&self, call: &str, exit: &str) -> PluginError {
        let title = self.manifest.title();
        PluginError::new(Kind::Died, format!("the plugin {title} exited ({exit}) during {call}"))
    }

    async fn failed(&self, call: &str, limit: Duration, status: &Status) -> PluginError {
        // The connection created this status, not the plugin.
        let is_local =
            std::error::Error::source(status).is_some() || status.message().starts_with("Service was not ready");
        if is_local && let Ok(exit) = tokio::time::timeout(NOTICED, self.process.end()).await {
            return self.died(call, &exit);
        }
        let title = self.manifest.title();
        let text = status_message(status);
        // Each call has a deadline, so the plugin may report the timeout before the host does.
        let is_timeout = match status.code() {
            Code::DeadlineExceeded => true,
            Code::Cancelled => text.contains("Timeout expired") || is_local,
            _ => false,
        };
        match status.code() {
            _ if is_timeout => PluginError::new(
                Kind::Timeout,
                format!("the plugin {title} did not respond to {call} within {}", seconds(limit)),
            ),
            Code::OutOfRange if text.contains("message length") => PluginError::new(
                Kind::Answer,
                format!(
                    "the response of the plugin {title} to {call} exceeds {} MiB",
                    MESSAGE_LIMIT >> 20
                ),
            ),
            Code::Unimplemented => {
                PluginError::new(Kind::Refused, format!("the plugin {title} does not implement {call}"))
            }
            code => PluginError::new(
                Kind::Call,
                format!("the call {call} to the plugin {title} failed: {text} ({code:?})"),
            ),
        }
    }
}

/// Returns the message of a status, followed by the messages of its causes. A status has causes only if it was created
/// by the connection, not by the plugin.
fn status_message(status: &Status) -> String {
    let mut text = status.message().to_owned();
    let mut cause = std::error::Error::source(status);
    while let Some(error) = cause {
        let more = error.to_string();
        if !text.contains(&more) {
            text = format!("{text}: {more}");
        }
        cause = error.source();
    }
    text
}

/// Defines calls whose messages are identical in both interface versions.
macro_rules! both {
    ($($name:ident = $method:ident $call:literal: $in:ident => $out:ident;)+) => {$(
        pub(crate) async fn $name(
            &self,
            message: v2::$in,
            limit: Duration,
            chain: Option<&str>,
        ) -> Result<v2::$out, PluginError> {
            let message = request(message, limit, chain);
            match self.client.clone() {
                Client::V1(mut client) => self.answer($call, limit, client.$method(message)).await,
                Client::V2(mut client) => self.answer($call, limit, client.$method(message)).await,
            }
        }
    )+};
}

/// Defines calls whose messages differ between the interface versions.
macro_rules! each {
    ($($name:ident = $method:ident $call:literal: $in:ident => $out:ident;)+) => {$(
        pub(crate) async fn $name(
            &self,
            first: impl FnOnce() -> v1::$in,
            second: impl FnOnce() -> v2::$in,
            limit: Duration,
        ) -> Result<v2::$out, PluginError> {
            match self.client.clone() {
                Client::V1(mut client) => {
                    let message = request(first(), limit, None);
                    self.answer($call, limit, client.$method(message)).await
                }
                Client::V2(mut client) => {
                    let message = request(second(), limit, None);
                    self.answer($call, limit, client.$method(message)).await
                }
            }
        }
    )+};
}

/// Defines calls that only interface version 2 supports.
macro_rules! second {
    ($($name:ident = $method:ident $call:literal: $in:ident => $out:ident;)+) => {$(
        pub(crate) async fn $name(
            &self,
            message: v2::$in,
            limit: Duration,
            chain: Option<&str>,
        ) -> Result<v2::$out, PluginError> {
            let message = request(message, limit, chain);
            match self.client.clone() {
                Client::V1(_) => Err(PluginError::new(
                    Kind::Refused,
                    format!(
                        "the plugin {} uses interface version 1, which does not support {}",
                        self.manifest.title(),
                        $call
                    ),
                )),
                Client::V2(mut client) => self.answer($call, limit, client.$method(message)).await,
            }
        }
    )+};
}

impl Running {
    both! {
        compare = compare_contents "CompareContents": CompareContentsRequest => CompareContentsResponse;
        configure = configure_interaction "ConfigureInteraction": ConfigureInteractionRequest => ConfigureInteractionResponse;
        generate = generate_content "GenerateContent": GenerateContentRequest => GenerateContentResponse;
        mock_server_results = get_mock_server_results "GetMockServerResults": MockServerRequest => MockServerResults;
        shutdown_mock_server = shutdown_mock_server "ShutdownMockServer": MockServerRequest => MockServerResults;
    }
    second! {
        match_field = match_field "MatchField": MatchFieldRequest => MatchFieldResponse;
        generate_field = generate_field "GenerateField": GenerateFieldRequest => GenerateFieldResponse;
    }
    each! {
        start_mock_server = start_mock_server "StartMockServer": StartMockServerRequest => StartMockServerResponse;
        prepare = prepare_interaction_for_verification "PrepareInteractionForVerification":
            VerificationPreparationRequest => VerificationPreparationResponse;
        verify = verify_interaction "VerifyInteraction": VerifyInteractionRequest => VerifyInteractionResponse;
    }

    /// Converts data about the test. Returns `None` for interface version 1, in which these calls have no field for it.
    pub(crate) fn context(&self, context: &Object) -> Option<prost_types::Struct> {
        matches!(self.client, Client::V2(_)).then(|| crate::values::as_struct(context))
    }

    /// Starts a call chain. `key` is the full key of an entry of this plugin.
    pub(crate) fn chain(&self, key: &str, limit: Duration) -> crate::chain::Link {
        self.chains.begin(key, limit)
    }
}

/// Creates a call with a timeout. If `chain` is set, adds the ID and the deadline of this chain to the metadata.
fn request<T>(message: T, limit: Duration, chain: Option<&str>) -> Request<T> {
    let mut request = Request::new(message);
    request.set_timeout(limit);
    if let Some(chain) = chain {
        let deadline = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default() + limit;
        let metadata = request.metadata_mut();
        if let Ok(chain) = MetadataValue::try_from(chain) {
            metadata.insert(ID, chain);
        }
        if let Ok(deadline) = MetadataValue::try_from(deadline.as_millis().to_string()) {
            metadata.insert(DEADLINE, deadline);
        }
    }
    request
}

impl Client {
    async fn open(interface: u8, host: IpAddr, port: u16, key: &str) -> Result<Self, ConnectionError> {
        let connection = Connection::open(host, port, key).await?;
        Ok(if interface == 1 {
            Self::V1(
                v1::pact_plugin_client::PactPluginClient::new(connection)
                    .max_decoding_message_size(MESSAGE_LIMIT)
                    .max_encoding_message_size(usize::MAX),
            )
        } else {
            Self::V2(
                v2::pact_plugin_client::PactPluginClient::new(connection)
                    .max_decoding_message_size(MESSAGE_LIMIT)
                    .max_encoding_message_size(usize::MAX),
            )
        })
    }

    async fn init(&self, instance: &str, limit: Duration) -> Result<Vec<v2::CatalogueEntry>, StartError> {
        let version = env!("CARGO_PKG_VERSION").to_owned();
        let implementation = IMPLEMENTATION.to_owned();
        match self.clone() {
            Self::V1(mut client) => {
                let mut request = Request::new(v1::InitPluginRequest {
                    implementation,
                    version,
                });
                request.set_timeout(limit);
                let answer = client.init_plugin(request).await.map_err(StartError::Init)?;
                Ok(answer.into_inner().catalogue)
            }
            Self::V2(mut client) => {
                let mut request = Request::new(v2::InitPluginRequest {
                    implementation,
                    version,
                    host_capabilities: catalogue::capabilities(),
                    plugin_instance_id: instance.to_owned(),
                });
                request.set_timeout(limit);
                let answer = client.init_plugin(request).await.map_err(StartError::Init)?;
                match answer.into_inner().response {
                    Some(v2::init_plugin_response::Response::Success(success)) => Ok(success.catalogue),
                    Some(v2::init_plugin_response::Response::Failure(failure)) => Err(StartError::Refused(failure)),
                    None => Err(StartError::EmptyInit),
                }
            }
        }
    }
}

/// Returns the missing host capabilities as a suffix for an error message, or an empty string if none is missing.
fn missing_capabilities(failure: &v2::InitPluginFailure) -> String {
    match failure.missing_host_capabilities.as_slice() {
        [] => String::new(),
        missing => format!(" (missing host capabilities: {})", missing.join(", ")),
    }
}

impl Plugin {
    pub fn name(&self) -> &str {
        &self.0.manifest.name
    }

    pub fn version(&self) -> &str {
        &self.0.manifest.version
    }

    pub fn manifest(&self) -> &Manifest {
        &self.0.manifest
    }

    pub fn entries(&self) -> &[Entry] {
        &self.0.catalogue.entries
    }

    pub fn is_alive(&self) -> bool {
        self.0.is_alive()
    }

    /// Returns the process ID. On Unix, it is also the ID of the process group.
    pub fn process_id(&self) -> u32 {
        self.0.process.id()
    }

    /// Returns the current position, for [`Self::output_since`].
    pub(crate) fn mark(&self) -> usize {
        self.0.process.log.mark()
    }

    /// Returns the last lines that the plugin printed after the position `mark`.
    pub(crate) fn output_since(&self, mark: usize) -> String {
        self.0.process.log.since(mark)
    }

    /// Returns the last lines that the plugin printed.
    pub fn last_output(&self) -> String {
        self.0.process.log.last_output()
    }

    /// Returns true if the plugin can compare contents of this content type.
    pub fn compares(&self, content_type: &ContentType) -> bool {
        let catalogue = &self.0.catalogue;
        catalogue.claims(EntryKind::ContentMatcher, content_type).is_some()
    }

    /// Returns true if the plugin can generate contents of this content type.
    pub fn generates(&self, content_type: &ContentType) -> bool {
        let catalogue = &self.0.catalogue;
        catalogue.claims(EntryKind::ContentGenerator, content_type).is_some()
    }

    pub fn has(&self, kind: EntryKind, key: &str) -> bool {
        self.0.catalogue.named(kind, key).is_some()
    }
}

/// Data that a contract file stores for a plugin: for one interaction, and for the whole contract.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Configuration {
    pub interaction: Object,
    pub contract: Object,
}

impl Configuration {
    pub(crate) fn on_wire(&self) -> v2::PluginConfiguration {
        v2::PluginConfiguration {
            interaction_configuration: Some(crate::values::as_struct(&self.interaction)),
            pact_configuration: Some(crate::values::as_struct(&self.contract)),
        }
    }
}
