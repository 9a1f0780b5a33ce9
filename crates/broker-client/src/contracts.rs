//! Publishes contracts, and fetches published contracts.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use contract_model::{Json, Object};
use http::Method;
use percent_encoding::percent_decode_str;

use crate::client::{BrokerClient, IndexLink, RequestBody};
use crate::error::{BrokerError, BrokerErrorKind, Notice};
use crate::path::segment;
use crate::resource::{Resource, links};

/// The contracts to publish for one consumer version.
#[derive(Clone, Debug, Default)]
pub struct Publication {
    pub consumer: String,
    pub version: String,
    pub branch: Option<String>,
    pub tags: Vec<String>,
    pub build_url: Option<String>,
    pub contracts: Vec<ContractToPublish>,
    /// If true, interactions are added to the contracts that are already published for this version. If false,
    /// publishing different content for the same version is an error.
    pub merge: bool,
}

#[derive(Clone, Debug)]
pub struct ContractToPublish {
    pub provider: String,
    /// The bytes of the contract file.
    pub content: Bytes,
}

#[derive(Clone, Debug)]
pub struct Published {
    pub notices: Vec<Notice>,
    pub contracts: Vec<PublishedContract>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublishedContract {
    pub provider: String,
    /// The contract's URL, or `None` if the broker did not send it.
    pub url: Option<String>,
}

/// Selects contracts with a provider.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ContractChoice {
    pub provider: String,
    /// Not used by [`BrokerClient::contracts_of`]: the caller filters its result.
    pub consumer: Option<String>,
    /// Only contracts of consumer versions on this branch. `None` selects all branches.
    pub branch: Option<String>,
    /// If true, only the latest contract of each consumer. If false, the contracts of all consumer versions.
    pub latest: bool,
}

const PUBLISH_ONE: IndexLink<'static> = IndexLink {
    relation: "pb:publish-pact",
    path: "/pacts/provider/{provider}/consumer/{consumer}/version/{consumerApplicationVersion}",
};

/// Returns the decoded consumer version in a contract URL, which follows `/version/`. Returns `None` if the URL
/// contains no version.
pub fn version_in(url: &str) -> Option<String> {
    let (_, rest) = url.split_once("/version/")?;
    let segment = rest.split(['/', '?', '#']).next()?;
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
        let contracts: Vec<Json> = self.contracts.iter().map(|contract| contract.body(self)).collect();
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
    /// Publishes contracts. Publishing the same content again has no effect. Publishing different content for the same
    /// version is an error of the kind [`BrokerErrorKind::Conflict`] whose notices contain the diff, unless `merge` is
    /// set.
    pub async fn publish(&self, publication: &Publication) -> Result<Published, BrokerError> {
        let index = self.index().await?;
        let Some(link) = index.link("pb:publish-contracts") else {
            return self.publish_each(publication).await;
        };
        let url = self.template_url(&link.href, &[])?;
        let response = self
            .exchange(Method::POST, &url, RequestBody::repeatable(&publication.body()))
            .await;
        let document = match response {
            Ok(response) => response.into_document(),
            // The Pact Broker rejects `merge` in this request with a conflict, but merges a PATCH of the contract.
            Err(error) if publication.merge && error.kind() == BrokerErrorKind::Conflict => {
                return self.merge_each(publication).await;
            }
            Err(error) => return Err(error),
        };
        let contract_links = links(&document, "pb:contracts");
        let url_of = |provider: &str| {
            let tail = format!("/provider/{}/", segment(provider));
            let link = contract_links
                .iter()
                .find(|link| link.href.contains(&tail) || link.name.as_deref() == Some(provider));
            link.map(|link| link.href.clone())
        };
        let contracts = publication.contracts.iter().map(|contract| PublishedContract {
            provider: contract.provider.clone(),
            url: url_of(&contract.provider),
        });
        Ok(Published {
            notices: self.notices(&document),
            contracts: contracts.collect(),
        })
    }

    /// Publishes each contract in a separate request, for brokers from before 2021. If a request fails, the error lists
    /// the providers whose contracts were already published.
    async fn publish_each(&self, publication: &Publication) -> Result<Published, BrokerError> {
        if publication.branch.is_some() || publication.build_url.is_some() {
            let message = format!("the broker at {} does not support branches and build URLs", self.url());
            return Err(BrokerError::new(BrokerErrorKind::Unsupported, message)
                .with_advice("update the broker, or publish without a branch and a build URL"));
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
        for contract in &publication.contracts {
            let names = [
                ("provider", contract.provider.as_str()),
                ("consumer", publication.consumer.as_str()),
                ("consumerApplicationVersion", publication.version.as_str()),
            ];
            let url = self.index_url(&PUBLISH_ONE, &names).await?;
            let content = Json::parse(&contract.content).map_err(|error| {
                BrokerError::new(
                    BrokerErrorKind::Settings,
                    format!("the contract with {} is not JSON: {error}", contract.provider),
                )
            })?;
            match self.send(method.clone(), &url, RequestBody::repeatable(&content)).await {
                Ok(response) => contracts.push(PublishedContract {
                    provider: contract.provider.clone(),
                    url: response
                        .as_ref()
                        .and_then(|response| response.link("self"))
                        .map(|link| link.href),
                }),
                Err(error) if contracts.is_empty() => return Err(error),
                Err(error) => {
                    let published: Vec<&str> = contracts.iter().map(|published| published.provider.as_str()).collect();
                    let message = format!(
                        "{} (already published: the contracts with {})",
                        error.message(),
                        published.join(", ")
                    );
                    return Err(error.with_message(message));
                }
            }
        }
        Ok(Published {
            notices: Vec::new(),
            contracts,
        })
    }

    /// Returns the contract between a consumer version and a provider.
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
        self.get(&self.index_url(&PUBLISH_ONE, &names).await?).await
    }

    /// Returns the broker's list of the latest contracts, one per integration.
    pub async fn latest_contracts(&self) -> Result<Resource, BrokerError> {
        let place = IndexLink {
            relation: "pb:latest-pact-versions",
            path: "/pacts/latest",
        };
        self.get(&self.index_url(&place, &[]).await?).await
    }

    /// Returns the broker's list of the selected contracts: links with the consumer names. Ignores `choice.consumer`.
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
        self.get(&self.index_url(&IndexLink { relation, path }, &names).await?)
            .await
    }

    /// Returns the provider states in the latest contracts from consumer branches named `branch`. If `branch` is
    /// `None`, uses the contracts in the environment with the UUID `environment`. If both are `None`, uses the
    /// contracts from the consumers' main branches.
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
        self.get(&self.template_url(path, &[("provider", provider), name])?)
            .await
    }
}

#[cfg(test)]
mod tests {
    use super::version_in;

    #[test]
    fn reads_the_version_from_a_url() {
        let url = "http://h/pacts/provider/a/consumer/b/version/1%2F2/x?y";
        assert_eq!(version_in(url).as_deref(), Some("1/2"));
        assert_eq!(version_in("http://h/pacts/provider/a/consumer/b/latest"), None);
    }
}
