//! Pacticipants.

use contract_broker_client::{BrokerClient, BrokerError, BrokerErrorKind, PacticipantChange};
use contract_model::Json;
use serde::Deserialize;

use super::arguments::{Named, Nothing, said};
use super::failure::BrokerFailure;
use super::reply::BrokerReply;
use super::shape;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
    name: String,
    display_name: Option<String>,
    main_branch: Option<String>,
    repository_url: Option<String>,
}

pub(super) async fn create_or_update(given: Arguments, client: BrokerClient) -> Result<BrokerReply, BrokerFailure> {
    said("name", &given.name)?;
    let change = PacticipantChange {
        name: given.name,
        display_name: given.display_name,
        main_branch: given.main_branch,
        repository_url: given.repository_url,
    };
    let (found, created) = client.create_or_update_pacticipant(&change).await?;
    let mut reply = shape::one(found);
    if let Some(members) = reply.value.as_object_mut() {
        members.insert("created", created);
    }
    Ok(reply)
}

pub(super) async fn describe(given: &Named, client: BrokerClient) -> Result<BrokerReply, BrokerFailure> {
    Ok(shape::one(client.pacticipant(said("name", &given.name)?).await?))
}

pub(super) async fn delete(given: &Named, client: BrokerClient) -> Result<BrokerReply, BrokerFailure> {
    if client.delete_pacticipant(said("name", &given.name)?).await? {
        return Ok(shape::deleted(true));
    }
    let what = format!("there is no pacticipant {:?} at the broker", given.name);
    Err(BrokerError::new(BrokerErrorKind::NotFound, what)
        .with_advice("check the name")
        .into())
}

pub(super) async fn list(_: &Nothing, client: BrokerClient) -> Result<BrokerReply, BrokerFailure> {
    let all = client.pacticipants().await?;
    let document = client.pacticipant_list().await?.into_document();
    let value: Vec<Json> = all.iter().map(|one| shape::plain(one).into()).collect();
    Ok(BrokerReply {
        value: value.into(),
        document,
    })
}
