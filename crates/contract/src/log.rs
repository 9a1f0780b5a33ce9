//! Writes the core's log to standard error, to a file, and to the bindings' loggers. It is off by default.
//!
//! A tracing subscriber can be set only once per process, but the destinations can change at any time. Therefore, one
//! subscriber is set at first use and reads the current levels. This also works if modules are reloaded, with worker
//! threads, and with several copies of the library.

use std::collections::VecDeque;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use contract_broker_client::Secrets;
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record};
use tracing::{Dispatch, Event, Level, Metadata, Subscriber};

use crate::failure::Failure;
use contract_call::error::ArgumentError;
use contract_call::files::FileError;

/// A log level. A destination with this level receives the records of this level and of all levels above it in this
/// list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum LogLevel {
    /// No records. This turns a destination off.
    #[default]
    Off,
    /// Errors of the library.
    Error,
    /// Unexpected events, such as a request that did not match.
    Warn,
    /// Started and stopped servers and verified interactions.
    Info,
    /// Requests, provider state changes, and connection problems.
    Debug,
    /// All records, including internal details.
    Trace,
}

/// A record that is passed to a [`LogSink`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogRecord {
    /// The level, which is never `Off`.
    pub level: LogLevel,
    /// Time of the record in milliseconds since 1970-01-01 UTC.
    pub at: u64,
    /// The part of the library that logged the record, such as `contract::mock_server`.
    pub target: &'static str,
    /// The message, followed by its fields as `name=value`, on one line. Secrets are redacted.
    pub message: String,
}

/// A function that receives log records. When it returns false, it is removed. It can be called on any thread, so it
/// must return quickly, and it must not log.
pub type LogSink = Box<dyn Fn(&LogRecord) -> bool + Send + Sync>;

#[derive(Default)]
struct Sinks {
    stderr: LogLevel,
    /// True if [`log_to_stderr`] has set the level, so that [`log_by_default`] has no effect.
    is_stderr_set: bool,
    file: Option<(File, LogLevel)>,
    /// The ID of the owner, the sink, and the level of each logger.
    loggers: Vec<(u64, LogSink, LogLevel)>,
}

/// The highest [`LogLevel`] of all destinations. More detailed records are skipped early.
static HIGHEST: AtomicU8 = AtomicU8::new(0);
static SINKS: Mutex<Option<Sinks>> = Mutex::new(None);
static SET: Once = Once::new();

const LEVELS: [(&str, LogLevel, LevelFilter); 6] = [
    ("OFF", LogLevel::Off, LevelFilter::OFF),
    ("ERROR", LogLevel::Error, LevelFilter::ERROR),
    ("WARN", LogLevel::Warn, LevelFilter::WARN),
    ("INFO", LogLevel::Info, LevelFilter::INFO),
    ("DEBUG", LogLevel::Debug, LevelFilter::DEBUG),
    ("TRACE", LogLevel::Trace, LevelFilter::TRACE),
];

impl LogLevel {
    /// Returns the name in upper case, such as `INFO`.
    pub fn name(self) -> &'static str {
        LEVELS[self as usize].0
    }

    fn from_level(level: Level) -> Self {
        let known = LEVELS.iter().find(|(.., filter)| *filter == level);
        known.map_or(Self::Trace, |(_, level, _)| *level)
    }
}

impl std::str::FromStr for LogLevel {
    type Err = ArgumentError;

    fn from_str(text: &str) -> Result<Self, ArgumentError> {
        let known = LEVELS.iter().find(|(name, ..)| name.eq_ignore_ascii_case(text));
        known.map(|(_, level, _)| *level).ok_or_else(|| {
            let names = LEVELS.map(|(name, ..)| name).join(", ");
            ArgumentError::new(
                "ERR_CONTRACT_LOG_LEVEL",
                format!("{text:?} is not a log level; use one of {names}"),
            )
        })
    }
}

/// Sets the log level for standard error: `OFF`, `ERROR`, `WARN`, `INFO`, `DEBUG`, or `TRACE`, in upper or lower case.
/// Default: `OFF`.
pub fn log_to_stderr(level: &str) -> Result<(), ArgumentError> {
    let level = level.parse()?;
    change(|sinks| {
        sinks.stderr = level;
        sinks.is_stderr_set = true;
    });
    Ok(())
}

/// Sets the default level for standard error, for example from an environment variable. Has no effect after a call to
/// [`log_to_stderr`].
pub fn log_by_default(level: &str) -> Result<(), ArgumentError> {
    let level = level.parse()?;
    change(|sinks| {
        if !sinks.is_stderr_set {
            sinks.stderr = level;
        }
    });
    Ok(())
}

/// Appends log records up to `level` to a file, and creates the file if it does not exist. There is one log file per
/// process, so the next call replaces it. The `OFF` level closes it.
pub fn log_to_file(path: &Path, level: &str) -> Result<(), Failure> {
    let level = level.parse()?;
    let file = match level {
        LogLevel::Off => None,
        level => {
            let opened = OpenOptions::new().create(true).append(true).open(path);
            let file = opened.map_err(|error| FileError::io(path, "open the log", error))?;
            Some((file, level))
        }
    };
    change(|sinks| sinks.file = file);
    Ok(())
}

/// Sends log records up to `level` to `sink`. Each owner has one sink, so the next call replaces it. `None` or the
/// `OFF` level removes it. `owner` is an ID that the binding chooses.
pub fn log_to_logger(owner: u64, sink: Option<LogSink>, level: &str) -> Result<(), ArgumentError> {
    let level = level.parse()?;
    change(|sinks| {
        sinks.loggers.retain(|(other, ..)| *other != owner);
        if let Some(sink) = sink.filter(|_| level > LogLevel::Off) {
            sinks.loggers.push((owner, sink, level));
        }
    });
    Ok(())
}

fn sinks() -> MutexGuard<'static, Option<Sinks>> {
    SINKS.lock().unwrap_or_else(PoisonError::into_inner)
}

fn change(change: impl FnOnce(&mut Sinks)) {
    let highest = {
        let mut guard = sinks();
        let sinks = guard.get_or_insert_default();
        change(sinks);
        let highest = sinks.highest();
        HIGHEST.store(highest as u8, Ordering::Relaxed);
        contract_definition::plugins::set_log_level(highest.max(LogLevel::Warn).name());
        highest
    };
    if highest > LogLevel::Off {
        // If the application has set its own subscriber, that subscriber receives the records instead.
        SET.call_once(|| drop(tracing::subscriber::set_global_default(Distributor(None))));
    }
    tracing::callsite::rebuild_interest_cache();
}

impl Sinks {
    fn highest(&self) -> LogLevel {
        let loggers = self.loggers.iter().map(|(.., level)| *level);
        let file = self.file.iter().map(|(_, level)| *level);
        loggers.chain(file).fold(self.stderr, LogLevel::max)
    }

    /// Writes a record to all destinations whose levels include it. Returns false if a logger was removed.
    fn write(&mut self, record: &LogRecord) -> bool {
        let line = || format!("{:5} {}: {}\n", record.level.name(), record.target, record.message);
        // Each line is written with one call, so that lines of several threads and processes do not mix. Errors are
        // ignored.
        if record.level <= self.stderr {
            let _ = std::io::stderr().write_all(line().as_bytes());
        }
        if let Some((file, _)) = self.file.as_mut().filter(|(_, level)| record.level <= *level) {
            let _ = file.write_all(format!("{} {}", timestamp(record.at), line()).as_bytes());
        }
        let before = self.loggers.len();
        self.loggers
            .retain(|(_, sink, level)| record.level > *level || sink(record));
        self.loggers.len() == before
    }
}

/// Formats a time, for example as `2026-07-01T12:00:00.250Z`.
fn timestamp(at: u64) -> String {
    let (seconds, milliseconds) = (at / 1000, at % 1000);
    let date = i64::try_from(seconds)
        .ok()
        .and_then(|seconds| contract_datetime::DateTime::from_unix(seconds, 0, 0).ok());
    let (hours, minutes) = (seconds / 3600 % 24, seconds / 60 % 60);
    let day = date.map_or_else(String::new, |date| {
        format!("{:04}-{:02}-{:02}T", date.year(), date.month(), date.day())
    });
    format!("{day}{hours:02}:{minutes:02}:{:02}.{milliseconds:03}Z", seconds % 60)
}

/// Maximum number of log lines that are kept per verification. When it is reached, the oldest line is removed.
const MAX_LINES: usize = 500;

/// The last lines that were logged while a future ran with [`LogBuffer::dispatch`]. Reports of errors contain them.
#[derive(Clone)]
pub(crate) struct LogBuffer(Arc<Kept>);

struct Kept {
    started: Instant,
    /// Secrets to redact in the lines, because text from contracts may contain them.
    secrets: Secrets,
    lines: Mutex<VecDeque<String>>,
}

impl LogBuffer {
    pub(crate) fn new(secrets: Secrets) -> Self {
        Self(Arc::new(Kept {
            started: Instant::now(),
            secrets,
            lines: Mutex::default(),
        }))
    }

    pub(crate) fn secrets(&self) -> &Secrets {
        &self.0.secrets
    }

    /// Returns a dispatcher for a future. It stores the future's log lines in this buffer.
    pub(crate) fn dispatch(&self) -> Dispatch {
        Dispatch::new(Distributor(Some(self.clone())))
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        let lines = self.0.lines.lock().unwrap_or_else(PoisonError::into_inner);
        lines.iter().cloned().collect()
    }

    fn keep(&self, level: Level, text: &str) {
        let at = self.0.started.elapsed().as_secs_f64() * 1000.0;
        let line = format!("{at:9.1} ms {:5} {text}", level.as_str());
        let mut lines = self.0.lines.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.len() == MAX_LINES {
            lines.pop_front();
        }
        lines.push_back(line);
    }
}

/// Sends records to all destinations and, if there is one, to the log buffer of a verification.
struct Distributor(Option<LogBuffer>);

thread_local! {
    /// True while this thread writes a record, so that records that a destination logs itself are ignored.
    static BUSY: AtomicBool = const { AtomicBool::new(false) };
}

impl Subscriber for Distributor {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        shows(metadata) || (self.0.is_some() && is_own(metadata) && *metadata.level() <= Level::DEBUG)
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        let kept = self.0.as_ref().map_or(LevelFilter::OFF, |_| LevelFilter::DEBUG);
        Some(highest().max(kept))
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let (metadata, mut text) = (event.metadata(), line(event));
        if let Some(buffer) = &self.0 {
            text = buffer.0.secrets.redact(&text).into_owned();
            buffer.keep(*metadata.level(), &text);
        }
        if shows(metadata) {
            write_record(metadata, text);
        }
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

fn highest() -> LevelFilter {
    let highest = HIGHEST.load(Ordering::Relaxed);
    LEVELS
        .get(usize::from(highest))
        .map_or(LevelFilter::OFF, |(.., filter)| *filter)
}

/// Returns true for this library's records. Records of other libraries are ignored.
fn is_own(metadata: &Metadata<'_>) -> bool {
    metadata.target().starts_with("contract")
}

fn shows(metadata: &Metadata<'_>) -> bool {
    is_own(metadata) && *metadata.level() <= highest()
}

/// Returns the message and fields as one escaped line. Secrets are redacted, because the line may contain text from
/// contracts and providers.
fn line(event: &Event<'_>) -> String {
    let mut text = Line(String::new());
    event.record(&mut text);
    let text = contract_report::redact::text(text.0.trim_start());
    contract_report::escape_line(&text)
}

fn write_record(metadata: &Metadata<'static>, message: String) {
    if BUSY.with(|busy| busy.swap(true, Ordering::Relaxed)) {
        return;
    }
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let record = LogRecord {
        level: LogLevel::from_level(*metadata.level()),
        at: u64::try_from(since.as_millis()).unwrap_or(u64::MAX),
        target: metadata.target(),
        message,
    };
    let all_accepted = sinks().as_mut().is_none_or(|sinks| sinks.write(&record));
    if !all_accepted {
        change(|_| {});
    }
    BUSY.with(|busy| busy.store(false, Ordering::Relaxed));
}

struct Line(String);

impl Visit for Line {
    fn record_str(&mut self, field: &Field, value: &str) {
        match field.name() {
            "message" => self.record_debug(field, &format_args!("{value}")),
            _ => self.record_debug(field, &value),
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        use std::fmt::Write;
        // Writing to a string cannot fail.
        let _ = match field.name() {
            // The message comes first, regardless of the order of the fields.
            "message" => {
                self.0.insert_str(0, &format!(" {value:?}"));
                Ok(())
            }
            name => write!(self.0, " {name}={value:?}"),
        };
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::{
        LogBuffer, LogLevel, MAX_LINES, Secrets, log_by_default, log_to_file, log_to_logger, log_to_stderr, timestamp,
    };

    #[test]
    fn parses_log_levels() {
        for level in ["info", "TRACE", "off"] {
            log_to_stderr(level).unwrap();
        }
        log_by_default("trace").unwrap();
        assert_eq!(super::sinks().as_ref().unwrap().stderr, LogLevel::Off);
        assert_eq!(
            log_to_stderr("LOUD").unwrap_err().message,
            "\"LOUD\" is not a log level; use one of OFF, ERROR, WARN, INFO, DEBUG, TRACE"
        );
    }

    #[test]
    fn removes_sinks_that_return_false() {
        let calls = Arc::new(AtomicUsize::new(0));
        let seen = Arc::clone(&calls);
        let sink = move |record: &super::LogRecord| {
            if record.target != "contract::test" {
                return true;
            }
            assert_eq!(record.message, "a message of this test number=1");
            seen.fetch_add(1, Ordering::Relaxed) == 0
        };
        log_to_logger(7, Some(Box::new(sink)), "INFO").unwrap();
        for _ in 0..3 {
            tracing::info!(target: "contract::test", number = 1, "a message of this test");
            tracing::debug!(target: "contract::test", number = 1, "above the level");
            tracing::error!(target: "another", "of another library");
        }
        assert_eq!(calls.load(Ordering::Relaxed), 2);
    }

    #[test]
    fn appends_to_files() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("log");
        log_to_file(&path, "warn").unwrap();
        tracing::warn!(target: "contract::file_test", "one line\n::error::of {}", "another\u{202e}\u{1b}[2J ##[error]");
        tracing::warn!(target: "contract::file_test", "http:///me:hush@h/;token=hush?a=1;token=hush#access_token=hush");
        tracing::info!(target: "contract::file_test", "above the level");
        log_to_file(&path, "off").unwrap();
        tracing::warn!(target: "contract::file_test", "after the log was closed");
        let text = std::fs::read_to_string(&path).unwrap();
        // Other tests in this process may log at the same time.
        let own: Vec<&str> = text.lines().filter(|line| line.contains("file_test")).collect();
        assert!(own.len() == 2 && !text.contains("hush"), "{text}");
        let want = "Z WARN  contract::file_test: one line␊::error::of another\\u{202e}␛[2J #\\#[error]";
        assert!(own[0].ends_with(want), "{text}");
        let missing = directory.path().join("none").join("log");
        let error = log_to_file(&missing, "warn").unwrap_err().to_string();
        assert!(error.starts_with("could not open the log "), "{error}");
    }

    #[test]
    fn formats_timestamps() {
        assert_eq!(timestamp(1_782_907_200_250), "2026-07-01T12:00:00.250Z");
    }

    #[test]
    fn keeps_the_last_lines() {
        let buffer = LogBuffer::new(Secrets::default());
        tracing::info!("before");
        tracing::dispatcher::with_default(&buffer.dispatch(), || {
            for i in 0..MAX_LINES + 7 {
                tracing::debug!(i, "line");
            }
            tracing::trace!("too fine");
        });
        let lines = buffer.lines();
        assert_eq!(lines.len(), MAX_LINES);
        assert!(lines[0].ends_with("DEBUG line i=7"), "{}", lines[0]);
    }
}
