//! Lists and downloads contracts.

use std::collections::HashSet;
use std::path::Path;

use contract_broker_client::{
    BrokerClient, ContractChoice, Link, Resource, latest_contract, version_in, without_additions,
};
use contract_model::{Json, Layout};
use serde::Deserialize;

use super::arguments::{SingleLine, mutually_exclusive};
use super::failure::BrokerFailure;
use super::files::download_path;
use super::reply::BrokerReply;
use super::values::{BrokerContract, RequestedState};
use contract_call::files::file_problem;

pub(super) async fn latest(client: BrokerClient) -> Result<BrokerReply<Vec<BrokerContract>>, BrokerFailure> {
    let all = client.latest_contracts().await?;
    let found = all.document().get("pacts").and_then(Json::as_array).unwrap_or_default();
    let values: Vec<Json> = found.iter().map(latest_contract).collect();
    Ok(BrokerReply::list(values, all.into_document()))
}

/// Options for `get_contracts`: which contracts to list, and whether to download them.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GetContractsArguments {
    pub provider: SingleLine,
    pub consumer: Option<String>,
    pub branch: Option<String>,
    /// Whether only the latest contract of each consumer is listed. Default: false.
    #[serde(default)]
    pub latest: bool,
    /// Whether the listed contracts are written to files. Default: false.
    #[serde(default)]
    pub download: bool,
    /// Directory for the files, if `download` is true. Default: `pacts`.
    pub download_dir: Option<String>,
}

pub(super) async fn get(
    arguments: GetContractsArguments,
    client: BrokerClient,
) -> Result<BrokerReply<Vec<BrokerContract>>, BrokerFailure> {
    let choice = ContractChoice {
        provider: arguments.provider.into(),
        branch: arguments.branch,
        latest: arguments.latest,
        consumer: arguments.consumer,
    };
    let list = client.contracts_of(&choice).await?;
    let directory = arguments
        .download
        .then(|| arguments.download_dir.unwrap_or_else(|| "pacts".to_owned()));
    let mut values = Vec::new();
    for link in links_of(&list) {
        // The contract need not be fetched if the list contains its name and version.
        let named = link.name.clone().zip(version_in(&link.href));
        let found = match named {
            Some((consumer, version)) if directory.is_none() => ListedContract {
                consumer,
                version: Some(version),
                contract: None,
            },
            _ => ListedContract::from_resource(client.contract(&link.href).await?),
        };
        if choice.consumer.as_ref().is_some_and(|name| *name != found.consumer) {
            continue;
        }
        let mut file = None;
        if let (Some(directory), Some(contract)) = (&directory, &found.contract) {
            let path = download_path(directory, &found.consumer, &choice.provider, found.version.as_deref());
            write(&path, contract)?;
            file = Some(path.display().to_string());
        }
        values.push(BrokerContract {
            consumer: found.consumer,
            consumer_version: found.version,
            provider: choice.provider.clone(),
            url: link.href,
            created_at: None,
            file,
        });
    }
    Ok(BrokerReply::new(&values).with_document(list.into_document()))
}

struct ListedContract {
    consumer: String,
    version: Option<String>,
    contract: Option<Resource>,
}

impl ListedContract {
    fn from_resource(contract: Resource) -> Self {
        let consumer = contract.document().pointer("/consumer/name").and_then(Json::as_str);
        Self {
            consumer: consumer.unwrap_or_default().to_owned(),
            version: contract.link("pb:consumer-version").and_then(|link| link.name),
            contract: Some(contract),
        }
    }
}

/// Returns the links in a list without duplicates. Older brokers use the `pacts` relation in place of `pb:pacts`.
fn links_of(list: &Resource) -> Vec<Link> {
    let mut found = list.links("pb:pacts");
    if found.is_empty() {
        found = list.links("pacts");
    }
    let mut seen = HashSet::new();
    found.retain(|link| seen.insert(link.href.clone()));
    found
}

fn write(path: &Path, contract: &Resource) -> Result<(), BrokerFailure> {
    let failed = |doing: &str, error: &std::io::Error| {
        BrokerFailure::local("ERR_CONTRACT_FILE", file_problem(path, doing, error))
    };
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(|error| failed("create the directory of", &error))?;
    }
    let document = without_additions(contract.document());
    contract_call::files::write(path, document.to_layout(Layout::Sorted).as_bytes())
        .map_err(|error| failed("write", &error))
}

/// Options for `provider_states`: the provider, and the contracts to consider.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProviderStatesArguments {
    pub provider: SingleLine,
    /// Considers only the contracts on this branch of each consumer. Mutually exclusive with `environment`.
    pub branch: Option<String>,
    /// Considers only the contracts of consumer versions in this environment. Mutually exclusive with `branch`.
    pub environment: Option<String>,
}

pub(super) async fn provider_states(
    arguments: &ProviderStatesArguments,
    client: BrokerClient,
) -> Result<BrokerReply<Vec<RequestedState>>, BrokerFailure> {
    if arguments.branch.is_some() && arguments.environment.is_some() {
        return Err(mutually_exclusive("branch", "environment").into());
    }
    let uuid = match &arguments.environment {
        Some(name) => Some(client.environment_uuid(name).await?),
        None => None,
    };
    let found = client
        .provider_states(&arguments.provider, arguments.branch.as_deref(), uuid.as_deref())
        .await?;
    let states = found.document().get("providerStates").and_then(Json::as_array);
    let states = states.unwrap_or_default().to_vec();
    Ok(BrokerReply::list(states, found.into_document()))
}
