//! `can-i-deploy` and `can-i-merge`.

use std::time::{Duration, Instant};

use contract_broker_client::{BrokerClient, Question, Target, Verdict, VersionSelector};
use contract_model::Json;
use serde::Deserialize;

use super::access::Call;
use super::arguments::{Line, both, latest, refuse, said};
use super::explain;
use super::failure::BrokerFailure;
use super::reply::BrokerReply;
use super::short::short_version;
use contract_call::json::to_value;
use contract_call::read::{Document, Milliseconds, Whole};

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Selector {
    pacticipant: String,
    version: Option<String>,
    /// `true`, or a tag.
    #[serde(default)]
    latest: Document,
    tag: Option<String>,
    branch: Option<String>,
    #[serde(default)]
    main_branch: bool,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Ignored {
    pacticipant: String,
    version: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Arguments {
    selectors: Vec<Selector>,
    ignore: Vec<Ignored>,
    to_environment: Option<Line>,
    to: Option<Line>,
    retry_while_unknown: Option<Whole<0, 1_000_000>>,
    retry_interval: Option<Milliseconds<0>>,
    wait: Option<Milliseconds<0>>,
    dry_run: bool,
    explain: bool,
    limit: Option<Whole<1, 1_000_000>>,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct MergeArguments {
    pacticipant: Line,
    version: Line,
    ignore: Vec<Ignored>,
    retry_while_unknown: Option<Whole<0, 1_000_000>>,
    retry_interval: Option<Milliseconds<0>>,
    wait: Option<Milliseconds<0>>,
    dry_run: bool,
    explain: bool,
}

/// Limits for retrying while the verdict is unknown.
struct Patience {
    times: u64,
    interval: Duration,
    wait: Option<Duration>,
}

/// Default retry interval, as in the Pact Broker client.
const INTERVAL: Duration = Duration::from_secs(10);

pub(super) async fn can_i_deploy(call: Call<'_>, given: Arguments) -> Result<BrokerReply, BrokerFailure> {
    if given.selectors.is_empty() {
        return Err(refuse("selectors", "at least one pacticipant with a version is required").into());
    }
    let target = match (given.to_environment, given.to) {
        (Some(_), Some(_)) => return Err(both("to_environment", "to").into()),
        (Some(name), None) => Target::Environment(name.0),
        (None, Some(tag)) => Target::Tag(tag.0),
        (None, None) if given.selectors.len() > 1 => Target::Themselves,
        (None, None) => Target::Latest,
    };
    let selectors = given.selectors.into_iter().map(selector).collect::<Result<_, _>>()?;
    let question = Question {
        selectors,
        ignore: ignored(given.ignore)?,
        target,
        limit: given.limit.and_then(|limit| u32::try_from(limit.0).ok()),
    };
    let patience = patience(given.retry_while_unknown, given.retry_interval, given.wait);
    answer(call, &question, &patience, given.explain, given.dry_run).await
}

pub(super) async fn can_i_merge(call: Call<'_>, given: MergeArguments) -> Result<BrokerReply, BrokerFailure> {
    let question = Question {
        selectors: vec![VersionSelector {
            pacticipant: given.pacticipant.0,
            version: Some(given.version.0),
            ..VersionSelector::default()
        }],
        ignore: ignored(given.ignore)?,
        target: Target::MainBranch,
        limit: None,
    };
    let patience = patience(given.retry_while_unknown, given.retry_interval, given.wait);
    answer(call, &question, &patience, given.explain, given.dry_run).await
}

fn selector(given: Selector) -> Result<VersionSelector, BrokerFailure> {
    said("selectors", &given.pacticipant)?;
    let latest = latest("selectors", &given.latest)?;
    let (is_latest, latest_tag) = (
        latest.is_some(),
        latest.and_then(|latest| latest.tag).map(str::to_owned),
    );
    let ways = [
        given.version.is_some(),
        given.branch.is_some(),
        given.main_branch,
        given.tag.is_some() || latest_tag.is_some(),
        is_latest && latest_tag.is_none() && given.tag.is_none() && given.branch.is_none() && !given.main_branch,
    ];
    if ways.into_iter().filter(|way| *way).count() > 1 || (given.tag.is_some() && latest_tag.is_some()) {
        let message = format!(
            "{:?} has more than one of version, latest, tag, branch and main branch; pass only one of them",
            given.pacticipant
        );
        return Err(refuse("selectors", message).into());
    }
    Ok(VersionSelector {
        pacticipant: given.pacticipant,
        version: given.version,
        // A branch selects its latest version.
        latest: is_latest || given.branch.is_some() || given.main_branch,
        tag: given.tag.or(latest_tag),
        branch: given.branch,
        main_branch: given.main_branch,
        environment: None,
    })
}

fn ignored(given: Vec<Ignored>) -> Result<Vec<VersionSelector>, BrokerFailure> {
    given
        .into_iter()
        .map(|one| {
            Ok(VersionSelector {
                pacticipant: said("ignore", &one.pacticipant)?.to_owned(),
                version: one.version,
                ..VersionSelector::default()
            })
        })
        .collect()
}

fn patience(
    times: Option<Whole<0, 1_000_000>>,
    interval: Option<Milliseconds<0>>,
    wait: Option<Milliseconds<0>>,
) -> Patience {
    Patience {
        times: times.map_or(0, |times| times.0),
        interval: interval.map_or(INTERVAL, |interval| interval.0),
        wait: wait.map(|wait| wait.0),
    }
}

impl Patience {
    /// The time to wait before the next attempt; `None` if no attempt is left.
    fn next(&self, asked: u64, since: Instant) -> Option<Duration> {
        let left = self.wait.map(|wait| wait.saturating_sub(since.elapsed()));
        match left {
            Some(left) if left.is_zero() => None,
            Some(left) => Some(self.interval.min(left)),
            None => (asked <= self.times).then_some(self.interval),
        }
    }
}

#[derive(Clone, Copy)]
enum Left {
    Time(Duration),
    Attempts(u64),
}

impl Patience {
    fn left(&self, asked: u64, since: Instant) -> Left {
        match self.wait {
            Some(wait) => Left::Time(wait.saturating_sub(since.elapsed())),
            None => Left::Attempts((self.times + 1).saturating_sub(asked)),
        }
    }
}

/// `web 1.2.0: unknown, 1 of 2 results is missing. Waiting for a result, 4 min 30 s left …`
fn waiting(question: &Question, verdict: &Verdict, left: Left) -> String {
    let selectors = question.selectors.iter().map(|selector| {
        let version = selector.version.as_deref().map(short_version);
        let version = version
            .or_else(|| selector.branch.clone())
            .or_else(|| selector.tag.clone());
        match version {
            Some(version) => format!("{} {version}", selector.pacticipant),
            None => selector.pacticipant.clone(),
        }
    });
    let subject = selectors.collect::<Vec<_>>().join(", ");
    let missing = match (verdict.unknown, verdict.success + verdict.failed + verdict.unknown) {
        (0, _) => String::new(),
        (1, all) => format!(", 1 of {all} results is missing"),
        (unknown, all) => format!(", {unknown} of {all} results are missing"),
    };
    let left = match left {
        Left::Time(time) => time_left(time),
        Left::Attempts(1) => "1 attempt left".to_owned(),
        Left::Attempts(attempts) => format!("{attempts} attempts left"),
    };
    format!("{subject}: unknown{missing}. Waiting for a result, {left} …")
}

fn time_left(time: Duration) -> String {
    match (time.as_secs() / 60, time.as_secs() % 60) {
        (0, seconds) => format!("{seconds} s left"),
        (minutes, 0) => format!("{minutes} min left"),
        (minutes, seconds) => format!("{minutes} min {seconds} s left"),
    }
}

async fn answer(
    call: Call<'_>,
    question: &Question,
    patience: &Patience,
    explains: bool,
    dry_run: bool,
) -> Result<BrokerReply, BrokerFailure> {
    let progress = call.progress;
    let client = call.client()?;
    let (since, mut asked) = (Instant::now(), 0);
    let verdict = loop {
        let verdict = client.can_i_deploy(question).await?;
        asked += 1;
        // Missing results may still arrive, but a failure is final.
        let is_open = verdict.deployable.is_none() || (verdict.deployable != Some(true) && verdict.unknown > 0);
        let next = patience.next(asked, since).filter(|_| is_open);
        let Some(next) = next else { break verdict };
        let line = waiting(question, &verdict, patience.left(asked, since));
        tracing::info!("{line}");
        progress(&client.secrets().redact(&line));
        tokio::time::sleep(next).await;
    };
    let explanation = match verdict.deployable {
        _ if !explains => None,
        Some(true) => Some(Vec::new().into()),
        _ => Some(explain::all(&client, question, &verdict).await?),
    };
    Ok(reply(&client, verdict, asked, dry_run, explanation))
}

fn reply(client: &BrokerClient, verdict: Verdict, asked: u64, dry_run: bool, explanation: Option<Json>) -> BrokerReply {
    let (mut value, mut document) = (to_value(&verdict), verdict.document);
    if let Some(value) = value.as_object_mut() {
        value.insert("asked", asked);
        value.insert("dryRun", dry_run);
        value.insert("broker", client.url());
    }
    if let Some(explanation) = explanation {
        for told in [&mut value, &mut document] {
            if let Some(members) = told.as_object_mut() {
                members.insert("explanation", explanation.clone());
            }
        }
    }
    BrokerReply::new(value, document)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use contract_broker_client::{Question, Verdict, VersionSelector};

    use super::{Left, waiting};

    #[test]
    fn progress_shows_missing_results_and_remaining_time() {
        let selector = |version: Option<String>, branch: Option<&str>| VersionSelector {
            pacticipant: "web".to_owned(),
            version,
            branch: branch.map(str::to_owned),
            ..VersionSelector::default()
        };
        let question = |selector| Question {
            selectors: vec![selector],
            ..Question::default()
        };
        let verdict = |unknown| Verdict {
            deployable: None,
            reason: String::new(),
            success: 1,
            failed: 0,
            unknown,
            rows: Vec::new(),
            notices: Vec::new(),
            document: contract_model::Json::object(),
        };
        let hash = Some("a1".repeat(20));
        assert_eq!(
            waiting(
                &question(selector(hash, None)),
                &verdict(1),
                Left::Time(Duration::from_secs(270))
            ),
            "web a1a1a1a…: unknown, 1 of 2 results is missing. Waiting for a result, 4 min 30 s left …"
        );
        assert_eq!(
            waiting(&question(selector(None, Some("main"))), &verdict(2), Left::Attempts(1)),
            "web main: unknown, 2 of 3 results are missing. Waiting for a result, 1 attempt left …"
        );
        assert_eq!(
            waiting(
                &question(selector(None, None)),
                &verdict(0),
                Left::Time(Duration::from_secs(60))
            ),
            "web: unknown. Waiting for a result, 1 min left …"
        );
    }
}
