//! The retention policy, which determines the data that the broker keeps.

const DAY: i64 = 24 * 3_600 * 1_000;

/// A rule that keeps old versions. A version is deleted only if no rule applies to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum KeepRule {
    /// The version is currently deployed to an environment.
    Deployed,
    /// The version is released in an environment and still supported there.
    Released,
    /// The version is the latest version of its application.
    Latest,
    /// The version is the head of a branch.
    BranchHead,
    /// The version is the latest version with a tag.
    TagHead,
    /// The version was the first to verify the contract of a kept version successfully, so that the pending and
    /// work-in-progress statuses depend on it. This rule cannot be turned off.
    FirstSuccess,
}

impl KeepRule {
    /// The rules that can be turned off.
    pub const OPTIONAL: [Self; 5] = [
        Self::Deployed,
        Self::Released,
        Self::Latest,
        Self::BranchHead,
        Self::TagHead,
    ];

    /// Returns the name of the rule in command-line options and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Deployed => "deployed",
            Self::Released => "released",
            Self::Latest => "latest",
            Self::BranchHead => "branch-heads",
            Self::TagHead => "tag-heads",
            Self::FirstSuccess => "first-successes",
        }
    }

    /// Returns a noun phrase that describes the kept version, for messages.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Deployed => "currently deployed",
            Self::Released => "released and supported",
            Self::Latest => "latest version of the application",
            Self::BranchHead => "latest version of a branch",
            Self::TagHead => "latest version with a tag",
            Self::FirstSuccess => "first successful verification of a kept contract",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RetentionPolicy {
    /// Maximum age in days up to which every version is kept. Default: 90.
    pub days: u32,
    /// The rules that keep older versions. Default: all optional rules.
    pub keep: Vec<KeepRule>,
    /// Number of days without a new version after which a branch is deleted, unless it is the main branch. `None` keeps
    /// all branches. Default: `None`.
    pub branch_days: Option<u32>,
}

impl Default for RetentionPolicy {
    fn default() -> Self {
        Self {
            days: 90,
            keep: KeepRule::OPTIONAL.to_vec(),
            branch_days: None,
        }
    }
}

impl RetentionPolicy {
    /// Returns the time in milliseconds since 1970 before which versions are old.
    pub fn cutoff(&self, now: i64) -> i64 {
        now.saturating_sub(i64::from(self.days) * DAY)
    }

    /// Returns the time in milliseconds since 1970 before which a branch must have received its last version to be
    /// deleted, or `None` if the policy keeps all branches.
    pub fn branch_cutoff(&self, now: i64) -> Option<i64> {
        self.branch_days.map(|days| now.saturating_sub(i64::from(days) * DAY))
    }

    pub fn keeps(&self, rule: KeepRule) -> bool {
        self.keep.contains(&rule)
    }
}
