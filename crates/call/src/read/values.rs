//! Deserializes values of the calling language, such as functions.

use contract_model::Json;
use serde::de::{self, Deserialize, Deserializer};

use super::describe::describe;
use super::document::Document;
use crate::value::{self, Foreign, UserFunction, foreign, function};

impl<'de> Deserialize<'de> for UserFunction {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Document(json) = Document::deserialize(deserializer)?;
        function(&json).ok_or_else(|| wrong("a function", &json))
    }
}

/// A string, or a function that returns a string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextOrFunction {
    Text(String),
    Function(UserFunction),
}

impl<'de> Deserialize<'de> for TextOrFunction {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Document(json) = Document::deserialize(deserializer)?;
        match (function(&json), json) {
            (Some(function), _) => Ok(Self::Function(function)),
            (None, Json::String(text)) => Ok(Self::Text(text.into())),
            // The value may be a secret, so the message contains its type only.
            (None, other) => Err(de::Error::custom(format!(
                "must be a string or a function, received {}",
                value::describe_type(&other)
            ))),
        }
    }
}

/// Deserializes a string from a string or from bytes. Invalid UTF-8 in bytes is replaced by U+FFFD. `null` and
/// `undefined` become `None`.
pub fn text_or_bytes<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let Document(json) = Document::deserialize(deserializer)?;
    match foreign(&json) {
        Some(Foreign::Bytes(bytes)) => return Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
        Some(Foreign::Undefined) => return Ok(None),
        _ => {}
    }
    match json {
        Json::Null => Ok(None),
        Json::String(text) => Ok(Some(text.into())),
        other => Err(wrong("a string", &other)),
    }
}

/// Creates the error for a value of the wrong type. `wanted` describes the expected type, such as `a function`.
pub fn wrong<E: de::Error>(expected: &str, json: &Json) -> E {
    de::Error::custom(format!("must be {expected}, received {}", describe(json)))
}
