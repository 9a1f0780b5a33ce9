use std::cmp::Ordering;

/// Why a consumer version was chosen. In the order in which reasons are told.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Reason {
    Deployed { environment: String },
    Released { environment: String },
    Branch { name: String, instead_of: Option<String> },
    MainBranch { name: String },
    LatestWithTag { tag: String, instead_of: Option<String> },
    EveryWithTag { tag: String },
    Latest,
}

impl Reason {
    /// A few words; some verifiers name their tests by them.
    pub(crate) fn short(&self) -> String {
        match self {
            Self::Deployed { environment } => format!("deployed to {environment}"),
            Self::Released { environment } => format!("released in {environment}"),
            Self::Branch { name, .. } => format!("latest from branch {name}"),
            Self::MainBranch { .. } => "latest from main branch".to_owned(),
            Self::LatestWithTag { tag, .. } => format!("latest with tag {tag}"),
            Self::EveryWithTag { tag } => format!("one of {tag}"),
            Self::Latest => "latest".to_owned(),
        }
    }

    /// A sentence's part: "it is …".
    pub(crate) fn long(&self) -> String {
        match self {
            Self::Deployed { environment } => format!("deployed to {environment} now"),
            Self::Released { environment } => format!("released in {environment} and supported"),
            Self::Branch { name, instead_of: None } => format!("the head of branch {name}"),
            Self::Branch {
                name,
                instead_of: Some(asked),
            } => {
                format!("the head of branch {name}, for there is nothing on branch {asked}")
            }
            Self::MainBranch { name } => format!("the head of the main branch {name}"),
            Self::LatestWithTag { tag, instead_of: None } => format!("the latest with tag {tag}"),
            Self::LatestWithTag {
                tag,
                instead_of: Some(asked),
            } => {
                format!("the latest with tag {tag}, for nothing has tag {asked}")
            }
            Self::EveryWithTag { tag } => format!("one of those with tag {tag}"),
            Self::Latest => "the latest".to_owned(),
        }
    }
}

/// A consumer version that was chosen, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Choice {
    pub(crate) reason: Reason,
    pub(crate) version_id: i64,
    pub(crate) version: String,
}

impl Choice {
    /// The order in which choices of one content are told: older versions first within one kind of reason.
    pub(crate) fn order(&self, other: &Self) -> Ordering {
        (&self.reason, self.version_id).cmp(&(&other.reason, other.version_id))
    }
}
