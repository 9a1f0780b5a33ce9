//! Texts of bindings to values: JSON and patterns.

use contract_model::Json;

use crate::error::{ArgumentError, JSON, MATCHER};

/// Reads a document that a binding has written.
pub fn parse_json(text: &str) -> Result<Json, ArgumentError> {
    Json::parse(text.as_bytes()).map_err(|error| ArgumentError::new(JSON, format!("this is no JSON: {error}")))
}

/// The pattern for contract files that means what the JavaScript regular expression means.
pub fn regex_from_javascript(source: &str, flags: &str) -> Result<String, ArgumentError> {
    contract_matching::from_javascript(source, flags).map_err(|error| ArgumentError::new(MATCHER, error.to_string()))
}
