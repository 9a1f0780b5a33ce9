use std::sync::Arc;

use contract::{Ending, MockSession, VariantEnd, WriteMode};
use pyo3::prelude::*;

use crate::failure::{OrRaise, SPELLING};
use crate::process;

/// A running mock server. It stops when it is garbage-collected.
#[pyclass(frozen, module = "contract._native")]
pub struct NativeServer(Arc<MockSession>);

impl NativeServer {
    pub(crate) fn new(session: MockSession) -> Self {
        Self(Arc::new(session))
    }
}

#[pymethods]
impl NativeServer {
    #[getter]
    fn url(&self) -> String {
        self.0.url()
    }

    #[getter]
    fn host(&self) -> String {
        self.0.host()
    }

    #[getter]
    fn port(&self) -> u16 {
        self.0.port()
    }

    #[getter]
    fn transport(&self) -> &str {
        self.0.transport()
    }

    /// Returns the CA certificate that clients must trust, in PEM format. Returns `None` for plain HTTP and if the user
    /// passed a certificate.
    #[getter]
    fn ca_certificate(&self) -> Option<String> {
        self.0.ca_certificate()
    }

    /// Returns the timeout of the test in milliseconds. 0 means that there is no timeout.
    #[getter]
    fn timeout(&self) -> u64 {
        u64::try_from(self.0.timeout().as_millis()).unwrap_or(u64::MAX)
    }

    /// Returns the log of the server so far, with one line per event.
    fn log(&self) -> String {
        self.0.log()
    }

    /// Returns the outcome so far as JSON text: `{ matched, mismatches }`.
    fn outcome(&self, py: Python<'_>) -> String {
        py.detach(|| self.0.outcome_text())
    }

    /// Returns the error to raise for the mismatches so far as JSON text: an object with the text, the text with
    /// colors, `mismatches`, and `logs`, or null if there are none.
    fn mismatched(&self, py: Python<'_>) -> String {
        py.detach(|| contract::to_text(&contract::mismatched_so_far(&self.0, &SPELLING)))
    }

    /// Returns the received requests as a JSON array.
    fn received(&self, py: Python<'_>) -> String {
        py.detach(|| self.0.received_text())
    }

    /// Returns whether the test also runs against variants.
    #[getter]
    fn has_variants(&self) -> bool {
        self.0.has_variants()
    }

    /// Returns whether the run also searches for fields of responses that the test does not read.
    #[getter]
    fn searches_unread(&self) -> bool {
        self.0.searches_unread()
    }

    /// Returns the responses of the interactions that can vary, with their example values, as a JSON array.
    fn example_answers(&self, py: Python<'_>) -> String {
        py.detach(|| contract::to_text(&self.0.example_answers()))
    }

    /// Records how the run with the previous variant ended, and serves the next variant. `ended` is JSON text (`{ end,
    /// error, same }`), or `None` before the first variant. Returns `{ next, report, print }` as JSON text. `next` is
    /// null if there are no more variants.
    fn next_variant(&self, py: Python<'_>, ended: Option<&str>) -> PyResult<String> {
        let ended = ended.map(VariantEnd::from_text).transpose().or_raise(py)?;
        let step = py.detach(|| self.0.next_variant(ended));
        step.map(|step| contract::to_text(&step)).or_raise(py)
    }

    /// Returns the report of a failed test that received one variant, as JSON text, or `null` as JSON text for any
    /// other test. `ended` is JSON text (`{ end, error }`).
    fn variant_report(&self, py: Python<'_>, ended: &str) -> PyResult<String> {
        let ended = VariantEnd::from_text(ended).or_raise(py)?;
        Ok(py.detach(|| contract::to_text(&self.0.variant_report(ended))))
    }

    /// Writes the interactions that have passed so far. Returns the path of the file.
    fn write_file(&self, py: Python<'_>, directory: String, overwrite: bool) -> PyResult<String> {
        process::check(py)?;
        let written = py.detach(|| {
            let session = Arc::clone(&self.0);
            contract::runtime::run_here(async move { session.write_file(directory.into(), mode(overwrite)).await })?
        });
        written.map(|path| path.display().to_string()).or_raise(py)
    }
}

/// Stops the servers of a test. `ending` is `{ end, name }` as JSON text. Returns `{ mismatched, late, print }` as JSON
/// text: the errors to raise, each null if it did not occur, and the lines to print.
#[pyfunction]
pub fn end_test(py: Python<'_>, servers: Vec<Py<NativeServer>>, ending: &str) -> PyResult<String> {
    process::check(py)?;
    let ending = Ending::from_text(ending).or_raise(py)?;
    let sessions: Vec<_> = servers.iter().map(|server| Arc::clone(&server.get().0)).collect();
    let ended = py.detach(|| {
        contract::runtime::run_here(contract::end_test(&sessions, ending, &SPELLING))
            .unwrap_or_else(|error| Err(error.into()))
    });
    ended.map(|verdict| contract::to_text(&verdict)).or_raise(py)
}

pub(crate) fn mode(overwrite: bool) -> WriteMode {
    if overwrite {
        WriteMode::Overwrite
    } else {
        WriteMode::Merge
    }
}
