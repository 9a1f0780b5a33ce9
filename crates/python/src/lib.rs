//! The Python binding. Each function converts its arguments, calls `crates/contract`, and converts the result. The GIL
//! is released while the core works. User functions run on the thread that waits for the core (see [`calls`]), so
//! threads of the core never hold the GIL.

#![expect(clippy::needless_pass_by_value, reason = "Python passes owned values")]

pub mod broker;
pub mod calls;
pub mod contract;
pub mod encoded;
mod failure;
pub mod log;
pub mod matchers;
pub mod messages;
mod process;
pub mod provenance;
pub mod reports;
pub mod server;
pub mod variants;
pub mod verification;
pub mod writer;

use pyo3::prelude::*;

/// The default value of arguments for which `None` is a valid value.
#[pyclass(frozen, module = "contract._native")]
pub struct Unset;

#[pymethods]
impl Unset {
    #[expect(clippy::unused_self, reason = "Python calls it on the object")]
    fn __repr__(&self) -> &'static str {
        "UNSET"
    }

    #[expect(clippy::unused_self, reason = "Python calls it on the object")]
    fn __bool__(&self) -> bool {
        false
    }

    /// Returns the name of the only instance, which `copy` and `pickle` use to find it.
    #[expect(clippy::unused_self, reason = "Python calls it on the object")]
    fn __reduce__(&self) -> &'static str {
        "UNSET"
    }
}

/// The native core of the `contract` package.
#[pymodule(gil_used = true)]
pub mod _native {
    #[pymodule_export]
    use super::broker::{broker_call, broker_calls};
    #[pymodule_export]
    use super::calls::{NativeCall, NativeStop};
    #[pymodule_export]
    use super::contract::{NativeContract, NativeInteraction};
    #[pymodule_export]
    use super::encoded::Encoded;
    #[pymodule_export]
    use super::log::{NativeRecords, log_by_default, log_to_file, log_to_stderr, stop_records, take_records};
    #[pymodule_export]
    use super::matchers::{example_of, matcher};
    #[pymodule_export]
    use super::messages::{NativeMessageEndpoint, NativeMessages};
    #[pymodule_export]
    use super::provenance::{end_test_file, run_variables};
    #[pymodule_export]
    use super::reports::{format_report, write_report};
    #[pymodule_export]
    use super::server::{NativeServer, end_test};
    #[pymodule_export]
    use super::variants::NativeVariants;
    #[pymodule_export]
    use super::verification::{NativeVerification, NativeVerified};
    use super::{Bound, PyModule, PyModuleMethods, PyResult, Unset, process};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        process::check_interpreter(module.py())?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        module.add("UNSET", Bound::new(module.py(), Unset)?)?;
        module.add_class::<Unset>()
    }
}
