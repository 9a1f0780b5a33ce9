//! Consumer version selectors: the contracts that a provider requests for verification, and the reasons for their
//! selection.

mod parse;
mod pending;
mod reason;

pub use pending::{Group, Success, VerificationScope};
pub use reason::{Choice, Reason};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selector {
    pub consumer: Option<String>,
    pub criterion: Criterion,
}

/// The condition by which a selector selects consumer versions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Criterion {
    /// The head of each consumer's main branch.
    MainBranch,
    /// The head of a branch, or of the fallback for consumers without a contract on this branch.
    Branch {
        name: String,
        fallback: Option<BranchFallback>,
    },
    /// The head of every branch.
    EveryBranch,
    /// The latest version with a tag, or with the fallback tag for consumers without a contract for this tag.
    LatestWithTag { tag: String, fallback: Option<String> },
    /// Every version with this tag.
    EveryWithTag { tag: String },
    /// The latest version of each consumer.
    Latest,
    /// Versions in an environment, or in any environment.
    Present {
        deployed: bool,
        released: bool,
        environment: Option<String>,
    },
}

/// The branch of consumers that have no contract on the requested branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BranchFallback {
    Named(String),
    /// The main branch of each consumer.
    Main,
}

/// The parameters of a selection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SelectionRequest {
    /// The selectors. If empty, the default selection applies.
    pub selectors: Vec<Selector>,
    pub provider_branch: Option<String>,
    pub provider_tags: Vec<String>,
    pub include_pending: bool,
    pub wip_since: Option<i64>,
}

/// The invalid fields with their errors.
pub type FieldErrors = Vec<(String, String)>;
