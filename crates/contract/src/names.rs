//! Texts of bindings to values: names of kinds and parts, JSON, patterns.

use std::str::FromStr;

use contract_model::Json;

use crate::builder::{BytesMatch, Kind, Part};
use crate::error::{ArgumentError, BODY, MATCHER, PART};

impl FromStr for Kind {
    type Err = ArgumentError;

    fn from_str(name: &str) -> Result<Self, ArgumentError> {
        match name {
            "HTTP" => Ok(Self::Http),
            "Async" => Ok(Self::Async),
            "Sync" => Ok(Self::Sync),
            other => Err(ArgumentError::new(
                "ERR_CONTRACT_KIND",
                format!("there is no kind {other:?} of interactions; kinds are HTTP, Async and Sync"),
            )),
        }
    }
}

impl FromStr for Part {
    type Err = ArgumentError;

    /// Both spellings of the field: `request` and `Request`.
    fn from_str(name: &str) -> Result<Self, ArgumentError> {
        match name {
            "request" | "Request" => Ok(Self::Request),
            "response" | "Response" => Ok(Self::Response),
            other => Err(ArgumentError::new(
                PART,
                format!("there is no part {other:?}; parts are request and response"),
            )),
        }
    }
}

impl FromStr for BytesMatch {
    type Err = ArgumentError;

    fn from_str(name: &str) -> Result<Self, ArgumentError> {
        match name {
            "bytes" => Ok(Self::Bytes),
            "contentType" => Ok(Self::ContentType),
            other => Err(ArgumentError::new(
                BODY,
                format!("bytes cannot be matched by {other:?}; match is 'bytes' or 'contentType'"),
            )),
        }
    }
}

/// Reads a document that a binding has written.
pub fn parse_json(text: &str) -> Result<Json, ArgumentError> {
    Json::parse(text.as_bytes())
        .map_err(|error| ArgumentError::new("ERR_CONTRACT_JSON", format!("this is no JSON: {error}")))
}

/// The pattern for contract files that means what the JavaScript regular expression means.
pub fn regex_from_javascript(source: &str, flags: &str) -> Result<String, ArgumentError> {
    contract_matching::from_javascript(source, flags).map_err(|error| ArgumentError::new(MATCHER, error.to_string()))
}
