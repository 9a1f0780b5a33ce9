//! SQLite storage. One thread writes, three threads read, and one thread checkpoints the write-ahead log. Each thread
//! owns a connection.

use std::fs::OpenOptions;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode};
use tokio::sync::mpsc;

use super::schema::{self, Dialect};
use super::sqlite_statement::query;
use super::work::{Job, Message, QUEUE, Workers, next, run_guarded, run_on_thread, start};
use super::{StoreError, Tx};

/// Maximum number of jobs that share a transaction, so that they wait for the disk only once.
const GROUP: usize = 64;
const READERS: usize = 3;
const STATEMENTS: usize = 256;
/// Minimum number of pages in the write-ahead log for a checkpoint. Each checkpoint waits for the disk twice.
const MIN_CHECKPOINT_PAGES: i64 = 1_000;
/// Number of pages (16 MiB) in the write-ahead log at which it is restarted. SQLite itself does not restart it as long
/// as readers and writers overlap.
const MAX_LOG_PAGES: i64 = 4_096;
/// Number of pages (32 MiB) in the write-ahead log at which its file is also truncated. A smaller file is not
/// truncated, because commits that extend a file wait twice as long for the disk.
const MAX_FILE_PAGES: i64 = 8_192;
/// Maximum time for which a restart of the write-ahead log delays writes to wait for the broker's own readers.
const READERS_WAIT: Duration = Duration::from_millis(50);
/// Time before the first retry if a reader prevents a restart of the write-ahead log. The time doubles with each retry,
/// up to the maximum.
const RESTART_INTERVAL: Duration = Duration::from_secs(1);
const MAX_RESTART_INTERVAL: Duration = Duration::from_secs(16);
/// Maximum time to wait for another process that has locked the database.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);
/// Retry interval for locks on which SQLite itself does not wait.
const RETRY: Duration = Duration::from_millis(5);

/// Starts the workers: those that read, and the one that writes.
pub(super) async fn open(path: Option<PathBuf>) -> Result<(Workers, Workers), StoreError> {
    run_on_thread("broker-opener", move || open_now(path.as_deref())).await
}

fn open_now(path: Option<&Path>) -> Result<(Workers, Workers), StoreError> {
    if let Some(path) = path {
        create_private(path);
    }
    let mut connection = connect(path)?;
    migrate(&mut connection)?;
    let (queue, waiting) = mpsc::channel(QUEUE);
    let checkpointer = path.map(|path| Checkpointer::start(path, queue.clone())).transpose()?;
    let active_readers = Arc::new(AtomicUsize::new(0));
    let active = Arc::clone(&active_readers);
    let thread = start("broker-writer", move || {
        write_loop(&connection, waiting, checkpointer.as_ref(), &active);
        // Closing the last connection removes the log files.
        drop(connection);
        if let Some(checkpointer) = checkpointer {
            checkpointer.end();
        }
    })?;
    let writes = Workers::new(queue, vec![thread]);
    let reads = match path {
        // An in-memory database has a single connection.
        None => writes.clone(),
        Some(path) => start_readers(path, &active_readers)?,
    };
    Ok((reads, writes))
}

/// Creates the file with mode 0600, which SQLite also gives to its log files. Does not change the mode of an existing
/// file.
fn create_private(path: &Path) {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    // Ignore errors, because SQLite reports them when it opens the file.
    drop(options.open(path));
}

fn start_readers(path: &Path, active: &Arc<AtomicUsize>) -> Result<Workers, StoreError> {
    let (queue, waiting) = mpsc::channel(QUEUE);
    let waiting = Arc::new(Mutex::new(waiting));
    let mut threads = Vec::new();
    for _ in 0..READERS {
        let connection = connect(Some(path))?;
        let (waiting, active) = (Arc::clone(&waiting), Arc::clone(active));
        threads.push(start("broker-reader", move || {
            read_loop(&connection, &waiting, &active);
        })?);
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
        StoreError::database(format!("cannot open {place} as a database: {error}"))
    })?;
    connection.busy_handler(Some(wait_for_lock))?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    set_up(&connection)?;
    Ok(connection)
}

/// Waits for another process that has locked the database. SQLite's own intervals grow to 100 ms, so that this process
/// might never find the database unlocked if another one writes often.
fn wait_for_lock(attempts: i32) -> bool {
    const INTERVAL: Duration = Duration::from_millis(1);
    std::thread::sleep(INTERVAL);
    INTERVAL.saturating_mul(attempts.unsigned_abs()) < BUSY_TIMEOUT
}

/// Configures a connection, with retries: if two processes turn on the write-ahead log of a new database at the same
/// time, one of them receives `SQLITE_BUSY` without waiting.
fn set_up(connection: &Connection) -> Result<(), StoreError> {
    let deadline = Instant::now() + BUSY_TIMEOUT;
    // With FULL, commits survive a power failure. Group commit limits the cost. journal_size_limit is MAX_FILE_PAGES in
    // bytes.
    while let Err(error) = connection.execute_batch(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY;
         PRAGMA cache_size = -4096; PRAGMA wal_autocheckpoint = 0; PRAGMA journal_size_limit = 33554432;",
    ) {
        if error.sqlite_error_code() != Some(ErrorCode::DatabaseBusy) || Instant::now() >= deadline {
            return Err(error.into());
        }
        std::thread::sleep(RETRY);
    }
    Ok(())
}

pub(super) fn migrate(connection: &mut Connection) -> Result<(), StoreError> {
    // With IMMEDIATE, if two processes start at the same time, one of them waits.
    let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    schema::migrate(&mut Tx::sqlite(&transaction), Dialect::Sqlite)?;
    Ok(transaction.commit()?)
}

fn read_loop(connection: &Connection, waiting: &Mutex<mpsc::Receiver<Message>>, active: &AtomicUsize) {
    while let Some(mut job) = next(waiting) {
        active.fetch_add(1, Ordering::Relaxed);
        let ended = connection.execute_batch("BEGIN").map_err(StoreError::from);
        let ended = ended.and_then(|()| run_guarded(job.as_mut(), &mut Tx::sqlite(connection)).map(drop));
        let closed = connection.execute_batch("ROLLBACK").map_err(StoreError::from);
        active.fetch_sub(1, Ordering::Relaxed);
        job.finish(ended.and(closed));
    }
}

/// Checkpoints the write-ahead log on a separate thread. On the writer's thread, each checkpoint would delay commits by
/// about 10 ms.
struct Checkpointer {
    committed: SyncSender<()>,
    thread: JoinHandle<()>,
}

impl Checkpointer {
    fn start(path: &Path, writer: mpsc::Sender<Message>) -> Result<Self, StoreError> {
        let connection = connect(Some(path))?;
        // One queued notification covers all later commits.
        let (committed, notifications) = sync_channel(1);
        let thread = start("broker-checkpointer", move || {
            checkpoint_loop(&connection, &notifications, &writer);
        })?;
        Ok(Self { committed, thread })
    }

    fn notify(&self) {
        let _ = self.committed.try_send(());
    }

    fn end(self) {
        drop(self.committed);
        let _ = self.thread.join();
    }
}

fn checkpoint_loop(connection: &Connection, notifications: &Receiver<()>, writer: &mpsc::Sender<Message>) {
    while notifications.recv().is_ok() {
        let mut interval = RESTART_INTERVAL;
        // Retry after a time, because there may be no next commit.
        while matches!(checkpoint(connection, writer), Ok(false)) {
            if !sleep(interval, notifications) {
                return;
            }
            interval = (interval * 2).min(MAX_RESTART_INTERVAL);
        }
    }
}

/// Sleeps for `time`, and discards notifications that arrive meanwhile. Returns `false` if the sender has been dropped.
fn sleep(time: Duration, notifications: &Receiver<()>) -> bool {
    let deadline = Instant::now() + time;
    loop {
        match notifications.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(()) => {}
            Err(RecvTimeoutError::Timeout) => return true,
            Err(RecvTimeoutError::Disconnected) => return false,
        }
    }
}

/// Copies pages from the write-ahead log to the database without blocking readers and writers. Pages that a reader
/// still needs stay in the log. Returns `false` if the log must be restarted but a reader prevents it.
fn checkpoint(connection: &Connection, writer: &mpsc::Sender<Message>) -> Result<bool, StoreError> {
    let position = |statement: &str| -> Result<(i64, i64), StoreError> {
        let rows = query(connection, statement, &[])?;
        Ok(rows.first().map_or((0, 0), |row| (row.int(1), row.int(2))))
    };
    let (mut pages, mut moved) = position("PRAGMA wal_checkpoint(NOOP)")?;
    if pages - moved >= MIN_CHECKPOINT_PAGES {
        (pages, moved) = position("PRAGMA wal_checkpoint(PASSIVE)")?;
    }
    if pages <= MAX_LOG_PAGES {
        return Ok(true);
    }
    if pages - moved >= MIN_CHECKPOINT_PAGES {
        return Ok(false);
    }
    // The log can only be restarted between two transactions of the writer.
    let (reply, is_restarted) = sync_channel(1);
    let sent = writer.blocking_send(Message::RestartLog(pages, reply));
    sent.map_err(|_| StoreError::stopped())?;
    is_restarted.recv().map_err(|_| StoreError::stopped())
}

/// Restarts the write-ahead log, so that the next transaction writes to its start. Returns `false` if a reader still
/// needs the log. Waits only for the broker's own readers: other processes can keep a transaction open indefinitely,
/// and writes would be blocked as long.
fn restart_log(connection: &Connection, pages: i64, active_readers: &AtomicUsize) -> Result<bool, StoreError> {
    let statement = if pages > MAX_FILE_PAGES {
        "PRAGMA wal_checkpoint(TRUNCATE)"
    } else {
        "PRAGMA wal_checkpoint(RESTART)"
    };
    let restart = |wait: Duration| -> Result<bool, StoreError> {
        connection.busy_timeout(wait)?;
        let rows = query(connection, statement, &[])?;
        Ok(rows.first().is_some_and(|row| row.int(0) == 0))
    };
    let mut restarted = restart(Duration::ZERO);
    if matches!(restarted, Ok(false)) && active_readers.load(Ordering::Relaxed) > 0 {
        // All pages are in the database now, so readers that start during this wait do not use the log.
        restarted = restart(READERS_WAIT);
    }
    connection.busy_handler(Some(wait_for_lock))?;
    restarted
}

fn write_loop(
    connection: &Connection,
    mut waiting: mpsc::Receiver<Message>,
    checkpointer: Option<&Checkpointer>,
    active_readers: &AtomicUsize,
) {
    while let Some(first) = waiting.blocking_recv() {
        let mut message = Some(first);
        let mut group = Vec::new();
        while let Some(Message::Work(job)) = message {
            group.push(job);
            message = if group.len() < GROUP {
                waiting.try_recv().ok()
            } else {
                None
            };
        }
        if !group.is_empty() {
            commit_together(connection, group);
            if let Some(checkpointer) = checkpointer {
                checkpointer.notify();
            }
        }
        match message {
            Some(Message::End) => return,
            Some(Message::RestartLog(pages, reply)) => {
                // After an error, the next commit triggers another attempt.
                let _ = reply.send(restart_log(connection, pages, active_readers).unwrap_or(true));
            }
            Some(Message::Work(_)) | None => {}
        }
    }
}

/// Runs and commits a group of jobs in one transaction. If there are several jobs, each runs in a savepoint, so that a
/// failed job does not affect the others.
fn commit_together(connection: &Connection, mut group: Vec<Box<dyn Job>>) {
    if group.len() == 1
        && let Some(mut job) = group.pop()
    {
        let ended = commit_alone(connection, job.as_mut());
        return job.finish(ended);
    }
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
                // A full disk rolls back the whole transaction, including the writes of the other jobs.
                if connection.is_autocommit() {
                    for work in done.drain(..) {
                        work.finish(Err(StoreError::rolled_back(
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
    let failed = commit(connection).err();
    for job in done {
        job.finish(match &failed {
            None => Ok(()),
            Some((is_full, text)) => Err(StoreError::rolled_back(*is_full, text)),
        });
    }
}

/// Runs a job in a transaction without a savepoint. In a savepoint, SQLite copies each page before it changes it, and
/// statements take longer the more pages were copied.
fn commit_alone(connection: &Connection, job: &mut dyn Job) -> Result<(), StoreError> {
    connection.execute_batch("BEGIN IMMEDIATE")?;
    match run_guarded(job, &mut Tx::sqlite(connection)) {
        Ok(true) => commit(connection).map_err(|(is_full, text)| StoreError::rolled_back(is_full, &text)),
        ended => {
            roll_back(connection);
            ended.map(drop)
        }
    }
}

/// Commits the transaction. Otherwise rolls it back, and returns whether the disk is full, and the error.
fn commit(connection: &Connection) -> Result<(), (bool, String)> {
    let committed = connection.execute_batch("COMMIT");
    if committed.is_err() {
        roll_back(connection);
    }
    committed.map_err(|error| {
        let text = error.to_string();
        (StoreError::from(error).is_full(), text)
    })
}

/// Rolls back the transaction unless an error has already done it.
fn roll_back(connection: &Connection) {
    if !connection.is_autocommit() {
        // A failed rollback is reported as an error of the next BEGIN.
        let _ = connection.execute_batch("ROLLBACK");
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
    use super::super::work::{PendingJob, TxOutcome, submit};
    use super::*;

    type Work = Box<dyn FnMut(&mut Tx<'_>) -> Result<TxOutcome<()>, StoreError> + Send>;
    type Answer = oneshot::Receiver<(Result<(), StoreError>, Work)>;

    /// Returns a job that creates an application with a display name of this length.
    fn create_job(name: &'static str, bytes: usize) -> (Box<dyn Job>, Answer) {
        let (reply, answer) = oneshot::channel();
        let work: Work = Box::new(move |tx| {
            let text = "x".repeat(bytes);
            tx.execute(
                "INSERT INTO pacticipant (name, display_name, created_at) VALUES ($1, $2, 0)",
                params![name, text],
            )?;
            Ok(TxOutcome::Commit(()))
        });
        let job = PendingJob {
            work,
            reads: false,
            outcome: None,
            reply,
        };
        (Box::new(job), answer)
    }

    fn names(connection: &Connection) -> Vec<String> {
        let rows = query(connection, "SELECT name FROM pacticipant ORDER BY name", &[]).expect("an answer");
        rows.iter().map(|row| row.text(0)).collect()
    }

    /// Limits the growth of the database to this number of pages.
    fn limit_growth(connection: &Connection, pages: i64) {
        let rows = query(connection, "PRAGMA page_count", &[]).expect("a count");
        let most = rows[0].int(0) + pages;
        query(connection, &format!("PRAGMA max_page_count = {most}"), &[]).expect("a limit");
    }

    #[test]
    fn a_full_disk_loses_only_rejected_writes() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut connection = connect(Some(&folder.path().join("full.sqlite"))).expect("a database");
        migrate(&mut connection).expect("tables");
        limit_growth(&connection, 2);
        let jobs = [("a", 10), ("b", 1_000_000), ("c", 10)];
        let (jobs, answers): (Vec<_>, Vec<_>) = jobs.into_iter().map(|(name, bytes)| create_job(name, bytes)).unzip();
        commit_together(&connection, jobs);
        let stored = names(&connection);
        for (name, mut answer) in ["a", "b", "c"].into_iter().zip(answers) {
            match answer.try_recv().expect("an answer").0 {
                Ok(()) => assert!(
                    stored.iter().any(|known| known == name),
                    "{name} was acknowledged: {stored:?}"
                ),
                Err(error) => {
                    assert!(error.is_full(), "{error:?}");
                    assert!(
                        stored.iter().all(|known| known != name),
                        "{name} was rejected: {stored:?}"
                    );
                }
            }
        }
        assert!(!stored.iter().any(|name| name == "b"), "it does not fit");
        // With free space, writes succeed again.
        limit_growth(&connection, 1_000_000);
        let (job, mut answer) = create_job("d", 1_000_000);
        commit_together(&connection, vec![job]);
        answer.try_recv().expect("an answer").0.expect("it is written");
        assert!(names(&connection).iter().any(|name| name == "d"));
    }

    /// Writes 1 MB and returns how long it takes.
    async fn write_a_megabyte(writes: &Workers, number: usize) -> Duration {
        let begun = Instant::now();
        let work = move |tx: &mut Tx<'_>| {
            tx.execute(
                "INSERT INTO pacticipant (name, display_name, created_at) VALUES ($1, $2, 0)",
                params![format!("name {number}"), "x".repeat(1_000_000)],
            )?;
            Ok(TxOutcome::Commit(()))
        };
        submit(writes, false, work).await.expect("a commit");
        begun.elapsed()
    }

    #[test]
    fn a_restarted_log_keeps_its_file_unless_it_is_large() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut connection = connect(Some(&folder.path().join("log.sqlite"))).expect("a database");
        migrate(&mut connection).expect("tables");
        let log_size = || std::fs::metadata(folder.path().join("log.sqlite-wal")).map_or(0, |file| file.len());
        let write = |name: &str| {
            let sql = "INSERT INTO pacticipant (name, display_name, created_at) VALUES ($1, $2, 0)";
            let written = Tx::sqlite(&connection).execute(sql, params![name, "x".repeat(1_000_000)]);
            written.expect("a row");
            log_size()
        };
        let restart = |pages| restart_log(&connection, pages, &AtomicUsize::new(0)).expect("a restart");
        write("a");
        let size = write("b");
        assert!(restart(MAX_LOG_PAGES));
        assert_eq!(write("c"), size, "the third megabyte replaces the first");
        assert!(restart(MAX_FILE_PAGES + 1));
        assert_eq!(log_size(), 0);
        assert_eq!(names(&connection), ["a", "b", "c"]);
    }

    #[tokio::test]
    async fn a_reader_of_another_process_does_not_delay_writes() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("read.sqlite");
        let log_size = || std::fs::metadata(folder.path().join("read.sqlite-wal")).map_or(0, |file| file.len());
        let max_log_size = 4_096 * u64::try_from(MAX_FILE_PAGES).expect("a positive number");
        let (reads, writes) = open(Some(path.clone())).await.expect("a database");
        let other = connect(Some(&path)).expect("a connection");
        let begin = || {
            other.execute_batch("BEGIN").expect("a transaction");
            names(&other);
        };
        begin();
        let mut slowest = Duration::ZERO;
        for number in 0..42 {
            slowest = slowest.max(write_a_megabyte(&writes, number).await);
            // Give the checkpointer time to work.
            tokio::time::sleep(Duration::from_millis(20)).await;
            if number > 36 {
                // Let the reader use the newest data.
                other.execute_batch("ROLLBACK").expect("the end of the transaction");
                begin();
            }
        }
        assert!(slowest < BUSY_TIMEOUT / 4, "the slowest write took {slowest:?}");
        assert!(log_size() > max_log_size, "the reader needs the log");
        other.execute_batch("ROLLBACK").expect("the end of the transaction");
        // The log is truncated without another write.
        let released = Instant::now();
        while log_size() > max_log_size {
            assert!(
                released.elapsed() < 4 * MAX_RESTART_INTERVAL,
                "the log has {} bytes",
                log_size()
            );
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        reads.end().await;
        writes.end().await;
    }
}
