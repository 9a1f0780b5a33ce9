//! How far a long verification is, on the terminal.

use std::io::Write;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use contract_verifier::{InteractionInfo, InteractionReport, Progress, Status};

/// One line on standard error that is written over again and gone at the end. Short verifications show none.
pub(super) struct TerminalProgress(Mutex<State>);

struct State {
    started: Instant,
    shown: Option<Instant>,
    failed: usize,
}

/// Before this, nothing is shown.
const PATIENCE: Duration = Duration::from_secs(1);
/// The line changes at most this often.
const PACE: Duration = Duration::from_millis(100);

impl TerminalProgress {
    pub(super) fn new() -> Self {
        Self(Mutex::new(State {
            started: Instant::now(),
            shown: None,
            failed: 0,
        }))
    }
}

impl State {
    fn is_due(&self) -> bool {
        match self.shown {
            None => self.started.elapsed() >= PATIENCE,
            Some(shown) => shown.elapsed() >= PACE,
        }
    }
}

impl Progress for TerminalProgress {
    fn finished(&self, _: &InteractionInfo, result: &InteractionReport, done: usize, total: usize) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.failed += usize::from(result.status == Status::Failed);
        let is_last = done == total;
        if (is_last && state.shown.is_none()) || (!is_last && !state.is_due()) {
            return;
        }
        state.shown = Some(Instant::now());
        let line = if is_last {
            String::new()
        } else {
            line(done, total, state.failed)
        };
        // A terminal that is gone is no reason to fail.
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
    fn lines() {
        assert_eq!(line(3, 10, 0), "3 of 10 interactions verified");
        assert_eq!(line(3, 10, 1), "3 of 10 interactions verified, 1 failed");
    }
}
