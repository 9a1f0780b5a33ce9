//! Shows the progress of a long verification on the terminal.

use std::io::Write;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use contract_verifier::{InteractionInfo, InteractionReport, Progress, Status};

/// Prints one line on standard error, updates it in place, and removes it at the end. Verifications that take less than
/// [`INITIAL_DELAY`] print nothing.
pub(super) struct TerminalProgress(Mutex<ProgressState>);

struct ProgressState {
    started: Instant,
    last_shown: Option<Instant>,
    failed: usize,
}

/// Delay before the line is shown.
const INITIAL_DELAY: Duration = Duration::from_secs(1);
/// Minimum time between updates.
const UPDATE_INTERVAL: Duration = Duration::from_millis(100);

impl TerminalProgress {
    pub(super) fn new() -> Self {
        Self(Mutex::new(ProgressState {
            started: Instant::now(),
            last_shown: None,
            failed: 0,
        }))
    }
}

impl ProgressState {
    fn is_due(&self) -> bool {
        match self.last_shown {
            None => self.started.elapsed() >= INITIAL_DELAY,
            Some(last_shown) => last_shown.elapsed() >= UPDATE_INTERVAL,
        }
    }
}

impl Progress for TerminalProgress {
    fn finished(&self, _: &InteractionInfo, result: &InteractionReport, done: usize, total: usize) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.failed += usize::from(result.status == Status::Failed);
        let is_last = done == total;
        if (is_last && state.last_shown.is_none()) || (!is_last && !state.is_due()) {
            return;
        }
        state.last_shown = Some(Instant::now());
        let line = if is_last {
            String::new()
        } else {
            line(done, total, state.failed)
        };
        // Ignore errors, because the verification must continue if the terminal is closed.
        let _ = write!(std::io::stderr(), "\r\u{1b}[K{line}");
    }
}

fn line(done: usize, total: usize, failed: usize) -> String {
    let failures = if failed > 0 {
        format!(", {failed} failed")
    } else {
        String::new()
    };
    format!("{done} of {total} interactions verified{failures}")
}

#[cfg(test)]
mod tests {
    use super::line;

    #[test]
    fn formats_the_progress() {
        assert_eq!(line(3, 10, 0), "3 of 10 interactions verified");
        assert_eq!(line(3, 10, 1), "3 of 10 interactions verified, 1 failed");
    }
}
