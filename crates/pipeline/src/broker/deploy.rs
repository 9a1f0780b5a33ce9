//! The operations `can_i_deploy` and `can_i_merge`, with retries while results are missing.

use std::time::{Duration, Instant};

use contract_broker_client::{BrokerClient, BrokerErrorKind, Question, Target, Verdict, VersionSelector};
use contract_model::Json;
use serde::Deserialize;

use super::access::Call;
use super::arguments::{Latest, SingleLine, invalid_argument, mutually_exclusive, valid_line};
use super::explain;
use super::failure::BrokerFailure;
use super::reply::BrokerReply;
use super::short::short_version;
use super::values::DeploymentVerdict;
use contract_call::read::{Milliseconds, Whole};

/// Selects versions of a pacticipant. Set at most one of the other members; without them, all versions are selected.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VersionChoice {
    pub pacticipant: String,
    pub version: Option<String>,
    /// Selects the latest version: `true` selects the latest version overall, and a string selects the latest version
    /// with this tag.
    #[serde(default)]
    pub latest: Latest,
    /// Selects all versions with this tag.
    pub tag: Option<String>,
    /// Selects the latest version on this branch.
    pub branch: Option<String>,
    /// Whether to select the latest version on the main branch. Default: false.
    #[serde(default)]
    pub main_branch: bool,
}

/// A pacticipant whose results do not affect the verdict. If `version` is set, only the results of this version are
/// ignored.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IgnoredVersion {
    pub pacticipant: String,
    pub version: Option<String>,
}

/// Options for `can_i_deploy`: the versions to deploy, the target, and how long to wait for missing results.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CanIDeployArguments {
    /// Versions to deploy. At least one is required. If neither `to_environment` nor `to` is set, several versions are
    /// checked against each other, and a single version is checked against the latest versions of the other
    /// pacticipants.
    pub selectors: Vec<VersionChoice>,
    /// Pacticipants or versions whose results do not affect the verdict.
    pub ignore: Vec<IgnoredVersion>,
    /// Name of the target environment. Mutually exclusive with `to`.
    pub to_environment: Option<SingleLine>,
    /// Checks against the latest versions with this tag. Mutually exclusive with `to_environment`.
    pub to: Option<SingleLine>,
    /// Maximum number of retries while the verdict is unknown. Default: 0.
    pub retry_while_unknown: Option<Whole<0, 1_000_000>>,
    /// Time between retries in milliseconds. Default: 10000.
    pub retry_interval: Option<Milliseconds<0>>,
    /// Maximum total time to wait for missing results in milliseconds. Overrides `retry_while_unknown`.
    pub wait: Option<Milliseconds<0>>,
    /// Sets the flag `dryRun` in the result, so that callers ignore the verdict. Default: false.
    pub dry_run: bool,
    /// Whether the result explains each integration that blocks the deployment: what is missing, since when, which team
    /// must act, and how. Default: false.
    pub explain: bool,
    /// Maximum number of rows that the broker returns. If not set, the broker's own default applies.
    pub limit: Option<Whole<1, 1_000_000>>,
}

/// Options for `can_i_merge`: the version to merge, and how long to wait for missing results.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CanIMergeArguments {
    pub pacticipant: SingleLine,
    pub version: SingleLine,
    /// Pacticipants or versions whose results do not affect the verdict.
    #[serde(default)]
    pub ignore: Vec<IgnoredVersion>,
    /// Maximum number of retries while the verdict is unknown. Default: 0.
    pub retry_while_unknown: Option<Whole<0, 1_000_000>>,
    /// Time between retries in milliseconds. Default: 10000.
    pub retry_interval: Option<Milliseconds<0>>,
    /// Maximum total time to wait for missing results in milliseconds. Overrides `retry_while_unknown`.
    pub wait: Option<Milliseconds<0>>,
    /// Sets the flag `dryRun` in the result, so that callers ignore the verdict. Default: false.
    #[serde(default)]
    pub dry_run: bool,
    /// Whether the result explains each integration that blocks the merge: what is missing, since when, which team must
    /// act, and how. Default: false.
    #[serde(default)]
    pub explain: bool,
}

/// Number and duration of retries while results are missing. If `wait` is set, `times` is ignored.
struct RetryLimits {
    times: u64,
    interval: Duration,
    wait: Option<Duration>,
}

/// Default time between retries. The Pact Broker client has the same default.
const INTERVAL: Duration = Duration::from_secs(10);
/// Maximum time between attempts to reach a broker that was lost while waiting.
const OUTAGE_INTERVAL: Duration = Duration::from_secs(2);

pub(super) async fn can_i_deploy(
    call: Call<'_>,
    arguments: CanIDeployArguments,
) -> Result<BrokerReply<DeploymentVerdict>, BrokerFailure> {
    if arguments.selectors.is_empty() {
        return Err(invalid_argument("selectors", "at least one pacticipant with a version is required").into());
    }
    let target = match (arguments.to_environment, arguments.to) {
        (Some(_), Some(_)) => return Err(mutually_exclusive("to_environment", "to").into()),
        (Some(name), None) => Target::Environment(name.into()),
        (None, Some(tag)) => Target::Tag(tag.into()),
        (None, None) if arguments.selectors.len() > 1 => Target::Themselves,
        (None, None) => Target::Latest,
    };
    let selectors = arguments
        .selectors
        .into_iter()
        .map(selector)
        .collect::<Result<_, _>>()?;
    let question = Question {
        selectors,
        ignore: ignored_versions(arguments.ignore)?,
        target,
        limit: arguments.limit.and_then(|limit| u32::try_from(limit.0).ok()),
    };
    let retry_limits = retry_limits(arguments.retry_while_unknown, arguments.retry_interval, arguments.wait);
    retried_verdict(call, &question, &retry_limits, arguments.explain, arguments.dry_run).await
}

pub(super) async fn can_i_merge(
    call: Call<'_>,
    arguments: CanIMergeArguments,
) -> Result<BrokerReply<DeploymentVerdict>, BrokerFailure> {
    let question = Question {
        selectors: vec![VersionSelector {
            pacticipant: arguments.pacticipant.into(),
            version: Some(arguments.version.into()),
            ..VersionSelector::default()
        }],
        ignore: ignored_versions(arguments.ignore)?,
        target: Target::MainBranch,
        limit: None,
    };
    let retry_limits = retry_limits(arguments.retry_while_unknown, arguments.retry_interval, arguments.wait);
    retried_verdict(call, &question, &retry_limits, arguments.explain, arguments.dry_run).await
}

fn selector(arguments: VersionChoice) -> Result<VersionSelector, BrokerFailure> {
    valid_line("selectors", &arguments.pacticipant)?;
    let (is_latest, latest_tag) = match arguments.latest {
        Latest::No => (false, None),
        Latest::Overall => (true, None),
        Latest::Tagged(tag) => (true, Some(tag.into())),
    };
    let criteria = [
        arguments.version.is_some(),
        arguments.branch.is_some(),
        arguments.main_branch,
        arguments.tag.is_some() || latest_tag.is_some(),
        is_latest
            && latest_tag.is_none()
            && arguments.tag.is_none()
            && arguments.branch.is_none()
            && !arguments.main_branch,
    ];
    if criteria.into_iter().filter(|criterion| *criterion).count() > 1
        || (arguments.tag.is_some() && latest_tag.is_some())
    {
        let message = format!(
            "version, latest, tag, branch, and main branch are mutually exclusive; pass only one of them for {:?}",
            arguments.pacticipant
        );
        return Err(invalid_argument("selectors", message).into());
    }
    Ok(VersionSelector {
        pacticipant: arguments.pacticipant,
        version: arguments.version,
        // A selector for a branch means its latest version.
        latest: is_latest || arguments.branch.is_some() || arguments.main_branch,
        tag: arguments.tag.or(latest_tag),
        branch: arguments.branch,
        main_branch: arguments.main_branch,
        environment: None,
    })
}

fn ignored_versions(arguments: Vec<IgnoredVersion>) -> Result<Vec<VersionSelector>, BrokerFailure> {
    arguments
        .into_iter()
        .map(|item| {
            Ok(VersionSelector {
                pacticipant: valid_line("ignore", &item.pacticipant)?.to_owned(),
                version: item.version,
                ..VersionSelector::default()
            })
        })
        .collect()
}

fn retry_limits(
    times: Option<Whole<0, 1_000_000>>,
    interval: Option<Milliseconds<0>>,
    wait: Option<Milliseconds<0>>,
) -> RetryLimits {
    RetryLimits {
        times: times.map_or(0, |times| times.0),
        interval: interval.map_or(INTERVAL, |interval| interval.0),
        wait: wait.map(|wait| wait.0),
    }
}

impl RetryLimits {
    /// Returns the total time to wait, or `None` if only the number of attempts is limited. If `is_live`, the broker
    /// itself waits for changes, so the number of retries is converted to a time.
    fn total(&self, is_live: bool) -> Option<Duration> {
        let times = u32::try_from(self.times).unwrap_or(u32::MAX);
        self.wait
            .or_else(|| is_live.then(|| self.interval.saturating_mul(times)))
    }

    /// Returns the time until the next attempt, or `None` if the limit is reached.
    fn next(&self, attempts: u64, since: Instant, is_live: bool) -> Option<Duration> {
        let remaining = self.total(is_live).map(|total| total.saturating_sub(since.elapsed()));
        match remaining {
            Some(remaining) if remaining.is_zero() => None,
            Some(remaining) => Some(self.interval.min(remaining)),
            None => (attempts <= self.times).then_some(self.interval),
        }
    }
}

#[derive(Clone, Copy)]
enum Remaining {
    Time(Duration),
    Attempts(u64),
}

impl RetryLimits {
    fn remaining(&self, attempts: u64, since: Instant, is_live: bool) -> Remaining {
        match self.total(is_live) {
            Some(total) => Remaining::Time(total.saturating_sub(since.elapsed())),
            None => Remaining::Attempts((self.times + 1).saturating_sub(attempts)),
        }
    }
}

/// Returns the progress line, such as `web 1.2.0: unknown (1 of 2 results is missing). Waiting for results, 4 min 30 s
/// left …`.
fn waiting(question: &Question, verdict: &Verdict, remaining: Remaining) -> String {
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
        (1, all) => format!(" (1 of {all} results is missing)"),
        (unknown, all) => format!(" ({unknown} of {all} results are missing)"),
    };
    let remaining = match remaining {
        Remaining::Time(time) => time_left(time),
        Remaining::Attempts(1) => "1 attempt left".to_owned(),
        Remaining::Attempts(attempts) => format!("{attempts} attempts left"),
    };
    format!("{subject}: unknown{missing}. Waiting for results, {remaining} …")
}

fn time_left(time: Duration) -> String {
    match (time.as_secs() / 60, time.as_secs() % 60) {
        (0, seconds) => format!("{seconds} s left"),
        (minutes, 0) => format!("{minutes} min left"),
        (minutes, seconds) => format!("{minutes} min {seconds} s left"),
    }
}

async fn retried_verdict(
    call: Call<'_>,
    question: &Question,
    retry_limits: &RetryLimits,
    explains: bool,
    dry_run: bool,
) -> Result<BrokerReply<DeploymentVerdict>, BrokerFailure> {
    let progress = call.broker.progress;
    let client = call.client()?;
    let (since, mut attempts) = (Instant::now(), 0);
    let retries = retry_limits.wait.is_some() || retry_limits.times > 0;
    let mut verdict = if retries {
        client.can_i_deploy_within(question, Duration::ZERO).await?
    } else {
        client.can_i_deploy(question).await?
    };
    let mut outage = None;
    let verdict = loop {
        attempts += 1;
        // Missing results may still be published, but a failed result is final.
        let is_open = verdict.deployable.is_none() || (verdict.deployable != Some(true) && verdict.unknown > 0);
        // The broker waits for whole seconds.
        let is_live = verdict.can_wait && retry_limits.interval >= Duration::from_secs(1);
        let next = retry_limits.next(attempts, since, is_live).filter(|_| is_open);
        let Some(next) = next else {
            match outage {
                Some(error) => return Err(error),
                None => break verdict,
            }
        };
        let line = match &outage {
            None => waiting(question, &verdict, retry_limits.remaining(attempts, since, is_live)),
            Some(_) => "the broker does not respond. Trying again …".to_owned(),
        };
        tracing::info!("{line}");
        progress(&client.secrets().redact(&line));
        match next_verdict(&client, question, &verdict, next).await {
            Ok(next) => (verdict, outage) = (next, None),
            // The broker may be restarting.
            Err(error) if is_outage(&error) => {
                outage = Some(error);
                tokio::time::sleep(next.min(OUTAGE_INTERVAL)).await;
            }
            Err(error) => return Err(error),
        }
    };
    let explanation = match verdict.deployable {
        _ if !explains => None,
        Some(true) => Some(Vec::new().into()),
        _ => Some(explain::reasons(&client, question, &verdict).await?),
    };
    Ok(reply(&client, verdict, attempts, dry_run, explanation))
}

/// Returns whether the broker was reached before but is not available now.
fn is_outage(error: &BrokerFailure) -> bool {
    matches!(
        error.kind(),
        Some(BrokerErrorKind::Unreachable | BrokerErrorKind::Timeout | BrokerErrorKind::Failed)
    )
}

/// Requests the verdict again after the time `after`, or as soon as it changes if the broker can wait for changes.
async fn next_verdict(
    client: &BrokerClient,
    question: &Question,
    last: &Verdict,
    after: Duration,
) -> Result<Verdict, BrokerFailure> {
    if last.can_wait && after >= Duration::from_secs(1) {
        let begun = Instant::now();
        let verdict = client.can_i_deploy_within(question, after).await?;
        let counts = |verdict: &Verdict| (verdict.deployable, verdict.success, verdict.failed, verdict.unknown);
        let has_waited = verdict.can_wait && begun.elapsed() >= Duration::from_millis(500);
        if has_waited || counts(&verdict) != counts(last) {
            return Ok(verdict);
        }
    }
    tokio::time::sleep(after).await;
    Ok(client.can_i_deploy_within(question, Duration::ZERO).await?)
}

fn reply(
    client: &BrokerClient,
    verdict: Verdict,
    attempts: u64,
    dry_run: bool,
    explanation: Option<Json>,
) -> BrokerReply<DeploymentVerdict> {
    let mut document = verdict.document;
    if let (Some(explanation), Some(members)) = (&explanation, document.as_object_mut()) {
        members.insert("explanation", explanation.clone());
    }
    let value = DeploymentVerdict {
        deployable: verdict.deployable,
        reason: verdict.reason,
        success: verdict.success,
        failed: verdict.failed,
        unknown: verdict.unknown,
        rows: verdict.rows,
        notices: verdict.notices,
        asked: attempts,
        dry_run,
        broker: client.url(),
        explanation,
    };
    BrokerReply::new(&value).with_document(document)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use contract_broker_client::{Question, Verdict, VersionSelector};

    use super::{Remaining, waiting};

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
            can_wait: false,
            notices: Vec::new(),
            document: contract_model::Json::object(),
        };
        let hash = Some("a1".repeat(20));
        assert_eq!(
            waiting(
                &question(selector(hash, None)),
                &verdict(1),
                Remaining::Time(Duration::from_secs(270))
            ),
            "web a1a1a1a…: unknown (1 of 2 results is missing). Waiting for results, 4 min 30 s left …"
        );
        assert_eq!(
            waiting(
                &question(selector(None, Some("main"))),
                &verdict(2),
                Remaining::Attempts(1)
            ),
            "web main: unknown (2 of 3 results are missing). Waiting for results, 1 attempt left …"
        );
        assert_eq!(
            waiting(
                &question(selector(None, None)),
                &verdict(0),
                Remaining::Time(Duration::from_secs(60))
            ),
            "web: unknown. Waiting for results, 1 min left …"
        );
    }
}
