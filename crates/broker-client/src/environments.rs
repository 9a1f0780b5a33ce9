//! Manages environments, such as `production`, to which versions are deployed or released.

use contract_model::{Json, Object};
use http::Method;
use serde::Deserialize;

use crate::client::{BrokerClient, IndexLink, RequestBody};
use crate::error::{BrokerError, BrokerErrorKind};
use crate::resource::Resource;

/// Properties of an environment. When an environment is updated, properties that are `None` keep their current values.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EnvironmentChange {
    /// UUID of the environment to update. Ignored when an environment is created, because the broker assigns the UUID.
    pub uuid: Option<String>,
    /// The name, such as `production`. Must not contain whitespace.
    pub name: Option<String>,
    pub display_name: Option<String>,
    /// `None` means false when an environment is created.
    pub production: Option<bool>,
    pub contact_name: Option<String>,
    pub contact_email_address: Option<String>,
}

const ALL: IndexLink<'static> = IndexLink {
    relation: "pb:environments",
    path: "/environments",
};
const ONE: IndexLink<'static> = IndexLink {
    relation: "pb:environment",
    path: "/environments/{uuid}",
};

impl EnvironmentChange {
    fn put_into(&self, body: &mut Object) {
        if let Some(name) = &self.name {
            body.insert("name", name.as_str());
        }
        if let Some(name) = &self.display_name {
            body.insert("displayName", name.as_str());
        }
        if let Some(production) = self.production {
            body.insert("production", production);
        }
        if self.contact_name.is_some() || self.contact_email_address.is_some() {
            let mut contact = Object::new();
            contact.insert("name", self.contact_name.as_deref().unwrap_or("contact"));
            if let Some(email) = &self.contact_email_address {
                let details: Object = [("emailAddress", email.as_str())].into_iter().collect();
                contact.insert("details", details);
            }
            body.insert("contacts", vec![Json::from(contact)]);
        }
    }
}

impl BrokerClient {
    /// Returns the broker's list of environments, which are embedded under `environments`.
    pub async fn environments(&self) -> Result<Resource, BrokerError> {
        self.get(&self.index_url(&ALL, &[]).await?).await
    }

    pub async fn environment(&self, uuid: &str) -> Result<Resource, BrokerError> {
        self.get(&self.index_url(&ONE, &[("uuid", uuid)]).await?)
            .await
            .map_err(|error| not_found(error, &format!("environment with UUID {uuid:?}")))
    }

    /// Finds an environment by its exact name. If there is none, the error lists the names of the existing
    /// environments.
    pub async fn environment_named(&self, name: &str) -> Result<Json, BrokerError> {
        let all = self.environments().await?;
        let environments = all.embedded("environments");
        let name_of = |environment: &Json| environment.get("name").and_then(Json::as_str).map(str::to_owned);
        if let Some(environment) = environments
            .iter()
            .find(|environment| name_of(environment).as_deref() == Some(name))
        {
            return Ok(environment.clone());
        }
        Err(unknown_environment(
            name,
            &environments.iter().filter_map(name_of).collect::<Vec<_>>(),
        ))
    }

    pub async fn create_environment(&self, change: &EnvironmentChange) -> Result<Resource, BrokerError> {
        let mut body = Object::new();
        body.insert("production", false);
        change.put_into(&mut body);
        let url = self.index_url(&ALL, &[]).await?;
        self.exchange(Method::POST, &url, RequestBody::once(&body.into())).await
    }

    /// Updates the environment with this UUID. Properties that are `None` keep their current values.
    pub async fn update_environment(&self, uuid: &str, change: &EnvironmentChange) -> Result<Resource, BrokerError> {
        let before = self.environment(uuid).await?;
        let kept = ["name", "displayName", "production", "contacts"];
        let mut body: Object = kept
            .into_iter()
            .filter_map(|name| Some((name, before.document().get(name)?.clone())))
            .collect();
        change.put_into(&mut body);
        self.exchange(Method::PUT, before.url(), RequestBody::repeatable(&body.into()))
            .await
    }

    /// Deletes the environment with this UUID. Returns false if it does not exist.
    pub async fn delete_environment(&self, uuid: &str) -> Result<bool, BrokerError> {
        self.delete(&self.index_url(&ONE, &[("uuid", uuid)]).await?).await
    }
}

/// If `error` means that a resource does not exist, replaces its message with `{subject} not found`.
pub(crate) fn not_found(error: BrokerError, subject: &str) -> BrokerError {
    if error.kind() == BrokerErrorKind::NotFound {
        return error.with_message(format!("{subject} not found"));
    }
    error
}

/// Maximum number of environment names in an error message.
const LISTED: usize = 20;

pub(crate) fn unknown_environment(name: &str, known: &[String]) -> BrokerError {
    let message = format!("environment {name:?} not found");
    let advice = if known.is_empty() {
        "the broker has no environments. Create one with create-environment".to_owned()
    } else {
        let listed: Vec<&str> = known.iter().take(LISTED).map(String::as_str).collect();
        format!("known environments: {}", listed.join(", "))
    };
    BrokerError::new(BrokerErrorKind::NotFound, message).with_advice(advice)
}
