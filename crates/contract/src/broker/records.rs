//! What is where: deployments and releases.

use contract_broker_client::{BrokerClient, Deployed, Occupancy};
use serde::Deserialize;

use super::arguments::said;
use super::failure::BrokerFailure;
use super::reply::BrokerReply;
use super::shape;
use crate::message::{option, told};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Deployment {
    pacticipant: String,
    version: String,
    environment: String,
    application_instance: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Release {
    pacticipant: String,
    version: String,
    environment: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Undeployment {
    pacticipant: String,
    environment: String,
    application_instance: Option<String>,
}

pub(super) async fn deployment(given: &Deployment, client: BrokerClient) -> Result<BrokerReply, BrokerFailure> {
    let instance = given.application_instance.as_deref();
    let place = (
        given.pacticipant.as_str(),
        given.version.as_str(),
        given.environment.as_str(),
    );
    record(Occupancy::Deployed, place, instance, &client).await
}

pub(super) async fn release(given: &Release, client: BrokerClient) -> Result<BrokerReply, BrokerFailure> {
    let place = (
        given.pacticipant.as_str(),
        given.version.as_str(),
        given.environment.as_str(),
    );
    record(Occupancy::Released, place, None, &client).await
}

async fn record(
    occupancy: Occupancy,
    (pacticipant, version, environment): (&str, &str, &str),
    instance: Option<&str>,
    client: &BrokerClient,
) -> Result<BrokerReply, BrokerFailure> {
    let pacticipant = said("pacticipant", pacticipant)?;
    let version = said("version", version)?;
    let environment = said("environment", environment)?;
    if let Some(instance) = instance {
        said("application_instance", instance)?;
    }
    let recorded = client
        .record(occupancy, pacticipant, version, environment, instance)
        .await?;
    Ok(BrokerReply {
        value: {
            let mut value = shape::record(pacticipant, environment, recorded.document());
            if let Some(members) = value.as_object_mut() {
                members.insert("version", version);
            }
            value
        },
        document: recorded.into_document(),
    })
}

pub(super) async fn undeployment(given: &Undeployment, client: BrokerClient) -> Result<BrokerReply, BrokerFailure> {
    let pacticipant = said("pacticipant", &given.pacticipant)?;
    let environment = said("environment", &given.environment)?;
    let all = client
        .current(Occupancy::Deployed, Some(pacticipant), environment)
        .await?;
    let wanted = given.application_instance.as_deref();
    let is_wanted = |one: &&Deployed| one.application_instance.as_deref() == wanted;
    let Some(found) = all.iter().find(is_wanted) else {
        return Err(not_deployed(given, &all, &client).await);
    };
    ended(Occupancy::Deployed, (pacticipant, environment), found, &client).await
}

/// Which of the names is wrong, or which instances there are.
async fn not_deployed(given: &Undeployment, all: &[Deployed], client: &BrokerClient) -> BrokerFailure {
    let Undeployment {
        pacticipant,
        environment,
        application_instance,
    } = given;
    if let Err(error) = client.pacticipant(pacticipant).await {
        return error.into();
    }
    let instance = match application_instance {
        Some(name) => format!(" as the application instance {name:?}"),
        None if all.is_empty() => String::new(),
        None => " without an application instance".to_owned(),
    };
    let what = format!("{pacticipant} is not deployed to {environment}{instance}");
    let instance = option("application_instance");
    let advice = if all.is_empty() {
        "nothing of it is there".into()
    } else if all.iter().all(|one| one.application_instance.is_none()) {
        told!["it is there without one: leave ", instance, " out"]
    } else {
        let instances: Vec<String> = all.iter().map(shape::instance).collect();
        told!["say which with ", instance, format!(": {}", instances.join(", "))]
    };
    BrokerFailure::not_there(what, advice)
}

pub(super) async fn support_ended(given: &Release, client: BrokerClient) -> Result<BrokerReply, BrokerFailure> {
    let pacticipant = said("pacticipant", &given.pacticipant)?;
    let version = said("version", &given.version)?;
    let environment = said("environment", &given.environment)?;
    let all = client
        .current(Occupancy::Released, Some(pacticipant), environment)
        .await?;
    let Some(found) = all.iter().find(|one| one.version == version) else {
        client.version(pacticipant, version).await?;
        let what = format!("version {version} of {pacticipant} is not supported in {environment}");
        let versions: Vec<&str> = all.iter().map(|one| one.version.as_str()).collect();
        let there = versions.join(", ");
        let advice = if there.is_empty() {
            "no version of it is".to_owned()
        } else {
            format!("those that are: {there}")
        };
        return Err(BrokerFailure::not_there(what, advice));
    };
    ended(Occupancy::Released, (pacticipant, environment), found, &client).await
}

async fn ended(
    occupancy: Occupancy,
    (pacticipant, environment): (&str, &str),
    found: &Deployed,
    client: &BrokerClient,
) -> Result<BrokerReply, BrokerFailure> {
    let ended = client.end(occupancy, found).await?;
    let mut value = shape::record(pacticipant, environment, ended.document());
    if let Some(members) = value.as_object_mut() {
        members.insert("version", found.version.as_str());
    }
    Ok(BrokerReply {
        value,
        document: ended.into_document(),
    })
}
