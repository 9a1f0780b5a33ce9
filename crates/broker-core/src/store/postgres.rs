//! PostgreSQL storage. Each worker thread owns one connection, and the broker process has no other state.

use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Runtime;
use tokio::sync::{Mutex, mpsc};

use super::schema::{self, Dialect};
use super::session::{Session, Target};
use super::work::{Job, Message, QUEUE, Workers, run_guarded, run_on_thread, start};
use super::{Limits, StoreError, Tx};

/// Maximum number of attempts for a job whose transaction conflicts with others.
const TRIES: u32 = 12;

/// Starts a transaction in which all reads see the same snapshot.
const BEGIN_SNAPSHOT: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

/// Starts the workers. The same workers read and write, so both results are equal.
pub(super) async fn open(address: &str, limits: &Limits) -> Result<(Workers, Workers), StoreError> {
    let target = Arc::new(Target::parse(address, limits)?);
    let (to, retries) = (Arc::clone(&target), limits.connect_retries);
    run_on_thread("broker-opener", move || migrate(&mut first_session(&to, retries)?)).await?;
    let (queue, waiting) = mpsc::channel(QUEUE);
    let waiting = Arc::new(Mutex::new(waiting));
    let mut threads = Vec::new();
    for _ in 0..limits.connections.max(1) {
        let (waiting, target, runtime) = (Arc::clone(&waiting), Arc::clone(&target), runtime()?);
        threads.push(start("broker-database", move || {
            work_loop(&waiting, &target, &runtime);
        })?);
    }
    let workers = Workers::new(queue, threads);
    Ok((workers.clone(), workers))
}

/// Runs `work` in a read-only transaction on its own connection and thread.
pub(super) async fn read_other<O: Send + 'static>(
    address: &str,
    limits: &Limits,
    work: impl FnOnce(&mut Tx<'_>) -> O + Send + 'static,
) -> Result<O, StoreError> {
    let (target, retries) = (Target::parse(address, limits)?, limits.connect_retries);
    run_on_thread("broker-import", move || {
        let mut session = first_session(&target, retries)?;
        session.command(BEGIN_SNAPSHOT);
        let done = work(&mut Tx::postgres(&mut session));
        session.rollback();
        Ok(done)
    })
    .await
}

/// Creates the runtime that drives a thread's connection. It runs on that thread, so that no other thread has to be
/// woken for a response.
fn runtime() -> Result<Arc<Runtime>, StoreError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    Ok(Arc::new(runtime.map_err(|error| {
        StoreError::unusable("cannot start a runtime for the database connection", error)
    })?))
}

/// Connects to the database, with `retries` retries at intervals of one second, because the database server may start
/// at the same time as the broker.
fn first_session(target: &Target, mut retries: u32) -> Result<Session, StoreError> {
    let runtime = runtime()?;
    loop {
        match Session::connect(target, &runtime) {
            Err(error) if error.is_unreachable() && retries > 0 => {
                retries -= 1;
                std::thread::sleep(Duration::from_secs(1));
            }
            ended => return ended,
        }
    }
}

fn migrate(session: &mut Session) -> Result<(), StoreError> {
    session.command("BEGIN");
    // If two brokers start at the same time, one waits.
    session.command("SELECT pg_advisory_xact_lock(7301193310041)");
    schema::migrate(&mut Tx::postgres(session), Dialect::Postgres)?;
    session.commit()
}

fn work_loop(waiting: &Mutex<mpsc::Receiver<Message>>, target: &Target, runtime: &Arc<Runtime>) {
    let mut session: Option<Session> = None;
    // Drive the connection while the thread waits, so that deferred statements are sent and a closed connection is
    // detected.
    let next = || runtime.block_on(async { waiting.lock().await.recv().await });
    while let Some(Message::Work(mut job)) = next() {
        let ended = run(job.as_mut(), &mut session, target, runtime);
        job.finish(ended);
    }
    drop(session);
    // Give the runtime time to notify the server that the connection ends.
    runtime.block_on(tokio::task::yield_now());
}

fn run(
    job: &mut dyn Job,
    kept: &mut Option<Session>,
    target: &Target,
    runtime: &Arc<Runtime>,
) -> Result<(), StoreError> {
    let mut tries = 0;
    loop {
        tries += 1;
        let known = kept.take().filter(Session::is_usable);
        let was_open = known.is_some();
        let mut session = match known {
            Some(session) => session,
            None => Session::connect(target, runtime)?,
        };
        let (ended, is_commit_sent) = attempt(job, &mut session);
        if session.is_usable() {
            *kept = Some(session);
        }
        match ended {
            Err(error) if error.is_conflict() && tries < TRIES => {
                std::thread::sleep(Duration::from_millis(fastrand::u64(1..=u64::from(tries) * 8)));
            }
            // The connection broke while it was idle, and no commit was sent on it, so a retry is safe.
            Err(error) if error.is_unreachable() && was_open && !is_commit_sent => {}
            ended => return ended,
        }
    }
}

/// Runs a job in a transaction. Also returns whether a commit was sent. If a commit was sent and the result is an
/// error, the data may have been committed nevertheless.
fn attempt(job: &mut dyn Job, session: &mut Session) -> (Result<(), StoreError>, bool) {
    session.command(if job.reads() { BEGIN_SNAPSHOT } else { "BEGIN" });
    match run_guarded(job, &mut Tx::postgres(session)) {
        Ok(true) if !job.reads() => (session.commit(), true),
        ran => {
            session.rollback();
            (ran.map(drop), false)
        }
    }
}
