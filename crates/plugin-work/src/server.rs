//! Mock servers that plugins provide for their transports.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use contract_mock_server::{Counts, InteractionCount, InteractionRef, Outcome, ServerMismatch};
use contract_model::{Contract, Json, Object, SpecificationVersion};
use contract_plugins::{
    EntryKind, MockServerRequest, Plugin, PluginError, PluginMockServer, PluginResult, PluginResults,
};
use contract_report::Finding;
use tokio::sync::Mutex as AsyncMutex;

use super::mismatch;
use contract_call::error::ArgumentError;
use contract_call::message::{message, operation};
use contract_definition::plugins::{PLUGIN, only, plugin_error, text, wait};

/// A running mock server of a plugin.
#[derive(Debug)]
pub struct PluginSession {
    plugin: Plugin,
    server: PluginMockServer,
    transport: String,
    url: String,
    interactions: Vec<InteractionRef>,
    limit: Duration,
    seen: Mutex<Seen>,
    is_stopped: AsyncMutex<bool>,
}

/// The results that the plugin has reported so far. Some plugins report failures only in `GetMockServerResults`, some
/// only in `ShutdownMockServer`, and some report each failure only once.
#[derive(Clone, Debug, Default)]
struct Seen {
    /// Results in the latest response that contain a mismatch or an error.
    current: Vec<PluginResult>,
    /// Failures in earlier responses. They remain failures even if a later response omits them.
    reported: Vec<PluginResult>,
    /// Number of results in the latest response, including successful ones.
    count: usize,
    /// True if the latest response reported success.
    ok: bool,
    /// True if the plugin reported a failure without a mismatch or an error.
    is_unexplained: bool,
    /// The reason why the last call to the plugin failed. `None` if it succeeded.
    problem: Option<String>,
}

impl Seen {
    /// Processes the response of `GetMockServerResults`. If it contains no results, its `ok` member is ignored, because
    /// plugins then leave it at its default value.
    fn update(&mut self, answer: Result<PluginResults, PluginError>) {
        match answer {
            Ok(results) => {
                self.is_unexplained = !results.ok && !results.results.is_empty();
                self.ok = results.ok;
                self.count = results.results.len();
                self.current = results.results.into_iter().filter(is_wrong).collect();
                self.problem = None;
                // A mismatch belongs to a request that was received, so later requests do not resolve it.
                let lasting = self.current.iter().filter(|result| !result.mismatches.is_empty());
                add_new(&mut self.reported, lasting.cloned().collect());
            }
            // A plugin may implement only one of the two calls.
            Err(error) if error.is_refused() => {}
            Err(error) => self.problem = Some(text(&error)),
        }
    }

    /// Processes the response of `ShutdownMockServer` and combines it with earlier results.
    fn finish(&mut self, answer: Result<PluginResults, PluginError>) {
        match answer {
            Ok(results) => {
                self.is_unexplained |= !results.ok;
                self.ok = results.ok;
                self.count = self.count.max(results.results.len());
                add_new(
                    &mut self.current,
                    results.results.into_iter().filter(is_wrong).collect(),
                );
            }
            Err(error) => self.problem = Some(text(&error)),
        }
    }

    /// Returns all failures without duplicates.
    fn failures(&self) -> Vec<PluginResult> {
        let mut all = self.reported.clone();
        add_new(&mut all, self.current.clone());
        all
    }
}

fn add_new(known: &mut Vec<PluginResult>, more: Vec<PluginResult>) {
    let mut listed: HashSet<PluginResult> = known.iter().cloned().collect();
    known.extend(more.into_iter().filter(|result| listed.insert(result.clone())));
}

/// The address and options of a plugin's mock server.
#[derive(Clone, Debug, Default)]
pub struct ServerPlace {
    /// The host name or IP address at which the server listens.
    pub host: String,
    /// The port. 0 selects a free one.
    pub port: u16,
    /// Whether the server uses TLS.
    pub tls: bool,
    /// Options that only the plugin interprets.
    pub config: Option<Json>,
}

/// Returns the plugin that provides this transport. Fails if there is none or more than one.
pub fn plugin_for_transport(plugins: &[Plugin], transport: &str) -> Result<Plugin, ArgumentError> {
    let message = match only(
        plugins
            .iter()
            .filter(|plugin| plugin.has(EntryKind::Transport, transport)),
    ) {
        Ok(Some(plugin)) => return Ok(plugin.clone()),
        Ok(None) => message![
            format!(
                "no plugin of this contract provides the transport {transport:?}. Supported transports are http, https, and those of plugins; add a plugin with "
            ),
            operation("using_plugin")
        ],
        Err([first, second]) => message![format!(
            "the plugins {} and {} both provide the transport {transport:?}; a contract can use only one of them",
            first.name(),
            second.name()
        )],
    };
    Err(ArgumentError::new(PLUGIN, message)
        .in_operation("serve")
        .for_argument("transport"))
}

impl PluginSession {
    /// Starts a server for the contract's interactions. Each interaction must have the transport and a key. `limit` is
    /// the timeout for a call to the plugin.
    pub async fn start(
        plugin: Plugin,
        transport: &str,
        contract: &Contract,
        place: ServerPlace,
        limit: Duration,
    ) -> Result<Self, ArgumentError> {
        let text = contract.write(SpecificationVersion::V4);
        let text = text.map_err(|error| ArgumentError::new(PLUGIN, error.to_string()).in_operation("serve"))?;
        let interactions: Vec<_> = contract
            .interactions
            .iter()
            .map(|interaction| super::driver::contents(contract, interaction, &plugin))
            .collect();
        let mut context = Object::new();
        context.insert("testRunId", contract_plugins::run_id());
        if let Some(config) = place.config {
            context.insert("transport_config", config);
        }
        let request = MockServerRequest {
            host: &place.host,
            port: place.port,
            tls: place.tls,
            contract: &text.text,
            interactions: &interactions,
            context: &context,
        };
        let server = plugin.start_mock_server(request, limit).await;
        let server = server.map_err(|error| plugin_error(&error).in_operation("serve"))?;
        let host = if server.host.contains(':') {
            format!("[{}]", server.host)
        } else {
            server.host.clone()
        };
        Ok(Self {
            url: format!("{transport}://{host}:{}", server.port),
            plugin,
            server,
            transport: transport.to_owned(),
            interactions: contract
                .interactions
                .iter()
                .enumerate()
                .map(|(at, interaction)| InteractionRef::new(at, interaction))
                .collect(),
            limit,
            seen: Mutex::default(),
            is_stopped: AsyncMutex::new(false),
        })
    }

    /// Returns the URL of the server.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Returns the host name or IP address of the server.
    pub fn host(&self) -> &str {
        &self.server.host
    }

    /// Returns the port of the server.
    pub fn port(&self) -> u16 {
        self.server.port
    }

    /// Returns the last lines that the plugin printed.
    pub fn log(&self) -> String {
        contract_report::escape_text(&self.plugin.last_output())
    }

    /// Returns the outcome so far.
    pub fn outcome(&self) -> Outcome {
        self.refresh_blocking();
        self.verdict()
    }

    /// Returns the outcome so far for an error. Its failures stay in later outcomes, even if the plugin does not report
    /// them again.
    pub fn report(&self) -> Outcome {
        self.refresh_blocking();
        let mut seen = self.lock();
        seen.reported = seen.failures();
        drop(seen);
        self.verdict()
    }

    /// Stops the server and returns the outcome. It contains the failures from `GetMockServerResults` and
    /// `ShutdownMockServer`.
    pub async fn stop(&self) -> Outcome {
        let mut stopped = self.is_stopped.lock().await;
        if !*stopped {
            *stopped = true;
            let results = self.plugin.mock_server_results(&self.server.key, self.limit).await;
            // If the plugin does not respond, do not wait for it a second time.
            let hangs = matches!(&results, Err(error) if error.is_timeout());
            self.lock().update(results);
            if hangs {
                self.shut_down();
                return self.verdict();
            }
            let results = self.plugin.shutdown_mock_server(&self.server.key, self.limit).await;
            self.lock().finish(results);
        }
        self.verdict()
    }

    fn refresh_blocking(&self) {
        if let Err(error) = contract_runtime::block_in_place(|| wait(self.refresh())) {
            self.lock().problem = Some(error.to_string());
        }
    }

    async fn refresh(&self) {
        let stopped = self.is_stopped.lock().await;
        if !*stopped {
            let results = self.plugin.mock_server_results(&self.server.key, self.limit).await;
            self.lock().update(results);
        }
    }

    fn shut_down(&self) {
        let (plugin, key, limit) = (self.plugin.clone(), self.server.key.clone(), self.limit);
        // The runtime exists, because it started this server.
        if let Ok(runtime) = contract_runtime::try_handle() {
            runtime.spawn(async move { plugin.shutdown_mock_server(&key, limit).await });
        }
    }

    fn lock(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn verdict(&self) -> Outcome {
        let seen = self.lock().clone();
        let mut mismatches: Vec<_> = seen.failures().into_iter().map(|result| self.wrong(result)).collect();
        if let Some(problem) = &seen.problem {
            mismatches.push(self.failure(problem));
        } else if mismatches.is_empty() && seen.is_unexplained {
            mismatches.push(self.failure(
                "the plugin's mock server reported a failure without a reason; it might not have received a request",
            ));
        }
        let failed = mismatches.len() as u64;
        let count = InteractionCount {
            matched: u64::from(seen.ok && mismatches.is_empty()),
            mismatched: 0,
        };
        Outcome {
            matched: mismatches.is_empty(),
            mismatches,
            pending: Vec::new(),
            omitted: 0,
            interactions: vec![count; self.interactions.len()],
            requests: Counts {
                matched: (seen.count as u64).saturating_sub(failed),
                mismatched: failed,
                ..Counts::default()
            },
            troubles: Vec::new(),
        }
    }

    fn wrong(&self, result: PluginResult) -> ServerMismatch {
        let mismatches: Vec<_> = result.mismatches.into_iter().map(mismatch::from_difference).collect();
        ServerMismatch::PluginMismatch {
            plugin: self.plugin.name().to_owned(),
            transport: self.transport.clone(),
            path: contract_report::escape_line(&result.path.split_whitespace().collect::<Vec<_>>().join(" ")),
            error: (!result.error.is_empty()).then(|| contract_report::escape_text(&result.error)),
            mismatches: Finding::all(mismatches),
        }
    }

    fn failure(&self, error: &str) -> ServerMismatch {
        ServerMismatch::PluginMismatch {
            plugin: self.plugin.name().to_owned(),
            transport: self.transport.clone(),
            path: String::new(),
            error: Some(error.to_owned()),
            mismatches: Vec::new(),
        }
    }
}

fn is_wrong(result: &PluginResult) -> bool {
    !(result.error.is_empty() && result.mismatches.is_empty())
}

impl Drop for PluginSession {
    /// Stops the server in the background if [`Self::stop`] was not called.
    fn drop(&mut self) {
        if !*self.is_stopped.get_mut() {
            self.shut_down();
        }
    }
}
