//! May a version be deployed?

use contract_model::Json;
use serde::Serialize;

use crate::client::BrokerClient;
use crate::error::{BrokerError, BrokerErrorKind, Notice};
use crate::path::query;
use crate::resource::links;

/// Versions of one pacticipant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VersionSelector {
    /// The name.
    pub pacticipant: String,
    /// This version.
    pub version: Option<String>,
    /// The latest: of all, with the tag, or on the branch.
    pub latest: bool,
    /// With this tag.
    pub tag: Option<String>,
    /// On this branch.
    pub branch: Option<String>,
    /// On its main branch.
    pub main_branch: bool,
    /// Deployed or released there.
    pub environment: Option<String>,
}

/// Where the version is to go.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Target {
    /// Beside the latest versions of the others.
    #[default]
    Latest,
    /// Beside what is deployed and released there.
    Environment(String),
    /// Beside the latest with this tag.
    Tag(String),
    /// Beside the others' main branches.
    MainBranch,
    /// Nowhere: the named ones among themselves.
    Themselves,
}

/// What is asked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Question {
    /// What is to be deployed, or to work together.
    pub selectors: Vec<VersionSelector>,
    /// What does not count.
    pub ignore: Vec<VersionSelector>,
    /// Where it is to go.
    pub target: Target,
    /// Most rows of the answer; the broker's own choice without it.
    pub limit: Option<u32>,
}

/// The answer.
#[derive(Clone, Debug, Serialize)]
pub struct Verdict {
    /// Yes, no, or not known yet.
    pub deployable: Option<bool>,
    /// Why, in the broker's words.
    pub reason: String,
    /// Pairs with a good result.
    pub success: u64,
    /// Pairs with a bad one.
    pub failed: u64,
    /// Pairs with none.
    pub unknown: u64,
    /// The pairs.
    pub rows: Vec<Row>,
    /// What the broker says.
    pub notices: Vec<Notice>,
    /// The answer as it came.
    #[serde(skip)]
    pub document: Json,
}

/// A pair of versions, and what came out between them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Row {
    /// The consumer.
    pub consumer: RowSide,
    /// The provider; without a version when none of those asked for has a result.
    pub provider: RowSide,
    /// Whether the provider honours the contract; nothing when there is no result.
    pub success: Option<bool>,
    /// When that came out.
    pub verified_at: Option<String>,
    /// Where the result is.
    pub result_url: Option<String>,
    /// When the contract was published.
    pub published_at: Option<String>,
    /// Where the contract is.
    pub contract_url: Option<String>,
    /// Whether it does not count.
    pub ignored: bool,
}

/// One side of a pair.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RowSide {
    /// The name.
    pub name: String,
    /// The version.
    pub version: Option<String>,
    /// The version's branches.
    pub branches: Vec<String>,
    /// The names of the environments where it is.
    pub environments: Vec<String>,
}

impl Question {
    fn query(&self) -> String {
        let mut pairs: Vec<(&str, Option<&str>)> = Vec::new();
        for selector in &self.selectors {
            // The name first: it begins the next selector.
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
        // Every version that is there counts, not only the one that was verified last.
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
    /// Whether the versions may be deployed.
    pub async fn can_i_deploy(&self, question: &Question) -> Result<Verdict, BrokerError> {
        // No broker has a link for it.
        let url = format!("{}{}", self.located("/matrix", &[])?, question.query());
        let document = self.get(&url).await.map_err(no_verdict)?.into_document();
        let summary = document.get("summary").filter(|summary| summary.as_object().is_some());
        let Some(summary) = summary else {
            return Err(BrokerError::not_a_broker(&self.url(), "its verdict has no summary"));
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
            document,
        })
    }
}

/// What a broker says of names that it does not know, without the long question.
fn no_verdict(error: BrokerError) -> BrokerError {
    if error.kind() != BrokerErrorKind::Refused || error.reasons().is_empty() {
        return error;
    }
    let what = format!("there is no verdict: {}", error.reasons().join(" "));
    error.told(what).with_advice("check the names")
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
    fn questions_as_the_field_asks_them() {
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
