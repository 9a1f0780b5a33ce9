//! Consumer version selectors, which determine the contracts that a provider must verify, and the reasons for their
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

/// The consumer versions that a selector selects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Criterion {
    /// The head of each consumer's main branch.
    MainBranch,
    /// The head of the branch `name`. For consumers without a contract at this head, the head of the fallback branch.
    Branch {
        name: String,
        fallback: Option<BranchFallback>,
    },
    /// The head of every branch.
    EveryBranch,
    /// The latest version with a tag. For consumers without a contract for this version, the latest version with the
    /// fallback tag.
    LatestWithTag {
        tag: String,
        fallback: Option<String>,
    },
    EveryWithTag {
        tag: String,
    },
    /// The latest version of each consumer.
    Latest,
    /// Versions that are deployed to or released in an environment. `None` selects the versions in all environments.
    Present {
        deployed: bool,
        released: bool,
        environment: Option<String>,
    },
}

/// The branch to select for consumers that have no contract on the requested branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BranchFallback {
    Named(String),
    /// The main branch of each consumer.
    Main,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SelectionRequest {
    /// The selectors. If empty, the default selection applies.
    pub selectors: Vec<Selector>,
    pub provider_branch: Option<String>,
    pub provider_tags: Vec<String>,
    pub include_pending: bool,
    pub wip_since: Option<i64>,
}

/// The invalid fields of a request: pairs of a field name and the error in its value.
pub type FieldErrors = Vec<(String, String)>;
