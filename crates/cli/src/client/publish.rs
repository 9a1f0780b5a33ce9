//! Publishing contract files.

use clap::{Args, Subcommand};
use contract::{Json, Object, indented_text, short_version, short_versions};

use super::common::{Common, put_list, put_text};
use super::job::{FAILED, Job, Judgement};
use super::output::Case;
use super::table;

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Publish contract files
    #[command(after_help = EXAMPLES)]
    Publish(Box<Publish>),
}

const EXAMPLES: &str = "\
Examples:
  In a pipeline, with detected version, branch and build URL:
    contract-broker publish ./contracts --auto-detect-version-properties
  With explicit values:
    contract-broker publish './contracts/web-*.json' --consumer-app-version 1.4.0 --branch main
  Show what would be published:
    contract-broker publish ./contracts --consumer-app-version 1.4.0 --dry-run

All contracts of one consumer are published at once, or none of them. When there are several
consumers and one fails, the error says which were published.

Exit codes, the same in every form of output:
  0  all contracts are published, or already were
  1  rejected by the broker: this version already has other content
  2  invalid arguments, no contract file, or no version or branch found
  4  the broker is unreachable, or is not a Pact-compatible broker
  5  authentication or authorization failed";

#[derive(Args)]
pub(crate) struct Publish {
    /// Contract files, directories, or patterns such as 'contracts/*.json'
    #[arg(value_name = "PATHS", required = true)]
    paths: Vec<String>,

    /// Version of the consumer
    #[arg(short = 'a', long, value_name = "VERSION")]
    consumer_app_version: Option<String>,

    /// Branch of the version
    #[arg(long, value_name = "BRANCH")]
    branch: Option<String>,

    /// Detect version, branch and build URL from the CI system or git where they are not given
    #[arg(short = 'r', long)]
    auto_detect_version_properties: bool,

    /// Tag of the version (repeatable, or separated by commas)
    #[arg(short = 't', long, value_name = "TAG", value_delimiter = ',')]
    tag: Vec<String>,

    /// Tag the version with the name of the branch
    #[arg(short = 'g', long)]
    tag_with_git_branch: bool,

    /// URL of the build
    #[arg(long, value_name = "URL")]
    build_url: Option<String>,

    /// Merge with contracts that were already published for this version
    #[arg(long)]
    merge: bool,

    /// Reject files with interactions that cannot be read
    #[arg(long)]
    validate: bool,

    /// Reject files with any irregularity
    #[arg(long)]
    strict: bool,

    /// Print what would be published, without publishing
    #[arg(long)]
    dry_run: bool,

    #[command(flatten)]
    common: Common,
}

impl Command {
    pub(super) fn job(self) -> Job {
        let Self::Publish(given) = self;
        let mut arguments = Object::new();
        put_list(&mut arguments, "files", &given.paths);
        put_text(&mut arguments, "consumer_version", given.consumer_app_version.as_ref());
        put_text(&mut arguments, "branch", given.branch.as_ref());
        put_list(&mut arguments, "tags", &given.tag);
        put_text(&mut arguments, "build_url", given.build_url.as_ref());
        for (name, value) in [
            ("auto_detect", given.auto_detect_version_properties),
            ("tag_with_git_branch", given.tag_with_git_branch),
            ("merge", given.merge),
            ("validate", given.validate),
            ("strict", given.strict),
            ("dry_run", given.dry_run),
        ] {
            arguments.insert(name, value);
        }
        Job {
            remark: remarks,
            ..Job::new("publish", "publish", given.common, arguments)
        }
        .told(told)
        .judged(judged)
    }
}

fn list<'a>(value: &'a Json, name: &str) -> &'a [Json] {
    value.get(name).and_then(Json::as_array).unwrap_or_default()
}

/// Where detected values come from, and what is worth a look.
fn remarks(value: &Json) -> Vec<String> {
    let mut out = Vec::new();
    for (name, what) in [("version", "version"), ("branch", "branch"), ("buildUrl", "build")] {
        let text = |of: &str| value.pointer(&format!("/detected/{name}/{of}")).and_then(Json::as_str);
        if let (Some(found), Some(from)) = (text("value"), text("from")) {
            out.push(format!("{what}: {found} ({from})"));
        }
    }
    out.extend(
        list(value, "warnings")
            .iter()
            .map(|warning| format!("warning: {}", warning.text_form())),
    );
    out
}

fn told(value: &Json) -> String {
    let is_dry = value.get("dryRun").and_then(Json::as_bool) == Some(true);
    let mut out = String::new();
    for consumer in list(value, "consumers") {
        let mut head = format!(
            "{} {}",
            table::cell(consumer.get("consumer")),
            short_version(&table::cell(consumer.get("version")))
        );
        for (name, before) in [("branch", " on "), ("tags", " tagged ")] {
            let text = table::cell(consumer.get(name));
            if !text.is_empty() {
                head.push_str(before);
                head.push_str(&text);
            }
        }
        out.push_str(&format!("{head}{}\n", if is_dry { " (nothing is sent)" } else { "" }));
        for contract in list(consumer, "contracts") {
            let outcome = match contract.get("outcome").and_then(Json::as_str) {
                Some("created") => "would be published",
                Some("unchanged") => "is published already",
                Some("merged") => "would be merged with what is published",
                Some("conflict") => "differs from what is published: give it a new version, or say --merge",
                _ => "published",
            };
            let provider = table::cell(contract.get("provider"));
            let files = table::cell(contract.get("files"));
            out.push_str(&format!("  {provider}: {outcome} ({files})\n"));
        }
        for notice in list(consumer, "notices") {
            let text = notice.get("text").map(Json::text_form).unwrap_or_default();
            out.push_str(&format!("    {}\n", indented_text(&short_versions(&text), "    ")));
        }
    }
    out
}

fn judged(value: &Json) -> Judgement {
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
            let problem = is_conflict.then(|| "it differs from what is published for this version".to_owned());
            cases.push(Case { name, problem });
        }
    }
    let differs: Vec<&str> = cases
        .iter()
        .filter(|case| case.problem.is_some())
        .map(|case| case.name.as_str())
        .collect();
    if differs.is_empty() {
        return Judgement {
            cases,
            ..Judgement::default()
        };
    }
    let problem = format!(
        "{} would be refused: another content is published for this version; give it a new version, or say --merge",
        differs.join(", ")
    );
    Judgement {
        code: FAILED,
        problem: Some(problem),
        cases,
    }
}
