//! Fetches contracts to verify, and publishes verification results.

use std::collections::HashSet;

use contract_model::{Json, Object};
use http::Method;

use crate::client::{BrokerClient, IndexLink, RequestBody};
use crate::error::{BrokerError, BrokerErrorKind};
use crate::resource::{Link, Resource, links};
use crate::secrets::Secrets;

/// Selects the contracts to verify.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Consumer version selectors: objects with keys such as `mainBranch`, `branch`, and `deployedOrReleased`. If
    /// empty, the broker selects the main branches, and the deployed and released versions.
    pub consumer_versions: Vec<Json>,
    /// If true, contracts that have never been verified successfully are pending: their failures do not fail the build.
    pub include_pending: bool,
    /// Date in ISO 8601 format, such as `2026-01-31`. Adds contracts that the selectors do not include and that were
    /// published since this date (work in progress). `None` adds none.
    pub include_wip_since: Option<String>,
    /// The provider's branch. Results on this branch determine which contracts are pending or work in progress.
    pub provider_branch: Option<String>,
    /// The provider's tags. Older brokers use them instead of `provider_branch`.
    pub provider_tags: Vec<String>,
}

impl Selection {
    fn body(&self) -> Json {
        let mut body = Object::new();
        if !self.consumer_versions.is_empty() {
            body.insert("consumerVersionSelectors", Json::from(self.consumer_versions.clone()));
        }
        // Always sent, because brokers have different defaults.
        body.insert("includePendingStatus", self.include_pending);
        if let Some(since) = &self.include_wip_since {
            body.insert("includeWipPactsSince", since.as_str());
        }
        if let Some(branch) = &self.provider_branch {
            body.insert("providerVersionBranch", branch.as_str());
        }
        if !self.provider_tags.is_empty() {
            let tags: Vec<Json> = self.provider_tags.iter().map(|tag| tag.as_str().into()).collect();
            body.insert("providerVersionTags", tags);
        }
        body.into()
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selected {
    /// The contract's URL, for [`BrokerClient::contract`].
    pub url: String,
    /// Name for messages, such as `Pact between web (1.0) and orders`. If the broker sends none, the URL.
    pub name: String,
    /// The broker's short reason for the selection, such as `latest from main branch`. `None` if it sends none.
    pub short_description: Option<String>,
    /// Whether failures of the contract do not fail the build. `None` if the broker did not send this property.
    pub pending: Option<bool>,
    /// Whether the contract was selected only because it is work in progress.
    pub wip: bool,
    pub notices: Vec<VerificationNotice>,
}

/// A message from the broker to the user about a contract.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerificationNotice {
    /// When to print the message: `before_verification`, or a condition such as
    /// `after_verification:success_true_published_false`.
    pub when: String,
    pub text: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProviderVersion {
    pub number: String,
    pub branch: Option<String>,
    pub tags: Vec<String>,
}

/// The result of verifying one contract.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VerificationResult {
    pub success: bool,
    pub provider_version: String,
    pub build_url: Option<String>,
    /// The result of each interaction, with the members `interactionId`, `interactionDescription`, `success`,
    /// `mismatches`, and `exceptions`.
    pub test_results: Vec<Json>,
    /// Name and version of the library that verified the contract.
    pub verified_by: Option<(String, String)>,
}

const FOR_VERIFICATION: IndexLink<'static> = IndexLink {
    relation: "pb:provider-pacts-for-verification",
    path: "/pacts/provider/{provider}/for-verification",
};
const LATEST: IndexLink<'static> = IndexLink {
    relation: "pb:latest-provider-pacts",
    path: "/pacts/provider/{provider}/latest",
};

impl BrokerClient {
    /// Fetches the list of contracts that a provider must verify.
    ///
    /// Brokers from before 2020 do not support this call. For these brokers, the client returns the latest contracts if
    /// `selection` is the default, and an error otherwise.
    pub async fn for_verification(&self, provider: &str, selection: &Selection) -> Result<Vec<Selected>, BrokerError> {
        let index = self.index().await?;
        let link = index
            .link(FOR_VERIFICATION.relation)
            .or_else(|| index.link("beta:provider-pacts-for-verification"));
        let names = [("provider", provider)];
        if link.is_none() && index.link(LATEST.relation).is_some() {
            return self.latest_for(provider, selection).await;
        }
        let url = self.link_url(link.as_ref(), FOR_VERIFICATION.path, &names)?;
        let response = self
            .exchange(Method::POST, &url, RequestBody::repeatable(&selection.body()))
            .await?;
        response
            .embedded("pacts")
            .iter()
            .map(|item| {
                selected(item, self.secrets())
                    .ok_or_else(|| BrokerError::not_a_broker(&url, "a contract in the list has no link"))
            })
            .collect()
    }

    async fn latest_for(&self, provider: &str, selection: &Selection) -> Result<Vec<Selected>, BrokerError> {
        if *selection != Selection::default() {
            let message = format!(
                "the broker at {} does not support selectors, pending contracts, or work-in-progress contracts",
                self.url()
            );
            return Err(BrokerError::new(BrokerErrorKind::Unsupported, message)
                .with_advice("update the broker, or remove these options to verify the latest contracts"));
        }
        let list = self
            .get(&self.index_url(&LATEST, &[("provider", provider)]).await?)
            .await?;
        let mut found = list.links("pb:pacts");
        found.extend(list.links("pacts"));
        let mut known = HashSet::new();
        found.retain(|link| known.insert(link.href.clone()));
        let secrets = self.secrets();
        let selected = found.into_iter().map(|link| Selected {
            name: secrets
                .redact(&link.title.or(link.name).unwrap_or_else(|| link.href.clone()))
                .into_owned(),
            url: link.href,
            short_description: None,
            pending: None,
            wip: false,
            notices: Vec::new(),
        });
        Ok(selected.collect())
    }

    /// Fetches a contract. [`Resource::bytes`] returns the contract file.
    pub async fn contract(&self, url: &str) -> Result<Resource, BrokerError> {
        self.get(url).await
    }

    /// Creates the provider version if it does not exist, and sets its branch and tags. Does nothing if `version` has
    /// neither. Must be called before results are published.
    ///
    /// `contract` can be any contract with the provider. It only supplies the provider's name and links.
    pub async fn create_provider_version(
        &self,
        contract: &Resource,
        version: &ProviderVersion,
    ) -> Result<(), BrokerError> {
        if version.branch.is_none() && version.tags.is_empty() {
            return Ok(());
        }
        let provider = self.find_provider(contract).await?;
        let name = provider.name.as_str();
        let empty = Json::object();
        if let Some(branch) = &version.branch {
            let names = [
                ("pacticipant", name),
                ("branch", branch.as_str()),
                ("version", version.number.as_str()),
            ];
            let fixed = "/pacticipants/{pacticipant}/branches/{branch}/versions/{version}";
            let url = self.provider_url(&provider, "pb:branch-version", fixed, &names)?;
            self.send(Method::PUT, &url, RequestBody::repeatable(&empty)).await?;
        }
        for tag in &version.tags {
            let names = [
                ("pacticipant", name),
                ("tag", tag.as_str()),
                ("version", version.number.as_str()),
            ];
            let fixed = "/pacticipants/{pacticipant}/versions/{version}/tags/{tag}";
            let url = self.provider_url(&provider, "pb:version-tag", fixed, &names)?;
            self.send(Method::PUT, &url, RequestBody::repeatable(&empty)).await?;
        }
        Ok(())
    }

    fn provider_url(
        &self,
        provider: &Provider,
        relation: &str,
        fixed: &str,
        names: &[(&str, &str)],
    ) -> Result<String, BrokerError> {
        let link = provider.document.as_ref().and_then(|document| document.link(relation));
        self.link_url(link.as_ref(), fixed, names)
    }

    async fn find_provider(&self, contract: &Resource) -> Result<Provider, BrokerError> {
        let name_in_contract = contract.document().pointer("/provider/name").and_then(Json::as_str);
        let link = contract.link("pb:provider");
        let name = link
            .as_ref()
            .and_then(|link| link.name.clone())
            .or_else(|| name_in_contract.map(str::to_owned));
        let Some(name) = name else {
            return Err(BrokerError::not_a_broker(
                contract.url(),
                "the contract has no provider",
            ));
        };
        let document = match link {
            // An unknown pacticipant is created with its first version.
            Some(link) => self.find(&link.href).await?,
            None => None,
        };
        Ok(Provider { name, document })
    }

    /// Publishes the result of a contract that was fetched with [`BrokerClient::contract`], to the link in the
    /// contract. From the link's URL, the broker also learns why it selected the contract. Returns the URL of the result, or
    /// `None` if the broker did not send it.
    ///
    /// The request is not retried if the broker may have processed it.
    pub async fn publish_result(
        &self,
        contract: &Resource,
        result: &VerificationResult,
    ) -> Result<Option<String>, BrokerError> {
        let url = self.results_url(contract)?;
        let response = self.send(Method::POST, &url, RequestBody::once(&result.body())).await?;
        let own = response.as_ref().and_then(|response| response.link("self"));
        Ok(own.map(|link| self.secrets().redact(&link.href).into_owned()))
    }

    fn results_url(&self, contract: &Resource) -> Result<String, BrokerError> {
        if let Some(link) = contract.link("pb:publish-verification-results") {
            return self.template_url(&link.href, &[]);
        }
        // Only contracts that are identified by their content have a fixed path for results.
        let own = contract.link("self").or_else(|| contract.link("pb:pact-version"));
        match own.filter(|link| link.href.contains("/pact-version/")) {
            Some(Link { href, .. }) => {
                self.template_url(&format!("{}/verification-results", href.trim_end_matches('/')), &[])
            }
            None => Err(BrokerError::new(
                BrokerErrorKind::Unsupported,
                format!(
                    "the contract at {} has no link for publishing results",
                    contract_wire::redact_url(contract.url())
                ),
            )
            .with_advice("fetch the contract from a broker")),
        }
    }
}

struct Provider {
    name: String,
    document: Option<Resource>,
}

impl VerificationResult {
    fn body(&self) -> Json {
        let mut body = Object::new();
        body.insert("success", self.success);
        body.insert("providerApplicationVersion", self.provider_version.as_str());
        if let Some(url) = &self.build_url {
            body.insert("buildUrl", url.as_str());
        }
        if !self.test_results.is_empty() {
            body.insert("testResults", Json::from(self.test_results.clone()));
        }
        if let Some((implementation, version)) = &self.verified_by {
            let verified_by: Object = [
                ("implementation", implementation.as_str()),
                ("version", version.as_str()),
            ]
            .into_iter()
            .collect();
            body.insert("verifiedBy", verified_by);
        }
        body.into()
    }
}

fn selected(item: &Json, secrets: &Secrets) -> Option<Selected> {
    let link = links(item, "self").into_iter().next()?;
    let properties = item.get("verificationProperties");
    let flag = |name| properties.and_then(|found| found.get(name)).and_then(Json::as_bool);
    let notices = properties
        .and_then(|found| found.get("notices"))
        .and_then(Json::as_array);
    let notice = |notice: &Json| {
        let text = |name| {
            let text = notice.get(name).and_then(Json::as_str);
            text.map(|text| secrets.redact(text).into_owned())
        };
        Some(VerificationNotice {
            when: text("when").unwrap_or_else(|| "before_verification".to_owned()),
            text: text("text")?,
        })
    };
    let description = item.get("shortDescription").and_then(Json::as_str);
    Some(Selected {
        name: secrets
            .redact(&link.name.unwrap_or_else(|| link.href.clone()))
            .into_owned(),
        url: link.href,
        short_description: description.map(|text| secrets.redact(text).into_owned()),
        pending: flag("pending"),
        wip: flag("wip").unwrap_or(false),
        notices: notices.unwrap_or_default().iter().filter_map(notice).collect(),
    })
}

#[cfg(test)]
mod tests {
    use contract_model::Json;

    use super::Selection;

    #[test]
    fn sends_only_the_selected_options() {
        assert_eq!(
            Selection::default().body().to_text(),
            r#"{"includePendingStatus":false}"#
        );
        let selection = Selection {
            consumer_versions: vec![Json::parse(br#"{"mainBranch":true}"#).unwrap()],
            include_pending: true,
            include_wip_since: Some("2026-01-01".to_owned()),
            provider_branch: Some("main".to_owned()),
            provider_tags: vec!["t".to_owned()],
        };
        assert_eq!(
            selection.body().to_text(),
            r#"{"consumerVersionSelectors":[{"mainBranch":true}],"includePendingStatus":true,"includeWipPactsSince":"2026-01-01","providerVersionBranch":"main","providerVersionTags":["t"]}"#
        );
    }
}
