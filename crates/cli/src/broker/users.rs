//! The `user` command, which manages the users in a broker's database.

use std::io::{IsTerminal as _, Read as _};

use clap::{Args, Subcommand};
use contract_broker::{Administration, AdministrationError, Database, Limits};

use super::credentials::operator;
use super::database::DatabaseArguments;
use crate::client::lines;
use crate::error::{CliError, Result};
use crate::terminal;

const EXAMPLES: &str = "\
Examples:
  contract-broker user add alice --scope admin --db sqlite:broker.sqlite
  contract-broker user add dashboard --scope read --password-stdin < password.txt

Users sign in on the broker's /login page, or use HTTP basic authentication. You can run this command while the broker is running. \
As soon as a user exists, the broker requires credentials.

Scopes: read, publish:CONSUMER, verify:PROVIDER, deploy:ENVIRONMENT, webhooks, write, admin. In names, * matches any characters. \
Every user has the read scope.

Exit codes:
  0  success
  1  a database error occurred
  2  invalid arguments, the user already exists, or the passwords do not match";

const LIST_EXIT_CODES: &str = "\
Exit codes:
  0  success
  1  a database error occurred
  2  invalid arguments";

const PASSWORD_EXIT_CODES: &str = "\
Exit codes:
  0  success
  1  a database error occurred
  2  invalid arguments, the user does not exist, or the passwords do not match";

const REMOVE_EXIT_CODES: &str = "\
Exit codes:
  0  success
  1  a database error occurred
  2  invalid arguments, or the user does not exist";

/// Maximum size of a password on standard input, in bytes.
const MAX_PASSWORD: u64 = 4_096;

#[derive(Subcommand)]
pub(super) enum UserCommand {
    /// Add a user
    #[command(after_help = EXAMPLES)]
    Add(Box<Add>),

    /// List all users
    #[command(after_help = LIST_EXIT_CODES)]
    List(Box<List>),

    /// Change a user's password and end the user's sessions
    #[command(after_help = PASSWORD_EXIT_CODES)]
    Password(Box<Password>),

    /// Remove a user and end the user's sessions
    #[command(after_help = REMOVE_EXIT_CODES)]
    Remove(Box<Remove>),
}

#[derive(Args)]
pub(super) struct Add {
    /// Name of the user
    #[arg(value_name = "NAME")]
    name: String,

    /// Scope of the user, for example write (repeatable)
    #[arg(long, value_name = "SCOPE", required = true)]
    scope: Vec<String>,

    #[command(flatten)]
    source: PasswordSource,

    #[command(flatten)]
    database: DatabaseArguments,
}

#[derive(Args)]
pub(super) struct List {
    #[command(flatten)]
    database: DatabaseArguments,
}

#[derive(Args)]
pub(super) struct Password {
    /// Name of the user
    #[arg(value_name = "NAME")]
    name: String,

    #[command(flatten)]
    source: PasswordSource,

    #[command(flatten)]
    database: DatabaseArguments,
}

#[derive(Args)]
pub(super) struct Remove {
    /// Name of the user
    #[arg(value_name = "NAME")]
    name: String,

    #[command(flatten)]
    database: DatabaseArguments,
}

#[derive(Args)]
struct PasswordSource {
    /// Read the password from standard input instead of prompting for it
    #[arg(long)]
    password_stdin: bool,
}

impl PasswordSource {
    fn read(&self) -> Result<String> {
        let failed = |error: std::io::Error| CliError::failed(format!("could not read the password: {error}"));
        if !self.password_stdin {
            if !std::io::stdin().is_terminal() {
                return Err(CliError::usage(
                    "standard input is not a terminal. Pass --password-stdin to read the password from it.",
                ));
            }
            let password = rpassword::prompt_password("Password: ").map_err(failed)?;
            let repeated = rpassword::prompt_password("Repeat the password: ").map_err(failed)?;
            if password != repeated {
                return Err(CliError::usage("the passwords do not match"));
            }
            return Ok(password);
        }
        let mut password = String::new();
        let read = std::io::stdin().lock().take(MAX_PASSWORD).read_to_string(&mut password);
        read.map_err(failed)?;
        // Tools that print a password append a line break.
        let line = password.strip_suffix('\n').unwrap_or(&password);
        Ok(line.strip_suffix('\r').unwrap_or(line).to_owned())
    }
}

pub(super) fn run(command: UserCommand) -> Result<()> {
    match command {
        UserCommand::Add(add) => {
            let password = add.source.read()?;
            let Add {
                name, scope, database, ..
            } = *add;
            on_database(&database.persistent()?, async |administration| {
                administration.add_user(&name, &password, scope).await
            })?;
            terminal::print(&format!("Added user {}.\n", contract::escape_text(&name)));
        }
        UserCommand::Password(change) => {
            let password = change.source.read()?;
            on_database(&change.database.existing()?, async |administration| {
                administration.set_password(&change.name, &password).await
            })?;
            let name = contract::escape_text(&change.name);
            terminal::print(&format!(
                "Changed the password of user {name}. The user's sessions have ended.\n"
            ));
        }
        UserCommand::Remove(remove) => {
            on_database(&remove.database.existing()?, async |administration| {
                administration.remove_user(&remove.name).await
            })?;
            terminal::print(&format!("Removed user {}.\n", contract::escape_text(&remove.name)));
        }
        UserCommand::List(list) => {
            let users = on_database(&list.database.existing()?, Administration::users)?;
            terminal::print(&table(&users));
        }
    }
    Ok(())
}

fn table(users: &[serde_json::Value]) -> String {
    if users.is_empty() {
        return "No users found.\n".to_owned();
    }
    let text = |user: &serde_json::Value, name: &str| {
        let text = user[name].as_str().unwrap_or_default();
        contract::escape_text(text)
    };
    let rows = users.iter().map(|user| {
        let scopes = user["scopes"].as_array().into_iter().flatten();
        let scopes: Vec<&str> = scopes.filter_map(serde_json::Value::as_str).collect();
        vec![
            text(user, "name"),
            contract::escape_text(&scopes.join(", ")),
            text(user, "createdAt"),
        ]
    });
    lines(&["name", "scopes", "created"], rows.collect())
}

fn on_database<T>(
    database: &Database,
    work: impl AsyncFnOnce(&Administration) -> std::result::Result<T, AdministrationError>,
) -> Result<T> {
    let runtime = super::runtime()?;
    runtime.block_on(async {
        let opened = Administration::open(database, &Limits::default(), operator()).await;
        let administration = opened.map_err(|error| super::failed(&error))?;
        let done = work(&administration).await;
        administration.close().await;
        done.map_err(|error| match error {
            AdministrationError::Store(error) => super::failed(&error),
            error => CliError::usage(error.to_string()),
        })
    })
}
