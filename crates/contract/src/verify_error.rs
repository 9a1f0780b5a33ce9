//! Errors that prevent a verification.

use contract_verifier::EmptyVerification;

use contract_call::message::{Message, Spelling};

/// An error that prevents a verification, other than invalid arguments and files. `Display` prints names in snake case;
/// [`Self::text`] prints them in a binding's convention.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// A source that is not a valid contract.
    #[error("{0}")]
    Source(Message),
    /// No contract for this provider was found.
    #[error("{0}")]
    NoContract(Message),
    /// No contract source was configured.
    #[error("{0}")]
    NoSource(Message),
    /// No interactions to verify are left.
    #[error(transparent)]
    Empty(EmptyVerification),
}

impl VerifyError {
    /// Returns the stable error code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Source(_) => "ERR_CONTRACT_SOURCE",
            Self::NoContract(_) => "ERR_CONTRACT_NO_CONTRACT",
            Self::NoSource(_) => "ERR_CONTRACT_NO_SOURCE",
            Self::Empty(_) => "ERR_CONTRACT_NOTHING_TO_VERIFY",
        }
    }

    /// Returns the complete message with the names in a binding's convention.
    pub fn text(&self, spelling: &dyn Spelling) -> String {
        match self {
            Self::Source(message) | Self::NoContract(message) | Self::NoSource(message) => message.text(spelling),
            Self::Empty(_) => self.to_string(),
        }
    }
}
