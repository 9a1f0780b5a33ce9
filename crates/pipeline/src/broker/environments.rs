use contract_broker_client::{BrokerClient, EnvironmentChange, plain};
use contract_model::Json;

use super::arguments::{Identified, Nothing, missing, refuse, said};
use super::failure::BrokerFailure;
use super::reply::BrokerReply;
use contract_call::error::ArgumentError;
use contract_call::message::{message, operation, option};

fn check(change: &EnvironmentChange) -> Result<(), ArgumentError> {
    let Some(name) = &change.name else { return Ok(()) };
    if !said("name", name)?.contains(' ') {
        return Ok(());
    }
    let message = message![
        option("name"),
        " of an environment must not contain spaces; use ",
        option("display_name"),
        " for a name with spaces"
    ];
    Err(refuse("name", message))
}

pub(super) async fn create(change: EnvironmentChange, client: BrokerClient) -> Result<BrokerReply, BrokerFailure> {
    check(&change)?;
    if change.name.is_none() {
        return Err(missing("name").into());
    }
    if change.uuid.is_some() {
        return Err(refuse(
            "uuid",
            "uuid is not supported: the broker assigns the UUID of a new environment",
        )
        .into());
    }
    Ok(client.create_environment(&change).await?.into())
}

pub(super) async fn update(change: EnvironmentChange, client: BrokerClient) -> Result<BrokerReply, BrokerFailure> {
    check(&change)?;
    let uuid = match (&change.uuid, &change.name) {
        (Some(uuid), _) => said("uuid", uuid)?.to_owned(),
        (None, Some(name)) => client.environment_uuid(name).await?,
        (None, None) => return Err(missing("uuid").into()),
    };
    Ok(client.update_environment(&uuid, &change).await?.into())
}

pub(super) async fn describe(given: &Identified, client: BrokerClient) -> Result<BrokerReply, BrokerFailure> {
    Ok(client.environment(&given.uuid).await?.into())
}

pub(super) async fn delete(given: &Identified, client: BrokerClient) -> Result<BrokerReply, BrokerFailure> {
    let uuid: &str = &given.uuid;
    let was_there = client.delete_environment(uuid).await?;
    let what = format!("environment with UUID {uuid:?} not found");
    BrokerReply::deleted(
        was_there,
        what,
        message!["list the environments with ", operation("list_environments")],
    )
}

pub(super) async fn list(_: &Nothing, client: BrokerClient) -> Result<BrokerReply, BrokerFailure> {
    let all = client.environments().await?;
    let values: Vec<Json> = all
        .embedded("environments")
        .iter()
        .map(|one| plain(one).into())
        .collect();
    Ok(BrokerReply::new(values, all.into_document()))
}
