//! Why not: for each pair that stands in the way, what is missing, since when, who must act, and how.

use contract_broker_client::{BrokerClient, BrokerError, Occupancy, Question, Row, RowResult, Target, Verdict};
use contract_model::{Json, Object};

use super::shape::{or_null, texts};

/// A pair that stands in the way.
struct Blocked<'a> {
    row: &'a Row,
    /// What is where the version is to go, of the other side.
    there: Vec<String>,
}

pub(super) async fn all(
    client: &BrokerClient,
    question: &Question,
    verdict: &Verdict,
) -> Result<Vec<Json>, BrokerError> {
    let blocking = verdict.rows.iter().filter(|row| {
        let is_good = row.result.as_ref().is_some_and(|result| result.success);
        !row.ignored && !is_good
    });
    let mut out = Vec::new();
    let mut told: Vec<(&str, &str)> = Vec::new();
    for row in blocking {
        let there = there(client, question, &row.provider.name).await?;
        told.push((&row.consumer.name, &row.provider.name));
        out.push(Blocked { row, there }.explain(client, question));
    }
    // A required pair without any row is in the counts and in the words of the broker alone.
    let without = verdict
        .rows
        .iter()
        .filter(|row| !row.ignored && row.result.is_none())
        .count();
    if usize::try_from(verdict.unknown).unwrap_or(usize::MAX) > without {
        for notice in verdict
            .notices
            .iter()
            .filter(|notice| notice.kind == "error" || notice.kind == "danger")
        {
            let is_told = told
                .iter()
                .any(|(consumer, provider)| notice.text.contains(consumer) && notice.text.contains(provider));
            if !is_told {
                out.push(words(&notice.text));
            }
        }
    }
    if out.is_empty() {
        out.push(words(&verdict.reason));
    }
    Ok(out)
}

/// The versions of the provider where the version is to go; none when that is no environment.
async fn there(client: &BrokerClient, question: &Question, provider: &str) -> Result<Vec<String>, BrokerError> {
    let Target::Environment(environment) = &question.target else {
        return Ok(Vec::new());
    };
    let mut found = Vec::new();
    for occupancy in [Occupancy::Deployed, Occupancy::Released] {
        for one in client.current(occupancy, Some(provider), environment).await? {
            if !found.contains(&one.version) {
                found.push(one.version);
            }
        }
    }
    Ok(found)
}

/// What is told of a pair.
struct Told<'a> {
    /// `failed`, `unverified` or `not_deployed`.
    problem: &'static str,
    missing: String,
    since: Option<&'a str>,
    who: &'a str,
    command: Option<String>,
    /// What looks closer at a failure.
    url: Option<&'a str>,
    versions: Vec<&'a str>,
}

impl Blocked<'_> {
    fn explain(&self, client: &BrokerClient, question: &Question) -> Json {
        let told = match &self.row.result {
            Some(result) => self.failed(result, question),
            None => self.without_result(client, question),
        };
        let (consumer, provider) = (&self.row.consumer, &self.row.provider);
        let mut out = Object::new();
        out.insert("consumer", consumer.name.as_str());
        out.insert("consumerVersion", or_null(consumer.version.as_deref()));
        out.insert("provider", provider.name.as_str());
        out.insert("providerVersions", texts(&told.versions));
        out.insert("problem", told.problem);
        out.insert("missing", told.missing.as_str());
        out.insert("since", or_null(told.since));
        out.insert("who", told.who);
        let text = told.text();
        out.insert("command", or_null(told.command));
        out.insert("resultUrl", or_null(told.url));
        out.insert("text", text);
        out.into()
    }

    fn contract(&self) -> String {
        let consumer = &self.row.consumer;
        format!(
            "{} {}",
            consumer.name,
            consumer.version.as_deref().unwrap_or("(no version)")
        )
    }

    fn failed<'a>(&'a self, result: &'a RowResult, question: &Question) -> Told<'a> {
        let (consumer, provider) = (&self.row.consumer, &self.row.provider);
        let version = provider.version.as_deref().unwrap_or_default();
        // Who brings something new has to fit what is there.
        let who = if is_asked(question, &provider.name) {
            &provider.name
        } else {
            &consumer.name
        };
        Told {
            problem: "failed",
            missing: format!(
                "{} {version} does not honour the contract of {}",
                provider.name,
                self.contract()
            ),
            since: result.verified_at.as_deref(),
            who,
            command: None,
            url: result.url.as_deref(),
            versions: vec![version],
        }
    }

    fn without_result<'a>(&'a self, client: &BrokerClient, question: &'a Question) -> Told<'a> {
        let provider = &self.row.provider;
        let is_asked = is_asked(question, &provider.name);
        let versions: Vec<&str> = match (&provider.version, is_asked) {
            (Some(version), _) => vec![version.as_str()],
            (None, false) => self.there.iter().map(String::as_str).collect(),
            (None, true) => {
                let own = question
                    .selectors
                    .iter()
                    .filter(|selector| selector.pacticipant == provider.name);
                own.filter_map(|selector| selector.version.as_deref()).collect()
            }
        };
        let mut told = Told {
            problem: "unverified",
            missing: String::new(),
            since: self.row.published_at.as_deref(),
            who: &provider.name,
            command: None,
            url: None,
            versions,
        };
        let place = place(&question.target);
        if told.versions.is_empty() && !is_asked && matches!(question.target, Target::Environment(_)) {
            told.problem = "not_deployed";
            told.since = None;
            told.missing = format!("no version of {} is {place}", provider.name);
            told.command = Some(record_command(client, &provider.name, &question.target));
            return told;
        }
        let which = if told.versions.is_empty() {
            format!("the version of {} {place}", provider.name)
        } else {
            format!("{} {}", provider.name, told.versions.join(", "))
        };
        told.missing = format!("{which} has no result for the contract of {}", self.contract());
        told.command = Some(verify_command(client, self.row, told.versions.first().copied()));
        told
    }
}

fn is_asked(question: &Question, name: &str) -> bool {
    question.selectors.iter().any(|selector| selector.pacticipant == name)
}

impl Told<'_> {
    fn text(&self) -> String {
        let since = match (&self.since, self.problem) {
            (Some(since), "failed") => format!(", verified {since}"),
            (Some(since), _) => format!(", which was published {since}"),
            (None, _) => String::new(),
        };
        let how = match (&self.command, &self.url) {
            (Some(command), _) => format!(": {command}"),
            (None, Some(url)) => format!("; what differs: {url}"),
            (None, None) => String::new(),
        };
        format!("{}{since}; the team of {} must act{how}", self.missing, self.who)
    }
}

/// What only the broker's own words tell.
fn words(text: &str) -> Json {
    let mut out: Object = [("problem", "unknown"), ("missing", text), ("text", text)]
        .into_iter()
        .collect();
    for name in ["since", "who", "command"] {
        out.insert(name, Json::Null);
    }
    out.into()
}

fn place(target: &Target) -> String {
    match target {
        Target::Environment(name) => format!("in {name}"),
        Target::Tag(tag) => format!("with the tag {tag}"),
        Target::MainBranch => "on the main branch".to_owned(),
        Target::Latest | Target::Themselves => "that was asked for".to_owned(),
    }
}

fn record_command(client: &BrokerClient, provider: &str, target: &Target) -> String {
    let environment = match target {
        Target::Environment(name) => name.as_str(),
        _ => "ENVIRONMENT",
    };
    format!(
        "contract-broker record-deployment --broker-base-url {} --pacticipant {} --version VERSION --environment {}",
        client.url(),
        word(provider),
        word(environment)
    )
}

/// What verifies the contract and publishes the result, run where the provider's version is checked out.
fn verify_command(client: &BrokerClient, row: &Row, version: Option<&str>) -> String {
    let selector = match row.consumer.branches.first() {
        Some(branch) => format!(r#"{{"consumer":"{}","branch":"{branch}"}}"#, row.consumer.name),
        None => format!(r#"{{"consumer":"{}","latest":true}}"#, row.consumer.name),
    };
    format!(
        "contract verify --broker-url {} --provider-name {} --consumer-version-selectors {} --publish --provider-version {}",
        client.url(),
        word(&row.provider.name),
        word(&selector),
        version.map_or_else(|| "VERSION".to_owned(), word)
    )
}

/// A word of a shell.
fn word(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=@%+,".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}
