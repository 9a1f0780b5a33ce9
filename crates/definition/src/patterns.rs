//! Converts JavaScript regular expressions.

use contract_call::error::{ArgumentError, MATCHER};

/// Converts a JavaScript regular expression to the syntax of contract files.
pub fn regex_from_javascript(source: &str, flags: &str) -> Result<String, ArgumentError> {
    contract_matching::from_javascript(source, flags).map_err(|error| ArgumentError::new(MATCHER, error.to_string()))
}
