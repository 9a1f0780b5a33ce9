//! Texts of bindings to values: JSON, patterns, levels and paths.

use std::path::PathBuf;

use contract_model::Json;

use crate::error::{ArgumentError, JSON, MATCHER, OPTIONS};
use crate::message::{option, told};

/// An argument that must be text, as the JSON text that a binding hands over.
pub(crate) fn text(
    code: &'static str,
    operation: &'static str,
    argument: &'static str,
    given: &str,
) -> Result<String, ArgumentError> {
    let given = parse_json(given)?;
    given.as_str().map(str::to_owned).ok_or_else(|| {
        let message = told![
            option(argument),
            format!(" must be text, got {}", crate::read::shown(&given))
        ];
        ArgumentError::new(code, message).about(argument).of(operation)
    })
}

/// The level of a log as the JSON text that a binding hands over.
pub fn log_level(operation: &'static str, level: &str) -> Result<String, ArgumentError> {
    text("ERR_CONTRACT_LOG_LEVEL", operation, "level", level)
}

/// The path of a log file as the JSON text that a binding hands over.
pub fn log_path(operation: &'static str, path: &str) -> Result<PathBuf, ArgumentError> {
    let path = text(OPTIONS, operation, "path", path)?;
    match crate::verify::path_of(&path) {
        Some(path) if !path.as_os_str().is_empty() => Ok(path),
        _ => Err(ArgumentError::new(OPTIONS, "the path must be that of a file")
            .about("path")
            .of(operation)),
    }
}

/// A file or directory: a path, or a `file:` URL.
pub(crate) fn file_path(given: &str) -> Result<PathBuf, ArgumentError> {
    let path = crate::verify::path_of(given).filter(|path| path.as_os_str() != given || !given.contains("://"));
    path.ok_or_else(|| {
        let message = format!("a file or directory must be a path or a file: URL, got {given}");
        ArgumentError::new("ERR_CONTRACT_DIRECTORY", message)
    })
}

/// The same for an option.
pub(crate) fn located(given: &mut PathBuf) -> Result<(), ArgumentError> {
    if let Some(text) = given.to_str() {
        *given = file_path(text)?;
    }
    Ok(())
}

/// Reads a document that a binding has written.
pub fn parse_json(text: &str) -> Result<Json, ArgumentError> {
    Json::parse(text.as_bytes()).map_err(|error| ArgumentError::new(JSON, format!("this is no JSON: {error}")))
}

/// The pattern for contract files that means what the JavaScript regular expression means.
pub fn regex_from_javascript(source: &str, flags: &str) -> Result<String, ArgumentError> {
    contract_matching::from_javascript(source, flags)
        .map_err(|error| ArgumentError::new(MATCHER, error.to_string()))
        .inspect_err(crate::builder::break_off)
}
