use std::sync::Arc;

use contract::{LogRecord, LogSink};
use napi::bindgen_prelude::Function;
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};
use napi::{Env, Result, Status};
use napi_derive::napi;

use crate::convert::done;
use crate::failure::Failure;

/// Maximum number of records that are queued while the event loop is busy. Further records are dropped to limit memory
/// usage.
const MAX_QUEUED: usize = 10_000;

/// A log record.
#[napi(object)]
pub struct NativeLogRecord {
    /// `ERROR`, `WARN`, `INFO`, `DEBUG`, or `TRACE`.
    pub level: String,
    /// Time in milliseconds since 1970-01-01 UTC.
    pub time: f64,
    /// The component that logged the record, such as `contract::mock_server`.
    pub target: String,
    pub message: String,
}

/// A weak reference to a logger function, so that it does not keep the process alive.
type Logger = ThreadsafeFunction<NativeLogRecord, (), NativeLogRecord, Status, false, true, MAX_QUEUED>;

/// Sets the log level for standard error. `level` is a JSON string.
#[napi(catch_unwind)]
pub fn log_to_stderr(level: String) -> Option<Failure> {
    let level = contract::log_level("contract_ffi.log_to_stderr", &level);
    done(level.and_then(|level| contract::log_to_stderr(&level)))
}

/// Sets the log level for standard error unless it is already set. `level` is plain text, such as `INFO`.
#[napi(catch_unwind)]
pub fn log_by_default(level: String) -> Option<Failure> {
    done(contract::log_by_default(&level))
}

/// Appends log records to a file. `path` and `level` are JSON text.
#[napi(catch_unwind)]
pub fn log_to_file(path: String, level: String) -> Option<Failure> {
    let logged = || {
        let path = contract::log_path("contract_ffi.log_to_file", &path)?;
        contract::log_to_file(&path, &contract::log_level("contract_ffi.log_to_file", &level)?)
    };
    done(logged())
}

/// Passes records of the given level and all more severe levels to this environment's logger, which runs on its event
/// loop. `level` is a JSON string. The logger is removed when the environment ends.
#[napi(catch_unwind)]
pub fn set_logger(
    env: &Env,
    logger: Option<Function<'_, NativeLogRecord, ()>>,
    level: String,
) -> Result<Option<Failure>> {
    let level = match contract::log_level("contract_ffi.set_logger", &level) {
        Ok(level) => level,
        Err(error) => return Ok(Some(error.into())),
    };
    let sink = logger.map(sink).transpose()?;
    // Environments that exist at the same time have different addresses.
    let owner = env.raw() as usize as u64;
    Ok(done(contract::log_to_logger(owner, sink, &level)))
}

fn sink(logger: Function<'_, NativeLogRecord, ()>) -> Result<LogSink> {
    let builder = logger.build_threadsafe_function().weak::<true>();
    let logger: Arc<Logger> = Arc::new(builder.max_queue_size::<MAX_QUEUED>().build()?);
    Ok(Box::new(move |record: &LogRecord| {
        let record = NativeLogRecord {
            level: record.level.name().to_owned(),
            #[expect(clippy::cast_precision_loss, reason = "exact for the next 280,000 years")]
            time: record.at as f64,
            target: record.target.to_owned(),
            message: record.message.clone(),
        };
        let status = logger.call(record, ThreadsafeFunctionCallMode::NonBlocking);
        matches!(status, Status::Ok | Status::QueueFull)
    }))
}
