//! The provider's own contracts, read from their sources.

use std::sync::Arc;
use std::time::Duration;

use contract_verifier::NamedContract;

use crate::callbacks::{Callbacks, Nobody};
use crate::error::ArgumentError;
use crate::sources::{Fetching, Found, Source};
use crate::verify::VerifyError;
use crate::verify::operation::RunOptions;
use crate::verify::options::{Surroundings, VerifyOptions};
use crate::verify::session::{ListedInteraction, listed};

/// For a contract behind a URL.
const FETCH_TIMEOUT: Duration = Duration::from_secs(30);

/// Contracts of one provider.
#[derive(Debug)]
pub(crate) struct Gathered {
    pub(super) contracts: Vec<NamedContract>,
    pub(super) warnings: Vec<String>,
}

/// Reads the contracts of the provider from all sources.
pub(super) async fn gather(options: &VerifyOptions, around: &Surroundings) -> Result<Gathered, VerifyError> {
    let sources = sources(options, around)?;
    let limit = options.source_limit();
    let found = Found::new(limit);
    let found = if sources.iter().any(Source::is_remote) {
        found.read_all(&sources, &fetching(options, around, limit)?).await?
    } else {
        found.read_aside(sources.clone()).await?
    };
    picked(options, &sources, found)
}

fn fetching(options: &VerifyOptions, around: &Surroundings, limit: u64) -> Result<Fetching, ArgumentError> {
    let body_limit = usize::try_from(limit).unwrap_or(usize::MAX);
    Ok(Fetching {
        // What is wrong with the environment's certificates is told when the provider is asked.
        client: options.client(Some(body_limit), &mut Vec::new(), Some(&around.environment))?,
        timeout: FETCH_TIMEOUT,
    })
}

/// Reads the contracts of the provider on this thread; a source behind a URL is an error. For test runners, whose tests have
/// to be known before anything can be awaited.
pub(super) fn gather_here(options: &VerifyOptions, around: &Surroundings) -> Result<Gathered, VerifyError> {
    let sources = sources(options, around)?;
    let found = Found::new(options.source_limit()).read(&sources);
    picked(options, &sources, found)
}

fn sources(options: &VerifyOptions, around: &Surroundings) -> Result<Vec<Source>, VerifyError> {
    let sources = options.sources(&around.environment);
    if sources.is_empty() {
        return Err(VerifyError::NoSource(options.provider.clone()));
    }
    sources.iter().try_for_each(Source::check)?;
    Ok(sources)
}

/// Leaves out the contracts of other providers.
fn picked(options: &VerifyOptions, sources: &[Source], found: Found) -> Result<Gathered, VerifyError> {
    let providers = found.providers().into_iter().map(ToOwned::to_owned).collect();
    let found = found.of_provider(&options.provider)?;
    if found.contracts.is_empty() && !options.allow_empty {
        return Err(VerifyError::NoContract {
            provider: options.provider.clone(),
            found: providers,
            sources: sources.iter().map(Source::name).collect(),
        });
    }
    Ok(Gathered {
        contracts: found.contracts,
        warnings: found.warnings,
    })
}

impl Gathered {
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
