//! Contracts as the broker has them.

use std::collections::HashSet;
use std::path::Path;

use contract_broker_client::{BrokerClient, ContractChoice, Link, Resource, version_in};
use contract_model::{Json, Layout, Object};
use serde::Deserialize;

use super::arguments::{Nothing, refuse, said};
use super::failure::BrokerFailure;
use super::files::download_path;
use super::reply::BrokerReply;
use super::shape;
use crate::file::file_problem;
use crate::message::{option, told};

pub(super) async fn latest(_: &Nothing, client: BrokerClient) -> Result<BrokerReply, BrokerFailure> {
    let all = client.latest_contracts().await?;
    let found = all.document().get("pacts").and_then(Json::as_array).unwrap_or_default();
    let value: Vec<Json> = found.iter().map(one_of_latest).collect();
    Ok(BrokerReply {
        value: value.into(),
        document: all.into_document(),
    })
}

fn one_of_latest(document: &Json) -> Json {
    let consumer = shape::embedded(document, "consumer").first();
    let provider = shape::embedded(document, "provider").first();
    let version = consumer.and_then(|consumer| shape::embedded(consumer, "version").first());
    let text = |of: Option<&Json>, name: &str| shape::or_null(of.and_then(|of| of.get(name)).cloned());
    let mut out = Object::new();
    out.insert("consumer", text(consumer, "name"));
    out.insert("consumerVersion", text(version, "number"));
    out.insert("provider", text(provider, "name"));
    out.insert("createdAt", text(Some(document), "createdAt"));
    out.insert("url", shape::or_null(shape::url(document, "self")));
    out.into()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Wanted {
    provider: String,
    consumer: Option<String>,
    branch: Option<String>,
    #[serde(default)]
    latest: bool,
    #[serde(default)]
    download: bool,
    download_dir: Option<String>,
}

pub(super) async fn get(given: Wanted, client: BrokerClient) -> Result<BrokerReply, BrokerFailure> {
    let choice = ContractChoice {
        provider: said("provider", &given.provider)?.to_owned(),
        branch: given.branch,
        latest: given.latest,
        consumer: given.consumer,
    };
    let list = client.contracts_of(&choice).await?;
    let directory = given
        .download
        .then(|| given.download_dir.unwrap_or_else(|| "pacts".to_owned()));
    let mut value: Vec<Json> = Vec::new();
    for link in links_of(&list) {
        // What the list itself tells need not be read.
        let told = link.name.clone().zip(version_in(&link.href));
        let found = match told {
            Some((consumer, version)) if directory.is_none() => Located {
                consumer,
                version: Some(version),
                contract: None,
            },
            _ => Located::of(client.contract(&link.href).await?),
        };
        if choice.consumer.as_ref().is_some_and(|wanted| *wanted != found.consumer) {
            continue;
        }
        let mut one = Object::new();
        one.insert("consumer", found.consumer.as_str());
        one.insert("consumerVersion", shape::or_null(found.version.as_deref()));
        one.insert("provider", choice.provider.as_str());
        one.insert("url", link.href.as_str());
        if let (Some(directory), Some(contract)) = (&directory, &found.contract) {
            let path = download_path(directory, &found.consumer, &choice.provider, found.version.as_deref());
            write(&path, contract)?;
            one.insert("file", path.display().to_string());
        }
        value.push(one.into());
    }
    Ok(BrokerReply {
        value: value.into(),
        document: list.into_document(),
    })
}

/// A contract of a list.
struct Located {
    consumer: String,
    version: Option<String>,
    contract: Option<Resource>,
}

impl Located {
    fn of(contract: Resource) -> Self {
        let consumer = contract.document().pointer("/consumer/name").and_then(Json::as_str);
        Self {
            consumer: consumer.unwrap_or_default().to_owned(),
            version: contract.link("pb:consumer-version").and_then(|link| link.name),
            contract: Some(contract),
        }
    }
}

/// The contracts of a list, each once: old brokers have another name for the links.
fn links_of(list: &Resource) -> Vec<Link> {
    let mut found = list.links("pb:pacts");
    if found.is_empty() {
        found = list.links("pacts");
    }
    let mut seen = HashSet::new();
    found.retain(|link| seen.insert(link.href.clone()));
    found
}

/// A contract file as whoever published it wrote it, without what the broker added.
fn write(path: &Path, contract: &Resource) -> Result<(), BrokerFailure> {
    let failed = |doing: &str, error: &std::io::Error| {
        BrokerFailure::local("ERR_CONTRACT_FILE", file_problem(path, doing, error))
    };
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(|error| failed("make the directory of", &error))?;
    }
    let mut document = contract.document().clone();
    if let Some(members) = document.as_object_mut() {
        members.retain(|name, _| !matches!(name, "_links" | "createdAt" | "_embedded"));
        for list in ["interactions", "messages"] {
            if let Some(Json::Array(items)) = members.get_mut(list) {
                for item in items.iter_mut().filter_map(Json::as_object_mut) {
                    item.remove("_id");
                }
            }
        }
    }
    std::fs::write(path, document.to_layout(Layout::Sorted)).map_err(|error| failed("write", &error))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct States {
    provider: String,
    branch: Option<String>,
    environment: Option<String>,
}

pub(super) async fn provider_states(given: &States, client: BrokerClient) -> Result<BrokerReply, BrokerFailure> {
    let provider = said("provider", &given.provider)?;
    if given.branch.is_some() && given.environment.is_some() {
        let message = told![option("branch"), " and ", option("environment"), " exclude each other"];
        return Err(refuse("branch", message).into());
    }
    let uuid = match &given.environment {
        Some(name) => client
            .environment_named(name)
            .await?
            .get("uuid")
            .and_then(Json::as_str)
            .map(str::to_owned),
        None => None,
    };
    let found = client
        .provider_states(provider, given.branch.as_deref(), uuid.as_deref())
        .await?;
    let states = found.document().get("providerStates").cloned();
    Ok(BrokerReply {
        value: states.unwrap_or_else(|| Json::from(Vec::new())),
        document: found.into_document(),
    })
}
