use std::ffi::{c_char, c_void};
use std::path::Path;
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};

use contract::{LogRecord, LogSink};

use crate::edge::{guarded, text};
use crate::{contract_status, contract_text};

/// Called with each log record. `level` is `ERROR`, `WARN`, `INFO`, `DEBUG`, or `TRACE`, `time` is in milliseconds
/// since 1970-01-01 UTC, and `target` is the part of the library that wrote the record. The strings are valid only
/// during the call. The library makes one call at a time on a single thread and holds no lock. At most 10,000 records
/// are queued, and further records are dropped.
pub type contract_logger = Option<
    unsafe extern "C" fn(
        user: *mut c_void,
        level: *const c_char,
        level_length: usize,
        milliseconds: u64,
        target: *const c_char,
        target_length: usize,
        message: *const c_char,
        message_length: usize,
    ),
>;

type Function =
    unsafe extern "C" fn(*mut c_void, *const c_char, usize, u64, *const c_char, usize, *const c_char, usize);

struct User {
    logger: Function,
    pointer: *mut c_void,
}

// SAFETY: the header documents that the library calls the function with this pointer on its own thread.
unsafe impl Send for User {}

/// Maximum number of queued records. Further records are dropped to limit memory usage.
const MAX_QUEUED: usize = 10_000;

/// The owner ID of this binding. It distinguishes the loggers of several bindings in the process.
const OWNER: u64 = 0x0043;

/// Sets the level of the log on standard error for the whole process: `OFF` (default), `ERROR`, `WARN`, `INFO`,
/// `DEBUG`, or `TRACE`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn contract_log_to_stderr(
    level: *const c_char,
    level_length: usize,
    error: *mut contract_text,
) -> contract_status {
    unsafe {
        guarded(error, || {
            Ok(contract::log_to_stderr(text(level, level_length, "level")?)?)
        })
    }
}

/// Appends the log of the whole process to a file. The levels are the same as for contract_log_to_stderr. `OFF` closes
/// the file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn contract_log_to_file(
    path: *const c_char,
    path_length: usize,
    level: *const c_char,
    level_length: usize,
    error: *mut contract_text,
) -> contract_status {
    unsafe {
        guarded(error, || {
            let path = Path::new(text(path, path_length, "path")?);
            Ok(contract::log_to_file(path, text(level, level_length, "level")?)?)
        })
    }
}

/// Passes log records of the given level and all more severe levels to a function. The levels are the same as for
/// contract_log_to_stderr. `user` is passed as the function's first argument. A null function removes the logger.
/// Queued records may still be delivered for a short time after the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn contract_set_logger(
    logger: contract_logger,
    user: *mut c_void,
    level: *const c_char,
    level_length: usize,
    error: *mut contract_text,
) -> contract_status {
    unsafe {
        guarded(error, || {
            let Some(logger) = logger else {
                return Ok(contract::log_to_logger(OWNER, None, "OFF")?);
            };
            let level = text(level, level_length, "level")?;
            let (sender, records) = sync_channel::<LogRecord>(MAX_QUEUED);
            contract::log_to_logger(OWNER, Some(sink(sender)), level)?;
            let user = User { logger, pointer: user };
            let deliver = move || {
                let user = user;
                for record in records {
                    let (level, target, message) = (record.level.name(), record.target, record.message.as_str());
                    (user.logger)(
                        user.pointer,
                        level.as_ptr().cast(),
                        level.len(),
                        record.at,
                        target.as_ptr().cast(),
                        target.len(),
                        message.as_ptr().cast(),
                        message.len(),
                    );
                }
            };
            let started = std::thread::Builder::new().name("contract-log".into()).spawn(deliver);
            started.map(drop).map_err(contract::runtime::ResourceError::Threads)?;
            Ok(())
        })
    }
}

fn sink(sender: SyncSender<LogRecord>) -> LogSink {
    Box::new(move |record: &LogRecord| !matches!(sender.try_send(record.clone()), Err(TrySendError::Disconnected(_))))
}
