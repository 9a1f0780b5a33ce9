//! Records deployments and releases.

use contract_broker_client::{BrokerClient, Deployed, Occupancy, Resource, record as value_of};
use serde::Deserialize;

use super::arguments::SingleLine;
use super::failure::BrokerFailure;
use super::reply::BrokerReply;
use super::values::DeploymentRecord;
use contract_call::message::{message, option};

/// Options for `record_deployment`: the deployed version and its environment.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeploymentArguments {
    pub pacticipant: SingleLine,
    pub version: SingleLine,
    /// Name of the environment to which the version was deployed.
    pub environment: SingleLine,
    /// Name of the application instance. Required only if several instances run in the environment.
    pub application_instance: Option<SingleLine>,
}

/// Options for `record_release` and `record_support_ended`: the released version and its environment.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReleaseArguments {
    pub pacticipant: SingleLine,
    pub version: SingleLine,
    /// Name of the environment in which the version is released.
    pub environment: SingleLine,
}

/// Options for `record_undeployment`: the pacticipant, and the environment to which it is no longer deployed.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UndeploymentArguments {
    pub pacticipant: SingleLine,
    /// Name of the environment from which the pacticipant was removed.
    pub environment: SingleLine,
    /// Name of the application instance, as passed to `record_deployment`. Omit it if the deployment has none.
    pub application_instance: Option<String>,
}

pub(super) async fn deployment(
    arguments: &DeploymentArguments,
    client: BrokerClient,
) -> Result<BrokerReply<DeploymentRecord>, BrokerFailure> {
    let DeploymentArguments {
        pacticipant,
        version,
        environment,
        application_instance,
    } = arguments;
    let recorded = client
        .record(
            Occupancy::Deployed,
            pacticipant,
            version,
            environment,
            application_instance.as_deref(),
        )
        .await?;
    Ok(reply(pacticipant, version, environment, recorded))
}

pub(super) async fn release(
    arguments: &ReleaseArguments,
    client: BrokerClient,
) -> Result<BrokerReply<DeploymentRecord>, BrokerFailure> {
    let ReleaseArguments {
        pacticipant,
        version,
        environment,
    } = arguments;
    let recorded = client
        .record(Occupancy::Released, pacticipant, version, environment, None)
        .await?;
    Ok(reply(pacticipant, version, environment, recorded))
}

fn reply(pacticipant: &str, version: &str, environment: &str, recorded: Resource) -> BrokerReply<DeploymentRecord> {
    let value = value_of(pacticipant, version, environment, recorded.document());
    BrokerReply::passed_on(value).with_document(recorded.into_document())
}

pub(super) async fn undeployment(
    arguments: &UndeploymentArguments,
    client: BrokerClient,
) -> Result<BrokerReply<DeploymentRecord>, BrokerFailure> {
    let UndeploymentArguments {
        pacticipant,
        environment,
        application_instance,
    } = arguments;
    let all = client
        .current(Occupancy::Deployed, Some(pacticipant), environment)
        .await?;
    let Some(found) = all
        .iter()
        .find(|deployed| deployed.application_instance == *application_instance)
    else {
        return Err(not_deployed(arguments, &all, &client).await);
    };
    let ended = client.end(Occupancy::Deployed, found).await?;
    Ok(reply(pacticipant, &found.version, environment, ended))
}

/// Returns an error that says which argument is wrong, or lists the application instances that exist.
async fn not_deployed(arguments: &UndeploymentArguments, all: &[Deployed], client: &BrokerClient) -> BrokerFailure {
    let (pacticipant, environment): (&str, &str) = (&arguments.pacticipant, &arguments.environment);
    if let Err(error) = client.pacticipant(pacticipant).await {
        return error.into();
    }
    let instance = match &arguments.application_instance {
        Some(name) => format!(" as the application instance {name:?}"),
        None if all.is_empty() => String::new(),
        None => " without an application instance".to_owned(),
    };
    let problem = format!("{pacticipant} is not deployed to {environment}{instance}");
    let instance = option("application_instance");
    let advice = if all.is_empty() {
        "no version is deployed".into()
    } else if all.iter().all(|deployed| deployed.application_instance.is_none()) {
        message!["it is deployed without an application instance; omit ", instance]
    } else {
        let name = |deployed: &'_ Deployed| {
            deployed
                .application_instance
                .clone()
                .unwrap_or_else(|| "(none)".to_owned())
        };
        let instances: Vec<String> = all.iter().map(name).collect();
        message!["set ", instance, format!(" to one of: {}", instances.join(", "))]
    };
    BrokerFailure::not_found(problem, advice)
}

pub(super) async fn support_ended(
    arguments: &ReleaseArguments,
    client: BrokerClient,
) -> Result<BrokerReply<DeploymentRecord>, BrokerFailure> {
    let (pacticipant, version, environment): (&str, &str, &str) =
        (&arguments.pacticipant, &arguments.version, &arguments.environment);
    let all = client
        .current(Occupancy::Released, Some(pacticipant), environment)
        .await?;
    let Some(found) = all.iter().find(|deployed| deployed.version == version) else {
        client.version(pacticipant, version).await?;
        let message = format!("version {version} of {pacticipant} is not supported in {environment}");
        let versions: Vec<&str> = all.iter().map(|deployed| deployed.version.as_str()).collect();
        let supported = versions.join(", ");
        let advice = if supported.is_empty() {
            "no version is supported".to_owned()
        } else {
            format!("supported versions: {supported}")
        };
        return Err(BrokerFailure::not_found(message, advice));
    };
    let ended = client.end(Occupancy::Released, found).await?;
    Ok(reply(pacticipant, version, environment, ended))
}
