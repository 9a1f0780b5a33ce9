//! Where the broker keeps what it knows: one SQLite file, memory, or PostgreSQL.
//!
//! A request is one job: a function over one transaction ([`Tx`]). Jobs are synchronous; they run on threads that own their
//! connection, so that the one home of the SQL (`sql/`) is plain functions. See docs/decisions/0016-the-broker-s-store.md.

mod error;
mod postgres;
mod schema;
mod sqlite;
#[cfg(test)]
pub(crate) mod steps;
mod tls;
mod tx;
mod value;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};

pub use error::StoreError;
pub(crate) use tx::{Question, Tx, each};
pub(crate) use value::{Row, Value, params};

/// How many jobs may wait before senders do.
const QUEUE: usize = 1024;

/// Which database a broker works on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Database {
    /// Nothing is kept when the process ends.
    Memory,
    /// One file, made when it is not there.
    Sqlite(PathBuf),
    /// A PostgreSQL server, as a connection URL or as `key=value` pairs.
    Postgres(String),
}

/// Whether what a job wrote is kept.
pub(crate) enum Settled<O> {
    Keep(O),
    Undo(O),
}

/// A unit of work with its asker.
trait Job: Send {
    /// Runs once, or again after a conflict with another transaction. `true`: what was written is to be kept.
    fn run(&mut self, tx: &mut Tx<'_>) -> Result<bool, StoreError>;
    /// Whether nothing that it writes is kept.
    fn reads(&self) -> bool;
    /// Hands the outcome to who asked.
    fn finish(self: Box<Self>, ended: Result<(), StoreError>);
}

struct Asked<O, F> {
    work: F,
    reads: bool,
    outcome: Option<O>,
    asker: oneshot::Sender<Result<O, StoreError>>,
}

impl<O: Send, F: FnMut(&mut Tx<'_>) -> Result<Settled<O>, StoreError> + Send> Job for Asked<O, F> {
    fn run(&mut self, tx: &mut Tx<'_>) -> Result<bool, StoreError> {
        let (outcome, keep) = match (self.work)(tx)? {
            Settled::Keep(outcome) => (outcome, true),
            Settled::Undo(outcome) => (outcome, false),
        };
        self.outcome = Some(outcome);
        Ok(keep)
    }

    fn reads(&self) -> bool {
        self.reads
    }

    fn finish(self: Box<Self>, ended: Result<(), StoreError>) {
        let Self { outcome, asker, .. } = *self;
        // Who asked may have gone away.
        let _ = asker.send(ended.and_then(|()| outcome.ok_or_else(StoreError::stopped)));
    }
}

/// What a thread with a connection is told.
enum Message {
    Work(Box<dyn Job>),
    /// End, and close the connection.
    End,
}

/// Threads that do jobs from one queue.
#[derive(Clone)]
struct Workers {
    queue: mpsc::Sender<Message>,
    threads: Arc<Mutex<Vec<JoinHandle<()>>>>,
}

impl Workers {
    fn new(queue: mpsc::Sender<Message>, threads: Vec<JoinHandle<()>>) -> Self {
        let threads = Arc::new(Mutex::new(threads));
        Self { queue, threads }
    }

    /// Lets each end after what was asked before.
    async fn end(&self) {
        let threads = std::mem::take(&mut *self.threads.lock().unwrap_or_else(PoisonError::into_inner));
        for _ in &threads {
            // Who does not listen has ended.
            let _ = self.queue.send(Message::End).await;
        }
        let joined = tokio::task::spawn_blocking(move || threads.into_iter().for_each(|thread| drop(thread.join())));
        let _ = joined.await;
    }
}

/// An opened, migrated database.
#[derive(Clone)]
pub(crate) struct Store {
    reads: Workers,
    writes: Workers,
}

/// How much of a database server a broker takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Connections to PostgreSQL: as many requests are answered at once. 8 by default.
    pub connections: usize,
    /// How long PostgreSQL may work on one statement; 15 seconds by default.
    pub statement: Duration,
    /// How often to try again, once a second, when PostgreSQL cannot be reached at the start; 0 by default.
    pub connect_retries: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 8,
            statement: Duration::from_secs(15),
            connect_retries: 0,
        }
    }
}

impl Store {
    /// Opens the database and brings its tables to the newest form. Call it within a tokio runtime.
    pub(crate) async fn open(database: &Database, limits: &Limits) -> Result<Self, StoreError> {
        match database {
            Database::Memory => sqlite::open(None).await,
            Database::Sqlite(path) => sqlite::open(Some(path.clone())).await,
            Database::Postgres(address) => postgres::open(address, limits).await,
        }
    }

    /// Does what was asked before, then closes the database: a file is whole by itself afterwards.
    pub(crate) async fn close(&self) {
        self.reads.end().await;
        self.writes.end().await;
    }

    /// Runs `work` on one snapshot of the data; it writes nothing.
    pub(crate) async fn read<O, F>(&self, work: F) -> Result<O, StoreError>
    where
        O: Send + 'static,
        F: FnMut(&mut Tx<'_>) -> Result<Settled<O>, StoreError> + Send + 'static,
    {
        ask(&self.reads, true, work).await
    }

    /// Runs `work` in a transaction of its own. When this returns, what it kept survives a killed process. `work` runs again
    /// when another transaction got in its way.
    pub(crate) async fn write<O, F>(&self, work: F) -> Result<O, StoreError>
    where
        O: Send + 'static,
        F: FnMut(&mut Tx<'_>) -> Result<Settled<O>, StoreError> + Send + 'static,
    {
        ask(&self.writes, false, work).await
    }
}

async fn ask<O, F>(workers: &Workers, reads: bool, work: F) -> Result<O, StoreError>
where
    O: Send + 'static,
    F: FnMut(&mut Tx<'_>) -> Result<Settled<O>, StoreError> + Send + 'static,
{
    let (asker, answer) = oneshot::channel();
    let job = Box::new(Asked {
        work,
        reads,
        outcome: None,
        asker,
    });
    let sent = workers.queue.send(Message::Work(job)).await;
    sent.map_err(|_| StoreError::stopped())?;
    answer.await.map_err(|_| StoreError::stopped())?
}

/// The next job; `None`: there will be none.
fn next(waiting: &Mutex<mpsc::Receiver<Message>>) -> Option<Box<dyn Job>> {
    let message = waiting.lock().unwrap_or_else(PoisonError::into_inner).blocking_recv();
    match message {
        Some(Message::Work(job)) => Some(job),
        Some(Message::End) | None => None,
    }
}

/// Starts a thread that owns its connection.
fn start(name: &str, work: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>, StoreError> {
    let started = std::thread::Builder::new().name(name.to_owned()).spawn(work);
    started.map_err(|error| StoreError::database(format!("no thread could be started: {error}")))
}

/// Runs a job so that its panic is an error of that job alone.
fn run_guarded(job: &mut dyn Job, tx: &mut Tx<'_>) -> Result<bool, StoreError> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| job.run(tx)))
        .unwrap_or_else(|_| Err(StoreError::panicked()))
}
