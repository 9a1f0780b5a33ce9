//! Errors that prevent a verification from running.

use contract_verifier::EmptyVerification;

use contract_call::message::{Message, Spelling};

/// An error that prevents a verification, other than an invalid argument or file. `Display` prints names in snake case
/// (`with_header`). [`Self::text`] prints them in a binding's convention (`withHeader`).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// A source is not a valid contract, or it could not be read.
    #[error("{0}")]
    Source(Message),
    /// The sources contain no contract for this provider.
    #[error("{0}")]
    NoContract(Message),
    /// The verifier has no sources.
    #[error("{0}")]
    NoSource(Message),
    /// There is no interaction to verify, for example because the filters exclude all of them.
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

    /// Returns the complete error message. Names of operations and options are in a binding's convention.
    pub fn text(&self, spelling: &dyn Spelling) -> String {
        match self {
            Self::Source(message) | Self::NoContract(message) | Self::NoSource(message) => message.text(spelling),
            Self::Empty(_) => self.to_string(),
        }
    }
}
