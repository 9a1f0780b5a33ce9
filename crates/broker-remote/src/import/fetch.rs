//! Sends requests while earlier responses are being processed.

use std::collections::VecDeque;
use std::future::Future;

use tokio::task::JoinHandle;

use super::ImportError;

/// A request that runs in its own task. Dropping the `Fetch` cancels the request.
pub(super) struct Fetch<T>(JoinHandle<Result<T, ImportError>>);

impl<T: Send + 'static> Fetch<T> {
    pub(super) fn start(work: impl Future<Output = Result<T, ImportError>> + Send + 'static) -> Self {
        Self(tokio::spawn(work))
    }

    pub(super) async fn finish(mut self) -> Result<T, ImportError> {
        match (&mut self.0).await {
            Ok(fetched) => fetched,
            Err(error) => std::panic::resume_unwind(error.into_panic()),
        }
    }
}

impl<T> Drop for Fetch<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// A queue of requests, of which the next few are already running.
pub(super) struct FetchAhead<T, I> {
    waiting: I,
    started: VecDeque<Fetch<T>>,
}

impl<T: Send + 'static, I: Iterator<Item = Fetch<T>>> FetchAhead<T, I> {
    /// Starts the first `count` requests. Whenever a result is taken, the next request starts. The iterator `fetches`
    /// starts a request when it yields it.
    pub(super) fn start(fetches: impl IntoIterator<IntoIter = I>, count: usize) -> Self {
        let mut waiting = fetches.into_iter();
        let started = waiting.by_ref().take(count).collect();
        Self { waiting, started }
    }

    pub(super) async fn next(&mut self) -> Result<Option<T>, ImportError> {
        let Some(fetch) = self.started.pop_front() else {
            return Ok(None);
        };
        let fetched = fetch.finish().await?;
        self.started.extend(self.waiting.next());
        Ok(Some(fetched))
    }
}
