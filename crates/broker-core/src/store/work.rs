//! Jobs, and the worker threads that run them.

use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};

use super::{StoreError, Tx};

/// Maximum number of queued jobs. If the queue is full, callers wait.
pub(super) const QUEUE: usize = 1024;

const END_POLL_INTERVAL: Duration = Duration::from_millis(2);

/// The result of a job, and whether to commit or discard what the job has written.
pub enum TxOutcome<O> {
    Commit(O),
    Rollback(O),
}

pub(super) trait Job: Send {
    /// Runs the job in a transaction, and returns whether to commit it. May be called again after a conflict with
    /// another transaction.
    fn run(&mut self, tx: &mut Tx<'_>) -> Result<bool, StoreError>;
    /// Returns whether the job only reads.
    fn reads(&self) -> bool;
    /// Sends the result to the caller. If `ended` is an error, the caller receives the error.
    fn finish(self: Box<Self>, ended: Result<(), StoreError>);
}

pub(super) struct PendingJob<O, F> {
    pub(super) work: F,
    pub(super) reads: bool,
    pub(super) outcome: Option<O>,
    /// Receives the result, and `work`, so that its captured values, such as contracts, are not dropped on the worker.
    pub(super) reply: oneshot::Sender<(Result<O, StoreError>, F)>,
}

impl<O: Send, F: FnMut(&mut Tx<'_>) -> Result<TxOutcome<O>, StoreError> + Send> Job for PendingJob<O, F> {
    fn run(&mut self, tx: &mut Tx<'_>) -> Result<bool, StoreError> {
        let (outcome, keep) = match (self.work)(tx)? {
            TxOutcome::Commit(outcome) => (outcome, true),
            TxOutcome::Rollback(outcome) => (outcome, false),
        };
        self.outcome = Some(outcome);
        Ok(keep)
    }

    fn reads(&self) -> bool {
        self.reads
    }

    fn finish(self: Box<Self>, ended: Result<(), StoreError>) {
        let Self {
            work, outcome, reply, ..
        } = *self;
        let result = ended.and_then(|()| outcome.ok_or_else(StoreError::stopped));
        // The caller may have been dropped.
        let _ = reply.send((result, work));
    }
}

/// A message to a worker thread.
pub(super) enum Message {
    Work(Box<dyn Job>),
    /// Restart SQLite's write-ahead log, which has this number of pages. The worker replies `false` if a reader
    /// prevents the restart.
    RestartLog(i64, SyncSender<bool>),
    /// Close the connection and end the thread.
    End,
}

/// Worker threads that share a queue.
#[derive(Clone)]
pub(super) struct Workers {
    queue: mpsc::Sender<Message>,
    threads: Arc<Mutex<Vec<JoinHandle<()>>>>,
}

impl Workers {
    pub(super) fn new(queue: mpsc::Sender<Message>, threads: Vec<JoinHandle<()>>) -> Self {
        let threads = Arc::new(Mutex::new(threads));
        Self { queue, threads }
    }

    /// Ends all threads after they have finished the queued jobs.
    pub(super) async fn end(&self) {
        let threads = std::mem::take(&mut *self.threads.lock().unwrap_or_else(PoisonError::into_inner));
        for _ in &threads {
            // If the message cannot be sent, the threads have already stopped.
            let _ = self.queue.send(Message::End).await;
        }
        // Waiting on a separate thread would fail if the system cannot create more threads.
        while !threads.iter().all(JoinHandle::is_finished) {
            tokio::time::sleep(END_POLL_INTERVAL).await;
        }
    }
}

pub(super) async fn submit<O, F>(workers: &Workers, reads: bool, work: F) -> Result<O, StoreError>
where
    O: Send + 'static,
    F: FnMut(&mut Tx<'_>) -> Result<TxOutcome<O>, StoreError> + Send + 'static,
{
    let (reply, answer) = oneshot::channel();
    let job = Box::new(PendingJob {
        work,
        reads,
        outcome: None,
        reply,
    });
    let sent = workers.queue.send(Message::Work(job)).await;
    sent.map_err(|_| StoreError::stopped())?;
    let (result, _work) = answer.await.map_err(|_| StoreError::stopped())?;
    result
}

/// Waits for the next job. Returns `None` if the worker must end.
pub(super) fn next(waiting: &Mutex<mpsc::Receiver<Message>>) -> Option<Box<dyn Job>> {
    let message = waiting.lock().unwrap_or_else(PoisonError::into_inner).blocking_recv();
    match message {
        Some(Message::Work(job)) => Some(job),
        Some(Message::RestartLog(..) | Message::End) | None => None,
    }
}

pub(super) fn start(name: &str, work: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>, StoreError> {
    let started = std::thread::Builder::new().name(name.to_owned()).spawn(work);
    started.map_err(|error| {
        StoreError::database(format!(
            "could not start threads: {error}; raise the limit on threads or processes, or stop other processes"
        ))
    })
}

/// Runs `work` on a separate thread. Tokio's `spawn_blocking` is not used, because it panics if the system cannot
/// create a thread.
pub(super) async fn run_on_thread<T: Send + 'static>(
    name: &str,
    work: impl FnOnce() -> Result<T, StoreError> + Send + 'static,
) -> Result<T, StoreError> {
    let (sender, result) = oneshot::channel();
    start(name, move || drop(sender.send(work())))?;
    result.await.map_err(|_| StoreError::panicked())?
}

/// Runs a job. If the job panics, returns an error.
pub(super) fn run_guarded(job: &mut dyn Job, tx: &mut Tx<'_>) -> Result<bool, StoreError> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| job.run(tx)))
        .unwrap_or_else(|_| Err(StoreError::panicked()))
}
