//! Webhooks: requests that the broker makes when something happens.

use contract_model::{Json, Object};
use http::Method;

use crate::client::{BrokerClient, Place, Sent};
use crate::environments::not_there;
use crate::error::{BrokerError, BrokerErrorKind};
use crate::resource::Resource;

/// A webhook.
#[derive(Clone, Default)]
pub struct Webhook {
    /// As text.
    pub description: Option<String>,
    /// What makes it go: `contract_content_changed`, …; at least one.
    pub events: Vec<String>,
    /// The consumer that it is about: `{"name": …}` or `{"label": …}`; any without.
    pub consumer: Option<Json>,
    /// The provider that it is about.
    pub provider: Option<Json>,
    /// The method of its request.
    pub method: String,
    /// The URL of its request; may hold `${pactbroker.…}`.
    pub url: String,
    /// The headers of its request.
    pub headers: Vec<(String, String)>,
    /// The body of its request: JSON, or a text.
    pub body: Option<Json>,
    /// For basic authentication of its request.
    pub username: Option<String>,
    /// For basic authentication of its request.
    pub password: Option<String>,
    /// The team that it belongs to, at brokers that have teams.
    pub team: Option<String>,
}

impl std::fmt::Debug for Webhook {
    /// Shows no header, no body and no password: each may be a secret.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Webhook")
            .field("events", &self.events)
            .field("url", &contract_wire::shown_url(&self.url))
            .finish_non_exhaustive()
    }
}

const ALL: Place<'static> = Place {
    relation: "pb:webhooks",
    path: "/webhooks",
};
const ONE: Place<'static> = Place {
    relation: "pb:webhook",
    path: "/webhooks/{uuid}",
};

impl Webhook {
    fn body(&self) -> Json {
        let mut request: Object = [("method", self.method.as_str()), ("url", self.url.as_str())]
            .into_iter()
            .collect();
        if !self.headers.is_empty() {
            let headers: Object = self
                .headers
                .iter()
                .map(|(name, value)| (name.as_str(), value.as_str()))
                .collect();
            request.insert("headers", headers);
        }
        if let Some(body) = &self.body {
            request.insert("body", body.clone());
        }
        for (name, value) in [("username", &self.username), ("password", &self.password)] {
            if let Some(value) = value {
                request.insert(name, value.as_str());
            }
        }
        let events = self.events.iter().map(|name| {
            let event: Object = [("name", name.as_str())].into_iter().collect();
            Json::from(event)
        });
        let mut body = Object::new();
        if let Some(description) = &self.description {
            body.insert("description", description.as_str());
        }
        body.insert("enabled", true);
        body.insert("events", events.collect::<Vec<_>>());
        body.insert("request", request);
        for (name, value) in [("consumer", &self.consumer), ("provider", &self.provider)] {
            if let Some(value) = value {
                body.insert(name, value.clone());
            }
        }
        if let Some(team) = &self.team {
            body.insert("teamUuid", team.as_str());
        }
        body.into()
    }
}

impl BrokerClient {
    /// All webhooks, as the broker lists them.
    pub async fn webhooks(&self) -> Result<Resource, BrokerError> {
        self.get(&self.place(&ALL, &[]).await?).await.map_err(unsupported)
    }

    /// A webhook.
    pub async fn webhook(&self, uuid: &str) -> Result<Resource, BrokerError> {
        let found = self.get(&self.place(&ONE, &[("uuid", uuid)]).await?).await;
        found.map_err(|error| not_there(error, "webhook with the UUID", uuid))
    }

    /// Makes a webhook.
    pub async fn create_webhook(&self, webhook: &Webhook) -> Result<Resource, BrokerError> {
        let url = self.place(&ALL, &[]).await?;
        let made = self.exchange(Method::POST, &url, Sent::once(&webhook.body())).await;
        made.map_err(unsupported)
    }

    /// Makes a webhook of this UUID, or puts this one in its place.
    pub async fn create_or_update_webhook(&self, uuid: &str, webhook: &Webhook) -> Result<Resource, BrokerError> {
        let url = self.place(&ONE, &[("uuid", uuid)]).await?;
        let made = self.exchange(Method::PUT, &url, Sent::again(&webhook.body())).await;
        made.map_err(unsupported)
    }

    /// Makes a webhook go now; what came of it.
    pub async fn test_webhook(&self, uuid: &str) -> Result<Resource, BrokerError> {
        let url = self.located("/webhooks/{uuid}/execute", &[("uuid", uuid)])?;
        let answer = self.exchange(Method::POST, &url, Sent::once(&Json::object())).await;
        answer.map_err(|error| not_there(error, "webhook with the UUID", uuid))
    }

    /// Takes a webhook away; whether it was there.
    pub async fn delete_webhook(&self, uuid: &str) -> Result<bool, BrokerError> {
        self.delete(&self.place(&ONE, &[("uuid", uuid)]).await?).await
    }
}

/// A broker without the whole place has no webhooks.
fn unsupported(error: BrokerError) -> BrokerError {
    if error.kind() != BrokerErrorKind::NotFound {
        return error;
    }
    BrokerError::new(BrokerErrorKind::Unsupported, "this broker has no webhooks").with_advice("ask who runs it")
}
