//! A mock server that a plugin runs, for protocols that the core does not speak.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use contract_mock_server::{Counts, InteractionCount, InteractionRef, Outcome, ServerMismatch};
use contract_model::{Contract, Json, Object, SpecificationVersion};
use contract_plugins::{
    EntryKind, MockServerRequest, Plugin, PluginError, PluginMockServer, PluginResult, PluginResults,
};
use contract_report::Finding;
use tokio::sync::Mutex as AsyncMutex;

use super::{PLUGIN, mismatch, only, refused, wait};
use crate::error::ArgumentError;
use crate::message::{operation, told};

/// A plugin's mock server, and what it saw.
#[derive(Debug)]
pub(crate) struct PluginSession {
    plugin: Plugin,
    server: PluginMockServer,
    transport: String,
    url: String,
    interactions: Vec<InteractionRef>,
    limit: Duration,
    /// The last that is known.
    results: Mutex<Result<PluginResults, String>>,
    is_stopped: AsyncMutex<bool>,
}

/// Where it shall listen, and what it is told beside the contract.
#[derive(Clone, Debug, Default)]
pub(crate) struct Place {
    pub(crate) host: String,
    pub(crate) port: u16,
    pub(crate) tls: bool,
    pub(crate) config: Option<Json>,
}

/// The plugin that speaks a transport.
pub(crate) fn speaking(plugins: &[Plugin], transport: &str) -> Result<Plugin, ArgumentError> {
    let message = match only(
        plugins
            .iter()
            .filter(|plugin| plugin.has(EntryKind::Transport, transport)),
    ) {
        Ok(Some(plugin)) => return Ok(plugin.clone()),
        Ok(None) => told![
            format!(
                "no plugin of this contract speaks {transport:?}; transports are http, https and those of plugins, which "
            ),
            operation("using_plugin"),
            " names"
        ],
        Err([one, other]) => told![format!(
            "both the plugin {} and the plugin {} speak {transport}; a contract can use only one of them",
            one.name(),
            other.name()
        )],
    };
    Err(ArgumentError::new(PLUGIN, message).of("serve").about("transport"))
}

impl PluginSession {
    /// Starts a server for the interactions of the contract, which name the transport and have keys.
    pub(crate) async fn start(
        plugin: Plugin,
        transport: &str,
        contract: &Contract,
        place: Place,
        limit: Duration,
    ) -> Result<Self, ArgumentError> {
        let text = contract.write(SpecificationVersion::V4);
        let text = text.map_err(|error| ArgumentError::new(PLUGIN, error.to_string()).of("serve"))?;
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
        let server = server.map_err(|error| refused(&error).of("serve"))?;
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
            results: Mutex::new(Ok(PluginResults::default())),
            is_stopped: AsyncMutex::new(false),
        })
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    pub(crate) fn host(&self) -> &str {
        &self.server.host
    }

    pub(crate) fn port(&self) -> u16 {
        self.server.port
    }

    /// What the plugin wrote last.
    pub(crate) fn log(&self) -> String {
        contract_report::harmless_text(&self.plugin.last_words())
    }

    /// The verdict so far. Asks the plugin where that can be waited for.
    pub(crate) fn outcome(&self) -> Outcome {
        if tokio::runtime::Handle::try_current().is_err() {
            wait(async {
                let stopped = self.is_stopped.lock().await;
                if !*stopped {
                    let results = self.plugin.mock_server_results(&self.server.key, self.limit).await;
                    self.keep(results);
                }
            });
        }
        self.told()
    }

    /// Stops the server and gives the verdict.
    pub(crate) async fn stop(&self) -> Outcome {
        let mut stopped = self.is_stopped.lock().await;
        if !*stopped {
            *stopped = true;
            let results = self.plugin.shutdown_mock_server(&self.server.key, self.limit).await;
            self.keep(results);
        }
        self.told()
    }

    fn keep(&self, results: Result<PluginResults, PluginError>) {
        let mut known = self.results.lock().unwrap_or_else(PoisonError::into_inner);
        *known = results.map_err(|error| super::text(&error));
    }

    fn told(&self) -> Outcome {
        let results = self.results.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let (ok, mismatches, seen) = match results {
            Ok(results) => {
                let seen = results.results.len() as u64;
                let mut wrong: Vec<_> = results
                    .results
                    .into_iter()
                    .filter(is_wrong)
                    .map(|it| self.wrong(it))
                    .collect();
                if !results.ok && wrong.is_empty() {
                    wrong.push(self.failure(
                        "the mock server of the plugin says that not all was as the contract has it; \
                         perhaps no request came at all",
                    ));
                }
                (results.ok && wrong.is_empty(), wrong, seen)
            }
            Err(problem) => (false, vec![self.failure(&problem)], 0),
        };
        let count = InteractionCount {
            matched: u64::from(ok),
            mismatched: 0,
        };
        let failed = mismatches.len() as u64;
        Outcome {
            matched: ok,
            mismatches,
            pending: Vec::new(),
            omitted: 0,
            interactions: vec![count; self.interactions.len()],
            requests: Counts {
                matched: seen.saturating_sub(failed),
                mismatched: failed,
                ..Counts::default()
            },
            troubles: Vec::new(),
        }
    }

    fn wrong(&self, result: PluginResult) -> ServerMismatch {
        let mismatches: Vec<_> = result.mismatches.into_iter().map(mismatch::of).collect();
        ServerMismatch::PluginMismatch {
            plugin: self.plugin.name().to_owned(),
            transport: self.transport.clone(),
            path: contract_report::harmless_text(&result.path),
            error: (!result.error.is_empty()).then(|| contract_report::harmless_text(&result.error)),
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
    /// Nobody stopped it: the plugin does, as soon as it can.
    fn drop(&mut self) {
        if !*self.is_stopped.get_mut() {
            let (plugin, key, limit) = (self.plugin.clone(), self.server.key.clone(), self.limit);
            crate::runtime::handle().spawn(async move { plugin.shutdown_mock_server(&key, limit).await });
        }
    }
}
