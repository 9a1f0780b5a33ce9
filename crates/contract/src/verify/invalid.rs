//! Errors for invalid verifier options.

use contract_model::Json;
use contract_verifier::SetupError;
use serde::de::DeserializeOwned;

use contract_call::error::{ArgumentError, OPTIONS};
use contract_call::message::Message;
use contract_call::read;
use contract_call::value;

/// Reads an argument that is a string or an options object. For other values, the error message is `what`, followed by
/// the received value.
pub(super) fn text_or_options<T: DeserializeOwned>(
    json: Json,
    text: impl FnOnce(String) -> T,
    (argument, message): (&'static str, &str),
) -> Result<T, ArgumentError> {
    match json {
        Json::String(string) => Ok(text(string.into())),
        Json::Object(members) if value::is_plain(&members) => read::options(OPTIONS, members.into()),
        other => Err(invalid(format!("{message}; received {}", read::describe(&other))).for_argument(argument)),
    }
}

pub(super) fn invalid(message: impl Into<Message>) -> ArgumentError {
    ArgumentError::new(OPTIONS, message)
}

/// Converts an error that occurred while the verifier was created.
pub(super) fn setup(error: impl Into<SetupError>) -> ArgumentError {
    let error = error.into();
    let code = match &error {
        SetupError::NoTransport { .. } => "ERR_CONTRACT_NO_TRANSPORT",
        _ => OPTIONS,
    };
    ArgumentError::new(code, error.to_string())
}

/// Maximum length of a version, branch, tag, or other name, in characters.
const LONGEST_NAME: usize = 1024;

/// Returns a predicate such as ` is empty` if a name is not a valid version, branch, or tag. Returns `None` if it is
/// valid.
pub(super) fn name_problem(name: &str) -> Option<&'static str> {
    if name.trim().is_empty() {
        Some(" is empty")
    } else if name.chars().count() > LONGEST_NAME {
        Some(" is longer than 1024 characters")
    } else if name.chars().any(char::is_control) {
        Some(" contains line breaks or other control characters")
    } else {
        None
    }
}
