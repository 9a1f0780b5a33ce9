//! Consumer version selectors: which contracts a provider requests for verification, and why each was selected.

mod parse;
mod pending;
mod reason;

pub(crate) use pending::{Group, Success, VerificationScope};
pub(crate) use reason::{Choice, Reason};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Selector {
    pub(crate) consumer: Option<String>,
    pub(crate) criterion: Criterion,
}

/// Which versions a selector selects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Criterion {
    /// The head of each consumer's main branch.
    MainBranch,
    /// The head of a branch, or of the fallback branch for consumers without one.
    Branch { name: String, fallback: Option<String> },
    /// The head of every branch.
    EveryBranch,
    /// The latest version with a tag, or with the fallback tag for consumers without one.
    LatestWithTag { tag: String, fallback: Option<String> },
    /// Every version with a tag.
    EveryWithTag { tag: String },
    /// The latest version.
    Latest,
    /// Versions in an environment, or in any environment.
    Present {
        deployed: bool,
        released: bool,
        environment: Option<String>,
    },
}

/// The parameters of a selection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SelectionRequest {
    /// Empty: the default selection.
    pub(crate) selectors: Vec<Selector>,
    pub(crate) provider_branch: Option<String>,
    pub(crate) provider_tags: Vec<String>,
    pub(crate) include_pending: bool,
    pub(crate) wip_since: Option<i64>,
}

/// Names of fields with their errors.
pub(crate) type FieldErrors = Vec<(String, String)>;
