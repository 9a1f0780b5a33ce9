//! Long polling: with `wait=SECONDS`, a verdict with missing results is returned only when it changes. Pages receive
//! such changes as server-sent events (HTML Living Standard, section 9.2).

use std::time::Duration;

use tokio::sync::{Semaphore, watch};
use tokio::time::Instant;

use super::reply::{FollowUp, HandlerError, Media, Reply, Watched, invalid_query};
use super::request::Request;
use contract_broker_domain::verdict::Verdict;

/// Maximum value of the `wait` parameter, in seconds. Proxies often close connections after 60 seconds.
const MAX_WAIT: u64 = 50;
/// Interval after which a waiting request checks its verdict even if this process has written nothing, because other
/// processes may have.
const POLL_INTERVAL: Duration = Duration::from_secs(2);
/// Minimum time between two checks of a verdict, which limits the load on brokers with many writes.
const MIN_INTERVAL: Duration = Duration::from_millis(100);

/// State that all waiting requests share.
pub struct Live {
    /// The number of writes by this process. Waiting requests are notified when it changes.
    writes: watch::Sender<u64>,
    stopping: watch::Sender<bool>,
    /// One permit for each request that can wait at the same time.
    permits: Semaphore,
}

impl Live {
    /// `max_waiting` is the maximum number of requests that wait at the same time.
    pub fn new(max_waiting: usize) -> Self {
        Self {
            writes: watch::Sender::new(0),
            stopping: watch::Sender::new(false),
            permits: Semaphore::new(max_waiting),
        }
    }

    /// Must be called after each write, so that waiting requests check their verdicts again.
    pub fn note_write(&self) {
        self.writes.send_modify(|count| *count = count.wrapping_add(1));
    }

    /// Ends all waiting. The requests return the current verdicts.
    pub fn stop(&self) {
        self.stopping.send_replace(true);
    }

    /// Repeats a request until what it watches changes, its time is up, or the broker stops, and returns the last reply.
    /// If too many requests are waiting, returns `reply` immediately.
    pub async fn changed<F: Future<Output = Reply>>(&self, mut reply: Reply, run: impl Fn() -> F) -> Reply {
        let Some(before) = watched(&reply).filter(|before| !before.wait.is_zero()) else {
            return reply;
        };
        let Ok(_permit) = self.permits.try_acquire() else {
            reply.headers.retain(|(name, _)| *name != APPLIED);
            return reply;
        };
        // The body may be large. Another one is read when the wait ends.
        drop(reply);
        let (mut writes, mut stopping) = (self.writes.subscribe(), self.stopping.subscribe());
        let deadline = Instant::now() + before.wait;
        loop {
            let is_over = tokio::select! {
                () = async { drop(stopping.wait_for(|is_stopping| *is_stopping).await) } => true,
                () = tokio::time::sleep_until(deadline) => true,
                () = next_write(&mut writes) => false,
                () = tokio::time::sleep(POLL_INTERVAL) => false,
            };
            let reply = run().await;
            if is_over || watched(&reply) != Some(before) {
                return reply;
            }
        }
    }
}

fn watched(reply: &Reply) -> Option<Watched> {
    match &reply.follow_up {
        Some(FollowUp::Wait(watched)) => Some(**watched),
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

/// The header with the applied preferences (RFC 7240, section 3). It shows clients that the broker supports `wait`.
const APPLIED: &str = "preference-applied";

/// Makes the request wait for a changed verdict if it has the `wait` parameter and results are missing.
pub fn with_wait(rq: &Request, reply: Reply, verdict: &Verdict) -> Result<Reply, HandlerError> {
    let Some(wait) = rq.query_value("wait") else {
        return Ok(reply);
    };
    let Some(seconds) = wait.parse().ok().filter(|seconds| *seconds <= MAX_WAIT) else {
        let text = format!("wait must be a whole number of seconds from 0 to {MAX_WAIT}.");
        return Err(invalid_query(&[text]).into());
    };
    let reply = reply.with(APPLIED, format!("wait={seconds}"));
    if verdict.deployable.is_none() || verdict.unknown > 0 {
        return Ok(waiting(reply, counts(verdict), Duration::from_secs(seconds)));
    }
    Ok(reply)
}

/// Makes the request wait until one of `counts` changes.
fn waiting(mut reply: Reply, counts: [usize; 4], wait: Duration) -> Reply {
    reply.follow_up = Some(FollowUp::Wait(Box::new(Watched { wait, counts })));
    reply
}

/// The counts of a verdict, preceded by whether it is known and deployable.
pub fn counts(verdict: &Verdict) -> [usize; 4] {
    let deployable = verdict.deployable.map_or(2, usize::from);
    [deployable, verdict.success, verdict.failed, verdict.unknown]
}

/// Maximum time that an event stream stays open. Proxies often close connections after 60 seconds.
const EVENT_WAIT: Duration = Duration::from_secs(30);
/// Milliseconds after which a browser reconnects.
const RETRY: u32 = 3_000;

/// Notifies a page that shows the state `seen` as soon as the state is another one. The response ends after one event or
/// a timeout, and then the browser reconnects. `counts` must differ whenever `state` differs.
pub fn event(seen: &str, state: &str, counts: [usize; 4]) -> Reply {
    let event = |text: &str| Reply::text(200, Media::Events, format!("retry: {RETRY}\n{text}\n\n"));
    if seen == state {
        return waiting(event(": no change"), counts, EVENT_WAIT);
    }
    event(&format!("event: changed\ndata: {state}"))
}
