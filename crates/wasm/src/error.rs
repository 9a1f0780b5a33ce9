//! The reasons why contracts cannot be served.

use contract_matching::PlanError;
use contract_model::ReadError;

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    #[error("{contract}: {source}")]
    Contract { contract: String, source: ReadError },
    /// The interaction could not be parsed.
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
    /// The contracts are too large.
    #[error(
        "the contracts have {size} bytes in total, and the maximum is {limit}. Serve fewer contracts, or raise the limit \
         with {{ contractLimit: {size} }}."
    )]
    Size { size: usize, limit: usize },
    /// The interactions use plugins, which are separate programs.
    #[error(
        "{}. Plugins are not available here. Ignore these interactions with {{ plugins: \"ignore\" }}, or serve the contract with the mock server.",
        .interactions.join("; ")
    )]
    Plugin { interactions: Vec<String> },
    /// No contract contains an HTTP interaction that can be served.
    #[error("nothing to serve: {reason}")]
    Nothing { reason: &'static str },
}

impl OpenError {
    /// Returns the stable error code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Plugin { .. } => "ERR_CONTRACT_PLUGIN",
            _ => "ERR_CONTRACT_SOURCE",
        }
    }
}
