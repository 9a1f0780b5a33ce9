//! Serves existing contracts: any number of them as a stub, or one as a mock server that reports mismatches.

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

/// The sources of the contracts that a stub serves, and filters for them.
#[derive(Debug)]
pub struct StubSources {
    local: VerifyOptions,
    /// The options for the broker, one set for each provider.
    brokers: Vec<VerifyOptions>,
    paths: Vec<PathBuf>,
    has_local: bool,
    has_urls: bool,
    consumers: BTreeSet<String>,
    providers: BTreeSet<String>,
    environment: Environment,
}

impl StubSources {
    /// Creates an empty set of sources. Settings for brokers, proxies, and certificates are read from `environment`.
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

    /// Adds the contracts in a file, in a directory, in files that match a pattern, or at a URL. Fails if the path does
    /// not exist. `options` are the credentials and headers for a URL.
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

    /// Adds the contracts that a broker selects for a provider. `operation` must be
    /// [`VerifierOperation::BrokerSource`].
    pub fn add_broker(&mut self, provider: &str, operation: VerifierOperation) -> Result<(), ArgumentError> {
        let mut options = VerifyOptions::new(provider)?;
        options.apply(operation)?;
        self.brokers.push(options);
        Ok(())
    }

    /// Applies an operation that sets a limit, such as [`VerifierOperation::SetSourceLimit`], to the sources that have
    /// been added so far, and to all files and URLs.
    pub fn limit(&mut self, operation: &VerifierOperation) -> Result<(), ArgumentError> {
        for options in self.brokers.iter_mut().chain([&mut self.local]) {
            options.apply(operation.clone())?;
        }
        Ok(())
    }

    /// Serves only contracts of these consumers and providers. An empty list allows all consumers or all providers.
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
        let is_selected = |names: &BTreeSet<String>, name: &str| names.is_empty() || names.contains(name);
        let describe =
            |contract: &StubContract| format!("{} and {}", contract.contract.consumer, contract.contract.provider);
        let found: BTreeSet<String> = contracts.iter().map(describe).collect();
        contracts.retain(|contract| {
            is_selected(&self.consumers, &contract.contract.consumer)
                && is_selected(&self.providers, &contract.contract.provider)
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

/// A running stub server.
#[derive(Debug)]
pub struct StubServer {
    server: MockServer,
    stub: Arc<Stub>,
    sources: StubSources,
    warnings: Vec<String>,
    /// The state of the files just before they were read, so that no later change is missed.
    stamps: Stamps,
}

/// The result of reading the sources again.
#[derive(Debug)]
pub enum Reload {
    /// The contracts have not changed.
    Unchanged,
    /// The contracts have changed, and the stub serves the new ones.
    Changed,
    /// The sources could not be read. The stub still serves the previous contracts.
    Failed(Failure),
}

impl StubServer {
    /// Reads the contracts and starts the server. Fails if there are no contracts.
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

    /// Returns, in PEM format, the CA certificate that clients must trust. Returns `None` unless the certificate was
    /// created for this server.
    pub fn ca_certificate(&self) -> Option<&str> {
        self.server.ca_certificate()
    }

    /// Returns the number of served contracts, and the number of interactions in them.
    pub fn counts(&self) -> (usize, usize) {
        let catalog = self.stub.catalog();
        (catalog.contracts().len(), catalog.len())
    }

    /// Returns the number of requests that the stub has received.
    pub fn requests(&self) -> u64 {
        self.stub.requests()
    }

    /// Returns warnings about unusual content in the contracts, interactions that are not served, and interactions that
    /// match the same requests.
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

    /// Waits until a source may have changed, and then reads all sources. If `watch` is true, the files are checked for
    /// changes every 300 ms. If there are URLs or brokers, all sources are also read after `poll`. If neither applies,
    /// this method never returns.
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

    /// Stops the server. Requests in progress have 500 ms to finish.
    pub async fn stop(&self) {
        self.server.stop().await;
    }
}
