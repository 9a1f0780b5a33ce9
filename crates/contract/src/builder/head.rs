//! Checks of what stands in the head of a request or response.

use contract_model::{Headers, Json, Text};

use super::value::Value;
use crate::error::{ArgumentError, HEADER, METHOD, STATUS};

/// The method in capitals.
pub(super) fn check_method(method: &str) -> Result<Text, ArgumentError> {
    if is_token(method) {
        Ok(method.to_ascii_uppercase().into())
    } else {
        Err(ArgumentError::new(METHOD, format!("{method:?} is no HTTP method")))
    }
}

/// A status as a number or matcher JSON.
pub(super) fn status(json: &Json) -> Result<Value, ArgumentError> {
    let status = match json {
        Json::Object(_) => Value::new(json)?,
        other => Value::literal(other.clone()),
    };
    if status.example.as_u64().is_some_and(|code| (100..=599).contains(&code)) {
        return Ok(status);
    }
    let message = format!("a status is a whole number from 100 to 599, got {}", status.example);
    Err(ArgumentError::new(STATUS, message))
}

fn is_token(text: &str) -> bool {
    !text.is_empty()
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b))
}

pub(super) fn check_header_name(name: &str) -> Result<(), ArgumentError> {
    if is_token(name) {
        Ok(())
    } else {
        Err(ArgumentError::new(
            HEADER,
            format!("{name:?} is no header name (RFC 9110 section 5.1)"),
        ))
    }
}

pub(super) fn check_header_values(name: &str, values: &[Value]) -> Result<(), ArgumentError> {
    for value in values {
        let text = value
            .text(HEADER)
            .map_err(|error| error.within(format!("header {name:?}")))?;
        if text.bytes().any(|b| (b < 0x20 && b != b'\t') || b == 0x7f) {
            return Err(ArgumentError::new(
                HEADER,
                format!("the header {name:?} cannot hold line breaks or control characters"),
            ));
        }
    }
    Ok(())
}

/// One text with commas is several values where the header is a list: files, and other tools, have them apart. What a
/// generator makes is not split, for it would make each of the values.
pub(super) fn in_list(name: &str, values: Vec<Value>) -> Vec<Value> {
    if !Headers::is_list(name) {
        return values;
    }
    let split = |value: Value| match &value.example {
        Json::String(line) if value.generator.is_none() => Headers::split(name, line)
            .into_iter()
            .map(|item| Value {
                example: item.into(),
                ..value.clone()
            })
            .collect(),
        _ => vec![value],
    };
    values.into_iter().flat_map(split).collect()
}
