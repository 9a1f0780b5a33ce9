//! Refusals of what a verifier is told.

use contract_model::Json;
use contract_verifier::SetupError;
use serde::de::DeserializeOwned;

use contract_call::error::{ArgumentError, OPTIONS};
use contract_call::message::Message;
use contract_call::read;
use contract_call::value;

/// What is told by one text, which `text` makes options of, or by an object of them: `what` begins the sentence about what is
/// neither.
pub(super) fn text_or_options<T: DeserializeOwned>(
    given: Json,
    text: impl FnOnce(String) -> T,
    (argument, what): (&'static str, &str),
) -> Result<T, ArgumentError> {
    match given {
        Json::String(given) => Ok(text(given.into())),
        Json::Object(members) if value::is_plain(&members) => read::options(OPTIONS, members.into()),
        other => Err(refused(format!("{what}, got {}", read::shown(&other))).about(argument)),
    }
}

pub(super) fn refused(message: impl Into<Message>) -> ArgumentError {
    ArgumentError::new(OPTIONS, message)
}

/// Options, too, are arguments of a call.
pub(super) fn setup(error: impl Into<SetupError>) -> ArgumentError {
    let error = error.into();
    let code = match &error {
        SetupError::NoTransport { .. } => "ERR_CONTRACT_NO_TRANSPORT",
        _ => OPTIONS,
    };
    ArgumentError::new(code, error.to_string())
}

/// Longest version, branch, tag or other name that a broker is told, in characters.
const LONGEST_NAME: usize = 1024;

/// Why a text is no name of a version, a branch or a tag.
pub(super) fn name_problem(name: &str) -> Option<&'static str> {
    if name.trim().is_empty() {
        Some(" is empty")
    } else if name.chars().count() > LONGEST_NAME {
        Some(" is too long for a name")
    } else if name.chars().any(char::is_control) {
        Some(" holds line breaks or other control characters")
    } else {
        None
    }
}
