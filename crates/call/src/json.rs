//! Converts between JSON text and values.

use contract_model::Json;
use serde::Serialize;

use crate::error::{ArgumentError, JSON};
use crate::to_json::ToJson;

/// Parses JSON text that a binding passed.
pub fn parse_json(text: &str) -> Result<Json, ArgumentError> {
    Json::parse(text.as_bytes()).map_err(|error| ArgumentError::new(JSON, format!("invalid JSON: {error}")))
}

/// Serializes a result to JSON text. This cannot fail for the types of this crate, because their map keys are strings.
pub fn to_text(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_else(|error| format!("{{\"error\":{:?}}}", error.to_string()))
}

/// Converts a typed value to JSON. This cannot fail for the types of this crate, because their map keys are strings.
pub fn to_value(value: &impl Serialize) -> Json {
    value.serialize(ToJson).unwrap_or_default()
}

pub fn or_null<T: Into<Json>>(value: Option<T>) -> Json {
    value.map_or(Json::Null, Into::into)
}
