//! Environments.

use contract_broker_client::{BrokerClient, EnvironmentChange};
use contract_model::Json;
use serde::Deserialize;

use super::arguments::{Identified, Nothing, refuse, said};
use super::failure::BrokerFailure;
use super::reply::BrokerReply;
use super::shape;
use crate::message::{operation, option, told};

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Arguments {
    uuid: Option<String>,
    name: Option<String>,
    display_name: Option<String>,
    production: Option<bool>,
    contact_name: Option<String>,
    contact_email_address: Option<String>,
}

impl Arguments {
    /// The UUID, if one was given, and what is to be so.
    fn change(self) -> Result<(Option<String>, EnvironmentChange), BrokerFailure> {
        if let Some(name) = &self.name
            && said("name", name)?.contains(' ')
        {
            let message = told![
                option("name"),
                " of an environment must not hold spaces; ",
                option("display_name"),
                " may"
            ];
            return Err(refuse("name", message).into());
        }
        let change = EnvironmentChange {
            name: self.name,
            display_name: self.display_name,
            production: self.production,
            contact_name: self.contact_name,
            contact_email: self.contact_email_address,
        };
        Ok((self.uuid, change))
    }
}

pub(super) async fn create(given: Arguments, client: BrokerClient) -> Result<BrokerReply, BrokerFailure> {
    let (uuid, change) = given.change()?;
    if change.name.is_none() {
        return Err(refuse("name", told![option("name"), " must be given"]).into());
    }
    if uuid.is_some() {
        return Err(refuse("uuid", "a new environment gets its UUID from the broker").into());
    }
    Ok(shape::one(client.create_environment(&change).await?))
}

pub(super) async fn update(given: Arguments, client: BrokerClient) -> Result<BrokerReply, BrokerFailure> {
    let (uuid, change) = given.change()?;
    let uuid = match (&uuid, &change.name) {
        (Some(uuid), _) => said("uuid", uuid)?.to_owned(),
        (None, Some(name)) => {
            let found = client.environment_named(name).await?;
            found.get("uuid").and_then(Json::as_str).unwrap_or_default().to_owned()
        }
        (None, None) => return Err(refuse("uuid", told![option("uuid"), " must be given"]).into()),
    };
    Ok(shape::one(client.update_environment(&uuid, &change).await?))
}

pub(super) async fn describe(given: &Identified, client: BrokerClient) -> Result<BrokerReply, BrokerFailure> {
    Ok(shape::one(client.environment(said("uuid", &given.uuid)?).await?))
}

pub(super) async fn delete(given: &Identified, client: BrokerClient) -> Result<BrokerReply, BrokerFailure> {
    if client.delete_environment(said("uuid", &given.uuid)?).await? {
        return Ok(shape::deleted(true));
    }
    let what = format!("there is no environment with the UUID {:?} at the broker", given.uuid);
    let advice = told![operation("list_environments"), " shows those there are"];
    Err(BrokerFailure::not_there(what, advice))
}

pub(super) async fn list(_: &Nothing, client: BrokerClient) -> Result<BrokerReply, BrokerFailure> {
    let all = client.environments().await?;
    Ok(shape::list(all, "environments", |one| shape::plain(one).into()))
}
