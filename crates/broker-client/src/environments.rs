//! Environments: where versions are deployed to and released.

use contract_model::{Json, Object};
use http::Method;
use serde::Deserialize;

use crate::client::{BrokerClient, Place, Sent};
use crate::error::{BrokerError, BrokerErrorKind};
use crate::resource::Resource;

/// What an environment is to be. Of one that exists, what is not given stays.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EnvironmentChange {
    /// Which one; a new one gets its UUID from the broker.
    pub uuid: Option<String>,
    /// Its name, without spaces.
    pub name: Option<String>,
    /// As text.
    pub display_name: Option<String>,
    /// Whether it serves customers.
    pub production: Option<bool>,
    /// The name of whom to ask.
    pub contact_name: Option<String>,
    /// Where to ask.
    pub contact_email_address: Option<String>,
}

const ALL: Place<'static> = Place {
    relation: "pb:environments",
    path: "/environments",
};
const ONE: Place<'static> = Place {
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
    /// All environments: embedded as `environments`.
    pub async fn environments(&self) -> Result<Resource, BrokerError> {
        self.get(&self.place(&ALL, &[]).await?).await
    }

    /// An environment by its UUID.
    pub async fn environment(&self, uuid: &str) -> Result<Resource, BrokerError> {
        self.get(&self.place(&ONE, &[("uuid", uuid)]).await?)
            .await
            .map_err(|error| not_there(error, "environment with the UUID", uuid))
    }

    /// An environment by its name; those there are, when none has it.
    pub async fn environment_named(&self, name: &str) -> Result<Json, BrokerError> {
        let all = self.environments().await?;
        let found = all.embedded("environments");
        let name_of = |one: &Json| one.get("name").and_then(Json::as_str).map(str::to_owned);
        if let Some(one) = found.iter().find(|one| name_of(one).as_deref() == Some(name)) {
            return Ok(one.clone());
        }
        Err(unknown_environment(
            name,
            &found.iter().filter_map(name_of).collect::<Vec<_>>(),
        ))
    }

    /// Makes an environment.
    pub async fn create_environment(&self, change: &EnvironmentChange) -> Result<Resource, BrokerError> {
        let mut body = Object::new();
        body.insert("production", false);
        change.put_into(&mut body);
        let url = self.place(&ALL, &[]).await?;
        self.exchange(Method::POST, &url, Sent::once(&body.into())).await
    }

    /// Changes an environment: what is not given stays.
    pub async fn update_environment(&self, uuid: &str, change: &EnvironmentChange) -> Result<Resource, BrokerError> {
        let before = self.environment(uuid).await?;
        let kept = ["name", "displayName", "production", "contacts"];
        let mut body: Object = kept
            .into_iter()
            .filter_map(|name| Some((name, before.document().get(name)?.clone())))
            .collect();
        change.put_into(&mut body);
        self.exchange(Method::PUT, before.url(), Sent::again(&body.into()))
            .await
    }

    /// Takes an environment away; whether it was there.
    pub async fn delete_environment(&self, uuid: &str) -> Result<bool, BrokerError> {
        self.delete(&self.place(&ONE, &[("uuid", uuid)]).await?).await
    }
}

/// What is not there, named as people name it.
pub(crate) fn not_there(error: BrokerError, what: &str, name: &str) -> BrokerError {
    if error.kind() == BrokerErrorKind::NotFound {
        return error.told(format!("there is no {what} {name:?} at the broker"));
    }
    error
}

/// Most names that are listed.
const LISTED: usize = 20;

pub(crate) fn unknown_environment(name: &str, known: &[String]) -> BrokerError {
    let what = format!("there is no environment {name:?} at the broker");
    let advice = if known.is_empty() {
        "there is none at all: create it first".to_owned()
    } else {
        let listed: Vec<&str> = known.iter().take(LISTED).map(String::as_str).collect();
        format!("there are {}", listed.join(", "))
    };
    BrokerError::new(BrokerErrorKind::NotFound, what).with_advice(advice)
}
