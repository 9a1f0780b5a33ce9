//! The `contract-broker` command.
#![expect(clippy::doc_markdown, reason = "clap prints these comments unchanged")]

mod backup;
mod configuration;
mod credentials;
mod database;
mod health;
mod import;
mod retention;
mod serve;
mod users;
mod variable;

use std::env;
use std::ffi::OsString;

use clap::builder::Resettable;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use contract::runtime::ResourceError;
use contract_broker::StoreError;

use crate::error::{CliError, Result};
use crate::exit_code::ExitCode;
use crate::usage::without_secrets;
use crate::{arguments, client, terminal};
use configuration::Configuration;
use variable::variable;

/// Returns true if this process was started as `contract-broker` instead of `contract`.
pub(crate) fn is_invoked() -> bool {
    arguments::command_name().is_some_and(|name| name == "contract-broker")
}

/// Run a contract broker, publish contracts, and check deployments
#[derive(Parser)]
#[command(
    name = "contract-broker",
    version,
    arg_required_else_help = true,
    disable_help_subcommand = true
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Start a broker
    #[command(after_help = serve::EXAMPLES)]
    Serve(Box<serve::Arguments>),

    /// Check that a broker responds
    #[command(after_help = health::EXAMPLES)]
    Health(health::Arguments),

    /// Delete old versions, results, and contracts from a broker's database
    #[command(after_help = retention::EXAMPLES)]
    Clean(Box<retention::Arguments>),

    /// Write a broker's data to a backup file
    #[command(after_help = backup::BACKUP_EXAMPLES)]
    Backup(Box<backup::BackupArguments>),

    /// Restore a backup into an empty database
    #[command(after_help = backup::RESTORE_EXAMPLES)]
    Restore(Box<backup::RestoreArguments>),

    /// Export a broker's data to a directory as readable files
    #[command(after_help = backup::EXPORT_EXAMPLES)]
    Export(Box<backup::ExportArguments>),

    /// Copy a broker's data to another database
    #[command(after_help = backup::MIGRATE_EXAMPLES)]
    Migrate(Box<backup::MigrateArguments>),

    /// Import data from another broker
    #[command(after_help = import::EXAMPLES)]
    Import(Box<import::Arguments>),

    /// Create, list, and revoke API tokens
    #[command(subcommand, arg_required_else_help = true)]
    Token(credentials::TokenCommand),

    /// Add, list, and remove users who sign in with a password
    #[command(subcommand, arg_required_else_help = true)]
    User(users::UserCommand),

    /// Export the audit log
    #[command(subcommand, arg_required_else_help = true)]
    Audit(credentials::AuditCommand),

    #[command(flatten)]
    Client(client::Command),
}

/// Command, option, and help text, for options that several commands share but that have a different meaning in one of
/// them.
const SPECIFIC_HELP: [(&str, &str, &str); 7] = [
    (
        "serve",
        "db",
        "Database: sqlite:PATH, postgres://USER:PASSWORD@HOST/NAME, or memory (data is lost when the broker stops) [default: a SQLite file in the user's data directory]",
    ),
    (
        "can-i-merge",
        "dry_run",
        "Exit with code 0 for any verdict; same as CONTRACT_BROKER_CAN_I_MERGE_DRY_RUN=true",
    ),
    (
        "can-i-merge",
        "explain",
        "Explain what blocks the merge, since when, and how to resolve it",
    ),
    ("describe-environment", "uuid", ENVIRONMENT_UUID),
    ("delete-environment", "uuid", ENVIRONMENT_UUID),
    ("test-webhook", "uuid", WEBHOOK_UUID),
    ("delete-webhook", "uuid", WEBHOOK_UUID),
];
const ENVIRONMENT_UUID: &str = "UUID of the environment, as printed by list-environments";
const WEBHOOK_UUID: &str = "UUID of the webhook, as printed by list-webhooks";

pub(crate) fn definition() -> clap::Command {
    let with_variables = |command: clap::Command| command.mut_args(with_known_variable);
    let with_variables_of_all = |command: clap::Command| command.mut_subcommands(with_variables);
    let all = ["serve", "health", "clean", "backup", "restore", "export", "import"]
        .into_iter()
        .fold(Cli::command(), |all, name| all.mut_subcommand(name, with_variables))
        .mut_subcommand("user", with_variables_of_all);
    SPECIFIC_HELP.into_iter().fold(all, |all, (command, option, help)| {
        all.mut_subcommand(command, |command| with_help(command, option, help))
    })
}

fn with_help(command: clap::Command, option: &str, help: &'static str) -> clap::Command {
    command.mut_args(|argument| {
        if argument.get_id() == option {
            argument.help(help)
        } else {
            argument
        }
    })
}

pub(crate) fn run() -> ExitCode {
    let definition = definition();
    let parse = |arguments: &[OsString]| {
        let matches = definition.clone().try_get_matches_from(arguments);
        matches.unwrap_or_else(|error| without_secrets(error, &definition, &arguments::as_text()).exit())
    };
    let mut arguments = arguments::all().to_vec();
    let mut matches = parse(&arguments);
    let configuration = match configuration(&definition, &matches) {
        Ok(configuration) => configuration,
        Err(error) => return terminal::fail(&error),
    };
    if !configuration.arguments.is_empty() {
        // `serve` is the first argument, because there are no options before commands.
        arguments.splice(2..2, configuration.arguments);
        matches = parse(&arguments);
    }
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    let ended = match cli.command {
        Command::Serve(arguments) => serve::run(&arguments, configuration.issuers, configuration.login),
        Command::Health(arguments) => health::run(&arguments),
        Command::Clean(arguments) => retention::run(&arguments),
        Command::Backup(arguments) => backup::backup(&arguments),
        Command::Restore(arguments) => backup::restore(&arguments),
        Command::Export(arguments) => backup::export(&arguments),
        Command::Migrate(arguments) => backup::migrate(&arguments),
        Command::Import(arguments) => import::run(&arguments),
        Command::User(command) => users::run(command),
        Command::Token(command) => return credentials::run_token(command),
        Command::Audit(command) => return credentials::run_audit(command),
        Command::Client(command) => return command.run(definition),
    };
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => terminal::fail(&error),
    }
}

/// Reads the file that `serve --config` specifies. Returns an empty configuration for other commands.
fn configuration(definition: &clap::Command, matches: &clap::ArgMatches) -> Result<Configuration> {
    match (definition.find_subcommand("serve"), matches.subcommand()) {
        (Some(definition), Some(("serve", serve))) => Configuration::read(definition, serve),
        _ => Ok(Configuration::default()),
    }
}

/// Starts a single-threaded runtime, for commands that open a database.
fn runtime() -> Result<tokio::runtime::Runtime> {
    contract::runtime::check_resources(1)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    Ok(runtime.map_err(ResourceError::OpenFiles)?)
}

/// Formats a count with its noun, such as `1 version` or `2 versions`.
fn counted<N: std::fmt::Display + From<u8> + PartialEq + Copy>(count: N, singular: &str, plural: &str) -> String {
    let noun = if count == N::from(1) { singular } else { plural };
    format!("{count} {noun}")
}

/// Converts a database error. The message includes its causes.
fn failed(error: &StoreError) -> CliError {
    let causes = std::iter::successors(std::error::Error::source(error), |cause| cause.source());
    let causes: Vec<String> = causes.map(|cause| format!(": {cause}")).collect();
    CliError::failed(format!("{error}{}", causes.concat()))
}

/// If a Pact Broker variable is set instead of the option's own variable, makes the option read it. Treats empty
/// variables as unset. If no variable is set, the help still shows the option's own variable.
fn with_known_variable(argument: clap::Arg) -> clap::Arg {
    let Some(name) = argument.get_env().and_then(|name| name.to_str()).map(str::to_owned) else {
        return argument;
    };
    let argument = argument.hide_env_values(true);
    let known = [name.as_str(), "CONTRACT_BROKER_PORT"];
    let known = &known[..if argument.get_id() == "listen" { 2 } else { 1 }];
    match known.iter().find_map(|name| variable(name)) {
        // The command line definition lives as long as the process.
        Some(name) => argument.env(&*name.leak()),
        None if env::var_os(&name).is_none() => argument,
        None => argument.env(Resettable::Reset),
    }
}
