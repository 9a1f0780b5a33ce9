//! `can-i-deploy`: checks whether versions can be deployed.

use std::time::Duration;

use contract_model::Json;
use http::Method;
use serde::Serialize;

use crate::client::BrokerClient;
use crate::error::{BrokerError, BrokerErrorKind, Notice};
use crate::path::query;
use crate::resource::links;
use crate::transport::Response;

/// Maximum value of the `wait` parameter. Proxies often close connections after 60 seconds.
const MAX_WAIT: Duration = Duration::from_secs(30);

/// Selects versions of one application.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VersionSelector {
    pub pacticipant: String,
    pub version: Option<String>,
    /// Only the latest version: on `branch`, with `tag`, or overall if both are `None`.
    pub latest: bool,
    pub tag: Option<String>,
    pub branch: Option<String>,
    pub main_branch: bool,
    /// Only versions that are deployed to or released in the environment with this name.
    pub environment: Option<String>,
}

/// The other versions with which the selected versions must be compatible.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Target {
    /// The latest versions of the other applications.
    #[default]
    Latest,
    /// The versions that are deployed to or released in the environment with this name.
    Environment(String),
    /// The latest versions of the other applications with this tag.
    Tag(String),
    /// The latest versions on the main branches of the other applications.
    MainBranch,
    /// No other versions: the selected versions must be compatible with each other.
    Themselves,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Question {
    /// The versions to deploy.
    pub selectors: Vec<VersionSelector>,
    /// Versions whose results do not affect the verdict. Only `pacticipant` and `version` are used.
    pub ignore: Vec<VersionSelector>,
    pub target: Target,
    /// Maximum number of rows in the response. `None` means the broker's default.
    pub limit: Option<u32>,
}

#[derive(Clone, Debug, Serialize)]
pub struct Verdict {
    /// True if the versions can be deployed, false if not, `None` if required results are missing.
    pub deployable: Option<bool>,
    /// The broker's explanation of the verdict. Empty if the broker sends none.
    pub reason: String,
    /// Number of rows with a successful result.
    pub success: u64,
    /// Number of rows with a failed result.
    pub failed: u64,
    /// Number of rows without a result.
    pub unknown: u64,
    pub rows: Vec<Row>,
    pub notices: Vec<Notice>,
    /// Whether the broker applied the request's parameter `wait`. False if the request did not contain it.
    #[serde(skip)]
    pub can_wait: bool,
    /// The complete response document.
    #[serde(skip)]
    pub document: Json,
}

/// A consumer version and a provider version, with the verification result between them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Row {
    pub consumer: RowSide,
    /// Its version is `None` if no selected provider version has a result for the contract.
    pub provider: RowSide,
    /// Whether the verification passed. `None` if there is no result.
    pub success: Option<bool>,
    /// Time of the verification in ISO 8601 format. `None` if there is no result.
    pub verified_at: Option<String>,
    pub result_url: Option<String>,
    /// Time at which the contract was published, in ISO 8601 format. `None` if the broker did not send it.
    pub published_at: Option<String>,
    pub contract_url: Option<String>,
    /// True if the row does not affect the verdict, because the query ignores its version.
    pub ignored: bool,
}

/// The consumer or the provider of a row, with its version.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RowSide {
    pub name: String,
    /// `None` if no selected version has a result for the contract.
    pub version: Option<String>,
    pub branches: Vec<String>,
    /// Names of the environments that the version is deployed to or released in.
    pub environments: Vec<String>,
}

impl Question {
    fn query(&self) -> String {
        let mut pairs: Vec<(&str, Option<&str>)> = Vec::new();
        for selector in &self.selectors {
            // The pacticipant comes first, because it starts the next selector.
            pairs.push(("q[][pacticipant]", Some(&selector.pacticipant)));
            pairs.push(("q[][version]", selector.version.as_deref()));
            pairs.push(("q[][branch]", selector.branch.as_deref()));
            pairs.push(("q[][mainBranch]", selector.main_branch.then_some("true")));
            pairs.push(("q[][tag]", selector.tag.as_deref()));
            pairs.push(("q[][latest]", selector.latest.then_some("true")));
            pairs.push(("q[][environment]", selector.environment.as_deref()));
        }
        for ignored in &self.ignore {
            pairs.push(("ignore[][pacticipant]", Some(&ignored.pacticipant)));
            pairs.push(("ignore[][version]", ignored.version.as_deref()));
        }
        // Considers all versions in the target, not only the most recently verified one.
        let (key, latest) = match self.target {
            Target::Environment(_) | Target::Themselves => ("cvpv", None),
            _ => ("cvp", Some("true")),
        };
        pairs.push(("latestby", Some(key)));
        pairs.push(("latest", latest));
        match &self.target {
            Target::Environment(name) => pairs.push(("environment", Some(name))),
            Target::Tag(tag) => pairs.push(("tag", Some(tag))),
            Target::MainBranch => pairs.push(("mainBranch", Some("true"))),
            Target::Latest | Target::Themselves => (),
        }
        let limit = self.limit.map(|limit| limit.to_string());
        pairs.push(("limit", limit.as_deref()));
        query(pairs)
    }
}

impl BrokerClient {
    pub async fn can_i_deploy(&self, question: &Question) -> Result<Verdict, BrokerError> {
        let url = self.question_url(question)?;
        let response = self.request(Method::GET, &url, None).await.map_err(no_verdict)?;
        self.verdict(response)
    }

    /// Requests a verdict, and lets the broker wait for missing results. A broker that [can wait](Verdict::can_wait)
    /// responds when the verdict changes, or when `wait` (rounded down to whole seconds) has elapsed. Other brokers
    /// respond immediately. `wait` is limited to 30 seconds, and to half of the
    /// [timeout](crate::TransportOptions::timeout).
    pub async fn can_i_deploy_within(&self, question: &Question, wait: Duration) -> Result<Verdict, BrokerError> {
        let wait = wait.min(MAX_WAIT).min(self.timeout() / 2);
        let url = format!("{}&wait={}", self.question_url(question)?, wait.as_secs());
        let response = self.request(Method::GET, &url, None).await.map_err(no_verdict)?;
        self.verdict(response)
    }

    fn question_url(&self, question: &Question) -> Result<String, BrokerError> {
        // Brokers have no link for this call.
        Ok(format!("{}{}", self.template_url("/matrix", &[])?, question.query()))
    }

    fn verdict(&self, response: Response) -> Result<Verdict, BrokerError> {
        // RFC 7240 section 3.
        let applied = response.headers.get_all("preference-applied").iter();
        let can_wait = applied
            .filter_map(|value| value.to_str().ok())
            .any(|value| value.starts_with("wait="));
        let document = self.resource(response)?.into_document();
        let summary = document.get("summary").filter(|summary| summary.as_object().is_some());
        let Some(summary) = summary else {
            return Err(BrokerError::not_a_broker(&self.url(), "the response has no summary"));
        };
        let count = |name| summary.get(name).and_then(Json::as_u64).unwrap_or_default();
        let rows = document.get("matrix").and_then(Json::as_array).unwrap_or_default();
        Ok(Verdict {
            deployable: summary.get("deployable").and_then(Json::as_bool),
            reason: text(summary, "reason").unwrap_or_default(),
            success: count("success"),
            failed: count("failed"),
            unknown: count("unknown"),
            rows: rows.iter().map(row).collect(),
            notices: self.notices(&document),
            can_wait,
            document,
        })
    }
}

/// If the broker rejected the query, replaces the message, because it contains the long query, and sets the advice.
fn no_verdict(error: BrokerError) -> BrokerError {
    if error.kind() != BrokerErrorKind::Refused || error.reasons().is_empty() {
        return error;
    }
    let message = format!("the broker rejected the query: {}", error.reasons().join(" "));
    error.with_message(message).with_advice("check the names")
}

fn text(value: &Json, name: &str) -> Option<String> {
    value.get(name).and_then(Json::as_str).map(str::to_owned)
}

fn own_url(value: Option<&Json>) -> Option<String> {
    Some(links(value?, "self").into_iter().next()?.href)
}

fn row(row: &Json) -> Row {
    let result = row.get("verificationResult").filter(|result| !result.is_null());
    Row {
        consumer: side(row.get("consumer")),
        provider: side(row.get("provider")),
        success: result.map(|result| result.get("success").and_then(Json::as_bool).unwrap_or(false)),
        verified_at: result.and_then(|result| text(result, "verifiedAt")),
        result_url: own_url(result),
        published_at: row.get("pact").and_then(|pact| text(pact, "createdAt")),
        contract_url: own_url(row.get("pact")),
        ignored: row.get("ignored").and_then(Json::as_bool).unwrap_or(false),
    }
}

fn side(side: Option<&Json>) -> RowSide {
    let version = side.and_then(|side| side.get("version"));
    let names = |list: &str| -> Vec<String> {
        let found = version.and_then(|version| version.get(list)).and_then(Json::as_array);
        found
            .unwrap_or_default()
            .iter()
            .filter_map(|tag| text(tag, "name"))
            .collect()
    };
    RowSide {
        name: side.and_then(|side| text(side, "name")).unwrap_or_default(),
        version: version.and_then(|version| text(version, "number")),
        branches: names("branches"),
        environments: names("environments"),
    }
}

#[cfg(test)]
mod tests {
    use super::{Question, Target, VersionSelector};

    #[test]
    fn queries_have_the_parameters_of_the_pact_broker() {
        let version_of = |name: &str| VersionSelector {
            pacticipant: name.to_owned(),
            version: Some("1".to_owned()),
            ..VersionSelector::default()
        };
        let mut question = Question {
            selectors: vec![version_of("a b")],
            target: Target::Environment("prod".to_owned()),
            ..Question::default()
        };
        assert_eq!(
            question.query(),
            "?q[][pacticipant]=a%20b&q[][version]=1&latestby=cvpv&environment=prod"
        );
        question.target = Target::Tag("t".to_owned());
        question.ignore = vec![version_of("c")];
        assert!(
            question
                .query()
                .ends_with("&ignore[][pacticipant]=c&ignore[][version]=1&latestby=cvp&latest=true&tag=t")
        );
        question.target = Target::MainBranch;
        assert!(question.query().ends_with("latestby=cvp&latest=true&mainBranch=true"));
        question.target = Target::Themselves;
        question.limit = Some(5);
        assert!(question.query().ends_with("latestby=cvpv&limit=5"));
    }
}
