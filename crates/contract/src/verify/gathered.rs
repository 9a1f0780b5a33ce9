//! The provider's own contracts, read from their sources.

use std::time::Duration;

use contract_model::{Json, Object};
use contract_verifier::NamedContract;

use crate::sources::{Fetching, Found, SIZE_LIMIT, Source};
use crate::verify::{Nobody, VerifyError, VerifyOptions};

/// For a contract behind a URL.
const FETCH_TIMEOUT: Duration = Duration::from_secs(30);

/// Contracts of one provider.
#[derive(Debug)]
pub struct Gathered {
    pub(super) contracts: Vec<NamedContract>,
    pub(super) warnings: Vec<String>,
}

/// Reads the contracts of the provider from all sources.
pub async fn gather(options: &VerifyOptions) -> Result<Gathered, VerifyError> {
    let sources = sources(options)?;
    let limit = limit(options)?;
    let found = Found::new(limit);
    let found = if sources.iter().any(Source::is_remote) {
        found.read_all(&sources, &fetching(options, limit)?).await?
    } else {
        found.read_aside(sources.clone()).await?
    };
    picked(options, &sources, found)
}

fn fetching(options: &VerifyOptions, limit: u64) -> Result<Fetching, VerifyError> {
    let body_limit = usize::try_from(limit).unwrap_or(usize::MAX);
    Ok(Fetching {
        // What is wrong with the environment's certificates is told when the provider is asked.
        client: options.client(Some(body_limit), &mut Vec::new())?,
        timeout: FETCH_TIMEOUT,
    })
}

/// Reads the contracts of the provider on this thread; a source behind a URL is an error. For test runners, whose tests have
/// to be known before anything can be awaited.
pub fn gather_here(options: &VerifyOptions) -> Result<Gathered, VerifyError> {
    let sources = sources(options)?;
    let found = Found::new(limit(options)?).read(&sources);
    picked(options, &sources, found)
}

fn sources(options: &VerifyOptions) -> Result<Vec<Source>, VerifyError> {
    let sources = options.sources();
    if sources.is_empty() {
        return Err(VerifyError::NoSource(options.provider.clone()));
    }
    sources.iter().try_for_each(Source::check)?;
    Ok(sources)
}

fn limit(options: &VerifyOptions) -> Result<u64, VerifyError> {
    match options.source_limit {
        Some(0) => super::refuse("setSourceLimit: the limit must be greater than zero"),
        limit => Ok(limit.unwrap_or(SIZE_LIMIT)),
    }
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
    /// The interactions that the filters leave, as the JSON text of a list of `{ consumer, contract, description, states,
    /// pending }`; `contract` is the number of its contract. Test runners make a test of each.
    pub fn interactions(&self, options: &VerifyOptions) -> Result<String, VerifyError> {
        let assembled = options.assembled(&(std::sync::Arc::new(Nobody) as _), &mut Vec::new())?;
        assembled.check()?;
        let selected = contract_verifier::select(&assembled, &self.contracts)?;
        let list = selected.iter().map(|selected| {
            let info = &selected.info;
            let states = info.states.iter().map(|state| Json::from(state.name.clone()));
            let mut entry = Object::new();
            entry.insert("consumer", info.consumer.clone());
            entry.insert("contract", selected.contract() as u64);
            entry.insert("description", info.description.clone());
            entry.insert("states", states.collect::<Vec<_>>());
            entry.insert("pending", info.pending);
            Json::from(entry)
        });
        Ok(Json::from(list.collect::<Vec<_>>()).to_text())
    }
}
