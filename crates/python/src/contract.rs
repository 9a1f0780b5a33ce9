use std::sync::Arc;

use contract::{CallSite, ContractBuilder, InteractionBuilder, Kind, ServeContract as _, VariantSuite};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::failure::OrRaise;
use crate::server::{NativeServer, mode};
use crate::variants::NativeVariants;
use crate::{process, writer};

/// A contract whose interactions are being defined.
#[pyclass(frozen, module = "contract._native")]
pub struct NativeContract(pub(crate) ContractBuilder);

/// An interaction that is being defined.
#[pyclass(frozen, module = "contract._native")]
pub struct NativeInteraction(InteractionBuilder);

#[pymethods]
impl NativeContract {
    /// Creates a contract from `{ consumer, provider, options }`.
    #[new]
    fn new(py: Python<'_>, arguments: &Bound<'_, PyDict>) -> PyResult<Self> {
        let text = writer::arguments("Contract", arguments)?;
        ContractBuilder::from_text(&text).map(Self).or_raise(py)
    }

    #[getter]
    fn specification(&self) -> &'static str {
        self.0.specification().name()
    }

    /// Performs an operation that does not define an interaction.
    fn apply(&self, py: Python<'_>, name: &str, arguments: &Bound<'_, PyDict>) -> PyResult<()> {
        let text = writer::operation(name, arguments)?;
        py.detach(|| self.0.apply_text(&text, "")).map(drop).or_raise(py)
    }

    /// Performs an operation that defines an interaction, and returns the interaction. `origin` is the location of the
    /// user's call: `file:line`.
    fn begin(
        &self,
        py: Python<'_>,
        name: &str,
        arguments: &Bound<'_, PyDict>,
        origin: &str,
    ) -> PyResult<Option<NativeInteraction>> {
        let text = writer::operation(name, arguments)?;
        let interaction = self.0.apply_text(&text, origin).or_raise(py)?;
        Ok(interaction.map(NativeInteraction))
    }

    /// Returns the interactions of a kind as a JSON array, or all interactions if `kind` is `None`.
    fn interactions(&self, py: Python<'_>, kind: Option<&str>) -> PyResult<String> {
        self.0.interactions_text(kind).or_raise(py)
    }

    /// Starts a mock server. If `only` is not `None`, the server serves only these interactions.
    fn serve(
        &self,
        py: Python<'_>,
        options: &Bound<'_, PyDict>,
        only: Option<Vec<Py<NativeInteraction>>>,
        call_site: &str,
    ) -> PyResult<NativeServer> {
        process::check(py)?;
        let options = writer::arguments("serve", options).inspect_err(|_| self.0.retire(Kind::Http))?;
        let only = only.map(|only| only.iter().map(|interaction| interaction.get().0.clone()).collect());
        let call_site = CallSite::from_text(call_site).or_raise(py)?;
        let started = py.detach(|| {
            let serving = self.0.claim_for_server_text(&options, only, call_site)?;
            contract::runtime::run_here(serving.start())?
        });
        started.map(NativeServer::new).or_raise(py)
    }

    /// Returns the variants of the interactions that were defined since the last call, for tests that receive one
    /// variant each. If `only` is not `None`, uses only these interactions.
    fn variants(
        &self,
        py: Python<'_>,
        options: &Bound<'_, PyDict>,
        only: Option<Vec<Py<NativeInteraction>>>,
        call_site: &str,
    ) -> PyResult<NativeVariants> {
        let options = writer::arguments("variants", options).inspect_err(|_| self.0.retire(Kind::Http))?;
        let only = only.map(|only| only.iter().map(|interaction| interaction.get().0.clone()).collect());
        let call_site = CallSite::from_text(call_site).or_raise(py)?;
        let suite = py.detach(|| VariantSuite::new(&self.0, &options, only, &call_site));
        suite.map(|suite| NativeVariants(Arc::new(suite))).or_raise(py)
    }

    /// Marks the HTTP interactions that were defined since the last call as failed, because a call that should have
    /// served them failed before it reached the core.
    fn retire(&self) {
        self.0.retire(Kind::Http);
    }

    /// Writes the interactions that passed and those that were never served. Returns the path of the file.
    fn write_file(
        &self,
        py: Python<'_>,
        directory: Option<String>,
        overwrite: Option<bool>,
        call_site: &str,
    ) -> PyResult<String> {
        process::check(py)?;
        let call_site = CallSite::from_text(call_site).or_raise(py)?;
        let mode = overwrite.map(mode);
        let written = py.detach(|| self.0.write_file(directory.map(Into::into), mode, &call_site));
        written.map(|path| path.display().to_string()).or_raise(py)
    }
}

#[pymethods]
impl NativeInteraction {
    /// Performs an operation. Returns warnings about parts that other Pact tools interpret differently.
    fn apply(&self, py: Python<'_>, name: &str, arguments: &Bound<'_, PyDict>) -> PyResult<Vec<String>> {
        let text = writer::operation(name, arguments).inspect_err(|error| self.0.abort_call(&error.to_string()))?;
        // Release the GIL, because plugins may take a long time.
        py.detach(|| self.0.apply_text(&text)).or_raise(py)?;
        Ok(self.0.take_warnings())
    }

    /// Marks the interaction as incomplete, because an argument of its next call could not be created. `problem` is the
    /// error message.
    fn abort_call(&self, problem: &str) {
        self.0.abort_call(problem);
    }
}
