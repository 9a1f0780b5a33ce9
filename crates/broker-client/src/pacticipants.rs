//! Pacticipants: the applications that have contracts with each other.

use contract_model::{Json, Object};
use http::Method;
use serde::Deserialize;

use crate::client::{BrokerClient, Place, Sent};
use crate::environments::not_there;
use crate::error::BrokerError;
use crate::resource::Resource;

/// What a pacticipant is to be. Of one that exists, what is not given stays.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PacticipantChange {
    /// The name.
    pub name: String,
    /// As text.
    pub display_name: Option<String>,
    /// The branch that is deployed from.
    pub main_branch: Option<String>,
    /// Where its source is.
    pub repository_url: Option<String>,
}

const ALL: Place<'static> = Place {
    relation: "pb:pacticipants",
    path: "/pacticipants",
};
const ONE: Place<'static> = Place {
    relation: "pb:pacticipant",
    path: "/pacticipants/{pacticipant}",
};

impl PacticipantChange {
    fn body(&self) -> Json {
        let mut body = Object::new();
        body.insert("name", self.name.as_str());
        for (name, value) in [
            ("displayName", &self.display_name),
            ("mainBranch", &self.main_branch),
            ("repositoryUrl", &self.repository_url),
        ] {
            if let Some(value) = value {
                body.insert(name, value.as_str());
            }
        }
        body.into()
    }
}

impl BrokerClient {
    /// All pacticipants.
    pub async fn pacticipants(&self) -> Result<Vec<Json>, BrokerError> {
        let url = self.place(&ALL, &[]).await?;
        self.list(&url, "pacticipants").await
    }

    /// The list of all pacticipants, as the broker gives it.
    pub async fn pacticipant_list(&self) -> Result<Resource, BrokerError> {
        self.get(&self.place(&ALL, &[]).await?).await
    }

    /// A pacticipant.
    pub async fn pacticipant(&self, name: &str) -> Result<Resource, BrokerError> {
        self.get(&self.place(&ONE, &[("pacticipant", name)]).await?)
            .await
            .map_err(|error| not_there(error, "pacticipant", name))
    }

    /// Makes a pacticipant, or changes the one there is; whether it was made.
    pub async fn create_or_update_pacticipant(
        &self,
        change: &PacticipantChange,
    ) -> Result<(Resource, bool), BrokerError> {
        let own = self.place(&ONE, &[("pacticipant", change.name.as_str())]).await?;
        let body = change.body();
        if self.find(&own).await?.is_some() {
            let changed = self.exchange(Method::PATCH, &own, Sent::patch(&body)).await?;
            return Ok((changed, false));
        }
        let all = self.place(&ALL, &[]).await?;
        Ok((self.exchange(Method::POST, &all, Sent::again(&body)).await?, true))
    }

    /// Takes a pacticipant away, with its versions, contracts and results; whether it was there.
    pub async fn delete_pacticipant(&self, name: &str) -> Result<bool, BrokerError> {
        self.delete(&self.place(&ONE, &[("pacticipant", name)]).await?).await
    }
}
