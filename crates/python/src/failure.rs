//! What went wrong, as the exceptions of `contract.errors`.

use std::borrow::Cow;

use contract::{ArgumentError, BrokerFailure, FileError, ServeError, Spelling, VerifyError, WriteProblem};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;

/// Names of the core as Python spells them. A few arguments have another name in some operations.
pub(crate) struct Spelled<'a>(pub(crate) Option<&'a str>);

/// Names for texts that are about no operation of their own.
pub(crate) const SPELLING: Spelled<'static> = Spelled(None);

/// Operation, the core's name of the argument, Python's.
const OTHER_NAMES: [(&str, &str, &str); 6] = [
    ("upon_receiving", "kind", "interaction"),
    ("with_multipart_file", "name", "part_name"),
    ("using_plugin", "plugin", "name"),
    ("add_text_comment", "text", "comment"),
    ("match.regex", "pattern", "regex"),
    ("set_body_limit", "bytes", "limit"),
];

impl Spelling for Spelled<'_> {
    fn operation(&self, name: &str) -> String {
        name.to_owned()
    }

    fn option(&self, name: &str) -> String {
        let own = OTHER_NAMES
            .iter()
            .find(|(operation, core, _)| Some(*operation) == self.0 && *core == name);
        own.map_or(name, |(_, _, own)| own).to_owned()
    }

    fn setting(&self, name: &str, value: &str) -> String {
        let value = match value {
            "true" => "True",
            "false" => "False",
            value => value,
        };
        format!("{}={value}", self.option(name))
    }
}

static MAKE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();

/// A detail of an error, when there is one.
pub(crate) type Detail<'a> = (&'a str, Option<Cow<'a, str>>);

/// The exception of a kind: `argument`, `broker`, `file`, `server`, `verification` or `internal`.
pub(crate) fn error(py: Python<'_>, kind: &str, code: &str, message: &str, details: &[Detail<'_>]) -> PyErr {
    let made = || {
        let make = MAKE.get_or_try_init(py, || py.import("contract.errors")?.getattr("_made").map(Bound::unbind))?;
        let given = PyDict::new(py);
        for (name, value) in details {
            if let Some(value) = value {
                given.set_item(name, value.as_ref())?;
            }
        }
        make.bind(py).call1((kind, code, message, given))
    };
    made().map_or_else(|error: PyErr| error, PyErr::from_value)
}

/// A fault of the core itself.
pub(crate) fn internal(py: Python<'_>) -> PyErr {
    let message = "the core failed; this is a fault of the library, please report it";
    error(py, "internal", "ERR_CONTRACT_INTERNAL", message, &[])
}

/// What becomes an exception.
pub(crate) trait Raised {
    fn raised(self, py: Python<'_>) -> PyErr;
}

impl Raised for ArgumentError {
    fn raised(self, py: Python<'_>) -> PyErr {
        let spelling = Spelled(self.operation.as_deref());
        let details = [
            ("operation", self.operation.as_deref().map(Cow::from)),
            (
                "argument",
                self.argument.as_deref().map(|name| spelling.option(name).into()),
            ),
            ("place", self.place.as_deref().map(Cow::from)),
            ("origin", self.origin.as_deref().map(Cow::from)),
        ];
        error(py, "argument", self.code, &self.text(&spelling), &details)
    }
}

impl Raised for FileError {
    fn raised(self, py: Python<'_>) -> PyErr {
        let path = self.path().display().to_string();
        error(
            py,
            "file",
            self.code(),
            &self.to_string(),
            &[("path", Some(path.into()))],
        )
    }
}

impl Raised for WriteProblem {
    fn raised(self, py: Python<'_>) -> PyErr {
        match self {
            Self::File(error) => error.raised(py),
            Self::Argument(error) => error.raised(py),
        }
    }
}

impl Raised for ServeError {
    fn raised(self, py: Python<'_>) -> PyErr {
        let code = self.code();
        let text = self.to_string();
        match self {
            Self::Argument(error) => error.raised(py),
            Self::Start(start) => {
                let number = |number: Option<String>| number.map(Cow::from);
                let details = [
                    ("host", start.host().map(Cow::from)),
                    ("port", number(start.port().map(|port| port.to_string()))),
                    ("errno", number(start.os_error().map(|number| number.to_string()))),
                ];
                error(py, "server", code, &text, &details)
            }
        }
    }
}

impl Raised for BrokerFailure {
    fn raised(self, py: Python<'_>) -> PyErr {
        match self {
            Self::Argument(error) => error.raised(py),
            other => {
                let told = other.details();
                let known = told.as_object().into_iter().flat_map(contract::Object::members);
                let details: Vec<Detail<'_>> = known
                    .map(|(name, value)| (name.as_str(), Some(value.to_text().into())))
                    .collect();
                error(py, "broker", other.code(), &other.text(&SPELLING), &details)
            }
        }
    }
}

impl Raised for VerifyError {
    fn raised(self, py: Python<'_>) -> PyErr {
        match self {
            Self::File(error) => error.raised(py),
            Self::Argument(error) => error.raised(py),
            other => error(py, "verification", other.code(), &other.text(&SPELLING), &[]),
        }
    }
}

/// The value, or what went wrong raised.
pub(crate) trait OrRaise<T> {
    fn or_raise(self, py: Python<'_>) -> PyResult<T>;
}

impl<T, E: Raised> OrRaise<T> for Result<T, E> {
    fn or_raise(self, py: Python<'_>) -> PyResult<T> {
        self.map_err(|error| error.raised(py))
    }
}
