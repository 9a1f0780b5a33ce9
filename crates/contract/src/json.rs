//! JSON text between bindings and the core, and typed values as documents.

use contract_model::Json;
use serde::Serialize;

use crate::error::{ArgumentError, JSON};

/// Reads a document that a binding has written.
pub fn parse_json(text: &str) -> Result<Json, ArgumentError> {
    Json::parse(text.as_bytes()).map_err(|error| ArgumentError::new(JSON, format!("this is no JSON: {error}")))
}

/// The JSON text of a result. What this crate serialises has text keys and no failing parts.
pub fn to_text(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_else(|error| format!("{{\"error\":{:?}}}", error.to_string()))
}

/// A typed value as a document.
pub(crate) fn to_value(value: &impl Serialize) -> Json {
    Json::parse(to_text(value).as_bytes()).unwrap_or_default()
}

/// A value, or null.
pub(crate) fn or_null<T: Into<Json>>(value: Option<T>) -> Json {
    value.map_or(Json::Null, Into::into)
}
