use std::ffi::{c_char, c_void};
use std::path::Path;
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};

use contract::{LogRecord, LogSink};

use crate::edge::{Failure, guarded, text};
use crate::{contract_status, contract_text};

/// Called with each thing that the core has to tell: its level (`ERROR`, `WARN`, `INFO`, `DEBUG`, `TRACE`), milliseconds since 1970,
/// the part of the core, and the text; texts are borrowed for the call. It is called on one thread of the library's, one call after
/// another; no lock is held. Of more than ten thousand records that wait, the latest are left out.
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

// SAFETY: the header says that the function is called on a thread of the library's with this pointer.
unsafe impl Send for User {}

/// Records that wait. What comes then is left out: a log may not fill the memory.
const WAITING: usize = 10_000;

/// Loggers of this binding are one owner's, among those of other bindings in the process.
const OWNER: u64 = 0x0043;

/// Turns the core's log on standard error on, off or to another level, for the whole process: `OFF`, `ERROR`, `WARN`, `INFO`, `DEBUG`
/// or `TRACE`. It is off until then.
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

/// Appends the core's log to a file, for the whole process; the level `OFF` closes it.
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

/// Gives the core's log, up to a level, to a function, with a pointer that is handed on as it is; a null function takes it away.
/// Records that wait may still come for a while.
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
            let (sender, records) = sync_channel::<LogRecord>(WAITING);
            contract::log_to_logger(OWNER, Some(sink(sender)), level)?;
            let user = User { logger, pointer: user };
            let tell = move || {
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
            let started = std::thread::Builder::new().name("contract-log".into()).spawn(tell);
            started.map(drop).map_err(|_| Failure::internal())
        })
    }
}

fn sink(sender: SyncSender<LogRecord>) -> LogSink {
    Box::new(move |record: &LogRecord| !matches!(sender.try_send(record.clone()), Err(TrySendError::Disconnected(_))))
}
