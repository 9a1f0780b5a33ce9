//! The retention policy, which determines the data that is kept.

/// Milliseconds in a day.
const DAY: i64 = 24 * 3_600 * 1_000;

/// The reason why an old version is kept. A version is kept if at least one rule applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum KeepRule {
    /// It is currently deployed to an environment.
    Deployed,
    /// It is released and supported in an environment.
    Released,
    /// It is the latest version of its application.
    Latest,
    /// It is the latest version of a branch.
    BranchHead,
    /// It is the latest version with a tag.
    TagHead,
    /// It was the first version to verify a kept contract successfully, so the pending and work-in-progress status
    /// depend on it.
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

    /// Returns the name of the rule in options and in JSON.
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

    /// Returns a description of the rule for messages.
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

/// The rules for keeping versions, branches, and results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RetentionPolicy {
    /// Age in days up to which all versions are kept. Default: 90.
    pub days: u32,
    /// Rules that keep older versions. Default: all rules.
    pub keep: Vec<KeepRule>,
    /// Branches that have had no new version for this number of days are deleted, except main branches. `None` keeps
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
    /// Returns the time before which versions are old.
    pub fn cutoff(&self, now: i64) -> i64 {
        now.saturating_sub(i64::from(self.days) * DAY)
    }

    /// Returns the time before which branches are stale, or `None` if the policy keeps all branches.
    pub fn branch_cutoff(&self, now: i64) -> Option<i64> {
        self.branch_days.map(|days| now.saturating_sub(i64::from(days) * DAY))
    }

    pub fn keeps(&self, rule: KeepRule) -> bool {
        self.keep.contains(&rule)
    }
}
