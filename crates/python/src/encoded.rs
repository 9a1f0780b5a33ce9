use pyo3::prelude::*;

/// A matcher or an XML element that the core created, as JSON text. Documents that contain it contain the text
/// unchanged.
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

    /// Returns the constructor arguments that `copy` and `pickle` use.
    fn __getnewargs__(&self) -> (&str,) {
        (&self.0,)
    }
}

impl Encoded {
    pub(crate) fn text(&self) -> &str {
        &self.0
    }
}
