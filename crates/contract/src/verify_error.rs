//! Why nothing was verified.

use contract_verifier::EmptyVerification;

use contract_call::message::{Message, Spelling};

/// Why nothing was verified, when neither arguments nor files are the reason. `Display` has names as the core has them;
/// [`Self::text`] as a binding spells them.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// Sources that are no contracts.
    #[error("{0}")]
    Source(Message),
    /// There are contracts, and none is for the provider.
    #[error("{0}")]
    NoContract(Message),
    /// No source was given.
    #[error("{0}")]
    NoSource(Message),
    /// Nothing is left to verify.
    #[error(transparent)]
    Empty(EmptyVerification),
}

impl VerifyError {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Source(_) => "ERR_CONTRACT_SOURCE",
            Self::NoContract(_) => "ERR_CONTRACT_NO_CONTRACT",
            Self::NoSource(_) => "ERR_CONTRACT_NO_SOURCE",
            Self::Empty(_) => "ERR_CONTRACT_NOTHING_TO_VERIFY",
        }
    }

    /// All of it for people, names spelled by a binding.
    pub fn text(&self, spelling: &dyn Spelling) -> String {
        match self {
            Self::Source(message) | Self::NoContract(message) | Self::NoSource(message) => message.text(spelling),
            Self::Empty(_) => self.to_string(),
        }
    }
}
