//! Values of the calling language that JSON cannot represent, such as functions, bytes, patterns, and `undefined`.
//!
//! A binding passes such a value as an object. Its first member [`VALUE`] contains the kind: `{"contract:value":
//! "function", "id": 3}`, `{"contract:value": "bytes", "base64": "AAE="}`, `{"contract:value": "RegExp", "source":
//! "a+", "flags": "i"}`, `{"contract:value": "number", "text": "NaN"}`, `{"contract:value": "Date", "text":
//! "2026-01-31T10:00:00.000Z"}`. All other kinds have no further members, for example `{"contract:value": "undefined"}`
//! and `{"contract:value": "Map"}`.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use contract_model::{Json, Object};

const VALUE: &str = "contract:value";

/// A function of the calling language, identified by the number that the binding assigned to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct UserFunction(pub u32);

pub enum Foreign<'a> {
    Function(UserFunction),
    Bytes(Bytes),
    Pattern { source: &'a str, flags: &'a str },
    Undefined,
    Other,
}

/// Returns the value of the calling language that the object represents. Returns `None` for plain JSON, and for objects
/// whose further members are invalid.
pub fn foreign(json: &Json) -> Option<Foreign<'_>> {
    let text = |name: &str| json.get(name).and_then(Json::as_str);
    Some(match kind(json)? {
        "function" => {
            let id = json.get("id").and_then(Json::as_u64);
            Foreign::Function(UserFunction(id.and_then(|id| u32::try_from(id).ok())?))
        }
        "bytes" => Foreign::Bytes(STANDARD.decode(text("base64")?).ok()?.into()),
        "RegExp" => Foreign::Pattern {
            source: text("source")?,
            flags: text("flags")?,
        },
        "undefined" => Foreign::Undefined,
        _ => Foreign::Other,
    })
}

pub fn function(json: &Json) -> Option<UserFunction> {
    match foreign(json) {
        Some(Foreign::Function(function)) => Some(function),
        _ => None,
    }
}

/// Returns a date as ISO 8601 text, or `None` if the value is not a date.
pub fn date(json: &Json) -> Option<&str> {
    (kind(json)? == "Date").then(|| json.get("text")?.as_str()).flatten()
}

pub fn is_undefined(json: &Json) -> bool {
    kind(json) == Some("undefined")
}

fn kind(json: &Json) -> Option<&str> {
    kind_of(json.as_object()?)
}

fn kind_of(members: &Object) -> Option<&str> {
    let (name, value) = members.iter().next()?;
    (name == VALUE).then(|| value.as_str()).flatten()
}

/// Returns true if the object is plain JSON, and false if it represents another value.
pub fn is_plain(members: &Object) -> bool {
    kind_of(members).is_none()
}

/// Describes a value that is not JSON, such as `a function`, `undefined`, or `NaN`. Returns `None` for plain JSON.
pub fn describe(json: &Json) -> Option<String> {
    Some(match kind(json)? {
        "undefined" => "undefined".to_owned(),
        "number" => json.get("text").and_then(Json::as_str).unwrap_or("a number").to_owned(),
        "bytes" => "bytes".to_owned(),
        kind => format!("a {kind}"),
    })
}

/// Describes the type of a value, such as `a string`, for messages that must not contain the value.
pub fn describe_type(json: &Json) -> String {
    describe(json).unwrap_or_else(|| json.kind().with_article().to_owned())
}

/// Returns the path of the first value that is not JSON, with advice, such as `at $.a[1]: a Date is not a JSON value;
/// convert it to a string`. Returns `None` if all values are JSON.
pub fn not_json(json: &Json) -> Option<String> {
    fn search(json: &Json, path: &mut String) -> Option<String> {
        if let Some(kind) = kind(json) {
            let advice = match kind {
                "undefined" => "undefined is not a JSON value; omit the property, or use null".to_owned(),
                "Date" => "a Date is not a JSON value; convert it to a string".to_owned(),
                "Map" | "Set" => format!("a {kind} is not a JSON value; pass an object or an array"),
                "number" => format!("{} is not a JSON number", describe(json).unwrap_or_default()),
                "circle" => "the value contains a circular reference".to_owned(),
                "bytes" => "bytes are not a JSON value".to_owned(),
                kind => format!("a {kind} is not a JSON value"),
            };
            return Some(format!("at {path}: {advice}"));
        }
        let length = path.len();
        let mut below = |step: fmt::Arguments<'_>, value: &Json| {
            path.truncate(length);
            let _ = fmt::Write::write_fmt(path, step);
            search(value, path)
        };
        match json {
            Json::Array(items) => items
                .iter()
                .enumerate()
                .find_map(|(at, item)| below(format_args!("[{at}]"), item)),
            Json::Object(members) => members
                .iter()
                .find_map(|(name, value)| below(format_args!(".{name}"), value)),
            _ => None,
        }
    }
    search(json, &mut "$".to_owned())
}

#[cfg(test)]
mod tests {
    use contract_model::Json;

    use super::{UserFunction, describe, function, not_json};

    fn json(text: &str) -> Json {
        Json::parse(text.as_bytes()).unwrap()
    }

    #[test]
    fn describes_values_that_are_not_json() {
        assert_eq!(
            function(&json(r#"{"contract:value":"function","id":3}"#)),
            Some(UserFunction(3))
        );
        assert_eq!(function(&json(r#"{"id":3}"#)), None);
        for (text, want) in [
            (r#"{"contract:value":"symbol"}"#, Some("a symbol")),
            (r#"{"contract:value":"number","text":"-Infinity"}"#, Some("-Infinity")),
            (r#"{"contract:value":7}"#, None),
            ("7", None),
        ] {
            assert_eq!(describe(&json(text)).as_deref(), want, "{text}");
        }
    }

    #[test]
    fn reports_the_path_of_the_first_value_that_is_not_json() {
        let document = json(r#"{"a":[1,{"b":{"contract:value":"Date"}}],"c":{"contract:value":"undefined"}}"#);
        assert_eq!(
            not_json(&document).unwrap(),
            "at $.a[1].b: a Date is not a JSON value; convert it to a string"
        );
        assert_eq!(not_json(&json(r#"{"a":[1]}"#)), None);
    }
}
