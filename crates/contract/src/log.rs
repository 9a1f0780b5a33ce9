//! The core's log: silent until somebody asks.
//!
//! A subscriber of tracing can be set once per process, but where its records go can change at any time; so one subscriber
//! is set at first use, and asks for the levels of the moment. That works under module reloading, worker threads and
//! several copies.

use std::collections::VecDeque;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record};
use tracing::{Dispatch, Event, Level, Metadata, Subscriber};

use crate::failure::Failure;
use contract_call::error::ArgumentError;
use contract_call::files::FileError;

/// How much is told: nothing, or records up to this level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum LogLevel {
    /// Nothing.
    #[default]
    Off,
    /// What failed.
    Error,
    /// What is wrong or odd, such as a request that did not match.
    Warn,
    /// Servers that start and stop, files that are written, interactions that were verified.
    Info,
    /// Each request.
    Debug,
    /// Everything.
    Trace,
}

/// One thing that the core has to tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogRecord {
    /// Never off.
    pub level: LogLevel,
    /// Milliseconds since 1970.
    pub at: u64,
    /// The part of the core, such as `contract::mock_server`.
    pub target: &'static str,
    /// The text, with what belongs to it as `name=value`.
    pub message: String,
}

/// Takes records; gives false when it takes no more, and is forgotten then. It is called on any thread, must be quick and
/// may not log.
pub type LogSink = Box<dyn Fn(&LogRecord) -> bool + Send + Sync>;

/// Where records go.
#[derive(Default)]
struct Sinks {
    stderr: LogLevel,
    /// Whether somebody has said what goes to standard error.
    is_stderr_said: bool,
    file: Option<(File, LogLevel)>,
    /// By owner.
    loggers: Vec<(u64, LogSink, LogLevel)>,
}

/// The highest level of all sinks: what is above it is not even looked at.
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
    /// Its name in capitals.
    pub fn name(self) -> &'static str {
        LEVELS[self as usize].0
    }

    fn of(level: Level) -> Self {
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
                format!("{text:?} is no log level; levels are {names}"),
            )
        })
    }
}

/// Turns the log on standard error on, off or to another level: `OFF`, `ERROR`, `WARN`, `INFO`, `DEBUG` or `TRACE`.
pub fn log_to_stderr(level: &str) -> Result<(), ArgumentError> {
    let level = level.parse()?;
    change(|sinks| {
        sinks.stderr = level;
        sinks.is_stderr_said = true;
    });
    Ok(())
}

/// The level on standard error while nobody has said otherwise, as from the environment.
pub fn log_by_default(level: &str) -> Result<(), ArgumentError> {
    let level = level.parse()?;
    change(|sinks| {
        if !sinks.is_stderr_said {
            sinks.stderr = level;
        }
    });
    Ok(())
}

/// Adds the log to a file, which is made if there is none. A second call changes file and level; `OFF` closes the file.
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

/// Gives the log to `sink`, in place of the one that this owner had before; none, or `OFF`, takes it away.
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
        // An application that links this core may have a subscriber of its own: then the log goes there.
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

    /// Whether all of them take more.
    fn take(&mut self, record: &LogRecord) -> bool {
        let line = || format!("{:5} {}: {}\n", record.level.name(), record.target, record.message);
        // One call for a line, so that lines of several threads and processes do not mix. A closed or full place for the
        // log is no reason to fail anything else.
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

/// `2026-07-01T12:00:00.250Z`.
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

/// Lines of one verification that are kept; older ones make room.
const LINES: usize = 500;

/// The last lines that the core logged while a future ran under [`LogBuffer::dispatch`], for the case that it fails.
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
        Dispatch::new(Distributor(Some(self.clone())))
    }

    /// The lines so far.
    pub(crate) fn lines(&self) -> Vec<String> {
        let lines = self.0.lines.lock().unwrap_or_else(PoisonError::into_inner);
        lines.iter().cloned().collect()
    }

    fn keep(&self, level: Level, text: &str) {
        let at = self.0.started.elapsed().as_secs_f64() * 1000.0;
        let line = format!("{at:9.1} ms {:5} {text}", level.as_str());
        let mut lines = self.0.lines.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.len() == LINES {
            lines.pop_front();
        }
        lines.push_back(line);
    }
}

/// Hands each record to all sinks, and to the log of one verification beside them.
struct Distributor(Option<LogBuffer>);

thread_local! {
    /// Set while this thread hands a record out: what that itself would log is left unsaid.
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
        let (metadata, text) = (event.metadata(), line(event));
        if let Some(buffer) = &self.0 {
            buffer.keep(*metadata.level(), &text);
        }
        if shows(metadata) {
            tell(metadata, text);
        }
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// The highest level that any sink takes.
fn highest() -> LevelFilter {
    let highest = HIGHEST.load(Ordering::Relaxed);
    LEVELS
        .get(usize::from(highest))
        .map_or(LevelFilter::OFF, |(.., filter)| *filter)
}

/// Only this core speaks; what its HTTP libraries trace is of no use to a test.
fn is_own(metadata: &Metadata<'_>) -> bool {
    metadata.target().starts_with("contract")
}

/// Whether any sink takes it.
fn shows(metadata: &Metadata<'_>) -> bool {
    is_own(metadata) && *metadata.level() <= highest()
}

/// The event's message and fields, as one line: texts of contracts and of providers stand in it.
fn line(event: &Event<'_>) -> String {
    let mut text = Line(String::new());
    event.record(&mut text);
    contract_report::harmless_line(text.0.trim_start())
}

/// Hands a record to all sinks.
fn tell(metadata: &Metadata<'static>, message: String) {
    if BUSY.with(|busy| busy.swap(true, Ordering::Relaxed)) {
        return;
    }
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let record = LogRecord {
        level: LogLevel::of(*metadata.level()),
        at: u64::try_from(since.as_millis()).unwrap_or(u64::MAX),
        target: metadata.target(),
        message,
    };
    let took_all = sinks().as_mut().is_none_or(|sinks| sinks.take(&record));
    if !took_all {
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
        // Writing to a text cannot fail.
        let _ = match field.name() {
            // Before the fields, whatever the order in which they come.
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

    use super::{LINES, LogBuffer, LogLevel, log_by_default, log_to_file, log_to_logger, log_to_stderr, timestamp};

    #[test]
    fn levels() {
        for level in ["info", "TRACE", "off"] {
            log_to_stderr(level).unwrap();
        }
        log_by_default("trace").unwrap();
        assert_eq!(super::sinks().as_ref().unwrap().stderr, LogLevel::Off);
        assert_eq!(
            log_to_stderr("LOUD").unwrap_err().message,
            "\"LOUD\" is no log level; levels are OFF, ERROR, WARN, INFO, DEBUG, TRACE"
        );
    }

    #[test]
    fn a_sink_that_takes_no_more_is_forgotten() {
        let calls = Arc::new(AtomicUsize::new(0));
        let seen = Arc::clone(&calls);
        let sink = move |record: &super::LogRecord| {
            if record.target != "contract::test" {
                return true;
            }
            assert_eq!(record.message, "about this test number=1");
            seen.fetch_add(1, Ordering::Relaxed) == 0
        };
        log_to_logger(7, Some(Box::new(sink)), "INFO").unwrap();
        for _ in 0..3 {
            tracing::info!(target: "contract::test", number = 1, "about this test");
            tracing::debug!(target: "contract::test", number = 1, "more than asked for");
            tracing::error!(target: "another", "of another library");
        }
        assert_eq!(calls.load(Ordering::Relaxed), 2);
    }

    #[test]
    fn files() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("log");
        log_to_file(&path, "warn").unwrap();
        tracing::warn!(target: "contract::file_test", "one line\n::error::of {}", "another\u{202e}\u{1b}[2J ##[error]");
        tracing::info!(target: "contract::file_test", "more than asked for");
        log_to_file(&path, "off").unwrap();
        tracing::warn!(target: "contract::file_test", "after the end");
        let text = std::fs::read_to_string(&path).unwrap();
        // Other tests of this process may log meanwhile.
        let own: Vec<&str> = text.lines().filter(|line| line.contains("file_test")).collect();
        assert_eq!(own.len(), 1, "{text}");
        let want = "Z WARN  contract::file_test: one line␊::error::of another\\u{202e}␛[2J #\\#[error]";
        assert!(own[0].ends_with(want), "{text}");
        let missing = directory.path().join("none").join("log");
        let error = log_to_file(&missing, "warn").unwrap_err().to_string();
        assert!(error.starts_with("could not open the log "), "{error}");
    }

    #[test]
    fn times() {
        assert_eq!(timestamp(1_782_907_200_250), "2026-07-01T12:00:00.250Z");
    }

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
