//! The commands `token` and `audit`, which call a broker or open its database.

use clap::{Args, Subcommand};
use contract::broker::{Broker, BrokerFailure, BrokerReply, SingleLine, TokenArguments};
use contract::{Json, to_value};
use contract_broker::{Administration, AdministrationError, AuditFilter, Database, Limits, TokenRequest};

use super::database::{existing, parse};
use crate::client::{Common, Job, table};
use crate::error::{CliError, Result};
use crate::exit_code::ExitCode;
use crate::terminal;

const EXAMPLES: &str = "\
Examples:
  Create the first token in the broker's database:
    contract-broker token create --label admin --scope admin --db sqlite:broker.sqlite
  Call the broker to create a token for a consumer's CI pipeline:
    contract-broker token create --label 'web CI' --scope 'publish:web' --scope 'deploy:staging' \\
      --days 365 --broker-base-url https://broker.example.com --broker-token \"$ADMIN_TOKEN\"

Scopes: read, publish:CONSUMER, verify:PROVIDER, deploy:ENVIRONMENT, webhooks, write, admin. In names, * matches any \
characters. Every token includes the read scope.

The token is printed only once. As soon as a token exists, the broker requires credentials.

Exit codes, in every output format:
  0  success
  1  rejected by the broker, or a database error occurred
  2  invalid arguments, or the job summary could not be written
  4  the broker is unreachable, or is not a Pact-compatible broker
  5  authentication or authorization failed";

const EXIT_CODES: &str = "\
Exit codes, in every output format:
  0  success
  1  rejected by the broker, or a database error occurred
  2  invalid arguments, or the job summary could not be written
  4  the broker is unreachable, or is not a Pact-compatible broker
  5  authentication or authorization failed";

const REVOKE_EXIT_CODES: &str = "\
Exit codes, in every output format:
  0  success
  1  token not found, rejected by the broker, or a database error occurred
  2  invalid arguments, or the job summary could not be written
  4  the broker is unreachable, or is not a Pact-compatible broker
  5  authentication or authorization failed";

/// Number of audit log entries per request.
const PAGE: usize = 1_000;

#[derive(Subcommand)]
pub(super) enum TokenCommand {
    /// Create a token with scopes
    #[command(after_help = EXAMPLES)]
    Create(Box<Create>),

    /// List all tokens without their secrets
    #[command(after_help = EXIT_CODES)]
    List(Box<Target>),

    /// Revoke a token
    #[command(after_help = REVOKE_EXIT_CODES)]
    Revoke(Box<Revoke>),
}

#[derive(Subcommand)]
pub(super) enum AuditCommand {
    /// Print the audit log as JSON lines, oldest first
    #[command(after_help = EXIT_CODES)]
    Export(Box<Export>),
}

/// A broker, or a broker's database.
#[derive(Args)]
pub(super) struct Target {
    /// Database to open instead of calling a broker: sqlite:PATH or postgres://USER:PASSWORD@HOST/NAME
    #[arg(long, value_name = "DATABASE", conflicts_with = "broker_base_url")]
    db: Option<String>,

    #[command(flatten)]
    common: Common,
}

#[derive(Args)]
pub(super) struct Create {
    /// Label that identifies the token in lists and in the audit log
    #[arg(long, value_name = "TEXT")]
    label: String,

    /// Scope of the token, for example publish:web (repeatable)
    #[arg(long, value_name = "SCOPE", required = true)]
    scope: Vec<String>,

    /// Number of days until the token expires [default: never]
    #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(u32).range(1..=3_650))]
    days: Option<u32>,

    #[command(flatten)]
    target: Target,
}

#[derive(Args)]
pub(super) struct Revoke {
    /// ID of the token, as printed by contract-broker token list
    #[arg(value_name = "ID")]
    id: SingleLine,

    #[command(flatten)]
    target: Target,
}

#[derive(Args)]
pub(super) struct Export {
    /// Print only entries since this date, such as 2026-01-31 or 2026-01-31T12:00:00Z
    #[arg(long, value_name = "DATE")]
    from: Option<String>,

    /// Print only entries before this date, in the same format
    #[arg(long, value_name = "DATE")]
    to: Option<String>,

    /// Print only entries for the user with this name or the token with this label
    #[arg(long, value_name = "NAME")]
    actor: Option<String>,

    /// Print only entries for successful writes (written) or for denied requests (denied)
    #[arg(long, value_name = "OUTCOME", value_parser = ["written", "denied"])]
    outcome: Option<String>,

    #[command(flatten)]
    target: Target,
}

impl Target {
    /// Returns the database that `--db` specifies. Only the first token creates a database.
    fn database(&self, is_created: bool) -> Result<Option<Database>> {
        let Some(db) = &self.db else { return Ok(None) };
        let database = parse("--db", db)?;
        let database = if is_created {
            database
        } else {
            existing("--db", database)?
        };
        Ok(Some(database))
    }

    /// Creates the job of a command. With `--db`, calls `local` immediately. Otherwise, the job calls `remote`.
    fn job<A: 'static>(
        self,
        command: &'static str,
        arguments: A,
        local: impl AsyncFnOnce(&Administration, A) -> std::result::Result<Json, Failure> + 'static,
        remote: impl AsyncFnOnce(&Broker, A) -> std::result::Result<BrokerReply, BrokerFailure> + 'static,
    ) -> Result<Job> {
        let Some(database) = self.database(command == "token create")? else {
            return Ok(Job::new(command, self.common, remote, arguments));
        };
        let value = on_database(&database, async |administration| local(administration, arguments).await)?;
        let result = async move |_: &Broker, ()| Ok(BrokerReply::from_json(value));
        Ok(Job::new(command, self.common, result, ()))
    }
}

/// Reason why an operation on a database failed.
enum Failure {
    NotFound(String),
    Rejected(AdministrationError),
}

impl From<AdministrationError> for Failure {
    fn from(error: AdministrationError) -> Self {
        Self::Rejected(error)
    }
}

fn on_database<T>(
    database: &Database,
    work: impl AsyncFnOnce(&Administration) -> std::result::Result<T, Failure>,
) -> Result<T> {
    let runtime = super::runtime()?;
    runtime.block_on(async {
        let opened = Administration::open(database, &Limits::default(), operator()).await;
        let administration = opened.map_err(|error| super::failed(&error))?;
        let done = work(&administration).await;
        administration.close().await;
        done.map_err(|failure| match failure {
            Failure::NotFound(text) => CliError::failed(text),
            Failure::Rejected(AdministrationError::Store(error)) => super::failed(&error),
            Failure::Rejected(error) => CliError::usage(error.to_string()),
        })
    })
}

/// Returns the name of the operating system user from the environment, for the audit log. Empty if unknown.
pub(super) fn operator() -> String {
    let name = ["USER", "USERNAME", "LOGNAME"]
        .into_iter()
        .find_map(|name| std::env::var(name).ok().filter(|name| !name.is_empty()));
    name.unwrap_or_default()
}

pub(super) fn run_token(command: TokenCommand) -> ExitCode {
    match token_job(command) {
        Ok(job) => job.run(),
        Err(error) => terminal::fail(&error),
    }
}

fn token_job(command: TokenCommand) -> Result<Job> {
    match command {
        TokenCommand::Create(create) => {
            let Create {
                label,
                scope,
                days,
                target,
            } = *create;
            let arguments = TokenArguments {
                label,
                scopes: scope,
                days: days.map(u64::from),
            };
            let local = async |administration: &Administration, arguments: TokenArguments| {
                let request = TokenRequest {
                    label: arguments.label,
                    scopes: arguments.scopes,
                    days: arguments.days.and_then(|days| i64::try_from(days).ok()),
                };
                Ok(to_value(&administration.create_token(request).await?))
            };
            if !target.common.prints_values() {
                return Err(CliError::usage(
                    "this output format does not contain the token, which cannot be shown later. Use --output table, json, or ndjson.",
                ));
            }
            let job = target.job("token create", arguments, local, Broker::create_token)?;
            Ok(job.with_notes(created_notes).with_text(created_text))
        }
        TokenCommand::List(target) => {
            let local = async |administration: &Administration, ()| {
                let tokens = administration.tokens().await?;
                Ok(tokens.iter().map(to_value).collect::<Vec<_>>().into())
            };
            let job = target.job("token list", (), local, Broker::list_tokens)?;
            let columns = [
                ("ID", "id"),
                ("Label", "label"),
                ("Scopes", "scopes"),
                ("Created", "createdAt"),
                ("Expires", "expiresAt"),
                ("Last used", "lastUsedAt"),
                ("Revoked", "revokedAt"),
            ];
            Ok(job.with_text(move |tokens| table(tokens, &columns, "No tokens found.")))
        }
        TokenCommand::Revoke(revoke) => {
            let Revoke { id, target } = *revoke;
            let text = format!("Revoked token {}.\n", &*id);
            let local = async |administration: &Administration, id: SingleLine| {
                if administration.revoke_token(&id).await? {
                    Ok(Json::object())
                } else {
                    let id: &str = &id;
                    Err(Failure::NotFound(format!(
                        "token {id:?} not found. List the tokens with `contract-broker token list`."
                    )))
                }
            };
            let job = target.job("token revoke", id, local, Broker::revoke_token)?;
            Ok(job.with_text(move |_| text))
        }
    }
}

/// Only the token, so that scripts can read it from standard output.
fn created_text(created: &Json) -> String {
    let token = created.get("token").and_then(Json::as_str).unwrap_or_default();
    format!("{token}\n")
}

fn created_notes(created: &Json) -> Vec<String> {
    let id = created.get("id").and_then(Json::as_str).unwrap_or_default();
    vec![format!("Copy the token now: it cannot be shown again. Its ID is {id}.")]
}

pub(super) fn run_audit(command: AuditCommand) -> ExitCode {
    let AuditCommand::Export(export) = command;
    match export_all(*export) {
        Ok(code) => code,
        Err(error) => terminal::fail(&error),
    }
}

fn export_all(export: Export) -> Result<ExitCode> {
    let Export {
        from,
        to,
        actor,
        outcome,
        target,
    } = export;
    if !target.common.prints_values() {
        return Err(CliError::usage(
            "audit export always prints one JSON object per line, so omit --output",
        ));
    }
    if let Some(database) = target.database(false)? {
        let date = |name: &str, text: &Option<String>| match text {
            None => Ok(None),
            Some(text) => contract_broker::parse_time(text)
                .map(Some)
                .ok_or_else(|| CliError::usage(format!("--{name} {text} is not a date such as 2026-01-31"))),
        };
        let mut filter = AuditFilter {
            from: date("from", &from)?,
            to: date("to", &to)?,
            actor,
            is_denied: outcome.map(|outcome| outcome == "denied"),
            after: Some(0),
            ..AuditFilter::default()
        };
        on_database(&database, async |administration| {
            let size = i64::try_from(PAGE).unwrap_or(i64::MAX);
            loop {
                let entries = administration.audit_entries(filter.clone(), size).await?;
                let lines: Vec<Json> = entries.iter().map(to_value).collect();
                let Some(last) = print_entries(&lines) else {
                    return Ok(());
                };
                filter.after = Some(last);
            }
        })?;
        return Ok(ExitCode::SUCCESS);
    }
    let filters = [("from", from), ("to", to), ("actor", actor), ("outcome", outcome)];
    let filters: Vec<(&'static str, String)> = filters
        .into_iter()
        .filter_map(|(name, value)| Some((name, value?)))
        .collect();
    let mut after = 0;
    loop {
        let mut query = filters.clone();
        query.extend([("after", after.to_string()), ("size", PAGE.to_string())]);
        let job = Job::new("audit export", target.common.clone(), Broker::audit_entries, query);
        match job.reply()? {
            Ok(entries) => match print_entries(entries.as_array().unwrap_or_default()) {
                Some(last) => after = last,
                None => return Ok(ExitCode::SUCCESS),
            },
            Err(code) => return Ok(code),
        }
    }
}

/// Prints each entry as a line of JSON. Returns the ID of the last entry, or `None` if there are no entries or the
/// output failed.
fn print_entries(entries: &[Json]) -> Option<i64> {
    let lines: Vec<String> = entries.iter().map(|entry| format!("{entry}\n")).collect();
    terminal::print(&lines.concat());
    let last = entries.last()?.get("id")?.text_form().parse().ok();
    last.filter(|_| !terminal::has_lost_output())
}
