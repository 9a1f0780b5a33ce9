//! Arguments of broker operations.

use std::ops::Deref;

use contract_model::Json;
use serde::de::{self, Deserialize, DeserializeOwned, Deserializer};

use contract_call::error::{ArgumentError, OPTIONS};
use contract_call::message::{Message, message, option};
use contract_call::read::Document;

pub(super) fn read<T: DeserializeOwned>(arguments: Json) -> Result<T, ArgumentError> {
    let arguments = if arguments.is_null() { Json::object() } else { arguments };
    contract_call::read::options(OPTIONS, arguments)
}

pub(super) fn invalid_argument(argument: &'static str, message: impl Into<Message>) -> ArgumentError {
    ArgumentError::new(OPTIONS, message).for_argument(argument)
}

/// Rejects two mutually exclusive arguments.
pub(super) fn mutually_exclusive(one: &'static str, other: &'static str) -> ArgumentError {
    invalid_argument(
        one,
        message![option(one), " and ", option(other), " are mutually exclusive"],
    )
}

pub(super) fn missing_argument(argument: &'static str) -> ArgumentError {
    invalid_argument(argument, message![option(argument), " is missing"])
}

/// A non-empty string without line breaks.
#[derive(Clone, Debug, Default)]
pub(super) struct SingleLine(pub(super) String);

impl Deref for SingleLine {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl<'de> Deserialize<'de> for SingleLine {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        match problem(&text) {
            None => Ok(Self(text)),
            Some(problem) => Err(de::Error::custom(problem)),
        }
    }
}

/// Validates a string as [`SingleLine`].
pub(super) fn valid_line<'a>(argument: &'static str, text: &'a str) -> Result<&'a str, ArgumentError> {
    match problem(text) {
        None => Ok(text),
        Some(problem) => Err(invalid_argument(argument, message![option(argument), " ", problem])),
    }
}

fn problem(text: &str) -> Option<&'static str> {
    if text.trim().is_empty() {
        return Some("must not be empty");
    }
    let is_one = !text.chars().any(char::is_control);
    (!is_one).then_some("must be a single line without control characters")
}

pub(super) struct Latest<'a> {
    pub(super) tag: Option<&'a str>,
}

/// Reads `latest`: `true`, or a tag.
pub(super) fn latest<'a>(argument: &'static str, arguments: &'a Document) -> Result<Option<Latest<'a>>, ArgumentError> {
    let tag = match &arguments.0 {
        Json::Null | Json::Bool(false) => return Ok(None),
        Json::Bool(true) => None,
        Json::String(tag) => Some(valid_line(argument, tag)?),
        _ => {
            return Err(invalid_argument(
                argument,
                message![option("latest"), " must be true or a tag"],
            ));
        }
    };
    Ok(Some(Latest { tag }))
}

#[derive(Default, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct NoArguments {}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NameArgument {
    pub(super) name: SingleLine,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct UuidArgument {
    pub(super) uuid: SingleLine,
}
