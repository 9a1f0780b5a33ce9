//! Why nothing was verified.

use std::collections::BTreeSet;
use std::fmt;

use contract_broker_client::BrokerError;
use contract_verifier::{EmptyVerification, SetupError};

use crate::error::{ArgumentError, OPTIONS};
use crate::file::FileError;
use crate::message::{Canonical, Message, Spelling, operation, setting, told};

/// Why nothing was verified. `Display` has names as the core has them; [`Self::text`] as a binding spells them.
#[derive(Debug)]
#[non_exhaustive]
pub enum VerifyError {
    /// An argument or an option that makes no sense.
    Argument(ArgumentError),
    /// A file or directory that cannot be read.
    File(FileError),
    /// A source that is no contract.
    Source(Message),
    /// Several sources that are no contracts.
    Sources(Vec<VerifyError>),
    /// There are contracts, and none is for the provider.
    NoContract {
        /// The provider's name.
        provider: String,
        /// Names of the providers that there are contracts for.
        found: BTreeSet<String>,
        /// Where contracts were looked for.
        sources: Vec<String>,
    },
    /// No source was given.
    NoSource(String),
    /// A broker that did not give its contracts.
    Broker(BrokerError),
    /// Nothing is left to verify.
    Empty(EmptyVerification),
}

impl VerifyError {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Argument(error) => error.code,
            Self::File(error) => error.code(),
            Self::Source(_) | Self::Sources(_) => "ERR_CONTRACT_SOURCE",
            Self::NoContract { .. } => "ERR_CONTRACT_NO_CONTRACT",
            Self::NoSource(_) => "ERR_CONTRACT_NO_SOURCE",
            Self::Broker(_) => "ERR_CONTRACT_BROKER",
            Self::Empty(_) => "ERR_CONTRACT_NOTHING_TO_VERIFY",
        }
    }

    /// All of it for people, names spelled by a binding.
    pub fn text(&self, spelling: &dyn Spelling) -> String {
        match self {
            Self::Argument(error) => error.text(spelling),
            Self::File(error) => error.to_string(),
            Self::Source(message) => message.text(spelling),
            Self::Sources(errors) => {
                let mut text = format!("{} sources cannot be used:", errors.len());
                for error in errors {
                    text.push_str("\n- ");
                    text.push_str(&error.text(spelling));
                }
                text
            }
            Self::NoContract {
                provider,
                found,
                sources,
            } => told![
                format!(
                    "there is no contract for the provider {provider:?}{}",
                    others(found, sources)
                ),
                "; if that is right, allow it with ",
                setting("error_on_empty_contract", "false")
            ]
            .text(spelling),
            Self::NoSource(provider) => told![
                format!("there is no contract to verify for the provider {provider:?}: add one with "),
                operation("add_source"),
                " or ",
                operation("broker_source")
            ]
            .text(spelling),
            Self::Broker(error) => contract_report::harmless_line(&contract_report::redact::text(&error.to_string())),
            Self::Empty(error) => error.to_string(),
        }
    }
}

impl fmt::Display for VerifyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(&Canonical))
    }
}

impl std::error::Error for VerifyError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::File(error) => std::error::Error::source(error),
            Self::Broker(error) => Some(error),
            _ => None,
        }
    }
}

impl From<ArgumentError> for VerifyError {
    fn from(error: ArgumentError) -> Self {
        Self::Argument(error)
    }
}

impl From<FileError> for VerifyError {
    fn from(error: FileError) -> Self {
        Self::File(error)
    }
}

impl From<EmptyVerification> for VerifyError {
    fn from(error: EmptyVerification) -> Self {
        Self::Empty(error)
    }
}

impl From<SetupError> for VerifyError {
    /// Options, too, are arguments of a call.
    fn from(error: SetupError) -> Self {
        let code = match &error {
            SetupError::NoTransport { .. } => NO_TRANSPORT,
            _ => OPTIONS,
        };
        Self::Argument(ArgumentError::new(code, error.to_string()))
    }
}

/// Nothing tells how to reach the provider.
const NO_TRANSPORT: &str = "ERR_CONTRACT_NO_TRANSPORT";

fn others(found: &BTreeSet<String>, sources: &[String]) -> String {
    if found.is_empty() {
        return format!("; nothing was found in {}", sources.join(", "));
    }
    let quoted: Vec<_> = found.iter().map(|name| format!("{name:?}")).collect();
    format!("; there are contracts for {}", quoted.join(", "))
}
