//! Reads single arguments that bindings pass as JSON text: names, log levels, and paths.

use std::path::PathBuf;

use contract_model::Json;

use crate::error::{ArgumentError, NAME, OPTIONS};
use crate::message::{message, option};

/// Reads a string from JSON text. Other values are an error with `code` that names the operation and the argument.
pub fn text(
    code: &'static str,
    operation: &'static str,
    argument: &'static str,
    value: &str,
) -> Result<String, ArgumentError> {
    let value = crate::json::parse_json(value)?;
    value.as_str().map(str::to_owned).ok_or_else(|| {
        let message = message![
            option(argument),
            format!(" must be a string, received {}", crate::read::describe(&value))
        ];
        ArgumentError::new(code, message)
            .for_argument(argument)
            .in_operation(operation)
    })
}

/// Checks the name of a consumer or provider, which is the first argument of a new contract or verifier. `role` is
/// `consumer` or `provider`.
pub fn participant(role: &'static str, value: Option<Json>) -> Result<String, ArgumentError> {
    let found = match value {
        Some(Json::String(name)) => return Ok(name.into()),
        Some(object @ Json::Object(_)) if crate::value::describe(&object).is_none() => {
            "an object; pass the names before the options".to_owned()
        }
        other => other
            .as_ref()
            .map_or_else(|| "nothing".to_owned(), crate::read::describe),
    };
    Err(ArgumentError::new(NAME, format!("the {role} name must be a string, received {found}")).for_argument(role))
}

/// Reads a string from JSON text. It is not checked whether the string is a log level.
pub fn log_level(operation: &'static str, level: &str) -> Result<String, ArgumentError> {
    text("ERR_CONTRACT_LOG_LEVEL", operation, "level", level)
}

/// Reads a file path or a `file:` URL from JSON text.
pub fn log_path(operation: &'static str, path: &str) -> Result<PathBuf, ArgumentError> {
    let path = text(OPTIONS, operation, "path", path)?;
    match crate::paths::parse_path(&path) {
        Some(path) if !path.as_os_str().is_empty() => Ok(path),
        _ => Err(
            ArgumentError::new(OPTIONS, "the path must be a non-empty file path or a valid file: URL")
                .for_argument("path")
                .in_operation(operation),
        ),
    }
}
