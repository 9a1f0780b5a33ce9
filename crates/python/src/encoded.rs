use pyo3::prelude::*;

/// Matcher JSON or an XML element, as written by the core. Documents contain it unchanged.
#[pyclass(frozen, subclass, module = "contract._native")]
pub struct Encoded(String);

#[pymethods]
impl Encoded {
    #[new]
    fn new(text: String) -> Self {
        Self(text)
    }

    #[getter]
    fn _json(&self) -> &str {
        &self.0
    }

    /// Returns the arguments with which `copy` and `pickle` create a copy.
    fn __getnewargs__(&self) -> (&str,) {
        (&self.0,)
    }
}

impl Encoded {
    pub(crate) fn text(&self) -> &str {
        &self.0
    }
}
