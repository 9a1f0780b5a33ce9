//! Serves existing contracts: many at once as a stub, or one as a mock server with a result.

mod mock_file;
mod stamps;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use contract_mock_server::{Catalog, MockServer, Stub, StubContract};
use contract_pipeline::{ContractSet, Environment};

pub use contract_mock_server::{ChosenState, StubOptions};
pub use mock_file::MockFile;

use crate::Failure;
use crate::listen::ListenOptions;
use crate::verify::{RunContext, SourceOptions, VerifierOperation, VerifyOptions, gather_every};
use contract_call::error::ArgumentError;
use contract_call::read::Argument;
use stamps::Stamps;

/// Interval at which files are checked for changes.
const FILE_INTERVAL: Duration = Duration::from_millis(300);

/// The contracts that a stub serves.
#[derive(Debug)]
pub struct StubSources {
    local: VerifyOptions,
    /// The broker sources, one for each provider.
    brokers: Vec<VerifyOptions>,
    paths: Vec<PathBuf>,
    has_local: bool,
    has_urls: bool,
    consumers: BTreeSet<String>,
    providers: BTreeSet<String>,
    environment: Environment,
}

impl StubSources {
    /// Creates an empty set of sources. Broker and proxy settings come from the environment.
    pub fn new(environment: Environment) -> Result<Self, Failure> {
        Ok(Self {
            // The name has no effect, because the contracts of all providers are read.
            local: VerifyOptions::new("stub")?,
            brokers: Vec::new(),
            paths: Vec::new(),
            has_local: false,
            has_urls: false,
            consumers: BTreeSet::new(),
            providers: BTreeSet::new(),
            environment,
        })
    }

    /// Adds a file, a directory, a pattern, or a URL.
    pub fn add(&mut self, place: &str, options: SourceOptions) -> Result<(), ArgumentError> {
        self.local.apply(VerifierOperation::AddSource {
            source: Argument::Value(place.to_owned()),
            options,
        })?;
        self.has_local = true;
        if place.contains("://") {
            self.has_urls = true;
        } else {
            self.paths.push(place.into());
        }
        Ok(())
    }

    /// Adds the contracts of a provider that a broker selects.
    pub fn add_broker(&mut self, provider: &str, operation: VerifierOperation) -> Result<(), ArgumentError> {
        let mut options = VerifyOptions::new(provider)?;
        options.apply(operation)?;
        self.brokers.push(options);
        Ok(())
    }

    /// Sets a limit for all sources.
    pub fn limit(&mut self, operation: &VerifierOperation) -> Result<(), ArgumentError> {
        for options in self.brokers.iter_mut().chain([&mut self.local]) {
            options.apply(operation.clone())?;
        }
        Ok(())
    }

    /// Restricts the contracts to these consumers and providers. An empty list means all of them.
    pub fn filter(&mut self, consumers: &[String], providers: &[String]) {
        self.consumers = consumers.iter().cloned().collect();
        self.providers = providers.iter().cloned().collect();
    }

    async fn stamps(&self) -> Stamps {
        let paths = self.paths.clone();
        let stamps = contract_runtime::spawn_blocking(move || Stamps::new(&paths)).await;
        stamps.unwrap_or_default()
    }

    async fn read(&self) -> Result<(Vec<StubContract>, Vec<String>), Failure> {
        let context = RunContext {
            environment: self.environment.clone(),
            ..RunContext::default()
        };
        let mut sets = Vec::new();
        if self.has_local {
            sets.push(gather_every(&self.local, &context).await?);
        }
        for broker in &self.brokers {
            sets.push(gather_every(broker, &context).await?);
        }
        let (mut contracts, mut warnings) = (Vec::new(), Vec::new());
        for ContractSet {
            contracts: found,
            warnings: noted,
            ..
        } in sets
        {
            warnings.extend(noted);
            contracts.extend(
                found
                    .into_iter()
                    .map(|located| StubContract::new(located.named.contract, located.named.source)),
            );
        }
        let all = contracts.len();
        let wanted = |names: &BTreeSet<String>, name: &str| names.is_empty() || names.contains(name);
        let describe = |named: &StubContract| format!("{} and {}", named.contract.consumer, named.contract.provider);
        let found: BTreeSet<String> = contracts.iter().map(describe).collect();
        contracts.retain(|named| {
            wanted(&self.consumers, &named.contract.consumer) && wanted(&self.providers, &named.contract.provider)
        });
        if contracts.is_empty() {
            let message = if all == 0 {
                "no contract found in the sources; run the consumer's tests first, or pass another path".to_owned()
            } else {
                let found: Vec<_> = found.into_iter().take(20).collect();
                format!(
                    "no contract matches the filters; the sources contain contracts between {}",
                    found.join("; ")
                )
            };
            return Err(Failure::source(message));
        }
        Ok((contracts, warnings))
    }
}

/// A running stub.
#[derive(Debug)]
pub struct StubServer {
    server: MockServer,
    stub: Arc<Stub>,
    sources: StubSources,
    warnings: Vec<String>,
    /// The state of the files before they were read, so that no later change is missed.
    stamps: Stamps,
}

/// The result of checking the sources again.
#[derive(Debug)]
pub enum Reload {
    /// The contracts have not changed.
    Unchanged,
    /// The contracts have changed, and the stub serves the new ones.
    Changed,
    /// The sources could not be read. The stub continues to serve the previous contracts.
    Failed(Failure),
}

impl StubServer {
    /// Reads the contracts and starts the server.
    pub async fn start(sources: StubSources, listen: &ListenOptions, options: StubOptions) -> Result<Self, Failure> {
        let stamps = sources.stamps().await;
        let (contracts, warnings) = sources.read().await?;
        let catalog = contract_runtime::spawn_blocking(move || Catalog::new(contracts)).await?;
        let stub = Arc::new(Stub::new(catalog, options));
        let server = MockServer::start_handler(Arc::clone(&stub) as _, listen.server_options()).await?;
        stub.set_url(server.url());
        Ok(Self {
            server,
            stub,
            sources,
            warnings,
            stamps,
        })
    }

    /// Returns the base URL.
    pub fn url(&self) -> &str {
        self.server.url()
    }

    /// Returns the CA certificate that clients must trust, if the server created its certificate.
    pub fn ca_certificate(&self) -> Option<&str> {
        self.server.ca_certificate()
    }

    /// Returns the number of contracts and the number of interactions that are served.
    pub fn counts(&self) -> (usize, usize) {
        let catalog = self.stub.catalog();
        (catalog.contracts().len(), catalog.len())
    }

    /// Returns the number of requests that were received.
    pub fn requests(&self) -> u64 {
        self.stub.requests()
    }

    /// Returns warnings about unusual content in the files, interactions that are not served, and interactions that
    /// conflict.
    pub fn warnings(&self) -> Vec<String> {
        let catalog = self.stub.catalog();
        let mut warnings = self.warnings.clone();
        let messages = catalog.messages();
        if messages > 0 {
            warnings.push(format!(
                "not served: {messages} message interaction{}, because stubs serve only HTTP",
                if messages == 1 { "" } else { "s" }
            ));
        }
        warnings.extend(
            catalog
                .unsupported()
                .iter()
                .map(|problem| format!("not served: {problem}")),
        );
        warnings.extend(catalog.conflicts().into_iter().map(|conflict| {
            format!(
                "conflict for {}: {} responds instead of {}, because its contract is listed first",
                conflict.request, conflict.first, conflict.other
            )
        }));
        warnings
    }

    /// Waits until a source may have changed, and then reads all sources. Files are checked several times per second.
    /// For URLs and brokers, waits for `poll`.
    pub async fn next_change(&mut self, watch: bool, poll: Option<Duration>) -> Reload {
        let is_remote = self.sources.has_urls || !self.sources.brokers.is_empty();
        let poll = poll.filter(|_| is_remote);
        let changed = async {
            if !watch {
                return std::future::pending().await;
            }
            loop {
                tokio::time::sleep(FILE_INTERVAL).await;
                let mut last = self.sources.stamps().await;
                if last != self.stamps {
                    // Another process may still be writing, so wait until nothing changes anymore.
                    loop {
                        tokio::time::sleep(FILE_INTERVAL).await;
                        let now = self.sources.stamps().await;
                        if now == last {
                            return;
                        }
                        last = now;
                    }
                }
            }
        };
        let polled = async {
            match poll {
                Some(interval) => tokio::time::sleep(interval).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = changed => (),
            () = polled => (),
        }
        self.reload().await
    }

    async fn reload(&mut self) -> Reload {
        self.stamps = self.sources.stamps().await;
        let (contracts, warnings) = match self.sources.read().await {
            Ok(read) => read,
            Err(failure) => return Reload::Failed(failure),
        };
        let old = self.stub.catalog();
        let is_same = |(a, b): (&StubContract, &StubContract)| a.source == b.source && a.contract == b.contract;
        if old.contracts().len() == contracts.len() && old.contracts().iter().zip(&contracts).all(is_same) {
            return Reload::Unchanged;
        }
        self.warnings = warnings;
        self.stub.replace(Catalog::new(contracts));
        Reload::Changed
    }

    /// Stops the server. Requests in progress have a short time to finish.
    pub async fn stop(&self) {
        self.server.stop().await;
    }
}
