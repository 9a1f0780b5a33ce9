use std::time::{Duration, Instant};

use contract_wire::seconds;

use crate::{ErrorCode, InteractionError};

/// The time by which an interaction must have been verified, so that a report can be created before the test runner
/// aborts the test.
#[derive(Clone, Copy, Debug)]
pub struct Deadline {
    pub(crate) at: Instant,
    limit: Duration,
}

impl Deadline {
    /// Creates a deadline. `limit` is the timeout of the test, for error messages.
    pub fn new(at: Instant, limit: Duration) -> Self {
        Self { at, limit }
    }

    pub fn left(&self) -> Duration {
        self.at.saturating_duration_since(Instant::now())
    }

    pub fn limit(&self) -> Duration {
        self.limit
    }

    pub(crate) fn error(&self, done: usize, total: usize, running: Duration) -> InteractionError {
        InteractionError::new(
            ErrorCode::TimeLimit,
            format!(
                "The test timeout of {} was about to expire while this interaction was running ({} so far, after {done} of {total} interactions). Increase the test timeout.",
                seconds(self.limit),
                seconds(Duration::from_millis(
                    u64::try_from(running.as_millis()).unwrap_or(u64::MAX)
                )),
            ),
        )
    }
}
