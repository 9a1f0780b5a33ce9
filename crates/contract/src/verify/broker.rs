//! Fetches contracts from a broker.

use std::sync::Arc;

use contract_broker_client::{
    BrokerClient, BrokerError, BrokerErrorKind, BrokerOptions, Resource, Retries, Selected as SelectedContract,
    TransportOptions, VerificationNotice,
};
use contract_model::Json;
use contract_verifier::{Origin, OriginKind};
use tokio::task::JoinSet;
use tracing::instrument::WithSubscriber;

use super::broker_place::BrokerPlace;
use super::invalid::invalid;
use super::options::VerifyOptions;
use crate::failure::Failure;
use contract_call::error::ArgumentError;
use contract_pipeline::Environment;
use contract_pipeline::Fetched;
use contract_pipeline::{BrokerFailure, SourceError};
use contract_pipeline::{BrokerProperties, ContractSet, RemoteSource};

const CONCURRENT_FETCHES: usize = 8;
/// Maximum number of contracts in one verification.
const MAX_CONTRACTS: usize = 10_000;
/// Maximum number of notices of a contract before the verification, and of each kind of notice after it.
const MAX_NOTICES: usize = 100;
/// Maximum length of a notice.
const MAX_NOTICE_SIZE: usize = 10_000;

/// Returns the connection settings for brokers, and for URLs that may belong to a broker.
pub(super) fn transport(options: &VerifyOptions, environment: &Environment) -> Result<TransportOptions, ArgumentError> {
    let defaults = BrokerOptions::default().transport;
    // Problems with certificates from the environment are reported when the client for the provider is created.
    let client = options.client(environment, &mut Vec::new());
    Ok(TransportOptions {
        tls: client.tls,
        proxies: client.proxies,
        retries: environment.retries()?.map_or(defaults.retries, Retries::times),
        body_limit: usize::try_from(options.source_limit()).unwrap_or(usize::MAX),
        ..defaults
    })
}

/// Adds the contracts that the broker selects for the provider to `found`.
pub(super) async fn gather(
    verify: &VerifyOptions,
    environment: &Environment,
    place: &BrokerPlace,
    mut found: ContractSet,
) -> Result<ContractSet, Failure> {
    let selection = place.selected.selection(verify.publish_branch())?;
    let (url, credentials) = place.resolved(environment)?;
    let mut transport = transport(verify, environment)?;
    if let Some(timeout) = place.options.timeout {
        transport.timeout = timeout.0;
    }
    let client = BrokerClient::new(BrokerOptions {
        url,
        credentials,
        headers: place.headers(),
        transport,
    })
    .map_err(setup_failure)?;
    found.warnings.extend(place.selected.warning(verify.publish_branch()));
    // Fetch the index first. If it exists, a status 404 below means that the provider does not exist in the broker.
    client.index().await.map_err(broker_failure)?;
    let selected = match client.for_verification(&verify.settings.provider, &selection).await {
        Ok(selected) => selected,
        Err(error) if error.kind() == BrokerErrorKind::NotFound => {
            found.add_missing(format!(
                "the broker at {} (it has no provider with this name; a provider exists once its first contract is \
                 published)",
                client.url()
            ));
            return Ok(found);
        }
        Err(error) => return Err(broker_failure(error)),
    };
    if selected.len() > MAX_CONTRACTS {
        let message = format!(
            "the broker at {} returned {} contracts, but one verification can contain at most {MAX_CONTRACTS}; use more \
             specific selectors",
            client.url(),
            selected.len()
        );
        return Err(Failure::source(message));
    }
    if selected.is_empty() {
        found.add_missing(format!("the broker at {} for these selectors", client.url()));
    }
    let resources = read_all(&client, &selected, &mut found).await?;
    for (selected, resource) in selected.into_iter().zip(resources) {
        add(&mut found, verify, (&client, place), selected, resource);
    }
    Ok(found)
}

fn setup_failure(error: BrokerError) -> Failure {
    match error.kind() {
        BrokerErrorKind::Settings => invalid(error.to_string()).in_operation("broker_source").into(),
        _ => broker_failure(error),
    }
}

/// Converts a broker error. Its code stays the same.
fn broker_failure(error: BrokerError) -> Failure {
    match error.kind() {
        BrokerErrorKind::TooLarge => BrokerFailure::advised(error, contract_pipeline::raise_source_limit()).into(),
        _ => BrokerFailure::from(error).into(),
    }
}

/// Fetches contracts concurrently. Returns them in the order of `selected`.
async fn read_all(
    client: &BrokerClient,
    selected: &[SelectedContract],
    found: &mut ContractSet,
) -> Result<Vec<Resource>, Failure> {
    let mut tasks = JoinSet::new();
    let mut read: Vec<Option<Resource>> = selected.iter().map(|_| None).collect();
    let mut next = selected.iter().enumerate();
    loop {
        while tasks.len() < CONCURRENT_FETCHES
            && let Some((at, selected)) = next.next()
        {
            let (client, url) = (client.clone(), selected.url.clone());
            tasks.spawn(async move { (at, client.contract(&url).await) }.with_current_subscriber());
        }
        match tasks.join_next().await {
            None => break,
            Some(Ok((at, resource))) => {
                let resource = resource.map_err(broker_failure)?;
                found.count(resource.bytes().len())?;
                read[at] = Some(resource);
            }
            Some(Err(panicked)) => return Err(Failure::source(panicked.to_string())),
        }
    }
    Ok(read.into_iter().flatten().collect())
}

fn add(
    found: &mut ContractSet,
    verify: &VerifyOptions,
    (client, place): (&BrokerClient, &BrokerPlace),
    selected: SelectedContract,
    resource: Resource,
) {
    const BEFORE: &str = "before_verification";
    let short = |notice: VerificationNotice| VerificationNotice {
        text: contract_report::cut_text(&notice.text, MAX_NOTICE_SIZE),
        ..notice
    };
    let (mut before, mut after): (Vec<_>, Vec<_>) = selected
        .notices
        .into_iter()
        .map(short)
        .partition(|notice| notice.when == BEFORE);
    before.truncate(MAX_NOTICES);
    after.truncate(4 * MAX_NOTICES);
    let origin = Origin {
        broker: Some(client.url()),
        name: Some(selected.name),
        selection: selected.short_description,
        wip: selected.wip,
        ..Origin::new(OriginKind::Broker)
    };
    let fetched = Arc::new(Fetched {
        client: client.clone(),
        resource,
        notices: after,
    });
    // Brokers report the pending status even if it was not requested. If it was not requested, failures count.
    let properties = BrokerProperties {
        origin,
        pending: selected.wip || (selected.pending == Some(true) && place.selected.includes_pending()),
        notices: before.into_iter().map(|notice| notice.text).collect(),
    };
    let url = client.secrets().redact(&display_url(&selected.url)).into_owned();
    found.add_from_broker(url, &verify.settings.provider, properties, fetched);
}

/// Removes credentials, and the metadata that the broker appends to the URL of a contract for its own use.
fn display_url(url: &str) -> String {
    let url = url.split("/metadata/").next().unwrap_or(url);
    contract_report::redact::text(&contract_wire::redact_url(url)).into_owned()
}

/// Fetches a contract again from its broker, to obtain the links that are needed to publish the result. Returns `None`
/// if no results are published, or if the contract in `bytes` does not come from a broker.
pub(crate) async fn behind_url(
    verify: &VerifyOptions,
    environment: &Environment,
    remote: &RemoteSource,
    bytes: &[u8],
) -> Result<Option<Fetched>, SourceError> {
    let has_links = || {
        Some(
            Json::parse(bytes)
                .ok()?
                .get("_links")?
                .get("pb:publish-verification-results")?
                .is_null(),
        )
    };
    // The links are only needed to publish results.
    if verify.publish.is_none() || has_links() != Some(false) {
        return Ok(None);
    }
    let client = BrokerClient::new(BrokerOptions {
        url: origin_of(&remote.url),
        credentials: remote.credentials(),
        headers: remote.headers.clone().into_iter().collect(),
        transport: transport(verify, environment)?,
    })
    .map_err(|error| match error.kind() {
        BrokerErrorKind::Settings => invalid(error.to_string()).in_operation("broker_source").into(),
        _ => SourceError::from(error),
    })?;
    let url = contract_wire::without_credentials(&remote.url);
    let resource = client.contract(&url).await?;
    Ok(Some(Fetched {
        client,
        resource,
        notices: Vec::new(),
    }))
}

/// Returns the scheme, credentials, host, and port of a URL.
fn origin_of(url: &str) -> String {
    let start = url.find("://").map_or(0, |at| at + 3);
    let end = url[start..].find(['/', '?', '#']).map_or(url.len(), |at| start + at);
    url[..end].to_owned()
}

#[cfg(test)]
mod tests {
    use super::{display_url, origin_of};

    #[test]
    fn shortens_urls() {
        assert_eq!(origin_of("https://me@b:1/x/y"), "https://me@b:1");
        assert_eq!(
            display_url("http://b/pact-version/1/metadata/abc"),
            "http://b/pact-version/1"
        );
    }
}
