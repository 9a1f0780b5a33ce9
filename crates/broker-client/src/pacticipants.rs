//! Manages pacticipants, which is what the Pact Broker API calls applications.

use contract_model::{Json, Object};
use http::Method;
use serde::Deserialize;

use crate::client::{BrokerClient, IndexLink, RequestBody};
use crate::environments::not_found;
use crate::error::BrokerError;
use crate::resource::Resource;

/// Properties of an application. When it is updated, properties that are `None` keep their current values.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PacticipantChange {
    pub name: String,
    pub display_name: Option<String>,
    pub main_branch: Option<String>,
    pub repository_url: Option<String>,
}

const ALL: IndexLink<'static> = IndexLink {
    relation: "pb:pacticipants",
    path: "/pacticipants",
};
const ONE: IndexLink<'static> = IndexLink {
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
    pub async fn pacticipants(&self) -> Result<Vec<Json>, BrokerError> {
        let url = self.index_url(&ALL, &[]).await?;
        self.list(&url, "pacticipants").await
    }

    pub async fn pacticipant_list(&self) -> Result<Resource, BrokerError> {
        self.get(&self.index_url(&ALL, &[]).await?).await
    }

    pub async fn pacticipant(&self, name: &str) -> Result<Resource, BrokerError> {
        self.get(&self.index_url(&ONE, &[("pacticipant", name)]).await?)
            .await
            .map_err(|error| not_found(error, &format!("pacticipant {name:?}")))
    }

    /// Creates or updates an application. Returns it, and true if it was created.
    pub async fn create_or_update_pacticipant(
        &self,
        change: &PacticipantChange,
    ) -> Result<(Resource, bool), BrokerError> {
        let own = self.index_url(&ONE, &[("pacticipant", change.name.as_str())]).await?;
        let body = change.body();
        if self.find(&own).await?.is_some() {
            let changed = self.exchange(Method::PATCH, &own, RequestBody::patch(&body)).await?;
            return Ok((changed, false));
        }
        let all = self.index_url(&ALL, &[]).await?;
        Ok((
            self.exchange(Method::POST, &all, RequestBody::repeatable(&body))
                .await?,
            true,
        ))
    }

    /// Deletes an application with its versions, contracts, and results. Returns false if it does not exist.
    pub async fn delete_pacticipant(&self, name: &str) -> Result<bool, BrokerError> {
        self.delete(&self.index_url(&ONE, &[("pacticipant", name)]).await?)
            .await
    }
}
