//! Records deployments and releases, and lists the versions in an environment.

use contract_model::{Json, Object};
use http::Method;

use crate::client::{BrokerClient, RequestBody};
use crate::environments::{not_found, unknown_environment};
use crate::error::{BrokerError, BrokerErrorKind};
use crate::path::query;
use crate::resource::{Resource, embedded, links};

/// How a version got into an environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Occupancy {
    /// The version was deployed. The next deployment of the application replaces it.
    Deployed,
    /// The version was released. Several released versions are supported at the same time, until support for each is
    /// ended.
    Released,
}

/// A version that is currently deployed to or released in an environment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deployed {
    pub version: String,
    pub application_instance: Option<String>,
    url: String,
    pub document: Json,
}

impl Occupancy {
    fn record(self) -> &'static str {
        match self {
            Self::Deployed => "pb:record-deployment",
            Self::Released => "pb:record-release",
        }
    }

    fn current(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Deployed => (
                "pb:currently-deployed-deployed-versions",
                "/environments/{uuid}/deployed-versions/currently-deployed",
                "deployedVersions",
            ),
            Self::Released => (
                "pb:currently-supported-released-versions",
                "/environments/{uuid}/released-versions/currently-supported",
                "releasedVersions",
            ),
        }
    }

    fn path(self) -> &'static str {
        match self {
            Self::Deployed => "/pacticipants/{pacticipant}/versions/{version}/deployed-versions/environment/{uuid}",
            Self::Released => "/pacticipants/{pacticipant}/versions/{version}/released-versions/environment/{uuid}",
        }
    }

    fn end(self) -> Json {
        let name = match self {
            Self::Deployed => "currentlyDeployed",
            Self::Released => "currentlySupported",
        };
        [(name, false)].into_iter().collect::<Object>().into()
    }
}

impl BrokerClient {
    /// Records a deployment or a release of an existing version. `instance` distinguishes several instances of the
    /// application in the environment. Recording the same deployment again has no effect.
    pub async fn record(
        &self,
        occupancy: Occupancy,
        pacticipant: &str,
        version: &str,
        environment: &str,
        instance: Option<&str>,
    ) -> Result<Resource, BrokerError> {
        let version_document = self.version(pacticipant, version).await?;
        let url = if let Some(link) = version_document.named_link(occupancy.record(), environment) {
            self.template_url(&link.href, &[])?
        } else {
            let environments: Vec<String> = version_document
                .links(occupancy.record())
                .into_iter()
                .filter_map(|link| link.name)
                .collect();
            if !environments.is_empty() {
                return Err(unknown_environment(environment, &environments));
            }
            let uuid = self.environment_uuid(environment).await?;
            let names = [
                ("pacticipant", pacticipant),
                ("version", version),
                ("uuid", uuid.as_str()),
            ];
            self.template_url(occupancy.path(), &names)?
        };
        let mut body = Object::new();
        if let Some(instance) = instance {
            body.insert("applicationInstance", instance);
        }
        self.exchange(Method::POST, &url, RequestBody::repeatable(&body.into()))
            .await
    }

    pub async fn environment_uuid(&self, name: &str) -> Result<String, BrokerError> {
        let environment = self.environment_named(name).await?;
        let uuid = environment.get("uuid").and_then(Json::as_str).map(str::to_owned);
        uuid.ok_or_else(|| BrokerError::not_a_broker(&self.url(), "the broker returned an environment without a UUID"))
    }

    /// Returns the versions in the environment named `environment`. If `pacticipant` is `None`, returns the versions of
    /// all applications.
    pub async fn current(
        &self,
        occupancy: Occupancy,
        pacticipant: Option<&str>,
        environment: &str,
    ) -> Result<Vec<Deployed>, BrokerError> {
        let environment = self.environment_named(environment).await?;
        let (relation, path, list) = occupancy.current();
        let link = links(&environment, relation).into_iter().next();
        let uuid = environment.get("uuid").and_then(Json::as_str).unwrap_or_default();
        let url = self.link_url(link.as_ref(), path, &[("uuid", uuid)])?;
        let url = format!("{url}{}", query([("pacticipant", pacticipant)]));
        let documents = self.list(&url, list).await?;
        let parse = |document: Json| {
            let name = |relation: &str, key: &str| {
                let inner = embedded(&document, relation).first()?;
                inner.get(key).and_then(Json::as_str).map(str::to_owned)
            };
            if pacticipant
                .is_some_and(|pacticipant| name("pacticipant", "name").is_some_and(|name| name != pacticipant))
            {
                return None;
            }
            let instance = document.get("applicationInstance").or_else(|| document.get("target"));
            Some(Deployed {
                version: name("version", "number")?,
                application_instance: instance.and_then(Json::as_str).map(str::to_owned),
                url: links(&document, "self").into_iter().next()?.href,
                document,
            })
        };
        Ok(documents.into_iter().filter_map(parse).collect())
    }

    /// Ends a deployment, or the support of a release.
    pub async fn end(&self, occupancy: Occupancy, deployed: &Deployed) -> Result<Resource, BrokerError> {
        self.exchange(Method::PATCH, &deployed.url, RequestBody::patch(&occupancy.end()))
            .await
    }

    /// Returns a version. The error shows whether the application or only its version does not exist.
    pub async fn version(&self, pacticipant: &str, version: &str) -> Result<Resource, BrokerError> {
        let found = self.find_version(pacticipant, version).await?;
        if let Some(found) = found {
            return Ok(found);
        }
        self.pacticipant(pacticipant).await?;
        let error = BrokerError::new(BrokerErrorKind::NotFound, String::new())
            .with_advice("publish its contracts or results first, or create it with create-or-update-version");
        Err(not_found(error, &format!("version {version:?} of {pacticipant:?}")))
    }
}
