//! The log of the core. Records for Python are queued, and a Python thread reads the queue. Threads of the core
//! therefore never wait for the GIL when they log.

use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Mutex, PoisonError};

use contract::{LogRecord, LogSink};
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::failure::OrRaise;
use crate::writer;

/// Maximum number of queued records. Further records are dropped to limit memory usage.
const MAX_QUEUED: usize = 10_000;

/// The owner ID of this binding. It distinguishes the loggers of several bindings in the process.
const OWNER: u64 = 0x5079_7468_6f6e;

/// Level, time in milliseconds since 1970-01-01 UTC, component, and message.
type Record = (&'static str, u64, &'static str, String);

/// The queue of log records. A Python thread reads them and passes them to the user's logger.
#[pyclass(frozen, module = "contract._native")]
pub struct NativeRecords(Mutex<Receiver<Record>>);

#[pymethods]
impl NativeRecords {
    /// Waits until there are records, and returns all queued records. Returns `None` if the logger was removed.
    fn next(&self, py: Python<'_>) -> Option<Vec<Record>> {
        py.detach(|| {
            let records = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let first = records.recv().ok()?;
            Some(std::iter::once(first).chain(records.try_iter()).collect())
        })
    }
}

fn argument_json(name: &str, value: &Bound<'_, PyAny>) -> PyResult<String> {
    writer::value_with_functions(name, value, &PyList::empty(value.py()))
}

/// Sets the log level for standard error, for the whole process.
#[pyfunction]
pub fn log_to_stderr(py: Python<'_>, level: &Bound<'_, PyAny>) -> PyResult<()> {
    const NAME: &str = "contract_ffi.log_to_stderr";
    let level = contract::log_level(NAME, &argument_json(NAME, level)?).or_raise(py)?;
    contract::log_to_stderr(&level).or_raise(py)
}

/// Sets the log level for standard error unless it is already set.
#[pyfunction]
pub fn log_by_default(py: Python<'_>, level: &str) -> PyResult<()> {
    contract::log_by_default(level).or_raise(py)
}

/// Appends the log of the whole process to a file.
#[pyfunction]
pub fn log_to_file(py: Python<'_>, path: &Bound<'_, PyAny>, level: &Bound<'_, PyAny>) -> PyResult<()> {
    const NAME: &str = "contract_ffi.log_to_file";
    let path = contract::log_path(NAME, &argument_json(NAME, path)?).or_raise(py)?;
    let level = contract::log_level(NAME, &argument_json(NAME, level)?).or_raise(py)?;
    contract::log_to_file(&path, &level).or_raise(py)
}

/// Starts to queue records of the given level and all more severe levels. Queues that earlier calls created receive no
/// more records.
#[pyfunction]
pub fn take_records(py: Python<'_>, level: &Bound<'_, PyAny>) -> PyResult<NativeRecords> {
    const NAME: &str = "contract_ffi.set_logger";
    let level = contract::log_level(NAME, &argument_json(NAME, level)?).or_raise(py)?;
    let (sender, receiver) = sync_channel(MAX_QUEUED);
    contract::log_to_logger(OWNER, Some(sink(sender)), &level).or_raise(py)?;
    Ok(NativeRecords(Mutex::new(receiver)))
}

/// Stops collecting records.
#[pyfunction]
pub fn stop_records(py: Python<'_>) -> PyResult<()> {
    contract::log_to_logger(OWNER, None, "OFF").or_raise(py)
}

fn sink(sender: SyncSender<Record>) -> LogSink {
    Box::new(move |record: &LogRecord| {
        let record = (record.level.name(), record.at, record.target, record.message.clone());
        !matches!(sender.try_send(record), Err(TrySendError::Disconnected(_)))
    })
}
