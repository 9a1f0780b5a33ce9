//! Options for commands that open the broker's database.

use std::env;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use contract_broker::{Database, Limits};

use super::variable::variable;
use crate::error::{CliError, Result};

#[derive(Args)]
pub(super) struct DatabaseArguments {
    /// Database: sqlite:PATH or postgres://USER:PASSWORD@HOST/NAME [default: a SQLite file in the user's data
    /// directory]
    #[arg(
        long,
        value_name = "DATABASE",
        env = "CONTRACT_BROKER_DATABASE_URL",
        hide_env_values = true
    )]
    db: Option<String>,
}

impl DatabaseArguments {
    pub(super) fn database(&self) -> Result<Database> {
        database(self.db.as_ref())
    }

    /// Like [`existing`], for the `--db` option.
    pub(super) fn existing(&self) -> Result<Database> {
        existing("--db", self.database()?)
    }

    /// Returns the database, which might not exist yet. Returns an error for a database in memory.
    pub(super) fn persistent(&self) -> Result<Database> {
        persistent("--db", self.database()?)
    }
}

/// Returns an error for a database in memory, or if the SQLite file does not exist. `option` is the option that
/// specified the database.
pub(super) fn existing(option: &str, database: Database) -> Result<Database> {
    match persistent(option, database)? {
        Database::Sqlite(path) if !path.exists() => Err(CliError::failed(format!(
            "database not found: {} does not exist. Set the broker's database with {option}.",
            path.display()
        ))),
        database => Ok(database),
    }
}

fn persistent(option: &str, database: Database) -> Result<Database> {
    match database {
        Database::Memory => Err(CliError::usage(format!(
            "{option} memory is not supported by this command, because a database in memory is lost when the command ends. Set {option} sqlite:PATH or {option} postgres://USER:PASSWORD@HOST/NAME.",
        ))),
        database => Ok(database),
    }
}

#[derive(Args)]
#[command(next_help_heading = "PostgreSQL")]
pub(super) struct LimitArguments {
    /// Maximum number of database connections, and of requests that the broker processes at the same time
    #[arg(
        long = "database-max-connections",
        value_name = "COUNT",
        default_value_t = 8,
        value_parser = clap::value_parser!(u16).range(1..=500),
        env = "CONTRACT_BROKER_DATABASE_MAX_CONNECTIONS",
        hide_env_values = true
    )]
    connections: u16,

    /// Timeout for one SQL statement, in seconds
    #[arg(
        long = "database-statement-timeout",
        value_name = "SECONDS",
        default_value_t = 15,
        env = "CONTRACT_BROKER_DATABASE_STATEMENT_TIMEOUT",
        hide_env_values = true
    )]
    statement: u64,

    /// Number of retries if the first connection fails, with a retry interval of 1 second
    #[arg(
        long = "database-connect-max-retries",
        value_name = "COUNT",
        default_value_t = 0,
        env = "CONTRACT_BROKER_DATABASE_CONNECT_MAX_RETRIES",
        hide_env_values = true
    )]
    retries: u32,
}

impl LimitArguments {
    pub(super) fn limits(&self) -> Limits {
        Limits {
            connections: usize::from(self.connections),
            statement: Duration::from_secs(self.statement),
            connect_retries: self.retries,
        }
    }
}

fn database(db: Option<&String>) -> Result<Database> {
    let Some(text) = db.cloned().or_else(database_from_variables) else {
        let directory = data_directory()
            .ok_or_else(|| CliError::usage("home directory not found. Set the database with --db sqlite:PATH."))?;
        std::fs::create_dir_all(&directory)
            .map_err(|error| CliError::failed(format!("could not create {}: {error}", directory.display())))?;
        return Ok(Database::Sqlite(directory.join("broker.sqlite")));
    };
    named("--db", text)
}

/// Parses the value of `option`. Returns an error for a database in memory.
pub(super) fn parse(option: &str, text: &str) -> Result<Database> {
    persistent(option, named(option, text.to_owned())?)
}

/// Parses the value of `option`. Errors do not contain the value, because it may contain a password.
fn named(option: &str, text: String) -> Result<Database> {
    if text == "memory" {
        Ok(Database::Memory)
    } else if text.starts_with("postgres://") || text.starts_with("postgresql://") {
        Ok(Database::Postgres(text))
    } else if let Some(path) = text.strip_prefix("sqlite:").filter(|path| !path.is_empty()) {
        Ok(Database::Sqlite(PathBuf::from(path.strip_prefix("//").unwrap_or(path))))
    } else {
        let alternatives = if option == "--db" {
            "memory, sqlite:PATH,"
        } else {
            "sqlite:PATH"
        };
        Err(CliError::usage(format!(
            "{option} must be {alternatives} or postgres://USER:PASSWORD@HOST/NAME"
        )))
    }
}

/// Returns the database that the variables `CONTRACT_BROKER_DATABASE_ADAPTER`, `_HOST`, and so on define, as in the
/// Pact Broker's container image. Returns `None` if they define none.
fn database_from_variables() -> Option<String> {
    let setting = |name: &str| env::var(variable(&format!("CONTRACT_BROKER_DATABASE_{name}"))?).ok();
    let (adapter, host, name) = (setting("ADAPTER"), setting("HOST"), setting("NAME"));
    if adapter.as_deref() == Some("sqlite") {
        return Some(format!("sqlite:{}", name?));
    }
    // An unknown adapter is rejected together with the URL.
    let adapter = adapter.or_else(|| host.as_ref().map(|_| "postgres".to_owned()))?;
    let user = setting("USERNAME").map_or_else(String::new, |user| {
        let password = setting("PASSWORD").map_or_else(String::new, |password| format!(":{}", encoded(&password)));
        format!("{}{password}@", encoded(&user))
    });
    let port = setting("PORT").map_or_else(String::new, |port| format!(":{port}"));
    let mode = setting("SSLMODE").map_or_else(String::new, |mode| format!("?sslmode={mode}"));
    let (host, name) = (host.unwrap_or_else(|| "localhost".to_owned()), name.unwrap_or_default());
    Some(format!("{adapter}://{user}{host}{port}/{}{mode}", encoded(&name)))
}

fn encoded(text: &str) -> String {
    let encode = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    };
    text.bytes().map(encode).collect()
}

/// Returns the broker's directory in the user's data directory, such as `~/.local/share/contract-broker`. Returns
/// `None` if the home directory is unknown.
fn data_directory() -> Option<PathBuf> {
    let path = |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let base = if cfg!(windows) {
        path("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        path("HOME").map(|home| home.join("Library/Application Support"))
    } else {
        path("XDG_DATA_HOME").or_else(|| path("HOME").map(|home| home.join(".local/share")))
    };
    base.map(|base| base.join("contract-broker"))
}
