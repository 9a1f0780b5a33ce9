use contract_broker_client::{BrokerClient, EnvironmentChange, plain};
use contract_model::Object;

use super::arguments::{UuidArgument, invalid_argument, missing_argument, valid_line};
use super::failure::BrokerFailure;
use super::reply::BrokerReply;
use super::values::{Deletion, Environment};
use contract_call::error::ArgumentError;
use contract_call::message::{message, operation, option};

fn check(change: &EnvironmentChange) -> Result<(), ArgumentError> {
    let Some(name) = &change.name else { return Ok(()) };
    if !valid_line("name", name)?.contains(' ') {
        return Ok(());
    }
    let message = message![
        option("name"),
        " of an environment must not contain spaces; use ",
        option("display_name"),
        " for a name with spaces"
    ];
    Err(invalid_argument("name", message))
}

pub(super) async fn create(
    change: EnvironmentChange,
    client: BrokerClient,
) -> Result<BrokerReply<Environment>, BrokerFailure> {
    check(&change)?;
    if change.name.is_none() {
        return Err(missing_argument("name").into());
    }
    if change.uuid.is_some() {
        return Err(invalid_argument(
            "uuid",
            "uuid is not supported: the broker assigns the UUID of a new environment",
        )
        .into());
    }
    Ok(client.create_environment(&change).await?.into())
}

pub(super) async fn update(
    change: EnvironmentChange,
    client: BrokerClient,
) -> Result<BrokerReply<Environment>, BrokerFailure> {
    check(&change)?;
    let uuid = match (&change.uuid, &change.name) {
        (Some(uuid), _) => valid_line("uuid", uuid)?.to_owned(),
        (None, Some(name)) => client.environment_uuid(name).await?,
        (None, None) => return Err(missing_argument("uuid").into()),
    };
    Ok(client.update_environment(&uuid, &change).await?.into())
}

pub(super) async fn describe(
    arguments: &UuidArgument,
    client: BrokerClient,
) -> Result<BrokerReply<Environment>, BrokerFailure> {
    Ok(client.environment(&arguments.uuid).await?.into())
}

pub(super) async fn delete(
    arguments: &UuidArgument,
    client: BrokerClient,
) -> Result<BrokerReply<Deletion>, BrokerFailure> {
    let uuid: &str = &arguments.uuid;
    let existed = client.delete_environment(uuid).await?;
    let not_found = format!("environment with UUID {uuid:?} not found");
    BrokerReply::deleted(
        existed,
        not_found,
        message!["list the environments with ", operation("list_environments")],
    )
}

pub(super) async fn list(client: BrokerClient) -> Result<BrokerReply<Vec<Environment>>, BrokerFailure> {
    let all = client.environments().await?;
    let values: Vec<Object> = all.embedded("environments").iter().map(plain).collect();
    Ok(BrokerReply::list(values, all.into_document()))
}
