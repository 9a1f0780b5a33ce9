//! Reads contracts from all sources, and selects those of the provider.

use std::sync::Arc;
use std::time::Duration;

use contract_broker_client::{Transport, TransportOptions};
use contract_verifier::NamedContract;
use tracing::instrument::WithSubscriber;

use crate::callbacks::{Callbacks, NoCallbacks};
use crate::failure::Failure;
use crate::log::LogBuffer;
use crate::verify::broker;
use crate::verify::invalid::setup;
use crate::verify::listed::{ListedInteraction, listed};
use crate::verify::operation::RunOptions;
use crate::verify::options::{RunContext, VerifyOptions};
use crate::verify_error::VerifyError;
use contract_call::error::{ArgumentError, OPTIONS};
use contract_call::message::{message, operation, setting};
use contract_pipeline::Environment;
use contract_pipeline::Fetched;
use contract_pipeline::{ContractSet, RemoteSource, Source, SourceError};

/// Timeout for fetching a contract from a URL.
const FETCH_TIMEOUT: Duration = Duration::from_secs(30);

#[derive(Debug)]
pub(crate) struct Gathered {
    pub(super) contracts: Vec<NamedContract>,
    /// For each contract, the data for publishing its result, or `None` if the contract does not come from a broker.
    fetched: Vec<Option<Arc<Fetched>>>,
    pub(super) warnings: Vec<String>,
}

pub(super) async fn gather(options: &VerifyOptions, context: &RunContext) -> Result<Gathered, Failure> {
    // The log is redacted, because URLs in it may contain credentials.
    let log = LogBuffer::new(options.secrets(&context.environment));
    gather_all(options, context).with_subscriber(log.dispatch()).await
}

/// Reads the contracts of all providers, for a stub.
pub(crate) async fn gather_every(options: &VerifyOptions, context: &RunContext) -> Result<ContractSet, Failure> {
    let log = LogBuffer::new(options.secrets(&context.environment));
    let found = read_sources(options, context).with_subscriber(log.dispatch()).await?;
    Ok(found.1.into_all()?)
}

async fn gather_all(options: &VerifyOptions, context: &RunContext) -> Result<Gathered, Failure> {
    let (sources, found) = read_sources(options, context).await?;
    picked(options, &sources, found)
}

async fn read_sources(options: &VerifyOptions, context: &RunContext) -> Result<(Vec<Source>, ContractSet), Failure> {
    let environment = &context.environment;
    let sources = sources(options, context)?;
    let found = empty(options);
    let found = if sources.iter().any(Source::is_remote) {
        read_all(found, &sources, &fetching(options, context)?).await?
    } else {
        found.read_blocking(sources.clone()).await?
    };
    let found = match options.asked_broker(environment) {
        Some(place) if !found.is_over_total_limit() => broker::gather(options, environment, place, found).await?,
        _ => found,
    };
    Ok((sources, found))
}

fn empty(options: &VerifyOptions) -> ContractSet {
    ContractSet::new(
        options.source_limit(),
        options.total_source_limit(),
        options.directory_limit(),
    )
}

async fn read_all(mut found: ContractSet, sources: &[Source], fetching: &Fetching<'_>) -> Result<ContractSet, Failure> {
    for source in sources {
        if let Source::Url(remote) = source {
            let fetched = fetching.fetch(remote).await;
            if let Err(problem) = fetched.and_then(|(bytes, fetched)| found.add_from_url(remote, &bytes, fetched)) {
                found.add_problem(problem);
            }
        } else {
            found = found.read_blocking(vec![source.clone()]).await?;
        }
        if found.is_over_total_limit() {
            break;
        }
    }
    Ok(found)
}

struct Fetching<'a> {
    transport: Transport,
    options: &'a VerifyOptions,
    environment: &'a Environment,
}

impl Fetching<'_> {
    async fn fetch(&self, remote: &RemoteSource) -> Result<(Vec<u8>, Option<Fetched>), SourceError> {
        let bytes = remote.fetch(&self.transport).await?;
        let fetched = broker::behind_url(self.options, self.environment, remote, &bytes).await?;
        Ok((bytes, fetched))
    }
}

fn fetching<'a>(options: &'a VerifyOptions, context: &'a RunContext) -> Result<Fetching<'a>, ArgumentError> {
    let environment = &context.environment;
    let transport = Transport::new(TransportOptions {
        server_name: TransportOptions::default().server_name,
        timeout: FETCH_TIMEOUT,
        ..broker::transport(options, environment)?
    });
    Ok(Fetching {
        transport: transport.map_err(|error| ArgumentError::new(OPTIONS, error.to_string()))?,
        options,
        environment,
    })
}

/// Reads the contracts without waiting for the network, for test runners that need the list of tests before they can
/// await anything. Fails if a broker or URL is a source.
pub(super) fn gather_here(options: &VerifyOptions, context: &RunContext) -> Result<Gathered, Failure> {
    let sources = sources(options, context)?;
    if options.asked_broker(&context.environment).is_some() {
        return Err(Failure::source(message![
            "contracts from a broker must be fetched before tests are declared; await ",
            operation("prepare"),
            "() before ",
            operation("suite"),
            "(), or call prepareSync() in CommonJS, which has no top-level await"
        ]));
    }
    let found = empty(options).read(&sources);
    picked(options, &sources, found)
}

fn sources(options: &VerifyOptions, context: &RunContext) -> Result<Vec<Source>, Failure> {
    let environment = &context.environment;
    let sources = options.sources(environment);
    let broker = options.asked_broker(environment);
    if sources.is_empty() && broker.is_none() {
        let message = message![
            format!(
                "no contract sources for provider {:?}; add one with ",
                options.settings.provider
            ),
            operation("add_source"),
            " or ",
            operation("broker_source")
        ];
        return Err(VerifyError::NoSource(message).into());
    }
    if let Some(broker) = &options.broker {
        broker.check()?;
    }
    sources.iter().try_for_each(Source::check)?;
    Ok(sources)
}

fn picked(options: &VerifyOptions, sources: &[Source], found: ContractSet) -> Result<Gathered, Failure> {
    let providers: Vec<_> = found.providers().iter().map(|name| format!("{name:?}")).collect();
    let mut found = found.into_provider_contracts(&options.settings.provider)?;
    if found.contracts.is_empty() && !options.settings.allow_empty {
        let providers = if providers.is_empty() {
            let sources = sources.iter().map(Source::name);
            let places: Vec<_> = sources.chain(found.empty_places().iter().cloned()).collect();
            format!("no contracts found in {}", places.join(", "))
        } else {
            format!("found only contracts for {}", providers.join(", "))
        };
        let message = message![
            format!(
                "no contract found for provider {:?}: {providers}",
                options.settings.provider
            ),
            ". To allow this, use ",
            setting("error_on_empty_contract", "false")
        ];
        return Err(VerifyError::NoContract(message).into());
    }
    if !found.contracts.is_empty() {
        let places = found
            .empty_places()
            .iter()
            .map(|place| format!("no contracts found in {place}"));
        let places: Vec<_> = places.collect();
        found.warnings.extend(places);
    }
    let (contracts, fetched) = found
        .contracts
        .into_iter()
        .map(|located| (located.named, located.fetched))
        .unzip();
    Ok(Gathered {
        contracts,
        fetched,
        warnings: found.warnings,
    })
}

impl Gathered {
    pub(super) fn fetched(&self, contract: usize) -> Option<&Fetched> {
        self.fetched.get(contract)?.as_deref()
    }

    /// Returns the interactions that the filters select. Each one becomes a test.
    pub(super) fn interactions(
        &self,
        options: &Arc<VerifyOptions>,
        context: &RunContext,
    ) -> Result<Vec<ListedInteraction>, Failure> {
        let no_callbacks: Arc<dyn Callbacks> = Arc::new(NoCallbacks);
        let assembled = options.assembled(RunOptions::default(), context, &no_callbacks, &mut Vec::new())?;
        assembled.check().map_err(setup)?;
        let selected = contract_verifier::select(&assembled, &self.contracts).map_err(VerifyError::Empty)?;
        Ok(listed(&selected, &options.secrets(&context.environment)))
    }
}
