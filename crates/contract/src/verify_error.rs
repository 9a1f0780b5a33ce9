//! Errors that prevent a verification.

use contract_verifier::EmptyVerification;

use contract_call::message::{Message, Spelling};

/// Errors that prevent a verification, apart from invalid arguments and files. `Display` uses the names of the core;
/// [`Self::text`] uses the names of a binding.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// A source is not a valid contract.
    #[error("{0}")]
    Source(Message),
    /// No contract is for this provider.
    #[error("{0}")]
    NoContract(Message),
    /// No source was configured.
    #[error("{0}")]
    NoSource(Message),
    /// No interaction is left to verify.
    #[error(transparent)]
    Empty(EmptyVerification),
}

impl VerifyError {
    /// Returns the stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Source(_) => "ERR_CONTRACT_SOURCE",
            Self::NoContract(_) => "ERR_CONTRACT_NO_CONTRACT",
            Self::NoSource(_) => "ERR_CONTRACT_NO_SOURCE",
            Self::Empty(_) => "ERR_CONTRACT_NOTHING_TO_VERIFY",
        }
    }

    /// Returns the whole message with the names of a binding.
    pub fn text(&self, spelling: &dyn Spelling) -> String {
        match self {
            Self::Source(message) | Self::NoContract(message) | Self::NoSource(message) => message.text(spelling),
            Self::Empty(_) => self.to_string(),
        }
    }
}
