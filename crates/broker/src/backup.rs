//! Backs up a database, restores a backup, and copies a database to another one (migration).

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead as _, BufReader, BufWriter, Read as _, Write as _};
use std::path::{Path, PathBuf};

use contract_broker_core::cases::archive::{self, ArchiveError, Summary};
use contract_broker_core::store::{Database, Limits, Store, StoreError, Tx, TxOutcome, Value};
use contract_broker_domain::time;
use flate2::Compression;
use flate2::bufread::GzDecoder;
use flate2::write::GzEncoder;

use crate::pipe::pipe;

/// The first bytes of a gzip file (RFC 1952, section 2.3.1).
const GZIP: [u8; 2] = [0x1f, 0x8b];

#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("could not write {path}: {source}")]
    Write { path: PathBuf, source: io::Error },
    #[error("could not read {path}: {source}")]
    Read { path: PathBuf, source: io::Error },
    #[error("{0} already exists. Choose another name.")]
    Exists(PathBuf),
    #[error("could not restore {path}: {source}")]
    Invalid { path: PathBuf, source: ArchiveError },
    #[error(
        "the copy differs from the original. Make sure that no other process uses the new database during the migration."
    )]
    Different,
    #[error("the source and the target are the same database")]
    SameDatabase,
    #[error("{0}")]
    Target(ArchiveError),
}

/// Writes all data of a database to a new gzip file. The file gets its name only when it is complete. A broker can use
/// the database at the same time.
pub async fn backup(database: &Database, limits: &Limits, path: &Path) -> Result<Summary, BackupError> {
    if path.exists() {
        return Err(BackupError::Exists(path.to_owned()));
    }
    let store = Store::open(database, limits).await?;
    let written = backup_with(&store, path).await;
    store.close().await;
    written
}

async fn backup_with(store: &Store, path: &Path) -> Result<Summary, BackupError> {
    let failed = |source| BackupError::Write {
        path: path.to_owned(),
        source,
    };
    let partial = partial_path(path);
    let target = partial.clone();
    let written = store
        .read(move |tx| {
            let mut file = match private_file(&target) {
                Ok(file) => GzEncoder::new(BufWriter::new(file), Compression::default()),
                Err(error) => return Ok(TxOutcome::Rollback(Err(ArchiveError::Io(error)))),
            };
            let written = archive::write(tx, time::now(), &mut file).and_then(|summary| {
                let file = file.finish()?.into_inner().map_err(io::IntoInnerError::into_error)?;
                file.sync_all()?;
                Ok(summary)
            });
            Ok(TxOutcome::Rollback(written))
        })
        .await;
    let published = match written {
        Ok(Ok(summary)) => std::fs::rename(&partial, path).map(|()| summary).map_err(failed),
        Ok(Err(ArchiveError::Io(error))) => Err(failed(error)),
        Ok(Err(ArchiveError::Store(error))) | Err(error) => Err(BackupError::Store(error)),
        Ok(Err(error)) => Err(BackupError::Target(error)),
    };
    let _ = std::fs::remove_file(&partial);
    published
}

/// Writes all data of a database to files in a new directory: first the rows of each table and the contracts, and then
/// a manifest.
pub async fn export(database: &Database, limits: &Limits, directory: &Path) -> Result<Summary, BackupError> {
    if directory.exists() {
        return Err(BackupError::Exists(directory.to_owned()));
    }
    let store = Store::open(database, limits).await?;
    let target = directory.to_owned();
    let written = store
        .read(move |tx| Ok(TxOutcome::Rollback(export_rows(tx, &target))))
        .await;
    store.close().await;
    match written {
        Ok(Ok(summary)) => Ok(summary),
        Ok(Err(ArchiveError::Store(error))) | Err(error) => Err(BackupError::Store(error)),
        Ok(Err(ArchiveError::Io(source))) => Err(BackupError::Write {
            path: directory.to_owned(),
            source,
        }),
        Ok(Err(error)) => Err(BackupError::Target(error)),
    }
}

fn export_rows(tx: &mut Tx<'_>, directory: &Path) -> Result<Summary, ArchiveError> {
    let (tables, contracts) = (directory.join("tables"), directory.join("contracts"));
    std::fs::create_dir_all(&tables)?;
    std::fs::create_dir_all(&contracts)?;
    let mut current: Option<(String, BufWriter<File>)> = None;
    let summary = archive::each_row(tx, |table, row| {
        if table.name == "content_text" {
            if let [Value::Int(id), _, Value::Text(document)] = row {
                std::fs::write(contracts.join(format!("{id}.json")), document)?;
            }
            return Ok(());
        }
        if current.as_ref().is_none_or(|(name, _)| *name != table.name) {
            if let Some((_, mut file)) = current.take() {
                file.flush()?;
            }
            let file = private_file(&tables.join(format!("{}.jsonl", table.name)))?;
            current = Some((table.name.clone(), BufWriter::new(file)));
        }
        if let Some((_, file)) = &mut current {
            let columns = table.columns.iter().zip(row);
            let members = columns.map(|(column, value)| (column.clone(), value.to_json()));
            let object: serde_json::Map<String, serde_json::Value> = members.collect();
            serde_json::to_writer(&mut *file, &object).map_err(io::Error::from)?;
            file.write_all(b"\n")?;
        }
        Ok(())
    })?;
    if let Some((_, mut file)) = current {
        file.flush()?;
    }
    let manifest = serde_json::json!({
        "program": "contract-broker",
        "createdAt": time::iso(time::now()),
        "rows": summary.rows,
        "sha256": summary.checksum,
    });
    std::fs::write(directory.join("manifest.json"), format!("{manifest:#}\n"))?;
    Ok(summary)
}

/// Restores a backup into an empty database, which is created if it does not exist. If an error occurs, no data is
/// written.
pub async fn restore(database: &Database, limits: &Limits, path: &Path) -> Result<Summary, BackupError> {
    // Open the file first, so that no database is created if the file is missing.
    let readable = File::open(path).map_err(|source| BackupError::Read {
        path: path.to_owned(),
        source,
    });
    drop(readable?);
    let store = Store::open(database, limits).await?;
    let read = restore_with(&store, path).await;
    store.close().await;
    read
}

async fn restore_with(store: &Store, path: &Path) -> Result<Summary, BackupError> {
    let source = path.to_owned();
    let read = store
        .write(move |tx| {
            let read = File::open(&source).map_err(ArchiveError::Io).and_then(|file| {
                let mut file = BufReader::new(file);
                if !file.fill_buf()?.starts_with(&GZIP) {
                    return Err(ArchiveError::Format);
                }
                let mut input = BufReader::new(GzDecoder::new(file));
                let summary = archive::read(tx, &mut input)?;
                // Reading past the last line makes the decoder check the end of the file.
                match input.read(&mut [0; 1]) {
                    Ok(0) => Ok(summary),
                    Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Err(ArchiveError::Truncated),
                    Ok(_) | Err(_) => Err(ArchiveError::Checksum),
                }
            });
            Ok(match read {
                Ok(summary) => TxOutcome::Commit(Ok(summary)),
                Err(error) => TxOutcome::Rollback(Err(error)),
            })
        })
        .await?;
    read.map_err(|error| match error {
        ArchiveError::Store(error) => BackupError::Store(error),
        error @ ArchiveError::NotEmpty(_) => BackupError::Target(error),
        source => BackupError::Invalid {
            path: path.to_owned(),
            source,
        },
    })
}

/// Copies all data to an empty database, and compares the copy with the original. If copying fails, no data is written.
/// If the copy differs, returns an error without removing the copy.
pub async fn migrate(from: &Database, to: &Database, limits: &Limits) -> Result<Summary, BackupError> {
    if from == to {
        return Err(BackupError::SameDatabase);
    }
    let source = Store::open(from, limits).await?;
    let migrated = match Store::open(to, limits).await {
        Ok(target) => {
            let migrated = copy_and_compare(&source, &target).await;
            target.close().await;
            migrated
        }
        Err(error) => Err(error.into()),
    };
    source.close().await;
    migrated
}

async fn copy_and_compare(source: &Store, target: &Store) -> Result<Summary, BackupError> {
    let (original, copy) = copy(source, target).await?;
    let written = target
        .read(|tx| Ok(TxOutcome::Rollback(archive::write(tx, 0, &mut io::sink()))))
        .await?;
    match written {
        Ok(written) if written == original && copy == original => Ok(original),
        Ok(_) => Err(BackupError::Different),
        Err(ArchiveError::Store(error)) => Err(BackupError::Store(error)),
        Err(error) => Err(BackupError::Target(error)),
    }
}

/// Reads from `source` and writes to `target` at the same time. Returns the summaries of the data that was read and of
/// the data that was written.
async fn copy(source: &Store, target: &Store) -> Result<(Summary, Summary), BackupError> {
    let (writer, reader) = pipe();
    let (mut writer, mut reader) = (Some(writer), Some(reader));
    let writing = source.read(move |tx| {
        let written = match writer.take() {
            Some(mut writer) => archive::write(tx, time::now(), &mut writer),
            None => Err(ArchiveError::Truncated),
        };
        Ok(TxOutcome::Rollback(written))
    });
    let reading = target.write(move |tx| {
        // After a conflict, the bytes cannot be read again.
        let read = match reader.take() {
            Some(reader) => archive::read(tx, &mut BufReader::new(reader)),
            None => return Ok(TxOutcome::Rollback(Err(BackupError::Different))),
        };
        Ok(match read {
            Ok(summary) => TxOutcome::Commit(Ok(summary)),
            Err(ArchiveError::Store(error)) => return Err(error),
            Err(error) => TxOutcome::Rollback(Err(BackupError::Target(error))),
        })
    });
    match tokio::join!(writing, reading) {
        (Ok(Ok(original)), Ok(Ok(copy))) => Ok((original, copy)),
        // If writing failed, reading failed as well, because the end is missing.
        (Err(error) | Ok(Err(ArchiveError::Store(error))), _) | (_, Err(error)) => Err(BackupError::Store(error)),
        (_, Ok(Err(error))) => Err(error),
        (Ok(Err(error)), Ok(Ok(_))) => Err(BackupError::Target(error)),
    }
}

fn partial_path(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{:08x}.partial", fastrand::u32(..)));
    path.with_file_name(name)
}

/// Creates a file that only its owner can read, because a backup contains hashes of passwords and tokens.
fn private_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}
