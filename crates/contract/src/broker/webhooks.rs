//! Webhooks.

use std::collections::BTreeMap;

use contract_broker_client::{BrokerClient, BrokerError, BrokerErrorKind, Webhook};
use contract_model::{Json, Object};
use serde::Deserialize;

use super::arguments::{Identified, Nothing, refuse, said};
use super::failure::BrokerFailure;
use super::reply::BrokerReply;
use super::shape;
use crate::message::{option, told};
use crate::read::Document;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
    uuid: Option<String>,
    url: String,
    method: Option<String>,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    #[serde(default)]
    body: Document,
    username: Option<String>,
    password: Option<String>,
    consumer: Option<String>,
    consumer_label: Option<String>,
    provider: Option<String>,
    provider_label: Option<String>,
    description: Option<String>,
    #[serde(default)]
    events: Vec<String>,
    team_uuid: Option<String>,
}

impl Arguments {
    fn webhook(self) -> Result<(Option<String>, Webhook), BrokerFailure> {
        said("url", &self.url)?;
        if self.events.is_empty() {
            let message = told!["give at least one of the ", option("events"), " that make it go"];
            return Err(refuse("events", message).into());
        }
        let body = match self.body.0 {
            Json::Null => None,
            Json::String(text) => Some(Json::parse(text.as_bytes()).unwrap_or(Json::String(text))),
            other => Some(other),
        };
        let webhook = Webhook {
            description: self.description,
            events: self.events,
            consumer: party("consumer", self.consumer, self.consumer_label)?,
            provider: party("provider", self.provider, self.provider_label)?,
            method: self.method.unwrap_or_else(|| "POST".to_owned()).to_ascii_uppercase(),
            url: self.url,
            headers: self.headers.into_iter().collect(),
            body,
            username: self.username,
            password: self.password,
            team: self.team_uuid,
        };
        Ok((self.uuid, webhook))
    }
}

fn party(role: &'static str, name: Option<String>, label: Option<String>) -> Result<Option<Json>, BrokerFailure> {
    let (key, value) = match (name, label) {
        (None, None) => return Ok(None),
        (Some(name), None) => ("name", name),
        (None, Some(label)) => ("label", label),
        (Some(_), Some(_)) => {
            let message = told![option(role), " and its label exclude each other"];
            return Err(refuse(role, message).into());
        }
    };
    let party: Object = [(key, value)].into_iter().collect();
    Ok(Some(party.into()))
}

pub(super) async fn create(given: Arguments, client: BrokerClient) -> Result<BrokerReply, BrokerFailure> {
    let (uuid, webhook) = given.webhook()?;
    if uuid.is_some() {
        return Err(refuse("uuid", "a new webhook gets its UUID from the broker").into());
    }
    Ok(shape::one(client.create_webhook(&webhook).await?))
}

pub(super) async fn create_or_update(given: Arguments, client: BrokerClient) -> Result<BrokerReply, BrokerFailure> {
    let (uuid, webhook) = given.webhook()?;
    let Some(uuid) = uuid else {
        return Err(refuse("uuid", told![option("uuid"), " must be given"]).into());
    };
    let made = client.create_or_update_webhook(said("uuid", &uuid)?, &webhook).await?;
    Ok(shape::one(made))
}

pub(super) async fn test(given: &Identified, client: BrokerClient) -> Result<BrokerReply, BrokerFailure> {
    Ok(shape::one(client.test_webhook(said("uuid", &given.uuid)?).await?))
}

pub(super) async fn delete(given: &Identified, client: BrokerClient) -> Result<BrokerReply, BrokerFailure> {
    if client.delete_webhook(said("uuid", &given.uuid)?).await? {
        return Ok(shape::deleted(true));
    }
    let what = format!("there is no webhook with the UUID {:?} at the broker", given.uuid);
    Err(BrokerError::new(BrokerErrorKind::NotFound, what)
        .with_advice("check it")
        .into())
}

pub(super) async fn list(_: &Nothing, client: BrokerClient) -> Result<BrokerReply, BrokerFailure> {
    let all = client.webhooks().await?;
    // Links with UUIDs and descriptions are all that the list holds.
    let value = all.links("pb:webhooks").into_iter().map(|link| {
        let mut one = Object::new();
        one.insert("uuid", link.href.rsplit('/').next().unwrap_or_default());
        one.insert("description", shape::or_null(link.title.or(link.name)));
        one.insert("url", link.href.as_str());
        Json::from(one)
    });
    Ok(BrokerReply {
        value: value.collect::<Vec<_>>().into(),
        document: all.into_document(),
    })
}
