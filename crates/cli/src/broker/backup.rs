//! The commands `backup`, `restore`, `export`, and `migrate`.

use std::path::PathBuf;

use clap::Args;
use contract_broker::{BackupError, Summary};

use super::counted;
use super::database::{DatabaseArguments, LimitArguments, existing, parse};
use crate::error::{CliError, Result};
use crate::terminal;

pub(super) const BACKUP_EXAMPLES: &str = "\
Example:
  contract-broker backup broker-2026-11-23.jsonl.gz --db sqlite:broker.sqlite

The backup is a snapshot, so you can run this command while the broker is running. It contains all data, including \
hashes of passwords and tokens. Only its owner can read the file. You can restore it into SQLite or PostgreSQL.

Exit codes:
  0  the backup is complete
  1  a database error occurred, the file already exists, or it cannot be written
  2  invalid arguments";

pub(super) const RESTORE_EXAMPLES: &str = "\
Example:
  contract-broker restore broker-2026-11-23.jsonl.gz --db postgres://broker:secret@db/broker

The database must be empty. If the backup is damaged or incomplete, nothing is written.

Exit codes:
  0  the backup was restored
  1  a database error occurred, the database is not empty, or the backup is damaged or was created by a newer version
  2  invalid arguments";

pub(super) const EXPORT_EXAMPLES: &str = "\
Example:
  contract-broker export --directory broker-export --db sqlite:broker.sqlite

The directory contains a file with the rows of each table (tables/*.jsonl), the contracts by ID (contracts/*.json), and \
a manifest, which is written last. An export cannot be restored; use contract-broker backup for that.

Exit codes:
  0  the data was exported
  1  a database error occurred, the directory already exists, or it cannot be written
  2  invalid arguments";

pub(super) const MIGRATE_EXAMPLES: &str = "\
Example:
  contract-broker migrate --from sqlite:broker.sqlite --to postgres://broker:secret@db/broker

Stop the broker first, so that it does not write to the old database during or after the copy. The new database must be \
empty. The command compares the row counts and checksums of both databases.

Exit codes:
  0  the data was copied, and both databases contain the same data
  1  a database error occurred, or the new database is not empty
  2  invalid arguments";

#[derive(Args)]
pub(super) struct BackupArguments {
    /// Backup file to create
    #[arg(value_name = "FILE")]
    file: PathBuf,

    #[command(flatten)]
    database: DatabaseArguments,

    #[command(flatten)]
    limits: LimitArguments,
}

#[derive(Args)]
pub(super) struct RestoreArguments {
    /// Backup file to restore
    #[arg(value_name = "FILE")]
    file: PathBuf,

    #[command(flatten)]
    database: DatabaseArguments,

    #[command(flatten)]
    limits: LimitArguments,
}

#[derive(Args)]
pub(super) struct ExportArguments {
    /// Directory to create for the exported files
    #[arg(long, value_name = "DIRECTORY")]
    directory: PathBuf,

    #[command(flatten)]
    database: DatabaseArguments,

    #[command(flatten)]
    limits: LimitArguments,
}

#[derive(Args)]
pub(super) struct MigrateArguments {
    /// Database to copy from: sqlite:PATH or postgres://USER:PASSWORD@HOST/NAME
    #[arg(long, value_name = "DATABASE")]
    from: String,

    /// Empty database to copy to: sqlite:PATH or postgres://USER:PASSWORD@HOST/NAME
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
    if summary.rows.values().all(|count| *count == 0) {
        terminal::log("warning: the database is empty. Check its name.");
    }
    let rows = |table: &str| summary.rows.get(table).copied().unwrap_or_default();
    let counts = [
        counted(rows("pacticipant"), "application", "applications"),
        counted(rows("version"), "version", "versions"),
        counted(rows("content"), "contract", "contracts"),
        counted(rows("result"), "verification result", "verification results"),
    ];
    terminal::print(&format!(
        "{done}: {}.\nSHA-256 of the data: {}\n",
        counts.join(", "),
        summary.checksum
    ));
}

fn failed(error: &BackupError) -> CliError {
    match error {
        BackupError::Store(error) => super::failed(error),
        other => CliError::failed(other.to_string()),
    }
}
