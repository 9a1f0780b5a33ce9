//! The `contract-broker publish` command.

use std::path::Path;

use clap::{Args, Subcommand};
use contract::broker::{Broker, PublishArguments};
use contract::{Json, escape_indented, short_version, short_versions};

use super::common::Common;
use super::job::{Assessment, Job};
use super::output::Case;
use super::table;
use crate::error::{FAILED, Result};
use crate::usage::check_positional;

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Publish contract files
    #[command(after_help = EXAMPLES)]
    Publish(Box<Publish>),
}

const EXAMPLES: &str = "\
Examples:
  In CI, detect the version, branch, and build URL:
    contract-broker publish ./contracts --auto-detect-version-properties
  With explicit values:
    contract-broker publish './contracts/web-*.json' --consumer-app-version 1.4.0 --branch main
  Show what would be published:
    contract-broker publish ./contracts --consumer-app-version 1.4.0 --dry-run

The contracts of one consumer are published together: all of them or none. If publishing fails \
for one of several consumers, the error lists the contracts that were already published.

Exit codes, in every output format:
  0  all contracts are published, or --dry-run found no conflict
  1  rejected by the broker, for example because this version was already published with different content
  2  invalid arguments or files, no contract file found, or no version or branch detected
  4  the broker is unreachable, or is not a Pact-compatible broker
  5  authentication or authorization failed";

#[derive(Args)]
pub(crate) struct Publish {
    /// Contract file, directory to search recursively, or pattern such as 'contracts/*-orders.json'
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<String>,

    /// Version of the consumer; required unless it is detected
    #[arg(short = 'a', long, value_name = "VERSION", alias = "version")]
    consumer_app_version: Option<String>,

    /// Branch of the version, such as main
    #[arg(long, value_name = "BRANCH")]
    branch: Option<String>,

    /// Detect the version, branch, and build URL from the CI system or git, unless they are set
    #[arg(short = 'r', long)]
    auto_detect_version_properties: bool,

    /// Tag of the version (repeatable, or separated by commas)
    #[arg(short = 't', long, value_name = "TAG", value_delimiter = ',')]
    tag: Vec<String>,

    /// Tag the version with the name of the git branch
    #[arg(short = 'g', long)]
    tag_with_git_branch: bool,

    /// URL of the CI build
    #[arg(long, value_name = "URL")]
    build_url: Option<String>,

    /// Merge the contracts with those that were already published for this version
    #[arg(long)]
    merge: bool,

    /// Do not publish anything if a file contains an invalid interaction
    #[arg(long)]
    validate: bool,

    /// Do not publish anything if a file causes a warning
    #[arg(long)]
    strict: bool,

    /// Print what would be published without publishing it
    #[arg(long)]
    dry_run: bool,

    #[command(flatten)]
    common: Common,
}

impl Command {
    pub(super) fn job(self) -> Result<Job> {
        let Self::Publish(publish) = self;
        for path in &publish.paths {
            check_positional(path, "a file or a directory", is_path)?;
        }
        let arguments = PublishArguments {
            files: publish.paths,
            consumer_version: publish.consumer_app_version,
            branch: publish.branch,
            tags: publish.tag,
            build_url: publish.build_url,
            auto_detect: publish.auto_detect_version_properties,
            tag_with_git_branch: publish.tag_with_git_branch,
            merge: publish.merge,
            validate: publish.validate,
            strict: publish.strict,
            dry_run: publish.dry_run,
        };
        Ok(Job::new("publish", publish.common, Broker::publish, arguments)
            .with_notes(notes)
            .with_text(text)
            .with_assessment(assessment))
    }
}

/// Returns true if the argument is clearly a path: it exists, has the extension `.json`, or starts with `./` or `../`.
fn is_path(text: &str) -> bool {
    let is_file = |path: &Path| path.extension().is_some_and(|extension| extension == "json") || path.exists();
    is_file(Path::new(text)) || text.starts_with("./") || text.starts_with("../")
}

fn list<'a>(value: &'a Json, name: &str) -> &'a [Json] {
    value.get(name).and_then(Json::as_array).unwrap_or_default()
}

/// Returns a line for each detected value, with its source, and the warnings.
fn notes(value: &Json) -> Vec<String> {
    let mut out = Vec::new();
    for (name, label) in [("version", "version"), ("branch", "branch"), ("buildUrl", "build URL")] {
        let text = |member: &str| {
            value
                .pointer(&format!("/detected/{name}/{member}"))
                .and_then(Json::as_str)
        };
        if let (Some(detected), Some(source)) = (text("value"), text("from")) {
            out.push(format!("Detected {label}: {detected} (from {source})"));
        }
    }
    out.extend(
        list(value, "warnings")
            .iter()
            .map(|warning| format!("warning: {}", warning.text_form())),
    );
    out
}

fn text(value: &Json) -> String {
    let is_dry = value.get("dryRun").and_then(Json::as_bool) == Some(true);
    let mut out = String::new();
    for consumer in list(value, "consumers") {
        let mut heading = format!(
            "{} {}",
            table::cell(consumer.get("consumer")),
            short_version(&table::cell(consumer.get("version")))
        );
        for (name, label) in [("branch", "branch"), ("tags", "tags")] {
            let text = table::cell(consumer.get(name));
            if !text.is_empty() {
                heading.push_str(&format!(", {label} {text}"));
            }
        }
        let suffix = if is_dry { " (dry run)" } else { "" };
        out.push_str(&format!("{heading}{suffix}\n"));
        for contract in list(consumer, "contracts") {
            let outcome = match contract.get("outcome").and_then(Json::as_str) {
                Some("created") => "would be published",
                Some("unchanged") => "already published",
                Some("merged") => "would be merged with the published contract",
                Some("conflict") => "conflicts with the published contract; use a new version, or pass --merge",
                _ => "published",
            };
            let provider = table::cell(contract.get("provider"));
            let files = table::cell(contract.get("files"));
            out.push_str(&format!("  {provider}: {outcome} ({files})\n"));
        }
        for notice in list(consumer, "notices") {
            let text = notice.get("text").map(Json::text_form).unwrap_or_default();
            out.push_str(&format!("    {}\n", escape_indented(&short_versions(&text), "    ")));
        }
    }
    out
}

fn assessment(value: &Json) -> Assessment {
    let mut cases = Vec::new();
    for consumer in list(value, "consumers") {
        for contract in list(consumer, "contracts") {
            let name = format!(
                "{} {} → {}",
                table::cell(consumer.get("consumer")),
                short_version(&table::cell(consumer.get("version"))),
                table::cell(contract.get("provider"))
            );
            let is_conflict = contract.get("outcome").and_then(Json::as_str) == Some("conflict");
            let problem = is_conflict.then(|| "this version was already published with different content".to_owned());
            cases.push(Case { name, problem });
        }
    }
    let conflicts: Vec<&str> = cases
        .iter()
        .filter(|case| case.problem.is_some())
        .map(|case| case.name.as_str())
        .collect();
    if conflicts.is_empty() {
        return Assessment::passed(cases);
    }
    let problem = format!(
        "the broker would reject {}: this version was already published with different content. Use a new version, or pass --merge.",
        conflicts.join(", ")
    );
    Assessment {
        exit_code: FAILED,
        problem: Some(problem),
        cases,
    }
}
