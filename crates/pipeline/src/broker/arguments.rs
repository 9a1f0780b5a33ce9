//! The arguments of broker operations.

use std::ops::Deref;
use std::str::FromStr;

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

/// Returns the error for two arguments that cannot be passed together.
pub(super) fn mutually_exclusive(first: &'static str, second: &'static str) -> ArgumentError {
    invalid_argument(
        first,
        message![option(first), " and ", option(second), " are mutually exclusive"],
    )
}

pub(super) fn missing_argument(argument: &'static str) -> ArgumentError {
    invalid_argument(argument, message![option(argument), " is missing"])
}

/// A string that is not blank and contains no line breaks or other control characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SingleLine(String);

/// The reason why a string is not a [`SingleLine`]. The message continues a sentence that starts with the argument's
/// name.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotSingleLine {
    #[error("must not be empty")]
    Empty,
    #[error("must be a single line without control characters")]
    ControlCharacters,
}

impl FromStr for SingleLine {
    type Err = NotSingleLine;

    fn from_str(text: &str) -> Result<Self, NotSingleLine> {
        check_line(text)?;
        Ok(Self(text.to_owned()))
    }
}

impl From<SingleLine> for String {
    fn from(line: SingleLine) -> Self {
        line.0
    }
}

impl Deref for SingleLine {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl<'de> Deserialize<'de> for SingleLine {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(de::Error::custom)
    }
}

/// Returns `text` if it is a valid [`SingleLine`], and an error for `argument` otherwise.
pub(super) fn valid_line<'a>(argument: &'static str, text: &'a str) -> Result<&'a str, ArgumentError> {
    match check_line(text) {
        Ok(()) => Ok(text),
        Err(problem) => Err(invalid_argument(
            argument,
            message![option(argument), format!(" {problem}")],
        )),
    }
}

fn check_line(text: &str) -> Result<(), NotSingleLine> {
    if text.trim().is_empty() {
        return Err(NotSingleLine::Empty);
    }
    if text.chars().any(char::is_control) {
        return Err(NotSingleLine::ControlCharacters);
    }
    Ok(())
}

/// Whether to select the latest version, overall or with a tag. In JSON, it is `true` or the tag; `false` and `null`
/// mean [`Latest::No`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Latest {
    #[default]
    No,
    /// The latest version, regardless of its tags.
    Overall,
    /// The latest version with this tag.
    Tagged(SingleLine),
}

impl<'de> Deserialize<'de> for Latest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Document(json) = Document::deserialize(deserializer)?;
        match json {
            Json::Null | Json::Bool(false) => Ok(Self::No),
            Json::Bool(true) => Ok(Self::Overall),
            Json::String(tag) => tag.parse().map(Self::Tagged).map_err(de::Error::custom),
            _ => Err(de::Error::custom("must be true or a tag")),
        }
    }
}

/// Options for operations that have none.
#[derive(Default, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NoArguments {}

/// Options for operations on one pacticipant.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NameArgument {
    /// Name of the pacticipant.
    pub name: SingleLine,
}

/// Options for operations on one environment or webhook.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UuidArgument {
    pub uuid: SingleLine,
}
