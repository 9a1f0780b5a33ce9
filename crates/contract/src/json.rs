//! JSON text between bindings and the core.

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
