//! Versions, their tags and branches.

use contract_model::{Json, Object};
use http::Method;

use crate::client::{BrokerClient, Place, Sent};
use crate::environments::not_there;
use crate::error::BrokerError;
use crate::resource::Resource;

const VERSION: Place<'static> = Place {
    relation: "pb:pacticipant-version",
    path: "/pacticipants/{pacticipant}/versions/{version}",
};
const TAG: Place<'static> = Place {
    relation: "pb:pacticipant-version-tag",
    path: "/pacticipants/{pacticipant}/versions/{version}/tags/{tag}",
};
const BRANCH: Place<'static> = Place {
    relation: "pb:pacticipant-branch",
    path: "/pacticipants/{pacticipant}/branches/{branch}",
};
const BRANCH_VERSION: Place<'static> = Place {
    relation: "pb:pacticipant-branch-version",
    path: "/pacticipants/{pacticipant}/branches/{branch}/versions/{version}",
};

impl BrokerClient {
    /// A version; nothing when it is not there.
    pub async fn find_version(&self, pacticipant: &str, version: &str) -> Result<Option<Resource>, BrokerError> {
        let names = [("pacticipant", pacticipant), ("version", version)];
        self.find(&self.place(&VERSION, &names).await?).await
    }

    /// The latest version: of all, or with a tag.
    pub async fn latest_version(&self, pacticipant: &str, tag: Option<&str>) -> Result<Resource, BrokerError> {
        let (place, names) = match tag {
            None => (
                Place {
                    relation: "pb:latest-version",
                    path: "/pacticipants/{pacticipant}/latest-version",
                },
                vec![("pacticipant", pacticipant)],
            ),
            Some(tag) => (
                Place {
                    relation: "pb:latest-tagged-version",
                    path: "/pacticipants/{pacticipant}/latest-version/{tag}",
                },
                vec![("pacticipant", pacticipant), ("tag", tag)],
            ),
        };
        let found = self.get(&self.place(&place, &names).await?).await;
        let what = match tag {
            None => "version of the pacticipant".to_owned(),
            Some(tag) => format!("version with the tag {tag:?} of the pacticipant"),
        };
        found.map_err(|error| not_there(error, &what, pacticipant))
    }

    /// Makes a version that belongs to nothing yet, unless it is there.
    pub async fn create_version(&self, pacticipant: &str, version: &str) -> Result<Resource, BrokerError> {
        if let Some(found) = self.find_version(pacticipant, version).await? {
            return Ok(found);
        }
        let names = [("pacticipant", pacticipant), ("version", version)];
        let url = self.place(&VERSION, &names).await?;
        self.exchange(Method::PUT, &url, Sent::again(&Json::object())).await
    }

    /// Puts a version on a branch; pacticipant, version and branch are made if need be.
    pub async fn version_on_branch(&self, pacticipant: &str, version: &str, branch: &str) -> Result<(), BrokerError> {
        let names = [("pacticipant", pacticipant), ("version", version), ("branch", branch)];
        let url = self.place(&BRANCH_VERSION, &names).await?;
        self.send(Method::PUT, &url, Sent::again(&Json::object()))
            .await
            .map(drop)
    }

    /// Gives a version a tag; pacticipant and version are made if need be.
    pub async fn tag_version(&self, pacticipant: &str, version: &str, tag: &str) -> Result<(), BrokerError> {
        let names = [("pacticipant", pacticipant), ("version", version), ("tag", tag)];
        let url = self.place(&TAG, &names).await?;
        self.send(Method::PUT, &url, Sent::again(&Json::object()))
            .await
            .map(drop)
    }

    /// Takes a tag from a version; whether it was there.
    pub async fn untag_version(&self, pacticipant: &str, version: &str, tag: &str) -> Result<bool, BrokerError> {
        let names = [("pacticipant", pacticipant), ("version", version), ("tag", tag)];
        self.delete(&self.place(&TAG, &names).await?).await
    }

    /// The branches of a pacticipant.
    pub async fn branches(&self, pacticipant: &str) -> Result<Vec<Json>, BrokerError> {
        let url = self.located("/pacticipants/{pacticipant}/branches", &[("pacticipant", pacticipant)])?;
        let found = self.list(&url, "branches").await;
        found.map_err(|error| not_there(error, "pacticipant", pacticipant))
    }

    /// Takes a branch away; its versions stay. Whether it was there.
    pub async fn delete_branch(&self, pacticipant: &str, branch: &str) -> Result<bool, BrokerError> {
        let names = [("pacticipant", pacticipant), ("branch", branch)];
        self.delete(&self.place(&BRANCH, &names).await?).await
    }

    /// Sets the page of the build of a version that is there.
    pub async fn set_build_url(&self, pacticipant: &str, version: &str, url: &str) -> Result<(), BrokerError> {
        let names = [("pacticipant", pacticipant), ("version", version)];
        let place = self.place(&VERSION, &names).await?;
        let body: Object = [("buildUrl", url)].into_iter().collect();
        self.send(Method::PATCH, &place, Sent::patch(&body.into()))
            .await
            .map(drop)
    }
}
