//! Texts of bindings to values: patterns, levels and paths.

use std::path::PathBuf;

use contract_model::Json;

use crate::error::{ArgumentError, MATCHER, NAME, OPTIONS};
use crate::message::{option, told};

/// An argument that must be text, as the JSON text that a binding hands over.
pub(crate) fn text(
    code: &'static str,
    operation: &'static str,
    argument: &'static str,
    given: &str,
) -> Result<String, ArgumentError> {
    let given = crate::json::parse_json(given)?;
    given.as_str().map(str::to_owned).ok_or_else(|| {
        let message = told![
            option(argument),
            format!(" must be text, got {}", crate::read::shown(&given))
        ];
        ArgumentError::new(code, message).about(argument).of(operation)
    })
}

/// The name of a consumer or provider, as a binding hands it over: the first thing that is said to a new contract or verifier.
pub(crate) fn participant(role: &'static str, given: Option<Json>) -> Result<String, ArgumentError> {
    let found = match given {
        Some(Json::String(name)) => return Ok(name.into()),
        Some(object @ Json::Object(_)) if crate::value::shown(&object).is_none() => {
            "an object; names stand in front of the options".to_owned()
        }
        other => other.as_ref().map_or_else(|| "nothing".to_owned(), crate::read::shown),
    };
    Err(ArgumentError::new(NAME, format!("the {role}'s name must be text, got {found}")).about(role))
}

/// The level of a log as the JSON text that a binding hands over.
pub fn log_level(operation: &'static str, level: &str) -> Result<String, ArgumentError> {
    text("ERR_CONTRACT_LOG_LEVEL", operation, "level", level)
}

/// The path of a log file as the JSON text that a binding hands over.
pub fn log_path(operation: &'static str, path: &str) -> Result<PathBuf, ArgumentError> {
    let path = text(OPTIONS, operation, "path", path)?;
    match crate::paths::path_of(&path) {
        Some(path) if !path.as_os_str().is_empty() => Ok(path),
        _ => Err(ArgumentError::new(OPTIONS, "the path must be that of a file")
            .about("path")
            .of(operation)),
    }
}

/// The pattern for contract files that means what the JavaScript regular expression means.
pub fn regex_from_javascript(source: &str, flags: &str) -> Result<String, ArgumentError> {
    contract_matching::from_javascript(source, flags)
        .map_err(|error| ArgumentError::new(MATCHER, error.to_string()))
        .inspect_err(crate::builder::break_off)
}
