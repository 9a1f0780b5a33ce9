//! Converts failures to the exceptions of `contract.errors`.

use std::borrow::Cow;

use contract::Spelling;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;

/// Converts names of the core to Python names. The field is the current operation, because some arguments have a
/// special name in one operation.
pub(crate) struct Spelled<'a>(pub(crate) Option<&'a str>);

/// Python names for messages that do not belong to a particular operation.
pub(crate) const SPELLING: Spelled<'static> = Spelled(None);

/// Arguments with a special name in Python: the operation, the argument's name in the core, and its name in Python.
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
        match name {
            // In Python, this function returns the interactions, and the caller declares a test for each of them.
            "suite" => "interactions".to_owned(),
            name => name.to_owned(),
        }
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
        if name == "error_on_empty_contract" {
            // In Python, this option is a method of the verifier.
            return format!("set_error_on_empty_contract({value})");
        }
        format!("{}={value}", self.option(name))
    }

    /// Replaces words such as `null` with their Python equivalents, such as `None`. Does not change quoted text,
    /// because it comes from the user or the provider.
    fn plain_text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        if !WORDS.iter().any(|(json, _)| text.contains(json)) {
            return text.into();
        }
        let mut spelled = String::with_capacity(text.len());
        let mut is_quoted = false;
        for (at, part) in text.split('"').enumerate() {
            if at > 0 {
                spelled.push('"');
                // An escaped quote does not end the string.
                is_quoted ^= !spelled.ends_with("\\\"");
            }
            if is_quoted {
                spelled.push_str(part);
            } else {
                spelled.push_str(&in_python(part));
            }
        }
        spelled.into()
    }
}

/// Words in messages of the core that are not names, with their Python equivalents.
const WORDS: [(&str, &str); 12] = [
    ("null", "None"),
    ("true", "True"),
    ("false", "False"),
    ("an object", "a dict"),
    ("an array", "a list"),
    ("a string, a Date, or a Temporal value", "a string or a datetime value"),
    ("clientError", "client_error"),
    ("serverError", "server_error"),
    ("nonError", "non_error"),
    ("contentType", "content_type"),
    ("exampleLimit", "example_limit"),
    ("encodeURIComponent()", "urllib.parse.quote()"),
];

fn in_python(text: &str) -> String {
    let is_letter = |letter: char| letter.is_alphanumeric() || letter == '_';
    WORDS.iter().fold(text.to_owned(), |text, (json, python)| {
        let mut spelled = String::with_capacity(text.len());
        let mut from = 0;
        for (at, _) in text.match_indices(json) {
            let is_word = !text[..at].ends_with(is_letter) && !text[at + json.len()..].starts_with(is_letter);
            // `JSON null` is not replaced, because it is a value in a document.
            if is_word && !text[..at].ends_with("JSON ") {
                spelled.push_str(&text[from..at]);
                spelled.push_str(python);
                from = at + json.len();
            }
        }
        spelled.push_str(&text[from..]);
        spelled
    })
}

static CREATE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();

/// Name and value of an error detail. In Python, a detail without a value is `None`.
pub(crate) type Detail<'a> = (&'a str, Option<Cow<'a, str>>);

/// Creates the exception for a kind of error: `argument`, `broker`, `file`, `server`, `verification`, or `internal`.
pub(crate) fn error(py: Python<'_>, kind: &str, code: &str, message: &str, details: &[Detail<'_>]) -> PyErr {
    let new_error = || {
        let create = CREATE.get_or_try_init(py, || {
            py.import("contract.errors")?.getattr("_create").map(Bound::unbind)
        })?;
        let detail_values = PyDict::new(py);
        for (name, value) in details {
            if let Some(value) = value {
                detail_values.set_item(name, value.as_ref())?;
            }
        }
        create.bind(py).call1((kind, code, message, detail_values))
    };
    new_error().map_or_else(|error: PyErr| error, PyErr::from_value)
}

/// Creates the exception that reports a bug in the core.
pub(crate) fn internal(py: Python<'_>) -> PyErr {
    raised(py, &contract::Failure::Internal)
}

fn raised(py: Python<'_>, failure: &contract::Failure) -> PyErr {
    let json = failure.to_json(&Spelled(failure.operation()));
    let known = json.as_object().into_iter().flat_map(contract::Object::members);
    let details: Vec<Detail<'_>> = known
        .filter(|(name, _)| !matches!(name.as_str(), "kind" | "code" | "message"))
        .map(|(name, value)| {
            let text = value.as_str().map_or_else(|| value.to_text().into(), Cow::from);
            (name.as_str(), Some(text))
        })
        .collect();
    let message = failure.text(&Spelled(failure.operation()));
    error(py, failure.kind(), failure.code(), &message, &details)
}

/// Returns the value or raises the failure.
pub(crate) trait OrRaise<T> {
    fn or_raise(self, py: Python<'_>) -> PyResult<T>;
}

impl<T, E: Into<contract::Failure>> OrRaise<T> for Result<T, E> {
    fn or_raise(self, py: Python<'_>) -> PyResult<T> {
        self.map_err(|error| raised(py, &error.into()))
    }
}
