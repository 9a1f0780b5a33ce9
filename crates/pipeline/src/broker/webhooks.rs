use std::collections::BTreeMap;

use contract_broker_client::{BrokerClient, Webhook as NewWebhook};
use contract_model::{Json, Object};
use serde::Deserialize;

use super::arguments::{SingleLine, UuidArgument, invalid_argument, missing_argument};
use super::failure::BrokerFailure;
use super::reply::BrokerReply;
use super::values::{Deletion, Webhook};
use contract_call::json::or_null;
use contract_call::message::{message, option};
use contract_call::read::Document;

/// Options for `create_webhook` and `create_or_update_webhook`: the request to send, and when to send it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WebhookArguments {
    /// UUID of the webhook. Required by `create_or_update_webhook`, and not supported by `create_webhook`, because the
    /// broker assigns it.
    pub uuid: Option<SingleLine>,
    /// URL of the request. May contain template parameters such as `${pactbroker.consumerName}`.
    pub url: SingleLine,
    /// HTTP method of the request. Default: `POST`.
    pub method: Option<String>,
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// Body of the request: any JSON value. A string that contains JSON is parsed, and other strings are sent
    /// unchanged.
    #[serde(default)]
    pub body: Document,
    pub username: Option<String>,
    pub password: Option<String>,
    /// The key with which the broker signs requests: `whsec_` followed by 24 to 64 bytes in base64. Only supported by
    /// this project's broker.
    pub signing_secret: Option<String>,
    pub consumer: Option<String>,
    pub consumer_label: Option<String>,
    pub provider: Option<String>,
    pub provider_label: Option<String>,
    pub description: Option<String>,
    /// Names of the events that trigger the webhook, such as `contract_published`. At least one is required.
    #[serde(default)]
    pub events: Vec<String>,
    pub team_uuid: Option<String>,
}

impl WebhookArguments {
    fn webhook(self) -> Result<(Option<SingleLine>, NewWebhook), BrokerFailure> {
        if self.events.is_empty() {
            let message = message!["no events given; pass at least one with ", option("events")];
            return Err(invalid_argument("events", message).into());
        }
        let body = match self.body.0 {
            Json::Null => None,
            Json::String(text) => Some(Json::parse(text.as_bytes()).unwrap_or(Json::String(text))),
            other => Some(other),
        };
        let webhook = NewWebhook {
            description: self.description,
            events: self.events,
            consumer: party("consumer", self.consumer, self.consumer_label)?,
            provider: party("provider", self.provider, self.provider_label)?,
            method: self.method.unwrap_or_else(|| "POST".to_owned()).to_ascii_uppercase(),
            url: self.url.into(),
            headers: self.headers.into_iter().collect(),
            body,
            username: self.username,
            password: self.password,
            signing_secret: self.signing_secret,
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
            let message = message![option(role), " and its label are mutually exclusive"];
            return Err(invalid_argument(role, message).into());
        }
    };
    let party: Object = [(key, value)].into_iter().collect();
    Ok(Some(party.into()))
}

pub(super) async fn create(
    arguments: WebhookArguments,
    client: BrokerClient,
) -> Result<BrokerReply<Webhook>, BrokerFailure> {
    let (uuid, webhook) = arguments.webhook()?;
    if uuid.is_some() {
        return Err(invalid_argument(
            "uuid",
            "uuid is not supported: the broker assigns the UUID of a new webhook",
        )
        .into());
    }
    Ok(client.create_webhook(&webhook).await?.into())
}

pub(super) async fn create_or_update(
    arguments: WebhookArguments,
    client: BrokerClient,
) -> Result<BrokerReply<Webhook>, BrokerFailure> {
    let (uuid, webhook) = arguments.webhook()?;
    let Some(uuid) = uuid else {
        return Err(missing_argument("uuid").into());
    };
    Ok(client.create_or_update_webhook(&uuid, &webhook).await?.into())
}

pub(super) async fn test(arguments: &UuidArgument, client: BrokerClient) -> Result<BrokerReply<Json>, BrokerFailure> {
    Ok(client.test_webhook(&arguments.uuid).await?.into())
}

pub(super) async fn delete(
    arguments: &UuidArgument,
    client: BrokerClient,
) -> Result<BrokerReply<Deletion>, BrokerFailure> {
    let uuid: &str = &arguments.uuid;
    let existed = client.delete_webhook(uuid).await?;
    let message = format!("webhook with UUID {uuid:?} not found");
    BrokerReply::deleted(existed, message, "check the UUID")
}

pub(super) async fn list(client: BrokerClient) -> Result<BrokerReply<Vec<Webhook>>, BrokerFailure> {
    let all = client.webhooks().await?;
    // The list contains only links. Their titles are scopes, such as "A webhook for all pacts".
    let values = all.links("pb:webhooks").into_iter().map(|link| {
        let mut webhook = Object::new();
        webhook.insert("uuid", link.href.rsplit('/').next().unwrap_or_default());
        if let (Some(_), Some(scope)) = (&link.name, &link.title) {
            webhook.insert("scope", scope.as_str());
        }
        webhook.insert("description", or_null(link.name.or(link.title)));
        webhook.insert("url", link.href.as_str());
        webhook
    });
    Ok(BrokerReply::list(values, all.into_document()))
}
