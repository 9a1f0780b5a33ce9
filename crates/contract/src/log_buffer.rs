//! The log of one verification, kept for the case that it fails.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record};
use tracing::{Dispatch, Event, Level, Metadata, Subscriber};

use crate::log;

/// Lines that are kept; older ones make room.
const LINES: usize = 500;

/// The last lines that the core logged while a future ran under [`LogBuffer::dispatch`].
#[derive(Clone)]
pub(crate) struct LogBuffer(Arc<Kept>);

struct Kept {
    started: Instant,
    lines: Mutex<VecDeque<String>>,
}

impl LogBuffer {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Kept {
            started: Instant::now(),
            lines: Mutex::default(),
        }))
    }

    /// What futures are put under, so that their events land here.
    pub(crate) fn dispatch(&self) -> Dispatch {
        Dispatch::new(self.clone())
    }

    /// The lines so far.
    pub(crate) fn lines(&self) -> Vec<String> {
        let lines = self.0.lines.lock().unwrap_or_else(PoisonError::into_inner);
        lines.iter().cloned().collect()
    }
}

impl Subscriber for LogBuffer {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("contract") && (*metadata.level() <= Level::DEBUG || log::shows(metadata))
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(log::highest().max(LevelFilter::DEBUG))
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let text = log::line(event);
        let at = self.0.started.elapsed().as_secs_f64() * 1000.0;
        let line = format!("{at:9.1} ms {:5} {text}", event.metadata().level().as_str());
        let mut lines = self.0.lines.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.len() == LINES {
            lines.pop_front();
        }
        lines.push_back(line);
        drop(lines);
        // What was asked for elsewhere goes on beside this log.
        if log::shows(event.metadata()) {
            log::tell(event.metadata(), text);
        }
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

#[cfg(test)]
mod tests {
    use super::{LINES, LogBuffer};

    #[test]
    fn keeps_the_last_lines_of_what_runs_under_it() {
        let buffer = LogBuffer::new();
        tracing::info!("before");
        tracing::dispatcher::with_default(&buffer.dispatch(), || {
            for i in 0..LINES + 7 {
                tracing::debug!(i, "line");
            }
            tracing::trace!("too fine");
        });
        let lines = buffer.lines();
        assert_eq!(lines.len(), LINES);
        assert!(lines[0].ends_with("DEBUG line i=7"), "{}", lines[0]);
    }
}
