use std::cmp::Ordering;

/// The reason why a consumer version was selected. If there are several, they are listed in the order of the variants.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    Deployed { environment: String },
    Released { environment: String },
    Branch { name: String, instead_of: Option<String> },
    MainBranch { name: String },
    LatestWithTag { tag: String, instead_of: Option<String> },
    EveryWithTag { tag: String },
    Latest,
}

impl Reason {
    /// Returns a short description. Some verifiers use it in test names.
    pub fn short(&self) -> String {
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

    /// Returns the text that follows the name and number of a version in a list of reasons.
    pub fn long(&self) -> String {
        match self {
            Self::Deployed { environment } => format!("currently deployed to {environment}"),
            Self::Released { environment } => format!("released and supported in {environment}"),
            Self::Branch { name, instead_of } => {
                let fallback = fallback(instead_of.as_ref(), "branch");
                format!("latest version on branch {name}{fallback}")
            }
            Self::MainBranch { name } => format!("latest version on the main branch {name}"),
            Self::LatestWithTag { tag, instead_of } => {
                let fallback = fallback(instead_of.as_ref(), "tag");
                format!("latest version with tag {tag}{fallback}")
            }
            Self::EveryWithTag { tag } => format!("version with tag {tag}"),
            Self::Latest => "latest version".to_owned(),
        }
    }
}

fn fallback(instead_of: Option<&String>, kind: &str) -> String {
    instead_of.map_or_else(String::new, |name| {
        format!(" (fallback: no contract for {kind} {name})")
    })
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    pub reason: Reason,
    pub version_id: i64,
    pub version: String,
}

impl Choice {
    /// Compares two choices by reason, and then by the age of the version, oldest first.
    pub fn order(&self, other: &Self) -> Ordering {
        (&self.reason, self.version_id).cmp(&(&other.reason, other.version_id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn describes_each_reason() {
        let (name, tag, environment) = ("main".to_owned(), "dev".to_owned(), "prod".to_owned());
        let instead_of = Some("feature".to_owned());
        for (reason, text) in [
            (
                Reason::Deployed {
                    environment: environment.clone(),
                },
                "currently deployed to prod",
            ),
            (Reason::Released { environment }, "released and supported in prod"),
            (
                Reason::Branch {
                    name: name.clone(),
                    instead_of: None,
                },
                "latest version on branch main",
            ),
            (
                Reason::Branch {
                    name: name.clone(),
                    instead_of: instead_of.clone(),
                },
                "latest version on branch main (fallback: no contract for branch feature)",
            ),
            (Reason::MainBranch { name }, "latest version on the main branch main"),
            (
                Reason::LatestWithTag {
                    tag: tag.clone(),
                    instead_of: None,
                },
                "latest version with tag dev",
            ),
            (
                Reason::LatestWithTag {
                    tag: tag.clone(),
                    instead_of,
                },
                "latest version with tag dev (fallback: no contract for tag feature)",
            ),
            (Reason::EveryWithTag { tag }, "version with tag dev"),
            (Reason::Latest, "latest version"),
        ] {
            assert_eq!(reason.long(), text);
        }
    }
}
