//! The core's log: silent until somebody asks.
//!
//! A subscriber of tracing can be set once per process, but a level can be changed at any time; so one subscriber is set
//! at first use, and asks the level of the moment. That works under module reloading, worker threads and several copies.

use std::sync::Once;
use std::sync::atomic::{AtomicU8, Ordering};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

use crate::error::ArgumentError;

/// 0 is off, 5 is trace.
static LEVEL: AtomicU8 = AtomicU8::new(0);
static SET: Once = Once::new();

/// Turns the log on standard error on, off or to another level: `OFF`, `ERROR`, `WARN`, `INFO`, `DEBUG` or `TRACE`.
pub fn log_to_stderr(level: &str) -> Result<(), ArgumentError> {
    const LEVELS: [&str; 6] = ["OFF", "ERROR", "WARN", "INFO", "DEBUG", "TRACE"];
    let known = LEVELS.iter().position(|name| name.eq_ignore_ascii_case(level));
    let number = known.and_then(|at| u8::try_from(at).ok()).ok_or_else(|| {
        ArgumentError::new(
            "ERR_CONTRACT_LOG_LEVEL",
            format!("{level:?} is no log level; levels are {}", LEVELS.join(", ")),
        )
    })?;
    LEVEL.store(number, Ordering::Relaxed);
    if number > 0 {
        // An application that links this core may have a subscriber of its own: then the log goes there.
        SET.call_once(|| drop(tracing::subscriber::set_global_default(Stderr)));
    }
    tracing::callsite::rebuild_interest_cache();
    Ok(())
}

struct Stderr;

fn number(level: Level) -> u8 {
    match level {
        Level::ERROR => 1,
        Level::WARN => 2,
        Level::INFO => 3,
        Level::DEBUG => 4,
        Level::TRACE => 5,
    }
}

impl Subscriber for Stderr {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        shows(metadata)
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        print(event, &line(event));
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// Whether standard error shows it. Only this core speaks; what its HTTP libraries trace is of no use to a test.
pub(crate) fn shows(metadata: &Metadata<'_>) -> bool {
    metadata.target().starts_with("contract") && number(*metadata.level()) <= LEVEL.load(Ordering::Relaxed)
}

/// The event's message and fields, after a blank.
pub(crate) fn line(event: &Event<'_>) -> String {
    let mut line = Line(String::new());
    event.record(&mut line);
    line.0
}

pub(crate) fn print(event: &Event<'_>, text: &str) {
    let metadata = event.metadata();
    // One call, so that lines of several threads do not mix.
    eprintln!("{:5} {}:{text}", metadata.level().as_str(), metadata.target());
}

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        use std::fmt::Write;
        // Writing to a text cannot fail.
        let _ = match field.name() {
            "message" => write!(self.0, " {value:?}"),
            name => write!(self.0, " {name}={value:?}"),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::log_to_stderr;

    #[test]
    fn levels() {
        for level in ["info", "TRACE", "off"] {
            log_to_stderr(level).unwrap();
        }
        assert_eq!(
            log_to_stderr("LOUD").unwrap_err().message,
            "\"LOUD\" is no log level; levels are OFF, ERROR, WARN, INFO, DEBUG, TRACE"
        );
    }
}
