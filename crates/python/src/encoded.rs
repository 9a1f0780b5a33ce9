use pyo3::prelude::*;

/// Matcher JSON, or an element of XML, as the core has written it. It stands in documents as it is.
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

    /// What `copy` and `pickle` make another one from.
    fn __getnewargs__(&self) -> (&str,) {
        (&self.0,)
    }
}

impl Encoded {
    pub(crate) fn text(&self) -> &str {
        &self.0
    }
}
