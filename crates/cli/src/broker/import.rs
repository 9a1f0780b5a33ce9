//! The `import` command.

use clap::Args;
use contract::escape_line;
use contract_broker::{ImportCount, ImportError, ImportReport, ImportSource, SourceCredentials};
use serde_json::{Value, json};

use super::counted;
use super::database::{DatabaseArguments, LimitArguments};
use crate::client::lines;
use crate::error::{CliError, Result};
use crate::terminal;

pub(super) const EXAMPLES: &str = "\
Examples:
  contract-broker import --from-broker https://old.example.com --from-token \"$TOKEN\" \\
    --db sqlite:broker.sqlite
  contract-broker import --from-database \"$PACT_BROKER_DATABASE_URL\" --db sqlite:broker.sqlite

The command reads applications, versions, branches, tags, environments, deployments, releases, contracts, verification \
results, and webhooks, with their dates. If it is interrupted, or if the other broker has new data, run it again: it \
adds only what is missing.

--from-broker works with the Pact Broker, PactFlow, and contract-broker. --from-database reads the PostgreSQL database of \
Pact Broker 2.90 or later. It is faster, and it also imports what the API does not return: the dates of branches and \
tags, and replaced contracts that have no results. It does not change the database of the Pact Broker. Do not mix \
--from-broker and --from-database for the same target database: results would be imported twice.

Webhook secrets are not imported. Webhooks that have secrets are imported as disabled, and are listed at the end.

Exit codes:
  0  everything was imported or already existed
  1  the other broker or the database failed, or some records could not be imported
  2  invalid arguments";

#[derive(Args)]
pub(super) struct Arguments {
    /// Base URL of the other broker
    #[arg(
        long,
        value_name = "URL",
        required_unless_present = "from_database",
        conflicts_with = "from_database"
    )]
    from_broker: Option<String>,

    /// PostgreSQL URL of a Pact Broker's database; safer in an environment variable
    #[arg(
        long,
        value_name = "URL",
        env = "CONTRACT_BROKER_FROM_DATABASE",
        hide_env_values = true,
        conflicts_with_all = ["from_token", "from_username", "from_password"]
    )]
    from_database: Option<String>,

    /// API token for the other broker; safer in an environment variable
    #[arg(
        long,
        value_name = "TOKEN",
        env = "CONTRACT_BROKER_FROM_TOKEN",
        hide_env_values = true,
        conflicts_with_all = ["from_username", "from_password"]
    )]
    from_token: Option<String>,

    /// User name for the other broker
    #[arg(
        long,
        value_name = "NAME",
        env = "CONTRACT_BROKER_FROM_USERNAME",
        hide_env_values = true,
        requires = "from_password"
    )]
    from_username: Option<String>,

    /// Password for the other broker; safer in an environment variable
    #[arg(
        long,
        value_name = "PASSWORD",
        env = "CONTRACT_BROKER_FROM_PASSWORD",
        hide_env_values = true,
        requires = "from_username"
    )]
    from_password: Option<String>,

    /// Maximum number of concurrent requests to the other broker, from 1 to 64
    #[arg(
        long,
        value_name = "COUNT",
        env = "CONTRACT_BROKER_FROM_MAX_REQUESTS",
        hide_env_values = true,
        default_value_t = ImportSource::DEFAULT_MAX_REQUESTS,
        value_parser = clap::value_parser!(u16).range(1..=64),
        conflicts_with = "from_database"
    )]
    from_max_requests: u16,

    /// Print the report as JSON
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    database: DatabaseArguments,

    #[command(flatten)]
    limits: LimitArguments,
}

pub(super) fn run(arguments: &Arguments) -> Result<()> {
    let credentials = match (
        &arguments.from_token,
        &arguments.from_username,
        &arguments.from_password,
    ) {
        (Some(token), _, _) => SourceCredentials::Token(token.clone()),
        (None, Some(username), Some(password)) => SourceCredentials::Basic {
            username: username.clone(),
            password: password.clone(),
        },
        _ => SourceCredentials::None,
    };
    let database = arguments.database.persistent()?;
    let progress = |line: &str| terminal::log(&escape_line(line));
    let limits = arguments.limits.limits();
    let runtime = super::runtime()?;
    let imported = if let Some(address) = &arguments.from_database {
        let address = postgres_address(address)?;
        runtime.block_on(contract_broker::import_from_database(
            address, &database, &limits, &progress,
        ))
    } else {
        let from = ImportSource {
            max_requests: arguments.from_max_requests,
            ..ImportSource::new(arguments.from_broker.as_deref().unwrap_or_default(), credentials)
        };
        runtime.block_on(contract_broker::import_from_broker(
            &from, &database, &limits, &progress,
        ))
    };
    let report = imported.map_err(|error| match error {
        ImportError::Url(_) | ImportError::UrlCredentials => CliError::usage(format!("--from-broker: {error}")),
        ImportError::Store(error) => super::failed(&error),
        error => CliError::failed(error.to_string()),
    })?;
    terminal::print(&if arguments.json {
        format!("{:#}\n", report_json(&report))
    } else {
        report_text(&report)
    });
    let failed: usize = report.counts.values().map(|count| count.failed).sum();
    if failed > 0 {
        let records = counted(failed as u64, "record", "records");
        return Err(CliError::failed(format!("{records} could not be imported")));
    }
    Ok(())
}

/// Returns an error if the address is not a PostgreSQL URL. The error does not contain the address, which may contain a
/// password.
fn postgres_address(address: &str) -> Result<&str> {
    let is_postgres = ["postgres://", "postgresql://"]
        .iter()
        .any(|scheme| address.starts_with(scheme));
    if is_postgres {
        return Ok(address);
    }
    Err(CliError::usage(
        "--from-database must be a URL such as postgres://user:password@host/name. For a Pact Broker with another kind of database, use \
         --from-broker.",
    ))
}

/// Members of the import report, each with the name of its records.
const KINDS: [(&str, &str); 10] = [
    ("applications", "applications"),
    ("environments", "environments"),
    ("branches", "branches"),
    ("versions", "versions"),
    ("branchHeads", "branch heads"),
    ("contracts", "contracts"),
    ("results", "verification results"),
    ("tagSuccesses", "successes by tag"),
    ("deployments", "deployments and releases"),
    ("webhooks", "webhooks"),
];

fn report_text(report: &ImportReport) -> String {
    let row = |(kind, title): &(&str, &str)| {
        let count = report.counts.get(kind).copied().unwrap_or_default();
        let ImportCount { added, known, failed } = count;
        vec![
            (*title).to_owned(),
            added.to_string(),
            known.to_string(),
            failed.to_string(),
        ]
    };
    // Only imports from a database have counts of these kinds.
    let is_reported = |kind: &str| !["branches", "tagSuccesses"].contains(&kind) || report.counts.contains_key(kind);
    let counts = lines(
        &["records", "added", "unchanged", "failed"],
        KINDS.iter().filter(|(kind, _)| is_reported(kind)).map(row).collect(),
    );
    let further = match report.further_problems {
        0 => String::new(),
        further => format!("  and {further} more\n"),
    };
    if report.problems.is_empty() {
        return counts;
    }
    // Problems contain untrusted names from the other broker.
    let problems = report
        .problems
        .iter()
        .map(|problem| format!("  {}\n", escape_line(problem)));
    format!(
        "{counts}\nNot fully imported:\n{}{further}",
        problems.collect::<String>()
    )
}

fn report_json(report: &ImportReport) -> Value {
    let count = |count: &ImportCount| json!({ "added": count.added, "unchanged": count.known, "failed": count.failed });
    let counts = report.counts.iter();
    json!({
        "counts": counts.map(|(kind, outcomes)| ((*kind).to_owned(), count(outcomes))).collect::<serde_json::Map<_, _>>(),
        "problems": report.problems,
        "furtherProblems": report.further_problems,
    })
}
