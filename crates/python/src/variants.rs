use std::sync::Arc;

use contract::{CallSite, VariantSuite};
use pyo3::prelude::*;

use crate::failure::OrRaise;
use crate::process;
use crate::server::NativeServer;

/// The variants of a contract, for tests that receive one variant each.
#[pyclass(frozen, module = "contract._native")]
pub struct NativeVariants(pub(crate) Arc<VariantSuite>);

#[pymethods]
impl NativeVariants {
    /// Returns the example and the variants as a JSON array, with one object per test.
    fn list(&self) -> String {
        contract::to_text(&self.0.list())
    }

    /// Returns, as a JSON array, the responses that the test with this index in `list` can receive.
    fn answers(&self, number: usize) -> String {
        contract::to_text(&self.0.answers(number))
    }

    /// Starts the mock server for the test with this index in `list`.
    fn serve(&self, py: Python<'_>, number: usize, call_site: &str) -> PyResult<NativeServer> {
        process::check(py)?;
        let call_site = CallSite::from_text(call_site).or_raise(py)?;
        let suite = Arc::clone(&self.0);
        let started = py.detach(|| contract::runtime::run_here(async move { suite.serve(number, &call_site).await })?);
        started.map(NativeServer::new).or_raise(py)
    }
}
