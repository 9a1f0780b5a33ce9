//! SQLite: one thread writes, some read, one moves what was written from the log to its place, each with a connection of its own.

use std::fs::OpenOptions;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode};
use tokio::sync::mpsc;

use super::schema::{self, Dialect};
use super::sqlite_statement::query;
use super::work::{Job, Message, QUEUE, Workers, next, run_guarded, start};
use super::{StoreError, Tx};

/// Jobs that share one transaction, and so one wait for the disk.
const GROUP: usize = 64;
const READERS: usize = 3;
const STATEMENTS: usize = 256;
/// Pages in the log that are worth the two waits for the disk that moving them takes.
const WORTH_MOVING: i64 = 1_000;
/// Pages at which the log is emptied and its file truncated even if writers have to wait: 16 MiB. As long as somebody reads and
/// writes at any moment, SQLite never starts it anew by itself.
const LONGEST_LOG: i64 = 4_096;
/// When to try again to truncate the log, if readers or writers were in the way.
const TRUNCATE_AGAIN: Duration = Duration::from_secs(1);
/// How long another process may hold the file.
const PATIENCE: Duration = Duration::from_secs(10);
/// When to ask again where SQLite does not wait for it.
const RETRY: Duration = Duration::from_millis(5);

/// Who reads, and who writes.
pub(super) async fn open(path: Option<PathBuf>) -> Result<(Workers, Workers), StoreError> {
    let opening = tokio::task::spawn_blocking(move || open_now(path.as_deref()));
    opening.await.map_err(|_| StoreError::panicked())?
}

fn open_now(path: Option<&Path>) -> Result<(Workers, Workers), StoreError> {
    if let Some(path) = path {
        create_private(path);
    }
    let mut connection = connect(path)?;
    migrate(&mut connection)?;
    let (queue, waiting) = mpsc::channel(QUEUE);
    let mover = path.map(Mover::start).transpose()?;
    let thread = start("broker-writer", move || {
        write_loop(&connection, waiting, mover.as_ref());
        // The last connection that closes leaves one file.
        drop(connection);
        if let Some(mover) = mover {
            mover.end();
        }
    })?;
    let writes = Workers::new(queue, vec![thread]);
    let reads = match path {
        // One connection is all there is of a database in memory.
        None => writes.clone(),
        Some(path) => start_readers(path)?,
    };
    Ok((reads, writes))
}

/// Creates the file so that only its owner may read it; SQLite gives the same mode to the files beside it. A file that exists
/// keeps its mode.
fn create_private(path: &Path) {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    // SQLite reports what is wrong with the path.
    drop(options.open(path));
}

fn start_readers(path: &Path) -> Result<Workers, StoreError> {
    let (queue, waiting) = mpsc::channel(QUEUE);
    let waiting = Arc::new(Mutex::new(waiting));
    let mut threads = Vec::new();
    for _ in 0..READERS {
        let connection = connect(Some(path))?;
        let waiting = Arc::clone(&waiting);
        threads.push(start("broker-reader", move || read_loop(&connection, &waiting))?);
    }
    Ok(Workers::new(queue, threads))
}

pub(super) fn connect(path: Option<&Path>) -> Result<Connection, StoreError> {
    let opened = match path {
        None => Connection::open_in_memory(),
        Some(path) => Connection::open(path),
    };
    let connection = opened.map_err(|error| {
        let place = path.map_or_else(|| "memory".to_owned(), |path| path.display().to_string());
        StoreError::database(format!("{place} cannot be opened as a database: {error}"))
    })?;
    connection.busy_timeout(PATIENCE)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    set_up(&connection)?;
    Ok(connection)
}

/// Of two processes that give a new database its journal at once, one is told that it is busy: there, SQLite does not wait.
fn set_up(connection: &Connection) -> Result<(), StoreError> {
    let until = Instant::now() + PATIENCE;
    // FULL: a commit that was answered is on the disk, even when the machine loses power. Group commit pays for it.
    while let Err(error) = connection.execute_batch(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY;
         PRAGMA cache_size = -4096; PRAGMA wal_autocheckpoint = 0;",
    ) {
        if error.sqlite_error_code() != Some(ErrorCode::DatabaseBusy) || Instant::now() >= until {
            return Err(error.into());
        }
        std::thread::sleep(RETRY);
    }
    Ok(())
}

pub(super) fn migrate(connection: &mut Connection) -> Result<(), StoreError> {
    // IMMEDIATE: of two processes that start at once, one waits.
    let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    schema::migrate(&mut Tx::sqlite(&transaction), Dialect::Sqlite)?;
    Ok(transaction.commit()?)
}

fn read_loop(connection: &Connection, waiting: &Mutex<mpsc::Receiver<Message>>) {
    while let Some(mut job) = next(waiting) {
        let ended = connection.execute_batch("BEGIN").map_err(StoreError::from);
        let ended = ended.and_then(|()| run_guarded(job.as_mut(), &mut Tx::sqlite(connection)).map(drop));
        let closed = connection.execute_batch("ROLLBACK").map_err(StoreError::from);
        job.finish(ended.and(closed));
    }
}

/// Moves pages from the log to their places, beside the writer: done by the writer itself, every commit that fills the log makes
/// all that wait for it wait for ten more milliseconds.
struct Mover {
    committed: SyncSender<()>,
    thread: JoinHandle<()>,
}

impl Mover {
    fn start(path: &Path) -> Result<Self, StoreError> {
        let connection = connect(Some(path))?;
        // One that waits stands for all that come meanwhile.
        let (committed, told) = sync_channel(1);
        let thread = start("broker-mover", move || move_loop(&connection, &told))?;
        Ok(Self { committed, thread })
    }

    fn tell(&self) {
        let _ = self.committed.try_send(());
    }

    fn end(self) {
        drop(self.committed);
        let _ = self.thread.join();
    }
}

fn move_loop(connection: &Connection, told: &Receiver<()>) {
    while told.recv().is_ok() {
        // What cannot be moved stays in the log, from where it is read; the next commit asks again.
        while matches!(move_pages(connection), Ok(false)) {
            // Perhaps there is no next commit.
            if told.recv_timeout(TRUNCATE_AGAIN) == Err(RecvTimeoutError::Disconnected) {
                return;
            }
        }
    }
}

/// Returns whether the log is as short as it should be.
fn move_pages(connection: &Connection) -> Result<bool, StoreError> {
    let log = query(connection, "PRAGMA wal_checkpoint(NOOP)", &[])?;
    let (pages, moved) = log.first().map_or((0, 0), |row| (row.int(1), row.int(2)));
    if pages > LONGEST_LOG {
        let ended = query(connection, "PRAGMA wal_checkpoint(TRUNCATE)", &[])?;
        let is_busy = ended.first().is_some_and(|row| row.int(0) != 0);
        return Ok(!is_busy);
    } else if pages - moved >= WORTH_MOVING {
        query(connection, "PRAGMA wal_checkpoint(PASSIVE)", &[])?;
    }
    Ok(true)
}

fn write_loop(connection: &Connection, mut waiting: mpsc::Receiver<Message>, mover: Option<&Mover>) {
    let mut goes_on = true;
    while goes_on {
        let Some(Message::Work(first)) = waiting.blocking_recv() else {
            return;
        };
        let mut group = vec![first];
        while group.len() < GROUP && goes_on {
            match waiting.try_recv() {
                Ok(Message::Work(job)) => group.push(job),
                Ok(Message::End) => goes_on = false,
                Err(_) => break,
            }
        }
        commit_together(connection, group);
        if let Some(mover) = mover {
            mover.tell();
        }
    }
}

/// One transaction for the group, one savepoint for each job: one that fails takes nothing of the others with it.
fn commit_together(connection: &Connection, group: Vec<Box<dyn Job>>) {
    let mut done: Vec<Box<dyn Job>> = Vec::with_capacity(group.len());
    for mut job in group {
        if connection.is_autocommit()
            && let Err(error) = connection.execute_batch("BEGIN IMMEDIATE")
        {
            job.finish(Err(error.into()));
            continue;
        }
        match run_in_savepoint(connection, job.as_mut()) {
            Ok(()) => done.push(job),
            Err(error) => {
                let is_full = error.is_full();
                job.finish(Err(error));
                // A full disk ends the whole transaction: what the others wrote is gone with it.
                if connection.is_autocommit() {
                    for lost in done.drain(..) {
                        lost.finish(Err(StoreError::given_up(
                            is_full,
                            "another write of the same transaction failed",
                        )));
                    }
                }
            }
        }
    }
    if connection.is_autocommit() {
        return;
    }
    let committed = connection.execute_batch("COMMIT");
    if committed.is_err() && !connection.is_autocommit() {
        // Nothing can be done about a failed rollback; the next BEGIN tells.
        let _ = connection.execute_batch("ROLLBACK");
    }
    let failed = committed
        .err()
        .map(|error| (error.to_string(), StoreError::from(error).is_full()));
    for job in done {
        job.finish(match &failed {
            None => Ok(()),
            Some((text, is_full)) => Err(StoreError::given_up(*is_full, text)),
        });
    }
}

fn run_in_savepoint(connection: &Connection, job: &mut dyn Job) -> Result<(), StoreError> {
    connection.prepare_cached("SAVEPOINT job")?.execute([])?;
    let ran = run_guarded(job, &mut Tx::sqlite(connection));
    if !matches!(ran, Ok(true)) && !connection.is_autocommit() {
        connection.prepare_cached("ROLLBACK TO job")?.execute([])?;
    }
    if !connection.is_autocommit() {
        connection.prepare_cached("RELEASE job")?.execute([])?;
    }
    ran.map(drop)
}

#[cfg(test)]
mod tests {
    use tokio::sync::oneshot;

    use super::super::params;
    use super::super::work::{Asked, Settled};
    use super::*;

    type Answer = oneshot::Receiver<Result<(), StoreError>>;

    /// A job that makes an application of this name, with so many bytes of it.
    fn naming(name: &'static str, bytes: usize) -> (Box<dyn Job>, Answer) {
        let (asker, answer) = oneshot::channel();
        let work = move |tx: &mut Tx<'_>| {
            let text = "x".repeat(bytes);
            tx.execute(
                "INSERT INTO pacticipant (name, display_name, created_at) VALUES ($1, $2, 0)",
                params![name, text],
            )?;
            Ok(Settled::Keep(()))
        };
        let job = Asked {
            work,
            reads: false,
            outcome: None,
            asker,
        };
        (Box::new(job), answer)
    }

    fn names(connection: &Connection) -> Vec<String> {
        let rows = query(connection, "SELECT name FROM pacticipant ORDER BY name", &[]).expect("an answer");
        rows.iter().map(|row| row.text(0)).collect()
    }

    /// The database may grow by so many pages.
    fn leave(connection: &Connection, pages: i64) {
        let rows = query(connection, "PRAGMA page_count", &[]).expect("a count");
        let most = rows[0].int(0) + pages;
        query(connection, &format!("PRAGMA max_page_count = {most}"), &[]).expect("a limit");
    }

    #[test]
    fn on_a_full_disk_what_is_acknowledged_is_there_and_what_is_refused_is_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut connection = connect(Some(&folder.path().join("full.sqlite"))).expect("a database");
        migrate(&mut connection).expect("tables");
        leave(&connection, 2);
        let jobs = [("a", 10), ("b", 1_000_000), ("c", 10)];
        let (jobs, answers): (Vec<_>, Vec<_>) = jobs.into_iter().map(|(name, bytes)| naming(name, bytes)).unzip();
        commit_together(&connection, jobs);
        let there = names(&connection);
        for (name, mut answer) in ["a", "b", "c"].into_iter().zip(answers) {
            match answer.try_recv().expect("an answer") {
                Ok(()) => assert!(
                    there.iter().any(|known| known == name),
                    "{name} was acknowledged: {there:?}"
                ),
                Err(error) => {
                    assert!(error.is_full(), "{error:?}");
                    assert!(there.iter().all(|known| known != name), "{name} was refused: {there:?}");
                }
            }
        }
        assert!(!there.iter().any(|name| name == "b"), "there is no room for it");
        // There is room again.
        leave(&connection, 1_000_000);
        let (job, mut answer) = naming("d", 1_000_000);
        commit_together(&connection, vec![job]);
        answer.try_recv().expect("an answer").expect("it is written");
        assert!(names(&connection).iter().any(|name| name == "d"));
    }
}
