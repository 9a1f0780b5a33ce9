use contract_broker_client::BrokerError;
use contract_call::error::ArgumentError;
use contract_call::files::FileError;
use contract_call::message::{Canonical, Message, Spelling};

/// The reason why a source provides no contracts.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Argument(#[from] ArgumentError),
    #[error(transparent)]
    Broker(#[from] BrokerError),
    /// The source cannot be reached, or it is not a contract.
    #[error("{}", .0.text(&Canonical))]
    Invalid(Message),
}

impl SourceError {
    pub fn invalid(message: impl Into<Message>) -> Self {
        Self::Invalid(message.into())
    }

    /// Returns the text with names in a binding's convention.
    pub fn text(&self, spelling: &dyn Spelling) -> String {
        self.message().text(spelling)
    }

    /// Returns the text as a message that can be embedded in another message.
    pub fn message(&self) -> Message {
        match self {
            Self::File(error) => error.to_string().into(),
            Self::Argument(error) => error.to_message(),
            Self::Broker(error) => error.to_string().into(),
            Self::Invalid(message) => message.clone(),
        }
    }
}
