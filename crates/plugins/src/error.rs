//! Why a plugin could not do what was asked of it.

use std::fmt;

use tonic::Status;

/// Maximum number of characters of a message: plugins write most of it.
const MAX_MESSAGE: usize = 8_000;

/// A plugin that is missing, does not start, does not answer, or says no.
#[derive(Clone, Debug)]
pub struct PluginError {
    kind: Kind,
    message: String,
    /// What the plugin wrote last.
    last_words: String,
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
            last_words: String::new(),
        }
    }

    pub(crate) fn after(mut self, last_words: String) -> Self {
        if self.last_words.is_empty() {
            self.last_words = last_words;
        }
        self
    }

    /// An answer that makes no sense.
    pub(crate) fn answer(message: impl Into<String>) -> Self {
        Self::new(Kind::Answer, message)
    }

    /// Whether no such plugin is installed.
    pub fn is_missing(&self) -> bool {
        self.kind == Kind::Missing
    }

    /// Whether it did not start.
    pub fn is_start(&self) -> bool {
        self.kind == Kind::Start
    }

    /// Whether it did not answer in time.
    pub fn is_timeout(&self) -> bool {
        self.kind == Kind::Timeout
    }

    /// Whether its process ended.
    pub fn has_died(&self) -> bool {
        self.kind == Kind::Died
    }

    /// Whether the plugin itself said that it cannot.
    pub fn is_refused(&self) -> bool {
        self.kind == Kind::Refused
    }

    /// What happened, without the plugin's last words.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The last lines that the plugin wrote; empty when it was silent.
    pub fn last_words(&self) -> &str {
        &self.last_words
    }
}

impl From<PluginError> for Status {
    /// As a plugin that asked for it learns it.
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
        if !self.last_words.is_empty() {
            f.write_str("\nThe plugin's last words:")?;
            for line in self.last_words.lines() {
                write!(f, "\n  {line}")?;
            }
        }
        Ok(())
    }
}

impl std::error::Error for PluginError {}

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
