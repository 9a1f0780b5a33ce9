use contract_broker_client::BrokerError;
use contract_call::error::ArgumentError;
use contract_call::files::FileError;
use contract_call::message::{Canonical, Message, Spelling};

/// The reason why no contracts could be read from a source.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Argument(#[from] ArgumentError),
    #[error(transparent)]
    Broker(#[from] BrokerError),
    /// Any other problem, such as a pattern that matches no file or a URL that cannot be fetched.
    #[error("{}", .0.text(&Canonical))]
    Invalid(Message),
}

impl SourceError {
    pub fn invalid(message: impl Into<Message>) -> Self {
        Self::Invalid(message.into())
    }

    /// Returns the message. `spelling` determines how the names of options and operations are written.
    pub fn text(&self, spelling: &dyn Spelling) -> String {
        self.message().text(spelling)
    }

    /// Returns the message for use in another message.
    pub fn message(&self) -> Message {
        match self {
            Self::File(error) => error.to_string().into(),
            Self::Argument(error) => error.to_message(),
            Self::Broker(error) => error.to_string().into(),
            Self::Invalid(message) => message.clone(),
        }
    }
}
