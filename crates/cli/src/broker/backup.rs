//! The commands `backup`, `restore`, `export`, and `migrate`.

use std::path::PathBuf;

use clap::Args;
use contract_broker::{BackupError, Summary};

use super::database::{DatabaseArguments, LimitArguments, existing, parse};
use crate::error::{CliError, Result};
use crate::terminal;

pub(super) const BACKUP_EXAMPLES: &str = "\
Example:
  contract-broker backup broker-2026-11-23.jsonl.gz --db sqlite:broker.sqlite

The broker can be running: the backup is a snapshot. It contains all data, including hashes of passwords and \
tokens; only its owner can read the file. It can be restored into SQLite and PostgreSQL.

Exit codes:
  0  the backup is complete
  1  the database failed, or the file exists already or cannot be written
  2  invalid arguments";

pub(super) const RESTORE_EXAMPLES: &str = "\
Example:
  contract-broker restore broker-2026-11-23.jsonl.gz --db postgres://broker:secret@db/broker

The database must be empty. If the backup is damaged or incomplete, nothing is written.

Exit codes:
  0  restored
  1  the database failed or is not empty, or the backup is damaged or has a newer format
  2  invalid arguments";

pub(super) const EXPORT_EXAMPLES: &str = "\
Example:
  contract-broker export --directory broker-export --db sqlite:broker.sqlite

The directory contains a file with the rows of each table (tables/*.jsonl), the contracts by ID (contracts/*.json), and \
a manifest, which is written last. Use `backup` for data to restore.

Exit codes:
  0  exported
  1  the database failed, or the directory exists already or cannot be written
  2  invalid arguments";

pub(super) const MIGRATE_EXAMPLES: &str = "\
Example:
  contract-broker migrate --from sqlite:broker.sqlite --to postgres://broker:secret@db/broker

Stop the broker first, so that nothing is written to the old database after it was copied. The new database must be \
empty. The number of rows and the checksum of both databases are compared.

Exit codes:
  0  copied, and both databases have the same data
  1  a database failed, or the new database is not empty
  2  invalid arguments";

#[derive(Args)]
pub(super) struct BackupArguments {
    /// File to create
    #[arg(value_name = "FILE")]
    file: PathBuf,

    #[command(flatten)]
    database: DatabaseArguments,

    #[command(flatten)]
    limits: LimitArguments,
}

#[derive(Args)]
pub(super) struct RestoreArguments {
    /// Backup to read
    #[arg(value_name = "FILE")]
    file: PathBuf,

    #[command(flatten)]
    database: DatabaseArguments,

    #[command(flatten)]
    limits: LimitArguments,
}

#[derive(Args)]
pub(super) struct ExportArguments {
    /// Directory to create
    #[arg(long, value_name = "DIRECTORY")]
    directory: PathBuf,

    #[command(flatten)]
    database: DatabaseArguments,

    #[command(flatten)]
    limits: LimitArguments,
}

#[derive(Args)]
pub(super) struct MigrateArguments {
    /// Database to copy: sqlite:PATH or postgres://USER:PASSWORD@HOST/NAME
    #[arg(long, value_name = "DATABASE")]
    from: String,

    /// Empty database: sqlite:PATH or postgres://USER:PASSWORD@HOST/NAME
    #[arg(long, value_name = "DATABASE")]
    to: String,

    #[command(flatten)]
    limits: LimitArguments,
}

pub(super) fn backup(arguments: &BackupArguments) -> Result<()> {
    let (database, limits) = (arguments.database.existing()?, arguments.limits.limits());
    let written = super::runtime()?.block_on(contract_broker::backup(&database, &limits, &arguments.file));
    print(
        &written.map_err(|error| failed(&error))?,
        &format!("Wrote {}", arguments.file.display()),
    );
    Ok(())
}

pub(super) fn restore(arguments: &RestoreArguments) -> Result<()> {
    let (database, limits) = (arguments.database.persistent()?, arguments.limits.limits());
    let read = super::runtime()?.block_on(contract_broker::restore(&database, &limits, &arguments.file));
    print(
        &read.map_err(|error| failed(&error))?,
        &format!("Restored {}", arguments.file.display()),
    );
    Ok(())
}

pub(super) fn export(arguments: &ExportArguments) -> Result<()> {
    let (database, limits) = (arguments.database.existing()?, arguments.limits.limits());
    let written = super::runtime()?.block_on(contract_broker::export(&database, &limits, &arguments.directory));
    print(
        &written.map_err(|error| failed(&error))?,
        &format!("Wrote {}", arguments.directory.display()),
    );
    Ok(())
}

pub(super) fn migrate(arguments: &MigrateArguments) -> Result<()> {
    let (from, to) = (
        existing("--from", parse("--from", &arguments.from)?)?,
        parse("--to", &arguments.to)?,
    );
    let copied = super::runtime()?.block_on(contract_broker::migrate(&from, &to, &arguments.limits.limits()));
    print(
        &copied.map_err(|error| failed(&error))?,
        "Copied all data; both databases have the same rows",
    );
    Ok(())
}

fn print(summary: &Summary, done: &str) {
    let rows = |table: &str| summary.rows.get(table).copied().unwrap_or_default();
    terminal::print(&format!(
        "{done}: {} applications, {} versions, {} contracts, {} verification results.\nSHA-256 of the data: {}\n",
        rows("pacticipant"),
        rows("version"),
        rows("content"),
        rows("result"),
        summary.checksum
    ));
}

fn failed(error: &BackupError) -> CliError {
    match error {
        BackupError::Store(error) => super::failed(error),
        other => CliError::failed(other.to_string()),
    }
}
