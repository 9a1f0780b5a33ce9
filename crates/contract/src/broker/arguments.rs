//! What calls are given.

use contract_model::Json;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::error::{ArgumentError, OPTIONS};

/// Reads the arguments of a call.
pub(super) fn read<T: DeserializeOwned>(given: Json) -> Result<T, ArgumentError> {
    let given = if given.is_null() { Json::object() } else { given };
    crate::read::options(OPTIONS, given)
}

/// Refuses arguments.
pub(super) fn refuse(argument: &'static str, message: impl Into<crate::message::Message>) -> ArgumentError {
    ArgumentError::new(OPTIONS, message).about(argument)
}

/// A text that must say something on one line.
pub(super) fn said<'a>(argument: &'static str, text: &'a str) -> Result<&'a str, ArgumentError> {
    if text.trim().is_empty() {
        return Err(refuse(
            argument,
            crate::message::told![crate::message::option(argument), " must not be empty"],
        ));
    }
    if text.chars().any(char::is_control) {
        return Err(refuse(
            argument,
            crate::message::told![
                crate::message::option(argument),
                " must be one line without control characters"
            ],
        ));
    }
    Ok(text)
}

/// Nothing.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Nothing {}

/// A name.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Named {
    pub(super) name: String,
}

/// A UUID.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Identified {
    pub(super) uuid: String,
}
