//! Manages webhooks: requests that the broker sends when an event occurs, such as a changed contract.

use contract_model::{Json, Object};
use http::Method;

use crate::client::{BrokerClient, IndexLink, RequestBody};
use crate::environments::not_found;
use crate::error::{BrokerError, BrokerErrorKind};
use crate::resource::Resource;

#[derive(Clone, Default)]
pub struct Webhook {
    pub description: Option<String>,
    /// Names of the events that trigger the webhook, at least one, such as `contract_content_changed`.
    pub events: Vec<String>,
    /// The consumers to which the webhook applies: `{"name": …}` or `{"label": …}`. `None` means all consumers.
    pub consumer: Option<Json>,
    /// The providers to which the webhook applies: `{"name": …}` or `{"label": …}`. `None` means all providers.
    pub provider: Option<Json>,
    pub method: String,
    /// The URL to which the broker sends the request. May contain variables such as `${pactbroker.pactUrl}`.
    pub url: String,
    pub headers: Vec<(String, String)>,
    /// The request body. A JSON string is sent as it is, and any other value as JSON. `None` means no body.
    pub body: Option<Json>,
    /// User name for basic authentication. `None` means no authentication.
    pub username: Option<String>,
    pub password: Option<String>,
    /// Key for signing requests: `whsec_` followed by 24 to 64 bytes in base64. Supported only by the broker of this
    /// project.
    pub signing_secret: Option<String>,
    /// UUID of the team that owns the webhook. Only for brokers that support teams, such as `PactFlow`.
    pub team: Option<String>,
}

impl std::fmt::Debug for Webhook {
    /// Writes only the events and the URL without credentials, because other fields may contain secrets.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Webhook")
            .field("events", &self.events)
            .field("url", &contract_wire::redact_url(&self.url))
            .finish_non_exhaustive()
    }
}

const ALL: IndexLink<'static> = IndexLink {
    relation: "pb:webhooks",
    path: "/webhooks",
};
const ONE: IndexLink<'static> = IndexLink {
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
        let credentials = [
            ("username", &self.username),
            ("password", &self.password),
            ("signingSecret", &self.signing_secret),
        ];
        for (name, value) in credentials {
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
    /// Returns the broker's list of webhooks.
    pub async fn webhooks(&self) -> Result<Resource, BrokerError> {
        self.get(&self.index_url(&ALL, &[]).await?).await.map_err(unsupported)
    }

    pub async fn webhook(&self, uuid: &str) -> Result<Resource, BrokerError> {
        let found = self.get(&self.index_url(&ONE, &[("uuid", uuid)]).await?).await;
        found.map_err(|error| not_found(error, &format!("webhook with UUID {uuid:?}")))
    }

    pub async fn create_webhook(&self, webhook: &Webhook) -> Result<Resource, BrokerError> {
        let url = self.index_url(&ALL, &[]).await?;
        let created = self
            .exchange(Method::POST, &url, RequestBody::once(&webhook.body()))
            .await;
        created.map_err(unsupported)
    }

    /// Creates a webhook with this UUID, or replaces the one that has it.
    pub async fn create_or_update_webhook(&self, uuid: &str, webhook: &Webhook) -> Result<Resource, BrokerError> {
        let url = self.index_url(&ONE, &[("uuid", uuid)]).await?;
        let created = self
            .exchange(Method::PUT, &url, RequestBody::repeatable(&webhook.body()))
            .await;
        created.map_err(unsupported)
    }

    /// Lets the broker send the webhook's request now, and returns the outcome.
    pub async fn test_webhook(&self, uuid: &str) -> Result<Resource, BrokerError> {
        let url = self.template_url("/webhooks/{uuid}/execute", &[("uuid", uuid)])?;
        let response = self
            .exchange(Method::POST, &url, RequestBody::once(&Json::object()))
            .await;
        response.map_err(|error| not_found(error, &format!("webhook with UUID {uuid:?}")))
    }

    /// Deletes a webhook. Returns false if it does not exist.
    pub async fn delete_webhook(&self, uuid: &str) -> Result<bool, BrokerError> {
        self.delete(&self.index_url(&ONE, &[("uuid", uuid)]).await?).await
    }
}

/// Converts "not found" to "unsupported", because brokers that do not support webhooks respond with status 404.
fn unsupported(error: BrokerError) -> BrokerError {
    if error.kind() != BrokerErrorKind::NotFound {
        return error;
    }
    BrokerError::new(BrokerErrorKind::Unsupported, "this broker does not support webhooks")
        .with_advice("contact the broker's administrator")
}
