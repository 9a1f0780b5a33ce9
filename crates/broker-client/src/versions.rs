//! Manages versions with their tags and branches.

use contract_model::{Json, Object};
use http::Method;

use crate::client::{BrokerClient, IndexLink, RequestBody};
use crate::environments::not_found;
use crate::error::BrokerError;
use crate::resource::Resource;

const VERSION: IndexLink<'static> = IndexLink {
    relation: "pb:pacticipant-version",
    path: "/pacticipants/{pacticipant}/versions/{version}",
};
const TAG: IndexLink<'static> = IndexLink {
    relation: "pb:pacticipant-version-tag",
    path: "/pacticipants/{pacticipant}/versions/{version}/tags/{tag}",
};
const BRANCH: IndexLink<'static> = IndexLink {
    relation: "pb:pacticipant-branch",
    path: "/pacticipants/{pacticipant}/branches/{branch}",
};
const BRANCH_VERSION: IndexLink<'static> = IndexLink {
    relation: "pb:pacticipant-branch-version",
    path: "/pacticipants/{pacticipant}/branches/{branch}/versions/{version}",
};

impl BrokerClient {
    pub async fn find_version(&self, pacticipant: &str, version: &str) -> Result<Option<Resource>, BrokerError> {
        let names = [("pacticipant", pacticipant), ("version", version)];
        self.find(&self.index_url(&VERSION, &names).await?).await
    }

    /// Returns the latest version with `tag`, or the latest version overall if `tag` is `None`.
    pub async fn latest_version(&self, pacticipant: &str, tag: Option<&str>) -> Result<Resource, BrokerError> {
        let (place, names) = match tag {
            None => (
                IndexLink {
                    relation: "pb:latest-version",
                    path: "/pacticipants/{pacticipant}/latest-version",
                },
                vec![("pacticipant", pacticipant)],
            ),
            Some(tag) => (
                IndexLink {
                    relation: "pb:latest-tagged-version",
                    path: "/pacticipants/{pacticipant}/latest-version/{tag}",
                },
                vec![("pacticipant", pacticipant), ("tag", tag)],
            ),
        };
        let found = self.get(&self.index_url(&place, &names).await?).await;
        let subject = match tag {
            None => format!("latest version of {pacticipant:?}"),
            Some(tag) => format!("version of {pacticipant:?} with tag {tag:?}"),
        };
        found.map_err(|error| not_found(error, &subject))
    }

    /// Returns the version, or creates it without a branch and tags.
    pub async fn create_version(&self, pacticipant: &str, version: &str) -> Result<Resource, BrokerError> {
        if let Some(found) = self.find_version(pacticipant, version).await? {
            return Ok(found);
        }
        let names = [("pacticipant", pacticipant), ("version", version)];
        let url = self.index_url(&VERSION, &names).await?;
        self.exchange(Method::PUT, &url, RequestBody::repeatable(&Json::object()))
            .await
    }

    /// Adds a version to a branch. Creates the application, the version, and the branch if they do not exist.
    pub async fn version_on_branch(&self, pacticipant: &str, version: &str, branch: &str) -> Result<(), BrokerError> {
        let names = [("pacticipant", pacticipant), ("version", version), ("branch", branch)];
        let url = self.index_url(&BRANCH_VERSION, &names).await?;
        self.send(Method::PUT, &url, RequestBody::repeatable(&Json::object()))
            .await
            .map(drop)
    }

    /// Adds a tag to a version. Creates the application and the version if they do not exist.
    pub async fn tag_version(&self, pacticipant: &str, version: &str, tag: &str) -> Result<(), BrokerError> {
        let names = [("pacticipant", pacticipant), ("version", version), ("tag", tag)];
        let url = self.index_url(&TAG, &names).await?;
        self.send(Method::PUT, &url, RequestBody::repeatable(&Json::object()))
            .await
            .map(drop)
    }

    /// Removes a tag from a version. Returns false if the version does not have the tag.
    pub async fn untag_version(&self, pacticipant: &str, version: &str, tag: &str) -> Result<bool, BrokerError> {
        let names = [("pacticipant", pacticipant), ("version", version), ("tag", tag)];
        self.delete(&self.index_url(&TAG, &names).await?).await
    }

    pub async fn branches(&self, pacticipant: &str) -> Result<Vec<Json>, BrokerError> {
        let url = self.template_url("/pacticipants/{pacticipant}/branches", &[("pacticipant", pacticipant)])?;
        let found = self.list(&url, "branches").await;
        found.map_err(|error| not_found(error, &format!("pacticipant {pacticipant:?}")))
    }

    /// Deletes a branch, but not its versions. Returns false if the branch does not exist.
    pub async fn delete_branch(&self, pacticipant: &str, branch: &str) -> Result<bool, BrokerError> {
        let names = [("pacticipant", pacticipant), ("branch", branch)];
        self.delete(&self.index_url(&BRANCH, &names).await?).await
    }

    /// Sets the build URL of an existing version.
    pub async fn set_build_url(&self, pacticipant: &str, version: &str, url: &str) -> Result<(), BrokerError> {
        let names = [("pacticipant", pacticipant), ("version", version)];
        let place = self.index_url(&VERSION, &names).await?;
        let body: Object = [("buildUrl", url)].into_iter().collect();
        self.send(Method::PATCH, &place, RequestBody::patch(&body.into()))
            .await
            .map(drop)
    }
}
