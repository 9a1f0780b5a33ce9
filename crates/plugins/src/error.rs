use std::fmt;

use contract_model::{ContentTypeError, GeneratorError, PathError, RuleError};
use thiserror::Error;
use tonic::Status;

/// Maximum length of an error message in characters. Longer messages are truncated, because a plugin can return a text
/// of any length.
const MAX_MESSAGE: usize = 8_000;

/// A plugin is missing, failed to start, did not respond, or returned an error.
#[derive(Clone, Debug)]
pub struct PluginError {
    kind: Kind,
    message: String,
    /// Empty if the plugin printed nothing.
    last_output: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Missing,
    Manifest,
    Installation,
    Start,
    Timeout,
    Died,
    Call,
    Refused,
    Answer,
}

impl PluginError {
    pub(crate) fn new(kind: Kind, message: impl Into<String>) -> Self {
        let mut message = message.into();
        if let Some((at, _)) = message.char_indices().nth(MAX_MESSAGE) {
            message.truncate(at);
            message.push('…');
        }
        Self {
            kind,
            message,
            last_output: String::new(),
        }
    }

    pub(crate) fn after(mut self, last_output: String) -> Self {
        if self.last_output.is_empty() {
            self.last_output = last_output;
        }
        self
    }

    /// Creates the error for a response that is invalid.
    pub(crate) fn answer(message: impl Into<String>) -> Self {
        Self::new(Kind::Answer, message)
    }

    pub fn is_missing(&self) -> bool {
        self.kind == Kind::Missing
    }

    pub fn is_start(&self) -> bool {
        self.kind == Kind::Start
    }

    /// Returns true if the plugin did not respond to a call in time.
    pub fn is_timeout(&self) -> bool {
        self.kind == Kind::Timeout
    }

    /// Returns true if the plugin's process ended during a call.
    pub fn has_died(&self) -> bool {
        self.kind == Kind::Died
    }

    /// Returns true if the plugin reported an error in its response, or does not support the call.
    pub fn is_refused(&self) -> bool {
        self.kind == Kind::Refused
    }

    /// Returns the error message without the plugin's output.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns the last lines that the plugin printed, or an empty string if it printed nothing.
    pub fn last_output(&self) -> &str {
        &self.last_output
    }
}

impl From<PluginError> for Status {
    /// Converts the error to a gRPC status for the plugin that made the call.
    fn from(error: PluginError) -> Self {
        if error.is_timeout() {
            Self::deadline_exceeded(error.message)
        } else {
            Self::internal(error.message)
        }
    }
}

impl fmt::Display for PluginError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        if !self.last_output.is_empty() {
            f.write_str("\nLast output of the plugin:")?;
            for line in self.last_output.lines() {
                write!(f, "\n  {line}")?;
            }
        }
        Ok(())
    }
}

impl std::error::Error for PluginError {}

/// Reason why a plugin's response is invalid. The message continues "the plugin … returned".
#[derive(Debug, Error)]
pub(crate) enum MessageError {
    #[error("contents with an invalid content type: {0}")]
    ContentType(#[source] ContentTypeError),
    #[error("an invalid path: {0}")]
    Path(#[source] PathError),
    #[error("a matching rule without a name")]
    UnnamedRule,
    #[error("an invalid matching rule: {0}")]
    Rule(#[source] RuleError),
    #[error("a generator without a name")]
    UnnamedGenerator,
    #[error("an invalid generator: {0}")]
    Generator(#[source] GeneratorError),
    #[error("{error} at {place:?}")]
    At { error: Box<Self>, place: String },
}

impl MessageError {
    /// Adds the path or the name at which the error occurred.
    pub(crate) fn at(self, place: String) -> Self {
        Self::At {
            error: Box::new(self),
            place,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Kind, MAX_MESSAGE, PluginError};

    #[test]
    fn messages_of_plugins_are_bounded() {
        let error = PluginError::new(Kind::Refused, "é".repeat(1_000_000));
        assert_eq!(error.message().chars().count(), MAX_MESSAGE + 1);
        assert!(error.message().ends_with('…'));
    }
}
