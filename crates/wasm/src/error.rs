//! Reasons why contracts cannot be served.

use contract_matching::PlanError;
use contract_model::ReadError;

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    #[error("{contract}: {source}")]
    Contract { contract: String, source: ReadError },
    #[error("{contract}: {at}: {reason}")]
    Unreadable {
        contract: String,
        at: String,
        reason: String,
    },
    #[error("{contract}: the interaction {interaction:?} cannot be served: {source}")]
    Rule {
        contract: String,
        interaction: String,
        source: Box<PlanError>,
    },
    #[error("{contract}: the interaction {interaction:?} cannot be served: {problem}")]
    Response {
        contract: String,
        interaction: String,
        problem: String,
    },
    #[error(
        "the contracts are too large: {size} bytes in total, but the limit is {limit} bytes. Serve fewer contracts, or \
         raise the limit with {{ contractLimit: {size} }}."
    )]
    Size { size: usize, limit: usize },
    /// The interactions use plugins, which are separate programs.
    #[error(
        "{}. The matching engine does not support plugins. Ignore these interactions with {{ plugins: \"ignore\" }}, or serve the contract with the mock server.",
        .interactions.join("; ")
    )]
    Plugin { interactions: Vec<String> },
    /// No contract contains an HTTP interaction that can be served.
    #[error("nothing to serve: {reason}")]
    Nothing { reason: &'static str },
}

impl OpenError {
    pub fn code(&self) -> &'static str {
        match self {
            Self::Plugin { .. } => "ERR_CONTRACT_PLUGIN",
            _ => "ERR_CONTRACT_SOURCE",
        }
    }
}
