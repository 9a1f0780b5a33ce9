//! Why nothing was verified.

use contract_broker_client::BrokerError;
use contract_verifier::EmptyVerification;

use crate::message::{Message, Spelling};

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
    /// A broker that did not give its contracts.
    #[error("{}", harmless(.0))]
    Broker(#[source] BrokerError),
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
            Self::Broker(_) => "ERR_CONTRACT_BROKER",
            Self::Empty(_) => "ERR_CONTRACT_NOTHING_TO_VERIFY",
        }
    }

    /// All of it for people, names spelled by a binding.
    pub fn text(&self, spelling: &dyn Spelling) -> String {
        match self {
            Self::Source(message) | Self::NoContract(message) | Self::NoSource(message) => message.text(spelling),
            Self::Broker(_) | Self::Empty(_) => self.to_string(),
        }
    }
}

fn harmless(error: &BrokerError) -> String {
    contract_report::harmless_line(&contract_report::redact::text(&error.to_string()))
}
