//! Explains why a verdict is negative or unknown. Each reason contains what is missing, since when, which team must
//! act, and how.

use std::collections::BTreeMap;

use contract_broker_client::{BrokerClient, BrokerError, Occupancy, Question, Row, Target, Verdict, VersionSelector};
use contract_model::{Json, Object};
use serde::Serialize;

use super::short::short_version;

use contract_call::json::to_value;

/// Maximum number of blocking rows that are explained.
const MAX_REASONS: usize = 100;
/// Maximum number of missing results for which the result on the provider's main branch is requested.
const MAX_LOOK_UPS: usize = 20;

/// The reason why an integration blocks a deployment.
#[derive(Default, Serialize)]
struct Reason<'a> {
    // The blocking integration. It is `None` if only the broker's reason is available.
    #[serde(flatten)]
    pair: Option<Pair<'a>>,
    /// `failed`, `unverified`, `not_deployed`, or `unknown`. With `unknown`, only the broker's own reason is available.
    problem: &'static str,
    /// What is missing, such as a result or a deployed version, in words.
    missing: String,
    /// The time at which the verification failed or the contract was published, in ISO 8601 format, or `null` if it is
    /// unknown.
    since: Option<&'a str>,
    /// The name of the application whose team must act, or `null` if it is unknown.
    who: Option<&'a str>,
    /// A command that resolves the problem, or `null` if there is none.
    command: Option<String>,
    /// The whole explanation as one sentence.
    text: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Pair<'a> {
    consumer: &'a str,
    consumer_version: Option<&'a str>,
    provider: &'a str,
    provider_versions: Vec<&'a str>,
    /// URL of the failed verification result, or `null` if there is none.
    result_url: Option<&'a str>,
}

pub(super) async fn reasons(
    client: &BrokerClient,
    question: &Question,
    verdict: &Verdict,
) -> Result<Json, BrokerError> {
    let is_blocking = |row: &&Row| !row.ignored && row.success != Some(true);
    let rows = verdict.rows.iter().filter(is_blocking);
    let more = rows.clone().count().saturating_sub(MAX_REASONS);
    let mut blocked: Vec<(&Row, RowContext)> = Vec::new();
    // Each provider is looked up only once.
    let mut known: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for row in rows.take(MAX_REASONS) {
        let provider = row.provider.name.as_str();
        if !known.contains_key(provider) {
            known.insert(provider, target_versions(client, question, provider).await?);
        }
        let main_branch = if row.success.is_none() && blocked.len() < MAX_LOOK_UPS {
            failed_result_on_main_branch(client, row).await
        } else {
            None
        };
        let target_versions = known.get(provider).cloned().unwrap_or_default();
        blocked.push((
            row,
            RowContext {
                target_versions,
                main_branch,
            },
        ));
    }
    let mut reasons: Vec<Reason<'_>> = blocked
        .iter()
        .map(|(row, found)| match row.success {
            Some(_) => failed(question, row),
            None => without_result(client, question, row, found),
        })
        .collect();
    if more > 0 {
        reasons.push(broker_reason(&format!(
            "{more} more verifications failed or are missing."
        )));
    }
    // A required integration without any row appears only in the counts and in the broker's notices.
    let without = blocked.iter().filter(|(row, _)| row.success.is_none()).count();
    if usize::try_from(verdict.unknown).unwrap_or(usize::MAX) > without {
        let is_explained = |text: &str| {
            let is_about =
                |(row, _): &(&Row, _)| text.contains(&row.consumer.name) && text.contains(&row.provider.name);
            blocked.iter().any(is_about)
        };
        let notices = verdict.notices.iter();
        let unexplained =
            notices.filter(|notice| matches!(&*notice.kind, "error" | "danger") && !is_explained(&notice.text));
        reasons.extend(unexplained.map(|notice| broker_reason(&notice.text)));
    }
    if reasons.is_empty() {
        reasons.push(broker_reason(&verdict.reason));
    }
    Ok(to_value(&reasons))
}

struct RowContext {
    /// The provider's versions in the target environment.
    target_versions: Vec<String>,
    /// The result on the provider's main branch if it failed, and `None` otherwise.
    main_branch: Option<Row>,
}

/// Requests the result on the provider's main branch. Returns `None` if it did not fail or if the request failed.
async fn failed_result_on_main_branch(client: &BrokerClient, row: &Row) -> Option<Row> {
    let consumer = VersionSelector {
        pacticipant: row.consumer.name.clone(),
        version: Some(row.consumer.version.clone()?),
        ..VersionSelector::default()
    };
    let provider = VersionSelector {
        pacticipant: row.provider.name.clone(),
        main_branch: true,
        latest: true,
        ..VersionSelector::default()
    };
    let question = Question {
        selectors: vec![consumer, provider],
        target: Target::Themselves,
        ..Question::default()
    };
    let verdict = client.can_i_deploy(&question).await.ok()?;
    let is_same = |found: &Row| found.consumer.name == row.consumer.name && found.provider.name == row.provider.name;
    let found = verdict.rows.into_iter().find(is_same)?;
    (found.success == Some(false)).then_some(found)
}

/// Creates a reason from the text of a broker notice.
fn broker_reason<'a>(text: &str) -> Reason<'a> {
    Reason {
        problem: "unknown",
        missing: text.to_owned(),
        text: text.to_owned(),
        ..Reason::default()
    }
}

/// Returns the provider's versions in the target environment. Empty if the target is not an environment.
async fn target_versions(
    client: &BrokerClient,
    question: &Question,
    provider: &str,
) -> Result<Vec<String>, BrokerError> {
    let Target::Environment(environment) = &question.target else {
        return Ok(Vec::new());
    };
    let mut found = Vec::new();
    for occupancy in [Occupancy::Deployed, Occupancy::Released] {
        for deployed in client.current(occupancy, Some(provider), environment).await? {
            if !found.contains(&deployed.version) {
                found.push(deployed.version);
            }
        }
    }
    Ok(found)
}

fn failed<'a>(question: &Question, row: &'a Row) -> Reason<'a> {
    let (consumer, provider) = (&row.consumer.name, &row.provider.name);
    let version = row.provider.version.as_deref().unwrap_or_default();
    // The application to deploy must be compatible with the versions that are already deployed.
    let team = if is_selected(question, provider) {
        provider
    } else {
        consumer
    };
    let missing = format!(
        "{provider} {} does not satisfy the contract of {}",
        short_version(version),
        contract(row)
    );
    let since = row.verified_at.as_deref();
    let verified = since.map(|since| format!(", verified {since}"));
    let details = row.result_url.as_ref().map(|url| format!("; details: {url}"));
    Reason {
        pair: Some(pair(row, vec![version])),
        problem: "failed",
        text: sentence(&missing, verified, team, details),
        missing,
        since,
        who: Some(team),
        command: None,
    }
}

fn without_result<'a>(
    client: &BrokerClient,
    question: &'a Question,
    row: &'a Row,
    found: &'a RowContext,
) -> Reason<'a> {
    let RowContext {
        target_versions,
        main_branch,
    } = found;
    let provider = &row.provider;
    let is_selected = is_selected(question, &provider.name);
    let versions: Vec<&str> = match (&provider.version, is_selected) {
        (Some(version), _) => vec![version.as_str()],
        (None, false) => target_versions.iter().map(String::as_str).collect(),
        (None, true) => {
            let own = question
                .selectors
                .iter()
                .filter(|selector| selector.pacticipant == provider.name);
            own.filter_map(|selector| selector.version.as_deref()).collect()
        }
    };
    let describe_target = describe_target(&question.target);
    let (problem, missing, since, command) = match &question.target {
        Target::Environment(environment) if versions.is_empty() && !is_selected => (
            "not_deployed",
            format!("no version of {} is in {environment}", provider.name),
            None,
            record_command(client, &provider.name, environment),
        ),
        _ => {
            let subject = if versions.is_empty() {
                match describe_target {
                    Some(target) => format!("the version of {} {target}", provider.name),
                    None => provider.name.clone(),
                }
            } else {
                let versions: Vec<String> = versions.iter().map(|version| short_version(version)).collect();
                format!("{} {}", provider.name, versions.join(", "))
            };
            let on_main_branch = main_branch.as_ref().map(failed_on_main_branch).unwrap_or_default();
            (
                "unverified",
                format!(
                    "{subject} has no result for the contract of {}{on_main_branch}",
                    contract(row)
                ),
                row.published_at.as_deref(),
                verify_command(client, row, versions.first().copied()),
            )
        }
    };
    let published = since.map(|since| format!(", published {since}"));
    Reason {
        problem,
        text: sentence(&missing, published, &provider.name, Some(format!(": {command}"))),
        pair: Some(pair(row, versions)),
        missing,
        since,
        who: Some(&provider.name),
        command: Some(command),
    }
}

fn pair<'a>(row: &'a Row, provider_versions: Vec<&'a str>) -> Pair<'a> {
    Pair {
        consumer: &row.consumer.name,
        consumer_version: row.consumer.version.as_deref(),
        provider: &row.provider.name,
        provider_versions,
        result_url: row.result_url.as_deref(),
    }
}

fn contract(row: &Row) -> String {
    let version = row.consumer.version.as_deref().map(short_version);
    format!("{} {}", row.consumer.name, version.as_deref().unwrap_or("(no version)"))
}

/// Returns a clause about the failed verification on the provider's main branch. It is appended to a reason about a
/// missing result.
fn failed_on_main_branch(row: &Row) -> String {
    let version = row.provider.version.as_deref().map(short_version);
    let version = version.map(|version| format!(" ({version})")).unwrap_or_default();
    let url = row
        .result_url
        .as_ref()
        .map(|url| format!(": {url}"))
        .unwrap_or_default();
    format!(
        "; the verification on the main branch of {}{version} failed{url}",
        row.provider.name
    )
}

fn is_selected(question: &Question, name: &str) -> bool {
    question.selectors.iter().any(|selector| selector.pacticipant == name)
}

fn sentence(missing: &str, since: Option<String>, team: &str, details: Option<String>) -> String {
    let [since, details] = [since, details].map(Option::unwrap_or_default);
    format!("{missing}{since}; the {team} team must resolve this{details}")
}

/// Describes the target, such as `in production`, or returns `None` if the target is the latest version or the selected
/// versions themselves.
fn describe_target(target: &Target) -> Option<String> {
    match target {
        Target::Environment(name) => Some(format!("in {name}")),
        Target::Tag(tag) => Some(format!("with the tag {tag}")),
        Target::MainBranch => Some("on the main branch".to_owned()),
        Target::Latest | Target::Themselves => None,
    }
}

fn record_command(client: &BrokerClient, provider: &str, environment: &str) -> String {
    format!(
        "npx contract-broker record-deployment --broker-base-url {} --pacticipant {} --version VERSION --environment {}",
        client.url(),
        shell_quoted(provider),
        shell_quoted(environment)
    )
}

/// Returns a command that verifies the contract and publishes the result. Users must run it in a checkout of the
/// provider version while the provider listens on port 8080.
fn verify_command(client: &BrokerClient, row: &Row, version: Option<&str>) -> String {
    let mut selector = Object::new();
    selector.insert("consumer", row.consumer.name.as_str());
    match row.consumer.branches.first() {
        Some(branch) => selector.insert("branch", branch.as_str()),
        None => selector.insert("latest", true),
    };
    format!(
        "npx contract verify --broker-url {} --provider-name {} --port 8080 --consumer-version-selectors {} --publish \
         --provider-version {}",
        shell_quoted(&client.url()),
        shell_quoted(&row.provider.name),
        shell_quoted(&Json::from(selector).to_text()),
        version.map_or_else(|| "\"$(git rev-parse HEAD)\"".to_owned(), shell_quoted)
    )
}

/// Returns an argument for a POSIX shell, in quotes if necessary.
fn shell_quoted(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=@%+,".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}
