use std::borrow::Cow;
use std::sync::{Arc, Mutex};

use contract::{Callbacks, Kept, RunContext, RunOptions, Verification, Verified};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::calls::{NativeStop, Passed, User};
use crate::failure::{self, OrRaise};
use crate::{process, writer};

#[pyclass(frozen, module = "contract._native")]
pub struct NativeVerification {
    core: Arc<Verification>,
    /// Passes calls to the thread that verifies a single interaction.
    passed: Arc<Passed>,
    /// Locked while a single interaction is verified.
    single: Mutex<()>,
}

/// The result of a verification.
#[pyclass(frozen, get_all, module = "contract._native")]
pub struct NativeVerified {
    /// The report as JSON text.
    report: String,
    /// The message of the exception, or `None` if nothing failed.
    failures: Option<String>,
    /// Failures caused by user functions: index of the contract, index of the interaction, true for a teardown, and
    /// number of the call.
    causes: Vec<(usize, usize, bool, u64)>,
    /// The complete report, formatted for a terminal.
    text: String,
    /// The last lines of the log.
    log: Vec<String>,
}

impl NativeVerified {
    fn new(verified: &Verified) -> Self {
        let cause = |cause: &contract::Cause| (cause.contract, cause.interaction, cause.teardown, cause.token);
        Self {
            report: verified.report_text(),
            failures: verified.failures.clone(),
            causes: verified.causes.iter().map(cause).collect(),
            text: verified.text.clone(),
            log: verified.log.clone(),
        }
    }
}

/// Reads the context of a verification from JSON text (`{ environment, terminal, apps, command }`).
fn parse_context(py: Python<'_>, context: &str) -> PyResult<RunContext> {
    RunContext::from_text(context).or_raise(py)
}

#[pymethods]
impl NativeVerification {
    /// Creates a verifier for a provider.
    #[new]
    fn new(py: Python<'_>, provider: &Bound<'_, PyAny>) -> PyResult<Self> {
        let provider = writer::value_with_functions("Verifier", provider, &PyList::empty(py))?;
        let core = Verification::from_text(&format!("{{\"provider\":{provider}}}")).or_raise(py)?;
        Ok(Self {
            core: Arc::new(core),
            passed: Arc::default(),
            single: Mutex::new(()),
        })
    }

    /// Performs an operation. Appends the functions in its arguments to `functions`. Returns true if the operation
    /// added an application, which the caller must start before a run.
    fn apply(
        &self,
        py: Python<'_>,
        name: &str,
        arguments: &Bound<'_, PyDict>,
        functions: &Bound<'_, PyList>,
    ) -> PyResult<bool> {
        let text = format!(
            "{{\"{name}\":{}}}",
            writer::value_with_functions(name, arguments.as_any(), functions)?
        );
        self.core
            .apply_text_operation(&text)
            .map(|kept| kept == Kept::App)
            .or_raise(py)
    }

    /// Reads the sources, so that `run`, `interactions`, and `start` do not need to read them.
    fn prepare(
        &self,
        py: Python<'_>,
        context: &str,
        dispatch: &Bound<'_, PyAny>,
        raised: &Bound<'_, PyDict>,
    ) -> PyResult<()> {
        process::check(py)?;
        let (core, context) = (Arc::clone(&self.core), parse_context(py, context)?);
        let user = User { dispatch, raised };
        let prepared = Arc::<Passed>::default().wait(&user, async move { core.prepare(&context).await });
        prepared?.or_raise(py)
    }

    /// Runs the verification. `dispatch` calls user functions, and their exceptions are stored in `raised` under the
    /// number of the call.
    fn run(
        &self,
        py: Python<'_>,
        options: &Bound<'_, PyDict>,
        context: &str,
        dispatch: &Bound<'_, PyAny>,
        raised: &Bound<'_, PyDict>,
        stop: &NativeStop,
    ) -> PyResult<NativeVerified> {
        process::check(py)?;
        let options = writer::arguments("verify", options)?;
        let options = RunOptions::from_text(&options).or_raise(py)?;
        let (core, context) = (Arc::clone(&self.core), parse_context(py, context)?);
        let passed = Arc::<Passed>::default();
        let callbacks: Arc<dyn Callbacks> = Arc::clone(&passed) as _;
        let user = User { dispatch, raised };
        let verified = passed.wait_or_stop(&user, Some(stop), async move {
            core.verify(options, &context, callbacks).await
        });
        verified?.map(|verified| NativeVerified::new(&verified)).or_raise(py)
    }

    /// Returns the interactions to verify as tuples of group number, group title, and test title. Reads the sources,
    /// unless `prepare` has already read them.
    fn interactions(&self, py: Python<'_>, context: &str) -> PyResult<Vec<(usize, String, String)>> {
        process::check(py)?;
        let context = parse_context(py, context)?;
        let listed = py.detach(|| self.core.interactions(&context)).or_raise(py)?;
        Ok(listed
            .into_iter()
            .map(|interaction| (interaction.contract, interaction.group, interaction.title))
            .collect())
    }

    /// Prepares to verify the interactions one at a time with `verify_one`.
    fn start(&self, py: Python<'_>, context: &str) -> PyResult<()> {
        process::check(py)?;
        let context = parse_context(py, context)?;
        let callbacks: Arc<dyn Callbacks> = Arc::clone(&self.passed) as _;
        py.detach(|| self.core.start(&context, &callbacks)).or_raise(py)
    }

    /// Verifies the interaction at `index` in the result of `interactions`. Returns the result of this interaction.
    fn verify_one(
        &self,
        py: Python<'_>,
        index: usize,
        dispatch: &Bound<'_, PyAny>,
        raised: &Bound<'_, PyDict>,
    ) -> PyResult<NativeVerified> {
        process::check(py)?;
        let Ok(_guard) = self.single.try_lock() else {
            let message = "another interaction of this verifier is being verified; verify them one after another, because they share the provider's state";
            let details = [("operation", Some(Cow::from("verify")))];
            return Err(failure::error(
                py,
                "argument",
                "ERR_CONTRACT_OPTIONS",
                message,
                &details,
            ));
        };
        let core = Arc::clone(&self.core);
        let user = User { dispatch, raised };
        let verified = self.passed.wait(
            &user,
            async move { core.verify_one(index, &RunContext::default()).await },
        );
        verified?.map(|verified| NativeVerified::new(&verified)).or_raise(py)
    }

    /// Ends the run that `start` began, and publishes its results if requested. Returns the results of all
    /// interactions, or `None` if no run was started.
    fn finish(
        &self,
        py: Python<'_>,
        context: &str,
        dispatch: &Bound<'_, PyAny>,
        raised: &Bound<'_, PyDict>,
    ) -> PyResult<Option<NativeVerified>> {
        process::check(py)?;
        let (core, context) = (Arc::clone(&self.core), parse_context(py, context)?);
        let user = User { dispatch, raised };
        let finished = Arc::<Passed>::default().wait(&user, async move { core.finish(&context).await });
        Ok(finished?.map(|verified| NativeVerified::new(&verified)))
    }

    /// Returns the result of the last run, or of the interactions verified so far. Returns `None` before the first run.
    fn last(&self, py: Python<'_>) -> Option<NativeVerified> {
        py.detach(|| self.core.last().map(|last| NativeVerified::new(&last)))
    }

    /// Writes the report of the last run to a file.
    fn write_report(&self, py: Python<'_>, format: &Bound<'_, PyAny>, path: &Bound<'_, PyAny>) -> PyResult<()> {
        let to_text = |value| writer::value_with_functions("write_report", value, &PyList::empty(py));
        let (format, path) = (to_text(format)?, to_text(path)?);
        py.detach(|| self.core.write_report(&format, &path)).or_raise(py)
    }

    /// Closes all connections. Ends the run that `start` began, if there is one.
    fn close(&self, py: Python<'_>) {
        py.detach(|| self.core.close());
    }
}
