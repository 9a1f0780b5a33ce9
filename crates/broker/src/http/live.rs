//! Long polling: a request with the parameter `wait=SECONDS` gets a verdict with missing results only when it has
//! changed, or when the time has elapsed.

use std::time::Duration;

use tokio::sync::{Semaphore, watch};
use tokio::time::Instant;

use super::reply::{FollowUp, HandlerError, OpenVerdict, Reply, invalid_query};
use super::request::Request;
use contract_broker_core::domain::verdict::Verdict;

/// Maximum value of the parameter `wait`, in seconds. Proxies often close connections after 60 seconds.
const MAX_WAIT: u64 = 50;
/// Interval after which a waiting request checks its verdict even if this process has written nothing, because other
/// processes may have.
const POLL_INTERVAL: Duration = Duration::from_secs(2);
/// Minimum time between two checks of a verdict, which limits the load on brokers with many writes.
const MIN_INTERVAL: Duration = Duration::from_millis(100);

/// State that all waiting requests share.
pub(crate) struct Live {
    /// The number of writes by this process. Waiting requests are notified when it changes.
    writes: watch::Sender<u64>,
    stopping: watch::Sender<bool>,
    /// One permit for each request that can wait at the same time.
    permits: Semaphore,
}

impl Live {
    /// `max_waiting` is the maximum number of requests that wait at the same time.
    pub(crate) fn new(max_waiting: usize) -> Self {
        Self {
            writes: watch::Sender::new(0),
            stopping: watch::Sender::new(false),
            permits: Semaphore::new(max_waiting),
        }
    }

    /// Must be called after each write, so that waiting requests check their verdicts again.
    pub(crate) fn note_write(&self) {
        self.writes.send_modify(|count| *count = count.wrapping_add(1));
    }

    /// Ends all waiting. The requests return the current verdicts.
    pub(crate) fn stop(&self) {
        self.stopping.send_replace(true);
    }

    /// Calls `run` until the verdict differs from that in `reply`, the wait time has elapsed, or the broker stops, and
    /// returns the last reply. Returns `reply` immediately if it needs no waiting or if too many requests are waiting.
    pub(super) async fn changed<F: Future<Output = Reply>>(&self, mut reply: Reply, run: impl Fn() -> F) -> Reply {
        let Some(open) = open_verdict(&reply).filter(|open| !open.wait.is_zero()) else {
            return reply;
        };
        let Ok(_permit) = self.permits.try_acquire() else {
            reply.headers.retain(|(name, _)| *name != APPLIED);
            return reply;
        };
        // The body may be large. Another one is read when the wait ends.
        drop(reply);
        let (mut writes, mut stopping) = (self.writes.subscribe(), self.stopping.subscribe());
        let deadline = Instant::now() + open.wait;
        loop {
            let is_over = tokio::select! {
                () = async { drop(stopping.wait_for(|is_stopping| *is_stopping).await) } => true,
                () = tokio::time::sleep_until(deadline) => true,
                () = next_write(&mut writes) => false,
                () = tokio::time::sleep(POLL_INTERVAL) => false,
            };
            let reply = run().await;
            if is_over || open_verdict(&reply) != Some(open) {
                return reply;
            }
        }
    }
}

fn open_verdict(reply: &Reply) -> Option<OpenVerdict> {
    match &reply.follow_up {
        Some(FollowUp::Wait(open)) => Some(**open),
        _ => None,
    }
}

/// Waits for a write. Writes within the next [`MIN_INTERVAL`] count as the same one.
async fn next_write(writes: &mut watch::Receiver<u64>) {
    if writes.changed().await.is_ok() {
        tokio::time::sleep(MIN_INTERVAL).await;
        writes.mark_unchanged();
    }
}

/// The header with the applied preferences (RFC 7240, section 3). It tells clients that the broker supports `wait`.
const APPLIED: &str = "preference-applied";

/// Makes the request wait for a changed verdict if it has the parameter `wait` and results are missing.
pub(super) fn with_wait(rq: &Request, reply: Reply, verdict: &Verdict) -> Result<Reply, HandlerError> {
    let Some(wait) = rq.query_value("wait") else {
        return Ok(reply);
    };
    let Some(seconds) = wait.parse().ok().filter(|seconds| *seconds <= MAX_WAIT) else {
        let text = format!("wait must be a whole number of seconds from 0 to {MAX_WAIT}.");
        return Err(invalid_query(&[text]).into());
    };
    let reply = reply.with(APPLIED, format!("wait={seconds}"));
    if verdict.deployable.is_none() || verdict.unknown > 0 {
        return Ok(waiting(reply, verdict, Duration::from_secs(seconds)));
    }
    Ok(reply)
}

/// Makes the request wait until `verdict` changes, at most for `wait`.
pub(super) fn waiting(mut reply: Reply, verdict: &Verdict, wait: Duration) -> Reply {
    reply.follow_up = Some(FollowUp::Wait(Box::new(OpenVerdict {
        wait,
        counts: (verdict.deployable, verdict.success, verdict.failed, verdict.unknown),
    })));
    reply
}
