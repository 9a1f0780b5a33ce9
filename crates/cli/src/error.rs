//! Errors of both programs: a message, a searchable code, and an exit code.

use std::fmt;
use std::path::Path;

use contract::{BrokerErrorKind, Canonical, Spelling};

/// The exit code for a negative verdict or a rejected request.
pub(crate) const FAILED: u8 = 1;
/// The exit code for invalid arguments, or for a report that could not be written.
pub(crate) const USAGE: u8 = 2;
/// The exit code for an unknown verdict.
pub(crate) const UNKNOWN: u8 = 3;
/// The exit code for a broker that is unreachable or not Pact-compatible.
pub(crate) const UNREACHABLE: u8 = 4;
/// The exit code for failed authentication or authorization.
pub(crate) const UNAUTHORIZED: u8 = 5;

/// The error code for invalid arguments.
pub(crate) const OPTIONS: &str = "ERR_CONTRACT_OPTIONS";
/// The error code for a file that could not be read or written.
const FILE: &str = "ERR_CONTRACT_FILE";

#[derive(Debug)]
pub(crate) struct CliError {
    pub(crate) message: String,
    pub(crate) code: Option<&'static str>,
    pub(crate) exit_code: u8,
}

pub(crate) type Result<T> = std::result::Result<T, CliError>;

impl CliError {
    /// Creates the error for invalid arguments.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            code: Some(OPTIONS),
            exit_code: USAGE,
        }
    }

    pub(crate) fn failed(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            code: None,
            exit_code: FAILED,
        }
    }

    /// Creates the error for a file that an argument specifies. `task` completes the sentence "could not …".
    pub(crate) fn file(path: &Path, task: &str, error: &std::io::Error) -> Self {
        Self {
            message: contract::file_problem(path, task, error),
            code: Some(FILE),
            exit_code: USAGE,
        }
    }

    /// Converts a library error. `spelling` translates the names of operations and options in its message.
    pub(crate) fn from_failure(failure: &contract::Failure, spelling: &dyn Spelling, exit_code: u8) -> Self {
        Self {
            message: failure.text(spelling),
            code: Some(failure.code()),
            exit_code,
        }
    }
}

impl<E: Into<contract::Failure>> From<E> for CliError {
    fn from(error: E) -> Self {
        Self::from_failure(&error.into(), &Canonical, FAILED)
    }
}

impl fmt::Display for CliError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&with_code(&self.message, self.code))
    }
}

/// Appends the error code, such as `[ERR_CONTRACT_OPTIONS]`, to the last line of the message. If the message has
/// several lines, the code is on a line of its own.
pub(crate) fn with_code(message: &str, code: Option<&str>) -> String {
    match code {
        None => message.to_owned(),
        Some(code) if message.contains('\n') => format!("{}\n[{code}]", message.trim_end()),
        Some(code) => format!("{message} [{code}]"),
    }
}

pub(crate) fn broker_exit_code(kind: BrokerErrorKind) -> u8 {
    match kind {
        BrokerErrorKind::Settings => USAGE,
        BrokerErrorKind::Unreachable
        | BrokerErrorKind::Tls
        | BrokerErrorKind::Timeout
        | BrokerErrorKind::NotABroker
        | BrokerErrorKind::Failed => UNREACHABLE,
        BrokerErrorKind::Unauthorized | BrokerErrorKind::Forbidden => UNAUTHORIZED,
        _ => FAILED,
    }
}

#[cfg(test)]
mod tests {
    use super::with_code;

    #[test]
    fn codes_end_the_message() {
        assert_eq!(with_code("wrong", Some("ERR_X")), "wrong [ERR_X]");
        assert_eq!(with_code("wrong\n  a\n", Some("ERR_X")), "wrong\n  a\n[ERR_X]");
        assert_eq!(with_code("wrong", None), "wrong");
    }
}
