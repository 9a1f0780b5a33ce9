//! The commands `can-i-deploy` and `can-i-merge`.

use std::borrow::Cow;
use std::io::IsTerminal;
use std::time::Duration;

use clap::builder::styling::AnsiColor;
use clap::{Args, Subcommand};
use contract::broker::{
    Broker, CanIDeployArguments, CanIMergeArguments, IgnoredVersion, Latest, SingleLine, VersionChoice,
};
use contract::{Json, Milliseconds, Whole, escape_indented, short_version, short_versions};

use super::common::Common;
use super::job::{Assessment, Job};
use super::output::{Case, Format};
use super::selectors::{Selectors, ignored};
use super::table::{self, one_line};
use crate::error::{FAILED, UNKNOWN};
use crate::terminal;
use crate::values::duration;

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Check whether an application version can be deployed
    #[command(name = "can-i-deploy", after_help = EXAMPLES)]
    Deploy(Box<Deploy>),

    /// Check whether a version is compatible with all main branches
    #[command(name = "can-i-merge", after_help = MERGE_EXAMPLES)]
    Merge(Box<Merge>),
}

const EXAMPLES: &str = "\
Examples:
  Check before a deployment:
    contract-broker can-i-deploy --pacticipant web --version 1.4.0 --to-environment production
  Wait up to ten minutes for results, and explain what is missing:
    contract-broker can-i-deploy -a web -e 1.4.0 --to-environment production --wait 10m --explain
  Check whether two versions are compatible:
    contract-broker can-i-deploy -a web -e 1.4.0 -a orders --branch main

Exit codes, in every output format:
  0  deployable, or any verdict with --dry-run
  1  not deployable, unknown, or rejected by the broker
  2  invalid arguments, or the job summary could not be written
  3  unknown, with --exit-code-detail
  4  the broker is unreachable, or is not a Pact-compatible broker
  5  authentication or authorization failed";

const MERGE_EXAMPLES: &str = "\
Example:
  contract-broker can-i-merge --pacticipant web --version 1.4.0

Exit codes, in every output format:
  0  compatible, or any verdict with --dry-run
  1  not compatible, unknown, or rejected by the broker
  2  invalid arguments, or the job summary could not be written
  3  unknown, with --exit-code-detail
  4  the broker is unreachable, or is not a Pact-compatible broker
  5  authentication or authorization failed";

/// Options for both commands.
#[derive(Args)]
#[command(next_help_heading = "Result")]
struct VerdictOptions {
    /// Number of retries while the verdict is unknown
    #[arg(long, value_name = "COUNT", default_value_t = 0, value_parser = clap::value_parser!(u64).range(..=1_000_000))]
    retry_while_unknown: u64,

    /// Interval between retries, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(..=86_400))]
    retry_interval: u64,

    /// Retry while the verdict is unknown, for at most this duration, such as 90s, 10m, or 1h (at most 24h)
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    wait: Option<Duration>,

    /// Exit with code 0 for any verdict; same as CONTRACT_BROKER_CAN_I_DEPLOY_DRY_RUN=true
    #[arg(long)]
    dry_run: bool,

    /// Explain what blocks the deployment, since when, and how to resolve it
    #[arg(long)]
    explain: bool,

    /// Exit with code 3 instead of 1 if the verdict is unknown
    #[arg(long)]
    exit_code_detail: bool,
}

#[derive(Args)]
pub(crate) struct Deploy {
    #[command(flatten)]
    versions: Selectors,

    /// Environment to deploy to
    #[arg(long, value_name = "ENVIRONMENT", conflicts_with = "to", help_heading = "Target")]
    to_environment: Option<SingleLine>,

    /// Check against the latest version of each application with this tag, instead of against an environment
    #[arg(long, value_name = "TAG", help_heading = "Target")]
    to: Option<SingleLine>,

    /// Maximum number of pairs of versions
    #[arg(long, value_name = "COUNT", hide = true, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    limit: Option<u64>,

    #[command(flatten)]
    options: VerdictOptions,

    #[command(flatten)]
    common: Common,
}

#[derive(Args)]
pub(crate) struct Merge {
    /// Name of the application
    #[arg(short = 'a', long, value_name = "NAME")]
    pacticipant: SingleLine,

    /// Version of the application
    #[arg(short = 'e', long, value_name = "VERSION")]
    version: SingleLine,

    /// Application to ignore (repeatable)
    #[arg(long, value_name = "NAME")]
    ignore: Vec<String>,

    #[command(flatten)]
    options: VerdictOptions,

    #[command(flatten)]
    common: Common,
}

/// Returns the value of the environment variable `CONTRACT_BROKER_<name>` or `PACT_BROKER_<name>`. Treats empty
/// variables as unset.
fn variable(name: &str) -> Option<String> {
    ["CONTRACT_BROKER_", "PACT_BROKER_"].iter().find_map(|prefix| {
        std::env::var(format!("{prefix}{name}"))
            .ok()
            .filter(|value| !value.is_empty())
    })
}

/// Returns the applications in the environment variable `CONTRACT_BROKER_CAN_I_DEPLOY_IGNORE`, in which they are
/// separated by commas.
fn ignored_by_environment() -> Vec<IgnoredVersion> {
    let names = variable("CAN_I_DEPLOY_IGNORE").unwrap_or_default();
    names
        .split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty())
        .map(ignored)
        .collect()
}

/// Parts of the sentence that reports a verdict: "`versions` can be `action`", for example "web 1 can be deployed to
/// production".
#[derive(Clone)]
struct Question {
    versions: String,
    action: String,
}

impl Command {
    pub(super) fn job(self) -> Job {
        match self {
            Self::Deploy(deploy) => deploy.job(),
            Self::Merge(merge) => merge.job(),
        }
    }
}

impl Deploy {
    fn job(self) -> Job {
        let Selectors { selectors, mut ignore } = self.versions;
        ignore.extend(ignored_by_environment());
        let versions: Vec<String> = selectors.iter().map(selector_label).collect();
        let action = match (&self.to_environment, &self.to, versions.len()) {
            (Some(environment), _, _) => format!("deployed to {}", &**environment),
            (None, Some(tag), _) => format!("deployed with the latest versions tagged {}", &**tag),
            (None, None, 0 | 1) => "deployed".to_owned(),
            (None, None, _) => "deployed together".to_owned(),
        };
        let options = &self.options;
        let arguments = CanIDeployArguments {
            selectors,
            ignore,
            to_environment: self.to_environment,
            to: self.to,
            limit: self.limit.map(Whole),
            retry_while_unknown: Some(Whole(options.retry_while_unknown)),
            retry_interval: Some(options.interval()),
            wait: options.wait.map(Milliseconds),
            dry_run: options.is_dry_run("CAN_I_DEPLOY_DRY_RUN"),
            explain: options.explain,
        };
        let question = Question {
            versions: versions.join(" and "),
            action,
        };
        let job = Job::new("can-i-deploy", self.common, Broker::can_i_deploy, arguments);
        with_verdict(job, question, &self.options)
    }
}

impl Merge {
    fn job(self) -> Job {
        let options = &self.options;
        let question = Question {
            versions: format!("{} {}", &*self.pacticipant, short_version(&self.version)),
            action: "merged".to_owned(),
        };
        let arguments = CanIMergeArguments {
            pacticipant: self.pacticipant,
            version: self.version,
            ignore: self.ignore.iter().map(|name| ignored(name)).collect(),
            retry_while_unknown: Some(Whole(options.retry_while_unknown)),
            retry_interval: Some(options.interval()),
            wait: options.wait.map(Milliseconds),
            dry_run: options.is_dry_run("CAN_I_MERGE_DRY_RUN"),
            explain: options.explain,
        };
        let job = Job::new("can-i-merge", self.common, Broker::can_i_merge, arguments);
        with_verdict(job, question, &self.options)
    }
}

impl VerdictOptions {
    fn is_dry_run(&self, name: &str) -> bool {
        self.dry_run || variable(name).is_some_and(|value| value != "false" && value != "0")
    }

    fn interval(&self) -> Milliseconds<0> {
        Milliseconds(Duration::from_secs(self.retry_interval))
    }
}

fn with_verdict(job: Job, question: Question, options: &VerdictOptions) -> Job {
    let unknown_code = if options.exit_code_detail { UNKNOWN } else { FAILED };
    let is_colored =
        job.output.common.output == Format::Table && terminal::is_colored(false, std::io::stdout().is_terminal());
    let assessed = question.clone();
    job.with_text(move |value| text(value, &question, is_colored))
        .with_assessment(move |value| assessment(value, &assessed, unknown_code))
}

fn array<'a>(value: &'a Json, name: &str) -> &'a [Json] {
    value.get(name).and_then(Json::as_array).unwrap_or_default()
}

fn text_member(item: &Json) -> Cow<'_, str> {
    item.get("text").map(Json::text_form).unwrap_or_default()
}

fn is_dry_run(value: &Json) -> bool {
    value.get("dryRun").and_then(Json::as_bool) == Some(true)
}

fn is_deployable(value: &Json) -> Option<bool> {
    value.get("deployable").and_then(Json::as_bool)
}

fn text(value: &Json, question: &Question, is_colored: bool) -> String {
    let mut out = pairs(array(value, "rows"));
    let explanation = array(value, "explanation");
    for item in explanation {
        out.push_str(&format!("- {}\n", escape_indented(&text_member(item), "  ")));
    }
    if explanation.is_empty() {
        for notice in array(value, "notices") {
            let text = short_versions(&text_member(notice));
            out.push_str(&format!("  {}\n", escape_indented(&text, "  ")));
        }
    }
    let suffix = if is_dry_run(value) {
        " (dry run: exit code 0)"
    } else {
        ""
    };
    let line = verdict(value, question);
    if !is_colored {
        out.push_str(&format!("\n{line}{suffix}\n"));
        return out;
    }
    let color = match is_deployable(value) {
        Some(true) => AnsiColor::Green,
        Some(false) => AnsiColor::Red,
        None => AnsiColor::Yellow,
    };
    let style = color.on_default().bold();
    out.push_str(&format!("\n{style}{line}{style:#}{suffix}\n"));
    out
}

/// Formats the pairs of versions as a table, followed by the URLs of their results.
fn pairs(rows: &[Json]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let mut urls = Vec::new();
    let lines = rows.iter().map(|row| {
        let url = table::cell(row.get("resultUrl"));
        let number = if url.is_empty() {
            String::new()
        } else {
            urls.push(url);
            urls.len().to_string()
        };
        let cell = |pointer: &str| table::cell(row.pointer(pointer));
        vec![
            cell("/consumer/name"),
            short_version(&cell("/consumer/version")),
            cell("/provider/name"),
            short_version(&cell("/provider/version")),
            outcome(row).to_owned(),
            number,
        ]
    });
    let lines = lines.collect();
    let titles = ["Consumer", "C. version", "Provider", "P. version", "Success", "Result"];
    let mut out = table::lines(&titles, lines);
    out.push('\n');
    for (index, url) in urls.iter().enumerate() {
        out.push_str(&format!("{}. {url}\n", index + 1));
    }
    if !urls.is_empty() {
        out.push('\n');
    }
    out
}

/// Returns the verdict as one line.
fn verdict(value: &Json, question: &Question) -> String {
    let Question { versions, action } = question;
    let count = |name: &str| value.get(name).and_then(Json::as_u64).unwrap_or_default();
    let (success, unknown) = (count("success"), count("unknown"));
    let all = success + count("failed") + unknown;
    match is_deployable(value) {
        Some(true) if all == 0 => format!("✓ {versions} can be {action} (no contracts apply)"),
        Some(true) if success == 1 => format!("✓ {versions} can be {action} (1 contract verified)"),
        Some(true) => format!("✓ {versions} can be {action} ({success} contracts verified)"),
        Some(false) => format!("✗ {versions} cannot be {action}"),
        None if unknown == 0 => format!("? Unknown whether {versions} can be {action}"),
        None if unknown == 1 => {
            format!("? Unknown whether {versions} can be {action} (1 of {all} results is missing)")
        }
        None => format!("? Unknown whether {versions} can be {action} ({unknown} of {all} results are missing)"),
    }
}

/// Returns the name and the version of a selector, such as `web 1.4.0`.
fn selector_label(selector: &VersionChoice) -> String {
    let name = |name: &Option<String>| {
        let name = name.as_deref().filter(|name| !name.is_empty());
        name.map(one_line)
    };
    let version = match (name(&selector.version), name(&selector.branch), name(&selector.tag)) {
        (Some(version), _, _) => short_version(&version),
        (None, Some(branch), _) => format!("(branch {branch})"),
        (None, None, Some(tag)) => format!("(tag {tag})"),
        (None, None, None) => match &selector.latest {
            _ if selector.main_branch => "(main branch)".to_owned(),
            Latest::Tagged(tag) => format!("(latest tagged {})", one_line(tag)),
            _ => "(latest)".to_owned(),
        },
    };
    format!("{} {version}", one_line(&selector.pacticipant))
}

fn outcome(row: &Json) -> &'static str {
    let flag = |name: &str| row.get(name).and_then(Json::as_bool);
    match (flag("success"), flag("ignored")) {
        (_, Some(true)) => "ignored",
        (Some(true), _) => "yes",
        (Some(false), _) => "no",
        (None, _) => "?",
    }
}

fn assessment(value: &Json, question: &Question, unknown_code: u8) -> Assessment {
    let explanation = array(value, "explanation");
    let cases = array(value, "rows").iter().filter(|row| outcome(row) != "ignored");
    let cases: Vec<Case> = cases.map(|row| case(row, explanation)).collect();
    let deployable = is_deployable(value);
    let exit_code = match deployable {
        Some(true) => return Assessment::passed(cases),
        _ if is_dry_run(value) => 0,
        Some(false) => FAILED,
        None => unknown_code,
    };
    let verdict = verdict(value, question);
    let verdict = verdict.trim_start_matches(['✗', '?', ' ']);
    let reason = short_versions(&table::cell(value.get("reason")));
    Assessment {
        exit_code,
        problem: Some(if reason.is_empty() {
            verdict.to_owned()
        } else {
            format!("{verdict}: {reason}")
        }),
        cases,
    }
}

/// Converts a pair of versions to a test case. If it did not pass, the matching item of the explanation becomes its
/// message.
fn case(row: &Json, explanation: &[Json]) -> Case {
    let cell = |pointer: &str| table::cell(row.pointer(pointer));
    let label = |role: &str| {
        let version = match cell(&format!("/{role}/version")) {
            version if version.is_empty() => "?".to_owned(),
            version => short_version(&version),
        };
        format!("{} {version}", cell(&format!("/{role}/name")))
    };
    let is_same_pair = |item: &&Json| {
        item.get("consumer") == row.pointer("/consumer/name") && item.get("provider") == row.pointer("/provider/name")
    };
    let explained = || {
        let item = explanation.iter().find(is_same_pair)?;
        Some(table::cell(item.get("text")))
    };
    let problem = match outcome(row) {
        "yes" => None,
        "no" => Some(explained().unwrap_or_else(|| format!("the verification failed: {}", cell("/resultUrl")))),
        _ => Some(explained().unwrap_or_else(|| "the verification result is missing".to_owned())),
    };
    Case {
        name: format!("{} → {}", label("consumer"), label("provider")),
        problem,
    }
}
