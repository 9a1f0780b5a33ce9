//! The Tokio runtime of the process, which is created at first use and never dropped.
//!
//! A runtime that belonged to one Node.js environment would end with its worker thread, and stop the servers of all
//! other environments.

#![forbid(unsafe_code)]

use std::io;
use std::sync::{Mutex, OnceLock, PoisonError, mpsc};

use tokio::runtime::{Builder, Handle, Runtime};

/// The operating system could not provide threads or file handles.
#[derive(Debug, thiserror::Error)]
pub enum ResourceError {
    #[error("could not start threads: {0}; raise the limit on threads or processes, or stop other processes")]
    Threads(#[source] io::Error),
    #[error("could not open files or sockets: {0}; raise the limit on open files, or close some of them")]
    OpenFiles(#[source] io::Error),
}

impl ResourceError {
    pub fn code(&self) -> &'static str {
        match self {
            Self::Threads(_) => "ERR_CONTRACT_THREADS",
            Self::OpenFiles(_) => "ERR_CONTRACT_OPEN_FILES",
        }
    }
}

static RUNTIME: OnceLock<Runtime> = OnceLock::new();

/// Maximum number of threads for blocking work, such as writing files. Without it, stopping many servers at the same
/// time would start one thread per server.
const BLOCKING_THREADS: usize = 64;
/// Half the number of file handles that a runtime requires for polling, waking the polling thread, and receiving
/// signals.
#[cfg(unix)]
const HANDLE_PAIRS: usize = 3;

/// Starts the runtime if it is not running. Fails if the operating system cannot provide the required threads or file
/// handles. In this case, the next call tries again.
pub fn ensure() -> Result<(), ResourceError> {
    try_handle().map(drop)
}

/// Returns the runtime's handle, and starts the runtime if necessary. Fails for the same reasons as [`ensure`].
pub fn try_handle() -> Result<&'static Handle, ResourceError> {
    static STARTING: Mutex<()> = Mutex::new(());
    if let Some(runtime) = RUNTIME.get() {
        return Ok(runtime.handle());
    }
    let _one_at_a_time = STARTING.lock().unwrap_or_else(PoisonError::into_inner);
    if RUNTIME.get().is_none() {
        let threads = std::thread::available_parallelism().map_or(2, usize::from).clamp(1, 4);
        // The runtime also requires a thread for blocking work.
        check_resources(threads + 1)?;
        let _ = RUNTIME.set(build(threads).map_err(ResourceError::OpenFiles)?);
    }
    Ok(RUNTIME.get().expect("it was set above").handle())
}

fn build(threads: usize) -> io::Result<Runtime> {
    Builder::new_multi_thread()
        .worker_threads(threads)
        .max_blocking_threads(BLOCKING_THREADS)
        .thread_name("contract")
        .enable_all()
        .build()
}

/// Fails if the operating system cannot start this number of threads or open the file handles of a runtime. Without
/// this check, Tokio would panic.
pub fn check_resources(threads: usize) -> Result<(), ResourceError> {
    try_threads(threads)?;
    try_handles().map_err(ResourceError::OpenFiles)
}

/// Fails if the operating system cannot start this number of threads. Without this check, Tokio would panic.
pub fn try_threads(count: usize) -> Result<(), ResourceError> {
    start_and_end(count).map_err(ResourceError::Threads)
}

#[cfg(unix)]
fn try_handles() -> io::Result<()> {
    let pairs: io::Result<Vec<_>> = (0..HANDLE_PAIRS)
        .map(|_| std::os::unix::net::UnixStream::pair())
        .collect();
    pairs.map(drop)
}

#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "the same signature on every platform")]
fn try_handles() -> io::Result<()> {
    Ok(())
}

fn start_and_end(count: usize) -> io::Result<()> {
    let mut waiting = Vec::with_capacity(count);
    for _ in 0..count {
        let (end, ended) = mpsc::channel::<()>();
        let thread = std::thread::Builder::new().spawn(move || {
            // Nothing is ever sent. The thread ends when the channel is closed.
            let _ = ended.recv();
        })?;
        waiting.push((end, thread));
    }
    for (end, thread) in waiting {
        drop(end);
        // The thread runs no code that could panic.
        let _ = thread.join();
    }
    Ok(())
}

/// Runs blocking work on a separate thread. A panic of `work` continues in the caller.
pub async fn spawn_blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, ResourceError> {
    try_threads(1)?;
    match tokio::task::spawn_blocking(work).await {
        Ok(value) => Ok(value),
        Err(panicked) => std::panic::resume_unwind(panicked.into_panic()),
    }
}

/// Runs blocking work on the current runtime thread. Another thread takes over this thread's tasks, unless the
/// operating system cannot start one.
pub fn block_in_place<T>(work: impl FnOnce() -> T) -> T {
    match try_threads(1) {
        Ok(()) => tokio::task::block_in_place(work),
        Err(_) => work(),
    }
}

/// Runs a future on the runtime, and passes its output to `settle`, or `None` if the future panicked. If the runtime
/// cannot start, `settle` receives the error immediately.
pub fn run<T: Send + 'static>(
    future: impl Future<Output = T> + Send + 'static,
    settle: impl FnOnce(Result<Option<T>, ResourceError>) + Send + 'static,
) {
    let runtime = match try_handle() {
        Ok(runtime) => runtime,
        Err(error) => return settle(Err(error)),
    };
    let mut unsettled = Unsettled(Some(settle), std::marker::PhantomData);
    runtime.spawn(async move {
        // Both steps are one task, because a second task would require another wake-up for each call.
        let value = future.await;
        if let Some(settle) = unsettled.0.take() {
            settle(Ok(Some(value)));
        }
    });
}

/// Runs a future on the current thread, which blocks. Tasks that the future spawns run on the runtime. Fails only if
/// the runtime cannot start.
pub fn run_here<T>(future: impl Future<Output = T>) -> Result<T, ResourceError> {
    Ok(try_handle()?.block_on(future))
}

/// Calls the function with `None` when it is dropped before the function was called, which happens if the future
/// panics.
struct Unsettled<T, S: FnOnce(Result<Option<T>, ResourceError>)>(Option<S>, std::marker::PhantomData<fn(T)>);

impl<T, S: FnOnce(Result<Option<T>, ResourceError>)> Drop for Unsettled<T, S> {
    fn drop(&mut self) {
        if let Some(settle) = self.0.take() {
            settle(Ok(None));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Condvar, Mutex};
    use std::time::Duration;

    use super::{BLOCKING_THREADS, build};

    #[test]
    fn work_that_blocks_has_a_limited_number_of_threads() {
        const THREADS: usize = 2;
        /// Number of blocked tasks, and whether they may end.
        type State = (Mutex<(usize, bool)>, Condvar);
        let runtime = build(THREADS).unwrap();
        let state: Arc<State> = Arc::default();
        let tasks: Vec<_> = (0..500)
            .map(|_| {
                let state = Arc::clone(&state);
                runtime.spawn(async move {
                    tokio::task::block_in_place(|| {
                        let (lock, changed) = &*state;
                        let mut now = lock.lock().unwrap();
                        now.0 += 1;
                        changed.notify_all();
                        let _end = changed.wait_while(now, |(_, may_end)| !*may_end).unwrap();
                    });
                })
            })
            .collect();
        let (lock, changed) = &*state;
        // The workers move their work to new threads until the limit is reached. No event signals the last thread, so
        // this always waits for the whole timeout.
        let (mut now, _) = changed
            .wait_timeout_while(lock.lock().unwrap(), Duration::from_secs(1), |(count, _)| {
                *count <= BLOCKING_THREADS + THREADS
            })
            .unwrap();
        now.1 = true;
        let most = now.0;
        changed.notify_all();
        drop(now);
        runtime.block_on(async {
            for task in tasks {
                task.await.unwrap();
            }
        });
        assert!(most <= BLOCKING_THREADS + THREADS, "{most}");
    }
}
