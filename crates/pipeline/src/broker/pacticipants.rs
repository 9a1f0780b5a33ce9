use contract_broker_client::{BrokerClient, PacticipantChange, plain};

use super::arguments::{Named, Nothing, said};
use super::failure::BrokerFailure;
use super::reply::BrokerReply;

pub(super) async fn create_or_update(
    change: PacticipantChange,
    client: BrokerClient,
) -> Result<BrokerReply, BrokerFailure> {
    said("name", &change.name)?;
    let (found, created) = client.create_or_update_pacticipant(&change).await?;
    let mut value = plain(found.document());
    value.insert("created", created);
    Ok(BrokerReply::new(value, found.into_document()))
}

pub(super) async fn describe(given: &Named, client: BrokerClient) -> Result<BrokerReply, BrokerFailure> {
    Ok(client.pacticipant(&given.name).await?.into())
}

pub(super) async fn delete(given: &Named, client: BrokerClient) -> Result<BrokerReply, BrokerFailure> {
    let name: &str = &given.name;
    let was_there = client.delete_pacticipant(name).await?;
    let what = format!("pacticipant {name:?} not found");
    BrokerReply::deleted(was_there, what, "check the name")
}

pub(super) async fn list(_: &Nothing, client: BrokerClient) -> Result<BrokerReply, BrokerFailure> {
    let all = client.pacticipants().await?;
    let document = client.pacticipant_list().await?.into_document();
    Ok(BrokerReply::list(all.iter().map(|one| plain(one).into()), document))
}
