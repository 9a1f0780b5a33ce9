//! Requests that run while earlier responses are processed.

use std::collections::VecDeque;
use std::future::Future;

use tokio::task::JoinHandle;

use super::ImportError;

/// A request that runs on a task of its own. If this is dropped, the request is cancelled.
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

/// Fetches that start before their results are needed, in order.
pub(super) struct FetchAhead<T, I> {
    waiting: I,
    started: VecDeque<Fetch<T>>,
}

impl<T: Send + 'static, I: Iterator<Item = Fetch<T>>> FetchAhead<T, I> {
    /// Starts the first `count` fetches. Each result that is taken starts another one: `fetches` starts a fetch when it
    /// returns it.
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
