//! Retention options, and the `clean` command.

use std::collections::BTreeMap;
use std::time::Duration;

use clap::{ArgAction, Args, ValueEnum};
use contract_broker::{ApplicationPreview, CleanPace, Deleted, KeepRule, Preview, Retention, RetentionPolicy};
use serde_json::{Value, json};

use super::counted;
use super::database::{DatabaseArguments, LimitArguments};
use crate::client::lines;
use crate::error::{CliError, Result};
use crate::terminal;

pub(super) const EXAMPLES: &str = "\
Examples:
  Show what would be deleted and why:
    contract-broker clean --db sqlite:broker.sqlite --dry-run
  Keep versions from the last 30 days, and delete branches that have had no new version for 60 days:
    contract-broker clean --db postgres://broker:secret@db/broker --retention-days 30 \\
      --retention-branch-days 60

You can run this command while the broker is running. By default, contract-broker serve deletes the same \
data every hour.

Exit codes:
  0  old data was deleted, or there was nothing to delete
  1  a database error occurred, or another process is deleting old data
  2  invalid arguments";

#[derive(Args)]
#[command(next_help_heading = "Retention")]
#[expect(clippy::struct_field_names, reason = "clap names the options after the fields")]
pub(super) struct PolicyArguments {
    /// Minimum age of versions to delete, in days. The latest contract and the latest result of such a version must be
    /// at least as old
    #[arg(
        long,
        value_name = "DAYS",
        default_value_t = 90,
        env = "CONTRACT_BROKER_RETENTION_DAYS"
    )]
    retention_days: u32,

    /// Versions to keep regardless of age, separated by commas. Versions that determine which contracts are pending are
    /// always kept
    #[arg(
        long,
        value_name = "RULES",
        value_delimiter = ',',
        default_value = "deployed,released,latest,branch-heads,tag-heads",
        hide_possible_values = false,
        env = "CONTRACT_BROKER_RETENTION_KEEP"
    )]
    retention_keep: Vec<Keep>,

    /// Delete branches, except main branches, that have had no new version for this number of days [default: never]
    #[arg(long, value_name = "DAYS", env = "CONTRACT_BROKER_RETENTION_BRANCH_DAYS")]
    retention_branch_days: Option<u32>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Keep {
    /// Versions that are currently deployed
    Deployed,
    /// Versions that are released and supported
    Released,
    /// The latest version of each application
    Latest,
    /// The latest version of each branch
    BranchHeads,
    /// The latest version with each tag
    TagHeads,
    /// None of these versions
    None,
}

impl Keep {
    fn rule(self) -> Option<KeepRule> {
        match self {
            Self::Deployed => Some(KeepRule::Deployed),
            Self::Released => Some(KeepRule::Released),
            Self::Latest => Some(KeepRule::Latest),
            Self::BranchHeads => Some(KeepRule::BranchHead),
            Self::TagHeads => Some(KeepRule::TagHead),
            Self::None => None,
        }
    }
}

impl PolicyArguments {
    fn policy(&self) -> RetentionPolicy {
        RetentionPolicy {
            days: self.retention_days,
            keep: self.retention_keep.iter().filter_map(|keep| keep.rule()).collect(),
            branch_days: self.retention_branch_days,
        }
    }
}

#[derive(Args)]
#[command(next_help_heading = "Retention")]
pub(super) struct RetentionArguments {
    /// Regularly delete old versions, results, and contracts
    #[arg(
        long,
        value_name = "BOOL",
        default_value_t = true,
        action = ArgAction::Set,
        env = "CONTRACT_BROKER_RETENTION"
    )]
    retention: bool,

    /// Interval between deletions, in seconds
    #[arg(
        long,
        value_name = "SECONDS",
        default_value_t = 3_600,
        value_parser = clap::value_parser!(u32).range(1..),
        env = "CONTRACT_BROKER_RETENTION_INTERVAL"
    )]
    retention_interval: u32,

    #[command(flatten)]
    policy: PolicyArguments,
}

impl RetentionArguments {
    pub(super) fn retention(&self) -> Option<Retention> {
        self.retention.then(|| Retention {
            policy: self.policy.policy(),
            interval: Duration::from_secs(self.retention_interval.into()),
        })
    }
}

#[derive(Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    database: DatabaseArguments,

    /// Print what would be deleted without deleting it
    #[arg(long)]
    dry_run: bool,

    /// Do not pause between transactions; use only if no broker is using the database
    #[arg(long)]
    fast: bool,

    /// Print JSON
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    policy: PolicyArguments,

    #[command(flatten)]
    limits: LimitArguments,
}

pub(super) fn run(arguments: &Arguments) -> Result<()> {
    let (database, limits, policy) = (
        arguments.database.existing()?,
        arguments.limits.limits(),
        arguments.policy.policy(),
    );
    let runtime = super::runtime()?;
    if arguments.dry_run {
        let preview = runtime
            .block_on(contract_broker::preview(&database, &limits, &policy))
            .map_err(|error| super::failed(&error))?;
        terminal::print(&if arguments.json {
            format!("{:#}\n", preview_json(&preview))
        } else {
            preview_text(&preview, &policy)
        });
        return Ok(());
    }
    let pace = if arguments.fast {
        CleanPace::Fast
    } else {
        CleanPace::Gentle
    };
    let deleted = runtime
        .block_on(contract_broker::clean(&database, &limits, &policy, pace))
        .map_err(|error| super::failed(&error))?;
    let deleted = deleted.ok_or_else(|| {
        CliError::failed("another process is deleting old data in this database. Try again when it has finished.")
    })?;
    terminal::print(&if arguments.json {
        format!("{:#}\n", deleted_json(&deleted))
    } else {
        deleted_text(&deleted)
    });
    Ok(())
}

fn deleted_json(deleted: &Deleted) -> Value {
    json!({ "deleted": {
        "branches": deleted.branches,
        "versions": deleted.versions,
        "revisions": deleted.revisions,
        "results": deleted.results,
        "contents": deleted.contents,
    } })
}

fn deleted_text(deleted: &Deleted) -> String {
    if deleted.is_empty() {
        return "Nothing to delete.\n".to_owned();
    }
    let counts = [
        (deleted.branches, "branch", "branches"),
        (deleted.versions, "version", "versions"),
        (
            deleted.revisions,
            "replaced contract revision",
            "replaced contract revisions",
        ),
        (deleted.results, "replaced result", "replaced results"),
        (deleted.contents, "unused contract content", "unused contract contents"),
    ];
    let counts = counts.into_iter().filter(|(count, ..)| *count > 0);
    let lines: Vec<String> = counts
        .map(|(count, singular, plural)| format!("Deleted {}.\n", counted(count, singular, plural)))
        .collect();
    lines.concat()
}

fn preview_json(preview: &Preview) -> Value {
    let application = |(name, preview): (&String, &ApplicationPreview)| {
        let kept_by: serde_json::Map<String, Value> = preview
            .kept_by
            .iter()
            .map(|(rule, count)| (rule.name().to_owned(), json!(count)))
            .collect();
        json!({
            "pacticipant": name,
            "versionsToDelete": preview.deleted,
            "versionsToKeep": { "young": preview.young, "old": preview.old_kept, "oldByRule": kept_by },
        })
    };
    let branch = |(application, branch): &(String, String)| json!({ "pacticipant": application, "branch": branch });
    json!({
        "branchesToDelete": preview.branches.iter().map(branch).collect::<Vec<_>>(),
        "pacticipants": preview.applications.iter().map(application).collect::<Vec<_>>(),
        "revisionsToDelete": preview.revisions,
        "resultsToDelete": preview.results,
        "contentsToDelete": preview.contents,
    })
}

fn preview_text(preview: &Preview, policy: &RetentionPolicy) -> String {
    let rows = preview.applications.iter().map(|(name, preview)| {
        let range = match preview.deleted.as_slice() {
            [] => String::new(),
            [only] => only.clone(),
            [first, .., last] => format!("{first} to {last}"),
        };
        vec![
            contract::escape_text(name),
            preview.deleted.len().to_string(),
            contract::escape_text(&range),
            (preview.young + preview.old_kept).to_string(),
        ]
    });
    let table = lines(&["application", "delete", "oldest to newest", "keep"], rows.collect());
    let applications = || preview.applications.values();
    let deleted: usize = applications().map(|application| application.deleted.len()).sum();
    let young: u64 = applications().map(|application| application.young).sum();
    let mut kept_by = BTreeMap::<KeepRule, u64>::new();
    for (rule, count) in applications().flat_map(|application| &application.kept_by) {
        *kept_by.entry(*rule).or_default() += count;
    }
    let mut reasons = vec![vec![
        young.to_string(),
        "keep".to_owned(),
        format!(
            "younger than {}, or with a younger contract or result",
            counted(policy.days, "day", "days")
        ),
    ]];
    let kept = kept_by.iter();
    reasons.extend(kept.map(|(rule, count)| vec![count.to_string(), "keep".to_owned(), rule.describe().to_owned()]));
    reasons.push(vec![
        deleted.to_string(),
        "delete".to_owned(),
        "older, and not kept by any rule".to_owned(),
    ]);
    let reasons = lines(&["versions", "action", "reason"], reasons);
    let other_data = [
        (
            preview.revisions,
            "contract revision",
            "contract revisions",
            "replaced by a later revision",
        ),
        (preview.results, "result", "results", "replaced by a later result"),
        (
            preview.contents,
            "contract content",
            "contract contents",
            "that no kept version uses",
        ),
    ];
    let other_data: Vec<String> = other_data
        .into_iter()
        .filter(|(count, ..)| *count > 0)
        .map(|(count, singular, plural, reason)| {
            format!("Also to delete: {} {reason}.\n", counted(count, singular, plural))
        })
        .collect();
    let branch = |(application, branch): &(String, String)| {
        format!(
            "Stale branch to delete: {} of {}.\n",
            contract::escape_text(branch),
            contract::escape_text(application)
        )
    };
    let branches: Vec<String> = preview.branches.iter().map(branch).collect();
    format!(
        "{table}\n{reasons}\n{}{}Dry run: nothing was deleted.\n",
        other_data.concat(),
        branches.concat()
    )
}
