//! The provider's own contracts, read from their sources.

use std::sync::Arc;
use std::time::Duration;

use contract_broker_client::{Transport, TransportOptions};
use contract_verifier::NamedContract;

use crate::callbacks::{Callbacks, Nobody};
use crate::environment::Environment;
use crate::error::{ArgumentError, OPTIONS};
use crate::message::{operation, told};
use crate::sources::{Found, RemoteSource, Source};
use crate::verify::broker;
use crate::verify::error::VerifyError;
use crate::verify::fetched::Fetched;
use crate::verify::listed::{ListedInteraction, listed};
use crate::verify::operation::RunOptions;
use crate::verify::options::{Surroundings, VerifyOptions};

/// For a contract behind a URL.
const FETCH_TIMEOUT: Duration = Duration::from_secs(30);

/// Contracts of one provider.
#[derive(Debug)]
pub(crate) struct Gathered {
    pub(super) contracts: Vec<NamedContract>,
    /// For each of them how its result can be published, if a broker gave it.
    fetched: Vec<Option<Arc<Fetched>>>,
    pub(super) warnings: Vec<String>,
}

/// Reads the contracts of the provider from all sources.
pub(super) async fn gather(options: &VerifyOptions, around: &Surroundings) -> Result<Gathered, VerifyError> {
    let environment = &around.environment;
    let sources = sources(options, around)?;
    let found = Found::new(options.source_limit(), options.directory_limit());
    let found = if sources.iter().any(Source::is_remote) {
        read_all(found, &sources, &fetching(options, around)?).await?
    } else {
        found.read_aside(sources.clone()).await?
    };
    let found = match options.asked_broker(environment) {
        Some(place) => broker::gather(options, environment, place, found).await?,
        None => found,
    };
    picked(options, &sources, found)
}

/// Reads all sources, in order.
async fn read_all(mut found: Found, sources: &[Source], fetching: &Fetching<'_>) -> Result<Found, VerifyError> {
    for source in sources {
        if let Source::Url(remote) = source {
            match fetching.fetch(remote).await {
                Ok((bytes, fetched)) => found.behind(remote, &bytes, fetched),
                Err(problem) => found.failed(problem),
            }
        } else {
            found = found.read_aside(vec![source.clone()]).await?;
        }
    }
    Ok(found)
}

/// How contracts are fetched.
struct Fetching<'a> {
    transport: Transport,
    options: &'a VerifyOptions,
    environment: &'a Environment,
}

impl Fetching<'_> {
    async fn fetch(&self, remote: &RemoteSource) -> Result<(Vec<u8>, Option<Fetched>), VerifyError> {
        let bytes = remote.fetch(&self.transport).await?;
        let fetched = broker::behind_url(self.options, self.environment, remote, &bytes).await?;
        Ok((bytes, fetched))
    }
}

fn fetching<'a>(options: &'a VerifyOptions, around: &'a Surroundings) -> Result<Fetching<'a>, ArgumentError> {
    let environment = &around.environment;
    let transport = Transport::new(TransportOptions {
        who: TransportOptions::default().who,
        timeout: FETCH_TIMEOUT,
        ..broker::transport(options, environment)?
    });
    Ok(Fetching {
        transport: transport.map_err(|error| ArgumentError::new(OPTIONS, error.to_string()))?,
        options,
        environment,
    })
}

/// Reads the contracts of the provider on this thread; a source behind a URL is an error. For test runners, whose tests have
/// to be known before anything can be awaited.
pub(super) fn gather_here(options: &VerifyOptions, around: &Surroundings) -> Result<Gathered, VerifyError> {
    let sources = sources(options, around)?;
    if options.asked_broker(&around.environment).is_some() {
        return Err(VerifyError::Source(told![
            "the broker has to be asked first, and tests are declared without waiting; call ",
            operation("prepare"),
            " and wait for it before ",
            operation("suite")
        ]));
    }
    let found = Found::new(options.source_limit(), options.directory_limit()).read(&sources);
    picked(options, &sources, found)
}

fn sources(options: &VerifyOptions, around: &Surroundings) -> Result<Vec<Source>, VerifyError> {
    let environment = &around.environment;
    let sources = options.sources(environment);
    let broker = options.asked_broker(environment);
    if sources.is_empty() && broker.is_none() {
        return Err(VerifyError::NoSource(options.provider.clone()));
    }
    if let Some(broker) = &options.broker {
        broker.check()?;
    }
    sources.iter().try_for_each(Source::check)?;
    Ok(sources)
}

/// Leaves out the contracts of other providers.
fn picked(options: &VerifyOptions, sources: &[Source], found: Found) -> Result<Gathered, VerifyError> {
    let providers = found.providers().into_iter().map(ToOwned::to_owned).collect();
    let mut found = found.of_provider(&options.provider)?;
    if found.contracts.is_empty() && !options.allow_empty {
        return Err(VerifyError::NoContract {
            provider: options.provider.clone(),
            found: providers,
            sources: sources
                .iter()
                .map(Source::name)
                .chain(found.empty_places().iter().cloned())
                .collect(),
        });
    }
    if !found.contracts.is_empty() {
        let places = found
            .empty_places()
            .iter()
            .map(|place| format!("nothing was found in {place}"));
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
    /// How the result of a contract can be published.
    pub(super) fn fetched(&self, contract: usize) -> Option<&Fetched> {
        self.fetched.get(contract)?.as_deref()
    }

    /// The interactions that the filters leave. Test runners make a test of each.
    pub(super) fn interactions(
        &self,
        options: &VerifyOptions,
        around: &Surroundings,
    ) -> Result<Vec<ListedInteraction>, VerifyError> {
        let nobody: Arc<dyn Callbacks> = Arc::new(Nobody);
        let assembled = options.assembled(RunOptions::default(), around, &nobody, &mut Vec::new())?;
        assembled.check()?;
        Ok(listed(&contract_verifier::select(&assembled, &self.contracts)?))
    }
}
