//! Consumer version selectors: which contracts a provider asks to verify, and why each was chosen.

mod parse;
mod pending;
mod reason;

pub(crate) use pending::{Asker, Group, Success};
pub(crate) use reason::{Choice, Reason};

/// One selector, with the consumer that it is restricted to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Selector {
    pub(crate) consumer: Option<String>,
    pub(crate) criterion: Criterion,
}

/// What a selector asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Criterion {
    /// The head of each consumer's main branch.
    MainBranch,
    /// The head of a branch; of another one for consumers that have none there.
    Branch { name: String, fallback: Option<String> },
    /// The head of every branch.
    EveryBranch,
    /// The newest version with a tag; with another one for consumers that have none.
    LatestWithTag { tag: String, fallback: Option<String> },
    /// Every version with a tag.
    EveryWithTag { tag: String },
    /// The newest version.
    Latest,
    /// What is in an environment, or in any.
    Present {
        deployed: bool,
        released: bool,
        environment: Option<String>,
    },
}

/// What was asked for, beside the provider.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Wanted {
    /// Empty: the selection that a broker makes by itself.
    pub(crate) selectors: Vec<Selector>,
    pub(crate) provider_branch: Option<String>,
    pub(crate) provider_tags: Vec<String>,
    pub(crate) include_pending: bool,
    pub(crate) wip_since: Option<i64>,
}

/// Field names with what is wrong about them.
pub(crate) type FieldErrors = Vec<(String, String)>;
