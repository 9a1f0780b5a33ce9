//! Writes Python values as JSON text for the core. `1.0` and `1` remain distinct, and integers and `Decimal` keep all
//! their digits.

use std::fmt::Write as _;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use pyo3::prelude::*;
use pyo3::types::{
    PyBool, PyByteArray, PyBytes, PyDict, PyFloat, PyInt, PyList, PyMapping, PyMemoryView, PySequence, PyString,
    PyTuple,
};

use crate::Unset;
use crate::encoded::Encoded;
use crate::failure;

/// Maximum nesting depth. It exceeds the depth that the core accepts, but is small enough to prevent a stack overflow.
const MAX_DEPTH: usize = 500;

/// The flags of Python's `re` module that a pattern can contain, with their letters.
const FLAGS: [(u32, char); 4] = [(2, 'i'), (8, 'm'), (16, 's'), (64, 'x')];
const ASCII: u32 = 256;

/// What to do with a value that JSON cannot represent, such as a function.
pub(crate) enum NonJsonValues<'a, 'py> {
    /// The value is an error.
    Rejected,
    /// The value is written as a JSON object that the core recognizes. A function is appended to the list, and its
    /// index in the list is its ID.
    Converted(&'a Bound<'py, PyList>),
}

enum Step {
    Name(String),
    Index(usize),
}

struct Writer<'a, 'py> {
    py: Python<'py>,
    subject: &'a str,
    non_json: NonJsonValues<'a, 'py>,
    path: Vec<Step>,
    text: String,
}

/// Returns the JSON text of an operation's arguments. Arguments that were not passed are omitted.
pub(crate) fn arguments(subject: &str, value: &Bound<'_, PyDict>) -> PyResult<String> {
    write_json(subject, value, NonJsonValues::Rejected, true)
}

/// Returns the JSON text of a value. Error messages start with `subject`.
pub(crate) fn value(subject: &str, value: &Bound<'_, PyAny>) -> PyResult<String> {
    write_json(subject, value, NonJsonValues::Rejected, false)
}

/// Like [`value`], but the value may contain functions and other values without a JSON form.
pub(crate) fn value_with_functions<'py>(
    subject: &str,
    value: &Bound<'py, PyAny>,
    functions: &Bound<'py, PyList>,
) -> PyResult<String> {
    write_json(subject, value, NonJsonValues::Converted(functions), false)
}

fn write_json<'py>(
    subject: &str,
    value: &Bound<'py, PyAny>,
    non_json: NonJsonValues<'_, 'py>,
    is_call: bool,
) -> PyResult<String> {
    let mut writer = Writer {
        py: value.py(),
        subject,
        non_json,
        path: Vec::new(),
        text: String::new(),
    };
    if is_call {
        // Names of arguments are not part of paths in error messages.
        writer.call(value.cast::<PyDict>()?)?;
    } else {
        writer.value(value)?;
    }
    Ok(writer.text)
}

/// Returns the JSON text of an operation with its arguments.
pub(crate) fn operation(name: &str, value: &Bound<'_, PyDict>) -> PyResult<String> {
    Ok(format!("{{\"{name}\":{}}}", arguments(name, value)?))
}

impl<'py> Writer<'_, 'py> {
    fn call(&mut self, value: &Bound<'py, PyDict>) -> PyResult<()> {
        self.text.push('{');
        let mut separator = "";
        for (name, value) in value {
            if value.is_instance_of::<Unset>() {
                continue;
            }
            self.text.push_str(separator);
            separator = ",";
            quote(&mut self.text, name.cast::<PyString>()?.to_str()?);
            self.text.push(':');
            self.value(&value)?;
        }
        self.text.push('}');
        Ok(())
    }

    fn value(&mut self, value: &Bound<'py, PyAny>) -> PyResult<()> {
        if value.is_none() {
            self.text.push_str("null");
        } else if let Ok(text) = value.cast::<PyString>() {
            self.string(text)?;
        } else if let Ok(flag) = value.cast::<PyBool>() {
            self.text.push_str(if flag.is_true() { "true" } else { "false" });
        } else if let Ok(number) = value.cast::<PyInt>() {
            self.integer(number)?;
        } else if let Ok(number) = value.cast::<PyFloat>() {
            self.float(number)?;
        } else if let Ok(encoded) = value.cast::<Encoded>() {
            self.text.push_str(encoded.get().text());
        } else if let Ok(members) = value.cast::<PyDict>() {
            self.nested(|writer| writer.members(members.iter()))?;
        } else if let Ok(items) = value.cast::<PyList>() {
            self.nested(|writer| writer.items(items.iter()))?;
        } else if let Ok(items) = value.cast::<PyTuple>() {
            self.nested(|writer| writer.items(items.iter()))?;
        } else {
            self.other_value(value)?;
        }
        Ok(())
    }

    fn string(&mut self, text: &Bound<'py, PyString>) -> PyResult<()> {
        match text.to_str() {
            Ok(text) => {
                quote(&mut self.text, text);
                Ok(())
            }
            Err(cause) => {
                let error = self.error("the string contains an unpaired surrogate, which UTF-8 cannot encode");
                error.set_cause(self.py, Some(cause));
                Err(error)
            }
        }
    }

    fn integer(&mut self, number: &Bound<'py, PyInt>) -> PyResult<()> {
        if let Ok(number) = number.extract::<i64>() {
            let _ = write!(self.text, "{number}");
            return Ok(());
        }
        // Python raises an exception for numbers with more than 4,300 digits.
        let digits = self.py.get_type::<PyInt>().call_method1("__repr__", (number,));
        match digits {
            Ok(digits) => {
                self.text.push_str(digits.cast::<PyString>()?.to_str()?);
                Ok(())
            }
            Err(cause) => {
                let error = self.error("the number has too many digits");
                error.set_cause(self.py, Some(cause));
                Err(error)
            }
        }
    }

    fn float(&mut self, number: &Bound<'py, PyFloat>) -> PyResult<()> {
        let number = number.value();
        if number.is_finite() {
            // The `Debug` format keeps the decimal point of `1.0`.
            let _ = write!(self.text, "{number:?}");
            return Ok(());
        }
        let text = number.to_string();
        match self.non_json {
            NonJsonValues::Rejected => Err(self.error(&format!("{text} is not a JSON number"))),
            NonJsonValues::Converted(_) => {
                self.text.push_str("{\"contract:value\":\"number\",\"text\":");
                quote(&mut self.text, &text);
                self.text.push('}');
                Ok(())
            }
        }
    }

    fn nested(&mut self, write: impl FnOnce(&mut Self) -> PyResult<()>) -> PyResult<()> {
        if self.path.len() >= MAX_DEPTH {
            return Err(self.error(&format!(
                "the value is nested more than {MAX_DEPTH} levels deep, or contains a circular reference"
            )));
        }
        write(self)
    }

    fn members(&mut self, members: impl Iterator<Item = (Bound<'py, PyAny>, Bound<'py, PyAny>)>) -> PyResult<()> {
        self.text.push('{');
        let mut separator = "";
        for (name, value) in members {
            if matches!(self.non_json, NonJsonValues::Converted(_)) && value.is_instance_of::<Unset>() {
                continue;
            }
            let Ok(name) = name.cast::<PyString>() else {
                let key = name.repr().map(|key| key.to_string()).unwrap_or_default();
                return Err(self.error(&format!(
                    "keys of JSON objects must be strings, received {}",
                    short(&key)
                )));
            };
            self.text.push_str(separator);
            separator = ",";
            self.string(name)?;
            self.text.push(':');
            self.path.push(Step::Name(name.to_string_lossy().into_owned()));
            self.value(&value)?;
            self.path.pop();
        }
        self.text.push('}');
        Ok(())
    }

    fn items(&mut self, items: impl Iterator<Item = Bound<'py, PyAny>>) -> PyResult<()> {
        self.text.push('[');
        for (at, item) in items.enumerate() {
            if at > 0 {
                self.text.push(',');
            }
            self.path.push(Step::Index(at));
            self.value(&item)?;
            self.path.pop();
        }
        self.text.push(']');
        Ok(())
    }

    /// Writes values that are not instances of the basic JSON types: numbers of other modules, mappings and sequences
    /// of other classes, and values that JSON cannot represent.
    fn other_value(&mut self, value: &Bound<'py, PyAny>) -> PyResult<()> {
        let kind = value.get_type();
        let (name, module) = (kind.name()?.to_string(), kind.module()?.to_string());
        if module == "decimal" && name == "Decimal" {
            return self.decimal(value);
        }
        if value.is_instance_of::<PyBytes>()
            || value.is_instance_of::<PyByteArray>()
            || value.is_instance_of::<PyMemoryView>()
        {
            return self.bytes(value);
        }
        if module == "re" && name == "Pattern" {
            return self.pattern(value);
        }
        if value.hasattr("__fspath__")? {
            return self.path(value);
        }
        if let Ok(own) = value.getattr("to_integration_json") {
            return self.nested(|writer| writer.value(&own.call0()?));
        }
        if let Ok(members) = value.cast::<PyMapping>() {
            let pairs = members.items()?;
            return self.nested(|writer| {
                let pairs = pairs.iter().map(|pair| pair.extract()).collect::<PyResult<Vec<_>>>()?;
                writer.members(pairs.into_iter())
            });
        }
        if let Ok(items) = value.cast::<PySequence>() {
            let items = items.to_list()?;
            return self.nested(|writer| writer.items(items.iter()));
        }
        if value.is_callable()
            && let NonJsonValues::Converted(functions) = self.non_json
        {
            let id = functions.len();
            functions.append(value)?;
            let _ = write!(self.text, "{{\"contract:value\":\"function\",\"id\":{id}}}");
            return Ok(());
        }
        self.non_json_value(&name, &module)
    }

    fn decimal(&mut self, value: &Bound<'py, PyAny>) -> PyResult<()> {
        let text = value.str()?.to_string();
        if value.call_method0("is_finite")?.is_truthy()? {
            self.text.push_str(&text);
            return Ok(());
        }
        Err(self.error(&format!("the decimal {text} is not a JSON number")))
    }

    fn bytes(&mut self, value: &Bound<'py, PyAny>) -> PyResult<()> {
        if matches!(self.non_json, NonJsonValues::Rejected) {
            return Err(self.error("bytes are not a JSON value; decode them, or use with_binary_body"));
        }
        self.text.push_str("{\"contract:value\":\"bytes\",\"base64\":\"");
        self.text.push_str(&base64(value)?);
        self.text.push_str("\"}");
        Ok(())
    }

    /// Writes a compiled pattern as text, preceded by its flags, such as `(?i)`. Python's syntax is nearly the same as
    /// the core's.
    fn pattern(&mut self, value: &Bound<'py, PyAny>) -> PyResult<()> {
        let flags: u32 = value.getattr("flags")?.extract()?;
        let source = value.getattr("pattern")?;
        let Ok(source) = source.cast::<PyString>() else {
            return Err(self.error("a bytes pattern is not supported; compile a str pattern"));
        };
        if flags & ASCII != 0 {
            return Err(self.error("the flag re.ASCII is not supported; use classes such as [0-9]"));
        }
        let letters: String = FLAGS
            .iter()
            .filter(|(flag, _)| flags & flag != 0)
            .map(|(_, letter)| *letter)
            .collect();
        let source = source.to_str()?;
        let text = if letters.is_empty() {
            source.to_owned()
        } else {
            format!("(?{letters}){source}")
        };
        quote(&mut self.text, &text);
        Ok(())
    }

    fn path(&mut self, value: &Bound<'py, PyAny>) -> PyResult<()> {
        if matches!(self.non_json, NonJsonValues::Rejected) {
            return Err(self.error("a path is not a JSON value; use str(path)"));
        }
        let path = value.call_method0("__fspath__")?;
        match path.cast::<PyString>() {
            Ok(path) => self.string(path),
            Err(_) => Err(self.error("a bytes path is not supported; use os.fsdecode(path)")),
        }
    }

    fn non_json_value(&mut self, name: &str, module: &str) -> PyResult<()> {
        if matches!(self.non_json, NonJsonValues::Converted(_)) {
            self.text.push_str("{\"contract:value\":");
            quote(&mut self.text, name);
            self.text.push('}');
            return Ok(());
        }
        let advice = match (module, name) {
            ("datetime", "datetime" | "date" | "time") => format!("; use match.{name}(value), or value.isoformat()"),
            ("uuid", "UUID") => "; use match.uuid(str(value)), or str(value)".to_owned(),
            (_, "set" | "frozenset" | "generator" | "map" | "filter" | "dict_keys" | "dict_values") => {
                "; use list(value)".to_owned()
            }
            (_, "type") => "; use an example, such as match.int(1)".to_owned(),
            _ => String::new(),
        };
        Err(self.error(&format!("a value of type {name} is not a JSON value{advice}")))
    }

    fn error(&self, problem: &str) -> PyErr {
        let mut id = "$".to_owned();
        // The path of a value with a circular reference is very long, so only its first steps are printed.
        for step in self.path.iter().take(20) {
            match step {
                Step::Name(name) => drop(write!(id, ".{}", short(name))),
                Step::Index(at) => drop(write!(id, "[{at}]")),
            }
        }
        if self.path.len() > 20 {
            id.push('…');
        }
        let message = format!("{}: at {id}: {problem}", self.subject);
        let details = [("operation", Some(self.subject.into())), ("place", Some(id.into()))];
        failure::error(self.py, "argument", "ERR_CONTRACT_VALUE", &message, &details)
    }
}

/// Returns bytes in base64.
pub(crate) fn base64(value: &Bound<'_, PyAny>) -> PyResult<String> {
    let bytes = match value.cast::<PyBytes>() {
        Ok(bytes) => bytes.clone(),
        Err(_) => value.py().get_type::<PyBytes>().call1((value,))?.cast_into()?,
    };
    Ok(STANDARD.encode(bytes.as_bytes()))
}

fn short(text: &str) -> String {
    let mut letters = text.chars();
    let start: String = letters.by_ref().take(60).collect();
    if letters.next().is_some() {
        format!("{start}…")
    } else {
        start
    }
}

fn quote(into: &mut String, text: &str) {
    into.push('"');
    let mut from = 0;
    for (at, byte) in text.bytes().enumerate() {
        if byte >= 0x20 && byte != b'"' && byte != b'\\' {
            continue;
        }
        into.push_str(&text[from..at]);
        let _ = match byte {
            b'"' | b'\\' => write!(into, "\\{}", char::from(byte)),
            b'\n' => write!(into, "\\n"),
            byte => write!(into, "\\u{byte:04x}"),
        };
        from = at + 1;
    }
    into.push_str(&text[from..]);
    into.push('"');
}
