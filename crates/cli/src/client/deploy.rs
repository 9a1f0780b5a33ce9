//! May it be deployed? May it be merged?

use std::io::IsTerminal;
use std::time::Duration;

use clap::builder::styling::AnsiColor;
use clap::{Args, Subcommand};
use contract::{Json, Object, indented_text, short_version, short_versions};

use super::common::{Common, put, put_text};
use super::job::{FAILED, Job, Judgement, UNKNOWN};
use super::output::{Case, Format};
use super::selectors::Selectors;
use super::table;
use crate::terminal;

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Check whether an application version can be deployed
    #[command(name = "can-i-deploy", after_help = EXAMPLES)]
    Deploy(Box<Deploy>),

    /// Check whether a version works with all main branches
    #[command(name = "can-i-merge", after_help = MERGE_EXAMPLES)]
    Merge(Box<Merge>),
}

const EXAMPLES: &str = "\
Examples:
  Check before a deployment:
    contract-broker can-i-deploy --pacticipant web --version 1.4.0 --to-environment production
  Wait up to ten minutes for results, and explain what is missing:
    contract-broker can-i-deploy -a web -e 1.4.0 --to-environment production --wait 10m --explain
  Check whether two versions work together:
    contract-broker can-i-deploy -a web -e 1.4.0 -a orders --branch main

Exit codes, the same in every form of output:
  0  deployable; with --dry-run, whatever the verdict is
  1  not deployable, or unknown
  2  invalid arguments
  3  unknown, with --exit-code-detail
  4  the broker is unreachable, or is not a Pact-compatible broker
  5  authentication or authorization failed";

const MERGE_EXAMPLES: &str = "\
Example:
  contract-broker can-i-merge --pacticipant web --version 1.4.0

Exit codes: see can-i-deploy.";

/// What both questions know.
#[derive(Args)]
#[command(next_help_heading = "Result")]
struct Asking {
    /// Number of retries while the result is unknown
    #[arg(long, value_name = "TIMES", default_value_t = 0)]
    retry_while_unknown: u32,

    /// Retry interval, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    retry_interval: u32,

    /// Wait for an unknown result, at most this long: 90s, 10m, 1h
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    wait: Option<Duration>,

    /// Exit with 0 whatever the verdict is; also CONTRACT_BROKER_CAN_I_DEPLOY_DRY_RUN=true
    #[arg(long)]
    dry_run: bool,

    /// Explain what blocks the deployment, since when, who must act, and how
    #[arg(long)]
    explain: bool,

    /// Exit with 3 instead of 1 if the result is unknown
    #[arg(long)]
    exit_code_detail: bool,
}

#[derive(Args)]
pub(crate) struct Deploy {
    #[command(flatten)]
    versions: Selectors,

    /// Target environment
    #[arg(long, value_name = "ENVIRONMENT", conflicts_with = "to", help_heading = "Target")]
    to_environment: Option<String>,

    /// Check against the latest versions with this tag
    #[arg(long, value_name = "TAG", help_heading = "Target")]
    to: Option<String>,

    /// Maximum number of pairs
    #[arg(long, value_name = "COUNT", hide = true, value_parser = clap::value_parser!(u64).range(1..))]
    limit: Option<u64>,

    #[command(flatten)]
    asking: Asking,

    #[command(flatten)]
    common: Common,
}

#[derive(Args)]
pub(crate) struct Merge {
    /// Application to merge
    #[arg(short = 'a', long, value_name = "NAME")]
    pacticipant: String,

    /// Version of the application
    #[arg(short = 'e', long, value_name = "VERSION")]
    version: String,

    /// Application to ignore (repeatable)
    #[arg(long, value_name = "NAME")]
    ignore: Vec<String>,

    #[command(flatten)]
    asking: Asking,

    #[command(flatten)]
    common: Common,
}

/// A variable of ours, or of the field.
fn variable(name: &str) -> Option<String> {
    ["CONTRACT_BROKER_", "PACT_BROKER_"].iter().find_map(|prefix| {
        std::env::var(format!("{prefix}{name}"))
            .ok()
            .filter(|value| !value.is_empty())
    })
}

/// Names of pacticipants that do not count, from the environment.
fn ignored_by_variable() -> Vec<Json> {
    let names = variable("CAN_I_DEPLOY_IGNORE").unwrap_or_default();
    let one = |name: &str| Json::from([("pacticipant", name)].into_iter().collect::<Object>());
    names
        .split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty())
        .map(one)
        .collect()
}

impl Command {
    pub(super) fn job(self) -> Job {
        match self {
            Self::Deploy(given) => {
                let mut arguments = Object::new();
                let mut ignore = given.versions.ignore;
                ignore.extend(ignored_by_variable());
                let selected: Vec<String> = given.versions.selectors.iter().map(selected).collect();
                let done = match (&given.to_environment, &given.to, selected.len()) {
                    (Some(environment), _, _) => format!("deployed to {environment}"),
                    (None, Some(tag), _) => format!("deployed with the latest versions tagged {tag}"),
                    (None, None, 0 | 1) => "deployed".to_owned(),
                    (None, None, _) => "deployed together".to_owned(),
                };
                let subject = (selected.join(" and "), done);
                arguments.insert("selectors", given.versions.selectors);
                arguments.insert("ignore", ignore);
                put_text(&mut arguments, "to_environment", given.to_environment.as_ref());
                put_text(&mut arguments, "to", given.to.as_ref());
                put(&mut arguments, "limit", given.limit);
                let name = "can-i-deploy";
                asked(
                    name,
                    "can_i_deploy",
                    "CAN_I_DEPLOY_DRY_RUN",
                    &given.asking,
                    arguments,
                    given.common,
                    subject,
                )
            }
            Self::Merge(given) => {
                let one = |name: &String| Json::from([("pacticipant", name.as_str())].into_iter().collect::<Object>());
                let mut arguments = Object::new();
                let what = format!("{} {}", given.pacticipant, short_version(&given.version));
                let subject = (what, "merged".to_owned());
                arguments.insert("pacticipant", given.pacticipant.as_str());
                arguments.insert("version", given.version.as_str());
                arguments.insert("ignore", given.ignore.iter().map(one).collect::<Vec<_>>());
                let name = "can-i-merge";
                asked(
                    name,
                    "can_i_merge",
                    "CAN_I_MERGE_DRY_RUN",
                    &given.asking,
                    arguments,
                    given.common,
                    subject,
                )
            }
        }
    }
}

fn asked(
    command: &'static str,
    call: &'static str,
    dry_run: &str,
    asking: &Asking,
    mut arguments: Object,
    common: Common,
    subject: (String, String),
) -> Job {
    let is_dry = asking.dry_run || variable(dry_run).is_some_and(|value| value != "false" && value != "0");
    arguments.insert("retry_while_unknown", u64::from(asking.retry_while_unknown));
    arguments.insert("retry_interval", u64::from(asking.retry_interval) * 1000);
    put(
        &mut arguments,
        "wait",
        asking
            .wait
            .map(|wait| u64::try_from(wait.as_millis()).unwrap_or(u64::MAX)),
    );
    arguments.insert("dry_run", is_dry);
    arguments.insert("explain", asking.explain);
    let detail = asking.exit_code_detail;
    let is_colored = common.output == Format::Table && terminal::colours(false, std::io::stdout().is_terminal());
    let judged_subject = subject.clone();
    Job::new(command, call, common, arguments)
        .told(move |value| told(value, &subject, is_colored))
        .judged(move |value| judged(value, &judged_subject, detail))
}

fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || "give a number with a unit: 90s, 10m or 1h".to_owned();
    let unit = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let number: u64 = text[..text.len() - unit.len()].parse().map_err(|_| wrong())?;
    let seconds = match unit {
        "s" | "" => number,
        "m" => number.saturating_mul(60),
        "h" => number.saturating_mul(3600),
        _ => return Err(wrong()),
    };
    Ok(Duration::from_secs(seconds))
}

fn rows(value: &Json) -> &[Json] {
    value.get("rows").and_then(Json::as_array).unwrap_or_default()
}

fn told(value: &Json, subject: &(String, String), is_colored: bool) -> String {
    let rows = rows(value);
    let mut out = String::new();
    if !rows.is_empty() {
        let mut numbered = Vec::new();
        let lines = rows.iter().map(|row| {
            let url = table::cell(row.get("resultUrl"));
            let number = if url.is_empty() {
                String::new()
            } else {
                numbered.push(url);
                numbered.len().to_string()
            };
            let of = |pointer: &str| table::cell(row.pointer(pointer));
            vec![
                of("/consumer/name"),
                short_version(&of("/consumer/version")),
                of("/provider/name"),
                short_version(&of("/provider/version")),
                outcome(row).to_owned(),
                number,
            ]
        });
        let lines = lines.collect();
        let titles = ["Consumer", "C. version", "Provider", "P. version", "Success", "Result"];
        out.push_str(&table::lines(&titles, lines));
        out.push('\n');
        for (at, url) in numbered.iter().enumerate() {
            out.push_str(&format!("{}. {url}\n", at + 1));
        }
        if !numbered.is_empty() {
            out.push('\n');
        }
    }
    let explanation = value.get("explanation").and_then(Json::as_array).unwrap_or_default();
    for one in explanation {
        let text = one.get("text").map(Json::text_form).unwrap_or_default();
        out.push_str(&format!("- {}\n", indented_text(&text, "  ")));
    }
    if explanation.is_empty() {
        for notice in value.get("notices").and_then(Json::as_array).unwrap_or_default() {
            let text = notice.get("text").map(Json::text_form).unwrap_or_default();
            out.push_str(&format!("  {}\n", indented_text(&short_versions(&text), "  ")));
        }
    }
    let dry = if value.get("dryRun").and_then(Json::as_bool) == Some(true) {
        " (dry run: the exit code is 0)"
    } else {
        ""
    };
    let line = verdict(value, subject);
    if !is_colored {
        out.push_str(&format!("\n{line}{dry}\n"));
        return out;
    }
    let color = match value.get("deployable").and_then(Json::as_bool) {
        Some(true) => AnsiColor::Green,
        Some(false) => AnsiColor::Red,
        None => AnsiColor::Yellow,
    };
    let style = color.on_default().bold();
    out.push_str(&format!("\n{style}{line}{style:#}{dry}\n"));
    out
}

/// The answer in one line; `subject` says what is asked: `web 1` and `deployed to production`.
fn verdict(value: &Json, (what, done): &(String, String)) -> String {
    let count = |name: &str| value.get(name).and_then(Json::as_u64).unwrap_or_default();
    let (success, unknown) = (count("success"), count("unknown"));
    let all = success + count("failed") + unknown;
    match value.get("deployable").and_then(Json::as_bool) {
        Some(true) if all == 0 => format!("✓ {what} can be {done} (no contracts apply)"),
        Some(true) if success == 1 => format!("✓ {what} can be {done} (1 contract verified)"),
        Some(true) => format!("✓ {what} can be {done} ({success} contracts verified)"),
        Some(false) => format!("✗ {what} cannot be {done}"),
        None if unknown == 0 => format!("? {what}: unknown whether it can be {done}"),
        None if unknown == 1 => format!("? {what}: unknown whether it can be {done}, 1 of {all} results is missing"),
        None => format!("? {what}: unknown whether it can be {done}, {unknown} of {all} results are missing"),
    }
}

/// What is asked for, as its verdict names it.
fn selected(selector: &Json) -> String {
    let of = |name: &str| table::cell(selector.get(name));
    let version = ["version", "branch", "tag"]
        .map(of)
        .into_iter()
        .find(|text| !text.is_empty());
    let version = match version {
        Some(version) => short_version(&version),
        None if selector.get("main_branch").and_then(Json::as_bool) == Some(true) => "(main branch)".to_owned(),
        None => "(latest)".to_owned(),
    };
    format!("{} {version}", of("pacticipant"))
}

fn outcome(row: &Json) -> &'static str {
    match (
        row.get("success").and_then(Json::as_bool),
        row.get("ignored").and_then(Json::as_bool),
    ) {
        (_, Some(true)) => "ignored",
        (Some(true), _) => "yes",
        (Some(false), _) => "no",
        (None, _) => "?",
    }
}

fn judged(value: &Json, subject: &(String, String), detail: bool) -> Judgement {
    let explanation = value.get("explanation").and_then(Json::as_array).unwrap_or_default();
    let cases = rows(value).iter().filter(|row| outcome(row) != "ignored").map(|row| {
        let of = |pointer: &str| table::cell(row.pointer(pointer));
        let name = |role: &str| {
            let (name, version) = (of(&format!("/{role}/name")), of(&format!("/{role}/version")));
            format!(
                "{name} {}",
                if version.is_empty() {
                    "?".to_owned()
                } else {
                    short_version(&version)
                }
            )
        };
        let is_same = |one: &&Json| {
            one.get("consumer") == row.pointer("/consumer/name") && one.get("provider") == row.pointer("/provider/name")
        };
        let told = explanation.iter().find(is_same).map(|one| table::cell(one.get("text")));
        let problem = match outcome(row) {
            "yes" => None,
            "no" => Some(told.unwrap_or_else(|| format!("the verification failed: {}", of("/resultUrl")))),
            _ => Some(told.unwrap_or_else(|| "there is no result".to_owned())),
        };
        Case {
            name: format!("{} → {}", name("consumer"), name("provider")),
            problem,
        }
    });
    let cases: Vec<Case> = cases.collect();
    let deployable = value.get("deployable").and_then(Json::as_bool);
    let is_dry = value.get("dryRun").and_then(Json::as_bool) == Some(true);
    if deployable == Some(true) {
        return Judgement {
            cases,
            ..Judgement::default()
        };
    }
    let reason = short_versions(&table::cell(value.get("reason")));
    let code = match deployable {
        _ if is_dry => 0,
        None if detail => UNKNOWN,
        _ => FAILED,
    };
    let what = verdict(value, subject);
    let what = what.trim_start_matches(['✗', '?', ' ']);
    Judgement {
        code,
        problem: Some(if reason.is_empty() {
            what.to_owned()
        } else {
            format!("{what}: {reason}")
        }),
        cases,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::duration;

    #[test]
    fn durations() {
        assert_eq!(duration("90s"), Ok(Duration::from_secs(90)));
        assert_eq!(duration("10m"), Ok(Duration::from_secs(600)));
        assert_eq!(duration("1h"), Ok(Duration::from_secs(3600)));
        assert_eq!(duration("7"), Ok(Duration::from_secs(7)));
        assert!(duration("soon").is_err() && duration("1d").is_err());
    }
}
