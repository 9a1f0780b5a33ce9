//! Texts of bindings to values: names of kinds and parts, JSON, patterns.

use std::path::PathBuf;
use std::str::FromStr;

use contract_model::Json;

use crate::builder::{BytesMatch, Kind, Part};
use crate::error::{ArgumentError, BODY, MATCHER, OPTIONS, PART};
use crate::message::{option, told};

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

/// An argument that must be text, as a binding hands it over.
pub(crate) fn text(
    code: &'static str,
    operation: &'static str,
    argument: &'static str,
    given: &Json,
) -> Result<String, ArgumentError> {
    given.as_str().map(str::to_owned).ok_or_else(|| {
        let message = told![
            option(argument),
            format!(" must be text, got {}", crate::read::shown(given))
        ];
        ArgumentError::new(code, message).about(argument).of(operation)
    })
}

/// The level of a log as a binding hands it over.
pub fn log_level(operation: &'static str, level: &Json) -> Result<String, ArgumentError> {
    text("ERR_CONTRACT_LOG_LEVEL", operation, "level", level)
}

/// The path of a log file as a binding hands it over.
pub fn log_path(operation: &'static str, path: &Json) -> Result<PathBuf, ArgumentError> {
    let path = text(OPTIONS, operation, "path", path)?;
    match crate::verify::path_of(&path) {
        Some(path) if !path.as_os_str().is_empty() => Ok(path),
        _ => Err(ArgumentError::new(OPTIONS, "the path must be that of a file")
            .about("path")
            .of(operation)),
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
