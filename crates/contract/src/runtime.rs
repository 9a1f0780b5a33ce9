//! One tokio runtime for the process, made at first use and never dropped.
//!
//! A runtime that followed the life of a Node environment would die with a worker thread and take the servers of all
//! others with it.

use std::sync::OnceLock;

use tokio::runtime::{Builder, Handle, Runtime};

static RUNTIME: OnceLock<Runtime> = OnceLock::new();

/// The runtime's handle.
pub fn handle() -> &'static Handle {
    RUNTIME
        .get_or_init(|| {
            let threads = std::thread::available_parallelism().map_or(2, usize::from).clamp(1, 4);
            Builder::new_multi_thread()
                .worker_threads(threads)
                .thread_name("contract")
                .enable_all()
                .build()
                .expect("the system gives a process its threads")
        })
        .handle()
}

/// Runs a future on the runtime and hands its value to `settle`; nothing when the future panicked.
pub fn run<T: Send + 'static>(
    future: impl Future<Output = T> + Send + 'static,
    settle: impl FnOnce(Option<T>) + Send + 'static,
) {
    let mut unsettled = Unsettled(Some(settle), std::marker::PhantomData);
    handle().spawn(async move {
        // One task for both: a second one would cost every call another thread's waking up.
        let value = future.await;
        if let Some(settle) = unsettled.0.take() {
            settle(Some(value));
        }
    });
}

/// Runs a future on this thread, with the runtime at hand for what it starts.
pub fn run_here<T>(future: impl Future<Output = T>) -> T {
    handle().block_on(future)
}

/// Settles with nothing when it is dropped by a panic.
struct Unsettled<T, S: FnOnce(Option<T>)>(Option<S>, std::marker::PhantomData<fn(T)>);

impl<T, S: FnOnce(Option<T>)> Drop for Unsettled<T, S> {
    fn drop(&mut self) {
        if let Some(settle) = self.0.take() {
            settle(None);
        }
    }
}
