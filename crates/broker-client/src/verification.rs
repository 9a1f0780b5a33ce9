//! What a provider's verification asks of a broker, and tells it.

use std::collections::HashSet;

use contract_model::{Json, Object};
use http::Method;

use crate::client::{BrokerClient, Place, Sent};
use crate::error::{BrokerError, BrokerErrorKind};
use crate::resource::{Link, Resource, links};
use crate::secrets::Secrets;

/// Which contracts a provider verifies.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Which consumer versions: objects with the keys of the field (`mainBranch`, `branch`, `deployedOrReleased`, …). Without
    /// any the broker chooses: main branches, and what is deployed or released.
    pub consumer_versions: Vec<Json>,
    /// Whether contracts that the provider never honoured may fail.
    pub include_pending: bool,
    /// Adds contracts of other branches published since this date (ISO 8601), which may fail.
    pub include_wip_since: Option<String>,
    /// The provider's branch, by which pending and work in progress are told.
    pub provider_branch: Option<String>,
    /// The provider's tags, the older way to tell them.
    pub provider_tags: Vec<String>,
}

impl Selection {
    /// What is sent.
    fn body(&self) -> Json {
        let mut body = Object::new();
        if !self.consumer_versions.is_empty() {
            body.insert("consumerVersionSelectors", Json::from(self.consumer_versions.clone()));
        }
        // Said in any case: brokers differ in what they mean when nobody says it.
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

/// A contract that is to be verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selected {
    /// Where it is read: [`BrokerClient::contract`].
    pub url: String,
    /// What the broker calls it.
    pub name: String,
    /// Why it was chosen, in a few words.
    pub short_description: Option<String>,
    /// Whether it may fail, if that was asked.
    pub pending: Option<bool>,
    /// Whether it is work in progress.
    pub wip: bool,
    /// What people are to be told, and when.
    pub notices: Vec<VerificationNotice>,
}

/// What people are to be told about a contract.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerificationNotice {
    /// `before_verification`, or `after_verification:success_true_published_false` and the like.
    pub when: String,
    /// The text.
    pub text: String,
}

/// The version of the provider that was verified.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProviderVersion {
    /// Its number.
    pub number: String,
    /// The branch that it belongs to.
    pub branch: Option<String>,
    /// Tags of the version.
    pub tags: Vec<String>,
}

/// What came out of the verification of one contract.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VerificationResult {
    /// Whether the provider honours it.
    pub success: bool,
    /// The number of the provider's version.
    pub provider_version: String,
    /// The URL of the build.
    pub build_url: Option<String>,
    /// What came out for each interaction: `interactionId`, `interactionDescription`, `success`, `mismatches`, `exceptions`.
    pub test_results: Vec<Json>,
    /// The name of who verified, and its version.
    pub verified_by: Option<(String, String)>,
}

const FOR_VERIFICATION: Place<'static> = Place {
    relation: "pb:provider-pacts-for-verification",
    path: "/pacts/provider/{provider}/for-verification",
};
const LATEST: Place<'static> = Place {
    relation: "pb:latest-provider-pacts",
    path: "/pacts/provider/{provider}/latest",
};

impl BrokerClient {
    /// The contracts that a provider is to verify now.
    ///
    /// A broker that has no such call (they came in 2020) is asked for the latest contracts when nothing special is selected,
    /// and refused otherwise.
    pub async fn for_verification(&self, provider: &str, selection: &Selection) -> Result<Vec<Selected>, BrokerError> {
        let index = self.index().await?;
        let link = index
            .link(FOR_VERIFICATION.relation)
            .or_else(|| index.link("beta:provider-pacts-for-verification"));
        let names = [("provider", provider)];
        if link.is_none() && index.link(LATEST.relation).is_some() {
            return self.latest_for(provider, selection).await;
        }
        let url = self.linked(link.as_ref(), FOR_VERIFICATION.path, &names)?;
        let answer = self
            .exchange(Method::POST, &url, Sent::again(&selection.body()))
            .await?;
        answer
            .embedded("pacts")
            .iter()
            .map(|one| {
                selected(one, self.secrets())
                    .ok_or_else(|| BrokerError::not_a_broker(&url, "a contract in its list has no link"))
            })
            .collect()
    }

    async fn latest_for(&self, provider: &str, selection: &Selection) -> Result<Vec<Selected>, BrokerError> {
        if *selection != Selection::default() {
            let what = format!(
                "the broker at {} knows no selectors, pending contracts or work in progress",
                self.url()
            );
            return Err(BrokerError::new(BrokerErrorKind::Unsupported, what)
                .with_advice("update it, or verify the latest contracts"));
        }
        let list = self.get(&self.place(&LATEST, &[("provider", provider)]).await?).await?;
        let mut found = list.links("pb:pacts");
        found.extend(list.links("pacts"));
        let mut known = HashSet::new();
        found.retain(|link| known.insert(link.href.clone()));
        let secrets = self.secrets();
        let selected = found.into_iter().map(|link| Selected {
            name: secrets
                .blank(&link.title.or(link.name).unwrap_or_else(|| link.href.clone()))
                .into_owned(),
            url: link.href,
            short_description: None,
            pending: None,
            wip: false,
            notices: Vec::new(),
        });
        Ok(selected.collect())
    }

    /// Reads a contract with its links: [`Resource::bytes`] is the contract file.
    pub async fn contract(&self, url: &str) -> Result<Resource, BrokerError> {
        self.get(url).await
    }

    /// Puts the provider's version, which is made if there is none, on its branch and gives it its tags. Before results are
    /// published, so that the broker knows by then what the version is.
    ///
    /// `contract` is any contract of the provider: its links are followed.
    pub async fn create_provider_version(
        &self,
        contract: &Resource,
        version: &ProviderVersion,
    ) -> Result<(), BrokerError> {
        if version.branch.is_none() && version.tags.is_empty() {
            return Ok(());
        }
        let provider = self.provider_of(contract).await?;
        let name = provider.name.as_str();
        let empty = Json::object();
        if let Some(branch) = &version.branch {
            let names = [
                ("pacticipant", name),
                ("branch", branch.as_str()),
                ("version", version.number.as_str()),
            ];
            let fixed = "/pacticipants/{pacticipant}/branches/{branch}/versions/{version}";
            let url = self.of_provider(&provider, "pb:branch-version", fixed, &names)?;
            self.send(Method::PUT, &url, Sent::again(&empty)).await?;
        }
        for tag in &version.tags {
            let names = [
                ("pacticipant", name),
                ("tag", tag.as_str()),
                ("version", version.number.as_str()),
            ];
            let fixed = "/pacticipants/{pacticipant}/versions/{version}/tags/{tag}";
            let url = self.of_provider(&provider, "pb:version-tag", fixed, &names)?;
            self.send(Method::PUT, &url, Sent::again(&empty)).await?;
        }
        Ok(())
    }

    fn of_provider(
        &self,
        provider: &Provider,
        relation: &str,
        fixed: &str,
        names: &[(&str, &str)],
    ) -> Result<String, BrokerError> {
        let link = provider.document.as_ref().and_then(|document| document.link(relation));
        self.linked(link.as_ref(), fixed, names)
    }

    async fn provider_of(&self, contract: &Resource) -> Result<Provider, BrokerError> {
        let written = contract.document().pointer("/provider/name").and_then(Json::as_str);
        let link = contract.link("pb:provider");
        let name = link
            .as_ref()
            .and_then(|link| link.name.clone())
            .or_else(|| written.map(str::to_owned));
        let Some(name) = name else {
            return Err(BrokerError::not_a_broker(
                contract.url(),
                "the contract names no provider",
            ));
        };
        let document = match link {
            // One that is not there yet is made by its first version.
            Some(link) => self.find(&link.href).await?,
            None => None,
        };
        Ok(Provider { name, document })
    }

    /// Publishes the result of a contract that was read with [`BrokerClient::contract`], through its own link: by it the broker
    /// knows why the contract was chosen. Gives where it is, if the broker says so.
    ///
    /// Never sent twice when the broker may have read it.
    pub async fn publish_result(
        &self,
        contract: &Resource,
        result: &VerificationResult,
    ) -> Result<Option<String>, BrokerError> {
        let url = self.results_of(contract)?;
        let answer = self.send(Method::POST, &url, Sent::once(&result.body())).await?;
        let own = answer.as_ref().and_then(|answer| answer.link("self"));
        Ok(own.map(|link| self.secrets().blank(&link.href).into_owned()))
    }

    fn results_of(&self, contract: &Resource) -> Result<String, BrokerError> {
        if let Some(link) = contract.link("pb:publish-verification-results") {
            return self.located(&link.href, &[]);
        }
        // Only contracts that are named by their content have results at a fixed path.
        let own = contract.link("self").or_else(|| contract.link("pb:pact-version"));
        match own.filter(|link| link.href.contains("/pact-version/")) {
            Some(Link { href, .. }) => {
                self.located(&format!("{}/verification-results", href.trim_end_matches('/')), &[])
            }
            None => Err(BrokerError::new(
                BrokerErrorKind::Unsupported,
                format!(
                    "the contract at {} has no link to publish results",
                    contract_wire::shown_url(contract.url())
                ),
            )
            .with_advice("read it from a broker")),
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
            let by: Object = [
                ("implementation", implementation.as_str()),
                ("version", version.as_str()),
            ]
            .into_iter()
            .collect();
            body.insert("verifiedBy", by);
        }
        body.into()
    }
}

fn selected(one: &Json, secrets: &Secrets) -> Option<Selected> {
    let link = links(one, "self").into_iter().next()?;
    let properties = one.get("verificationProperties");
    let flag = |name| properties.and_then(|found| found.get(name)).and_then(Json::as_bool);
    let notices = properties
        .and_then(|found| found.get("notices"))
        .and_then(Json::as_array);
    let notice = |notice: &Json| {
        let text = |name| {
            let text = notice.get(name).and_then(Json::as_str);
            text.map(|text| secrets.blank(text).into_owned())
        };
        Some(VerificationNotice {
            when: text("when").unwrap_or_else(|| "before_verification".to_owned()),
            text: text("text")?,
        })
    };
    let description = one.get("shortDescription").and_then(Json::as_str);
    Some(Selected {
        name: secrets
            .blank(&link.name.unwrap_or_else(|| link.href.clone()))
            .into_owned(),
        url: link.href,
        short_description: description.map(|text| secrets.blank(text).into_owned()),
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
    fn only_what_was_asked_is_sent() {
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
