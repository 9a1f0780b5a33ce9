use contract_broker_client::{BrokerClient, PacticipantChange, plain};

use super::arguments::{NameArgument, valid_line};
use super::failure::BrokerFailure;
use super::reply::BrokerReply;
use super::values::{Deletion, Pacticipant};

pub(super) async fn create_or_update(
    change: PacticipantChange,
    client: BrokerClient,
) -> Result<BrokerReply<Pacticipant>, BrokerFailure> {
    valid_line("name", &change.name)?;
    let (found, created) = client.create_or_update_pacticipant(&change).await?;
    let mut value = plain(found.document());
    value.insert("created", created);
    Ok(BrokerReply::passed_on(value).with_document(found.into_document()))
}

pub(super) async fn describe(
    arguments: &NameArgument,
    client: BrokerClient,
) -> Result<BrokerReply<Pacticipant>, BrokerFailure> {
    Ok(client.pacticipant(&arguments.name).await?.into())
}

pub(super) async fn delete(
    arguments: &NameArgument,
    client: BrokerClient,
) -> Result<BrokerReply<Deletion>, BrokerFailure> {
    let name: &str = &arguments.name;
    let existed = client.delete_pacticipant(name).await?;
    let message = format!("pacticipant {name:?} not found");
    BrokerReply::deleted(existed, message, "check the name")
}

pub(super) async fn list(client: BrokerClient) -> Result<BrokerReply<Vec<Pacticipant>>, BrokerFailure> {
    let all = client.pacticipants().await?;
    let document = client.pacticipant_list().await?.into_document();
    Ok(BrokerReply::list(all.iter().map(plain), document))
}
