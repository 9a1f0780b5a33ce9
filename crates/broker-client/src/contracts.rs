//! Contracts of a consumer: published and read.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use contract_model::{Json, Object};
use http::Method;
use percent_encoding::percent_decode_str;

use crate::client::{BrokerClient, Place, Sent};
use crate::error::{BrokerError, BrokerErrorKind, Notice};
use crate::path::segment;
use crate::resource::{Resource, links};

/// All contracts of one consumer's version.
#[derive(Clone, Debug, Default)]
pub struct Publication {
    /// The consumer.
    pub consumer: String,
    /// The number of its version.
    pub version: String,
    /// The branch that the version belongs to.
    pub branch: Option<String>,
    /// Tags of the version.
    pub tags: Vec<String>,
    /// The URL of the build.
    pub build_url: Option<String>,
    /// The contracts.
    pub contracts: Vec<ContractToPublish>,
    /// Whether interactions are added to what another part of the build has published for this version.
    pub merge: bool,
}

/// A contract to publish.
#[derive(Clone, Debug)]
pub struct ContractToPublish {
    /// The provider.
    pub provider: String,
    /// The contract file.
    pub content: Bytes,
}

/// What was published.
#[derive(Clone, Debug)]
pub struct Published {
    /// What the broker says about it.
    pub notices: Vec<Notice>,
    /// The contracts.
    pub contracts: Vec<PublishedContract>,
}

/// A contract that was published.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublishedContract {
    /// Its provider.
    pub provider: String,
    /// Where it is, if the broker says so.
    pub url: Option<String>,
}

/// Which contracts are read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ContractChoice {
    /// Of this provider.
    pub provider: String,
    /// Of this consumer alone.
    pub consumer: Option<String>,
    /// Of this branch; without it and without `latest`, of every version.
    pub branch: Option<String>,
    /// The latest of each consumer.
    pub latest: bool,
}

const PUBLISH_ONE: Place<'static> = Place {
    relation: "pb:publish-pact",
    path: "/pacts/provider/{provider}/consumer/{consumer}/version/{consumerApplicationVersion}",
};

/// The consumer's version that the URL of a contract names.
pub fn version_in(url: &str) -> Option<String> {
    let (_, behind) = url.split_once("/version/")?;
    let segment = behind.split(['/', '?', '#']).next()?;
    let version = percent_decode_str(segment).decode_utf8().ok()?;
    Some(version.into_owned()).filter(|version| !version.is_empty())
}

impl Publication {
    fn body(&self) -> Json {
        let mut body = Object::new();
        body.insert("pacticipantName", self.consumer.as_str());
        body.insert("pacticipantVersionNumber", self.version.as_str());
        if let Some(branch) = &self.branch {
            body.insert("branch", branch.as_str());
        }
        if !self.tags.is_empty() {
            let tags: Vec<Json> = self.tags.iter().map(|tag| tag.as_str().into()).collect();
            body.insert("tags", tags);
        }
        if let Some(url) = &self.build_url {
            body.insert("buildUrl", url.as_str());
        }
        let contracts: Vec<Json> = self.contracts.iter().map(|one| one.body(self)).collect();
        body.insert("contracts", contracts);
        body.into()
    }
}

impl ContractToPublish {
    fn body(&self, publication: &Publication) -> Json {
        let mut body: Object = [
            ("consumerName", publication.consumer.as_str()),
            ("providerName", self.provider.as_str()),
            ("specification", "pact"),
            ("contentType", "application/json"),
        ]
        .into_iter()
        .collect();
        body.insert("content", BASE64_STANDARD.encode(&self.content));
        if publication.merge {
            body.insert("onConflict", "merge");
        }
        body.into()
    }
}

impl BrokerClient {
    /// Publishes contracts. The same again does nothing; another content for a version that has one is a conflict, whose
    /// notices show the difference, unless it is to be merged.
    pub async fn publish(&self, publication: &Publication) -> Result<Published, BrokerError> {
        let index = self.index().await?;
        let Some(link) = index.link("pb:publish-contracts") else {
            return self.publish_each(publication).await;
        };
        let url = self.located(&link.href, &[])?;
        let answer = self
            .exchange(Method::POST, &url, Sent::again(&publication.body()))
            .await;
        let document = match answer {
            Ok(answer) => answer.into_document(),
            // Brokers that know the word refuse it all the same, and merge what comes as a patch.
            Err(error) if publication.merge && error.kind() == BrokerErrorKind::Conflict => {
                return self.merge_each(publication).await;
            }
            Err(error) => return Err(error),
        };
        let found = links(&document, "pb:contracts");
        let url_of = |provider: &str| {
            let tail = format!("/provider/{}/", segment(provider));
            let link = found
                .iter()
                .find(|link| link.href.contains(&tail) || link.name.as_deref() == Some(provider));
            link.map(|link| link.href.clone())
        };
        let contracts = publication.contracts.iter().map(|one| PublishedContract {
            provider: one.provider.clone(),
            url: url_of(&one.provider),
        });
        Ok(Published {
            notices: self.notices(&document),
            contracts: contracts.collect(),
        })
    }

    /// One by one, as brokers before 2021 have it. What was published when one fails is told.
    async fn publish_each(&self, publication: &Publication) -> Result<Published, BrokerError> {
        if publication.branch.is_some() || publication.build_url.is_some() {
            let what = format!("the broker at {} knows no branches and no build URLs", self.url());
            return Err(BrokerError::new(BrokerErrorKind::Unsupported, what)
                .with_advice("update it, or publish with tags alone"));
        }
        for tag in &publication.tags {
            self.tag_version(&publication.consumer, &publication.version, tag)
                .await?;
        }
        let method = if publication.merge { Method::PATCH } else { Method::PUT };
        self.write_each(publication, &method).await
    }

    async fn merge_each(&self, publication: &Publication) -> Result<Published, BrokerError> {
        if let Some(branch) = &publication.branch {
            self.version_on_branch(&publication.consumer, &publication.version, branch)
                .await?;
        }
        for tag in &publication.tags {
            self.tag_version(&publication.consumer, &publication.version, tag)
                .await?;
        }
        self.write_each(publication, &Method::PATCH).await
    }

    async fn write_each(&self, publication: &Publication, method: &Method) -> Result<Published, BrokerError> {
        let mut contracts = Vec::new();
        for one in &publication.contracts {
            let names = [
                ("provider", one.provider.as_str()),
                ("consumer", publication.consumer.as_str()),
                ("consumerApplicationVersion", publication.version.as_str()),
            ];
            let url = self.place(&PUBLISH_ONE, &names).await?;
            let content = Json::parse(&one.content).map_err(|error| {
                BrokerError::new(BrokerErrorKind::Settings, format!("the contract is no JSON: {error}"))
            })?;
            match self.send(method.clone(), &url, Sent::again(&content)).await {
                Ok(answer) => contracts.push(PublishedContract {
                    provider: one.provider.clone(),
                    url: answer
                        .as_ref()
                        .and_then(|answer| answer.link("self"))
                        .map(|link| link.href),
                }),
                Err(error) if contracts.is_empty() => return Err(error),
                Err(error) => {
                    let done: Vec<&str> = contracts.iter().map(|done| done.provider.as_str()).collect();
                    let what = format!("{}; published by then: those for {}", error.what(), done.join(", "));
                    return Err(error.told(what));
                }
            }
        }
        Ok(Published {
            notices: Vec::new(),
            contracts,
        })
    }

    /// The contract that a version of a consumer has with a provider.
    pub async fn contract_of_version(
        &self,
        consumer: &str,
        provider: &str,
        version: &str,
    ) -> Result<Resource, BrokerError> {
        let names = [
            ("provider", provider),
            ("consumer", consumer),
            ("consumerApplicationVersion", version),
        ];
        self.get(&self.place(&PUBLISH_ONE, &names).await?).await
    }

    /// The latest contract of every pair, as the broker lists them.
    pub async fn latest_contracts(&self) -> Result<Resource, BrokerError> {
        let place = Place {
            relation: "pb:latest-pact-versions",
            path: "/pacts/latest",
        };
        self.get(&self.place(&place, &[]).await?).await
    }

    /// Contracts of a provider: links with the consumer's name, as the broker lists them.
    pub async fn contracts_of(&self, choice: &ContractChoice) -> Result<Resource, BrokerError> {
        let path = match (&choice.branch, choice.latest) {
            (Some(_), true) => "/pacts/provider/{provider}/branch/{branch}/latest",
            (Some(_), false) => "/pacts/provider/{provider}/branch/{branch}",
            (None, true) => "/pacts/provider/{provider}/latest",
            (None, false) => "/pacts/provider/{provider}",
        };
        let relation = match (&choice.branch, choice.latest) {
            (Some(_), true) => "pb:latest-provider-pacts-with-branch",
            (Some(_), false) => "pb:provider-pacts-with-branch",
            (None, true) => "pb:latest-provider-pacts",
            (None, false) => "pb:provider-pacts",
        };
        let branch = choice.branch.as_deref().unwrap_or_default();
        let mut names = vec![("provider", choice.provider.as_str())];
        if !branch.is_empty() {
            names.push(("branch", branch));
        }
        self.get(&self.place(&Place { relation, path }, &names).await?).await
    }

    /// The provider states that consumers ask of a provider: in the contracts of a branch, or of what is in an environment
    /// (its UUID), or of all main branches.
    pub async fn provider_states(
        &self,
        provider: &str,
        branch: Option<&str>,
        environment: Option<&str>,
    ) -> Result<Resource, BrokerError> {
        let (path, name) = match (branch, environment) {
            (Some(branch), _) => (
                "/pacts/provider/{provider}/provider-states/branch/{branch}",
                ("branch", branch),
            ),
            (None, Some(uuid)) => (
                "/pacts/provider/{provider}/provider-states/environment/{environment}",
                ("environment", uuid),
            ),
            (None, None) => ("/pacts/provider/{provider}/provider-states", ("", "")),
        };
        self.get(&self.located(path, &[("provider", provider), name])?).await
    }
}

#[cfg(test)]
mod tests {
    use super::version_in;

    #[test]
    fn urls_name_versions() {
        let url = "http://h/pacts/provider/a/consumer/b/version/1%2F2/x?y";
        assert_eq!(version_in(url).as_deref(), Some("1/2"));
        assert_eq!(version_in("http://h/pacts/provider/a/consumer/b/latest"), None);
    }
}
