//! Can-i-deploy: checks whether versions can be deployed.

use std::time::Duration;

use contract_model::Json;
use http::Method;
use serde::Serialize;

use crate::client::BrokerClient;
use crate::error::{BrokerError, BrokerErrorKind, Notice};
use crate::path::query;
use crate::resource::links;
use crate::transport::Response;

/// Maximum time that a request waits for a verdict. Proxies often close connections after 60 seconds.
const MAX_WAIT: Duration = Duration::from_secs(30);

/// Selects versions of one pacticipant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VersionSelector {
    pub pacticipant: String,
    pub version: Option<String>,
    /// Only the latest version: overall, with the tag, or on the branch.
    pub latest: bool,
    pub tag: Option<String>,
    pub branch: Option<String>,
    pub main_branch: bool,
    /// Only versions that are deployed or released to this environment.
    pub environment: Option<String>,
}

/// The versions that the selected versions must be compatible with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Target {
    /// Compares with the latest versions of the other applications.
    #[default]
    Latest,
    /// Compares with the versions deployed or released to this environment.
    Environment(String),
    /// Compares with the latest versions with this tag.
    Tag(String),
    /// Compares with the main branches of the other applications.
    MainBranch,
    /// Compares only the selected versions with each other.
    Themselves,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Question {
    /// The versions to deploy.
    pub selectors: Vec<VersionSelector>,
    /// Versions whose results do not affect the verdict.
    pub ignore: Vec<VersionSelector>,
    pub target: Target,
    /// Maximum number of rows in the response. If `None`, the broker's default applies.
    pub limit: Option<u32>,
}

/// The broker's verdict, and the rows that it is based on.
#[derive(Clone, Debug, Serialize)]
pub struct Verdict {
    /// `None` if the verdict is unknown.
    pub deployable: Option<bool>,
    /// The explanation that the broker returned.
    pub reason: String,
    /// Number of rows with a successful result.
    pub success: u64,
    /// Number of rows with a failed result.
    pub failed: u64,
    /// Number of rows without a result.
    pub unknown: u64,
    pub rows: Vec<Row>,
    pub notices: Vec<Notice>,
    /// Whether the broker can wait for the verdict to change.
    #[serde(skip)]
    pub can_wait: bool,
    /// The complete response document.
    #[serde(skip)]
    pub document: Json,
}

/// A consumer version and a provider version, with the verification result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Row {
    pub consumer: RowSide,
    /// The provider. Has no version if none of the selected versions has a result.
    pub provider: RowSide,
    /// Whether the provider satisfies the contract; `null` without a result.
    pub success: Option<bool>,
    /// Time of the verification in ISO 8601 format.
    pub verified_at: Option<String>,
    pub result_url: Option<String>,
    /// Time at which the contract was published, in ISO 8601 format.
    pub published_at: Option<String>,
    pub contract_url: Option<String>,
    /// True if the row does not affect the verdict.
    pub ignored: bool,
}

/// The consumer or provider version of a row.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RowSide {
    pub name: String,
    /// The version number, or `null` if none of the selected versions has a result.
    pub version: Option<String>,
    pub branches: Vec<String>,
    /// The environments that the version is deployed or released to.
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
        let (by, latest) = match self.target {
            Target::Environment(_) | Target::Themselves => ("cvpv", None),
            _ => ("cvp", Some("true")),
        };
        pairs.push(("latestby", Some(by)));
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

    /// Requests a verdict that may change soon. A broker that [can wait](Verdict::can_wait) responds when the verdict
    /// changes, or after `wait`, rounded down to whole seconds. Other brokers respond immediately. The maximum wait is
    /// 30 seconds or half of the [timeout](crate::TransportOptions::timeout), whichever is less.
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

/// Replaces the message for unknown names, because the original contains the long query.
fn no_verdict(error: BrokerError) -> BrokerError {
    if error.kind() != BrokerErrorKind::Refused || error.reasons().is_empty() {
        return error;
    }
    let what = format!("the broker rejected the query: {}", error.reasons().join(" "));
    error.with_message(what).with_advice("check the names")
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
            .filter_map(|one| text(one, "name"))
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
        let one = |name: &str| VersionSelector {
            pacticipant: name.to_owned(),
            version: Some("1".to_owned()),
            ..VersionSelector::default()
        };
        let mut question = Question {
            selectors: vec![one("a b")],
            target: Target::Environment("prod".to_owned()),
            ..Question::default()
        };
        assert_eq!(
            question.query(),
            "?q[][pacticipant]=a%20b&q[][version]=1&latestby=cvpv&environment=prod"
        );
        question.target = Target::Tag("t".to_owned());
        question.ignore = vec![one("c")];
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
