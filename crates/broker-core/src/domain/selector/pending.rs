/// The first successful verification of the content of a contract by a group of provider versions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Success {
    pub group: Group,
    pub first_at: i64,
    /// Like `first_at`, but excludes runs in which the contract was work in progress. `None` if there were no other
    /// runs.
    pub first_chosen_at: Option<i64>,
}

/// A group of provider versions: those on a branch, those with a tag, or all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Group {
    Branch(String),
    Tag(String),
    Any,
}

/// The provider branch or tag for which pending and work in progress are computed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerificationScope {
    pub group: Group,
    pub since: Option<i64>,
}

impl VerificationScope {
    /// Returns whether this content is pending: it was never verified successfully for this group, nor for another
    /// group of the same kind before this one was created. Failures of pending contracts do not fail the build.
    pub fn is_pending(&self, successes: &[Success]) -> bool {
        !self.was_verified(successes, |success| Some(success.first_at))
    }

    /// Like `is_pending`, but ignores runs in which the contract was work in progress.
    pub fn is_unverified_when_chosen(&self, successes: &[Success]) -> bool {
        !self.was_verified(successes, |success| success.first_chosen_at)
    }

    fn was_verified(&self, successes: &[Success], moment: impl Fn(&Success) -> Option<i64>) -> bool {
        successes.iter().any(|success| {
            let Some(at) = moment(success) else { return false };
            if self.group == Group::Any || success.group == Group::Any {
                return self.group == success.group;
            }
            success.group == self.group
                || (self.is_of_same_kind(&success.group) && self.since.is_none_or(|since| at < since))
        })
    }

    fn is_of_same_kind(&self, group: &Group) -> bool {
        matches!(
            (&self.group, group),
            (Group::Branch(_), Group::Branch(_)) | (Group::Tag(_), Group::Tag(_))
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn success(group: Group, at: i64) -> Success {
        Success {
            group,
            first_at: at,
            first_chosen_at: Some(at),
        }
    }

    #[test]
    fn a_new_branch_inherits_earlier_verifications() {
        let branch = |name: &str| Group::Branch(name.to_owned());
        let feature = |since: Option<i64>| VerificationScope {
            group: branch("feature"),
            since,
        };
        assert!(feature(None).is_pending(&[]));
        assert!(!feature(None).is_pending(&[success(branch("main"), 5)]));
        assert!(!feature(Some(6)).is_pending(&[success(branch("main"), 5)]));
        assert!(feature(Some(4)).is_pending(&[success(branch("main"), 5)]));
        assert!(!feature(Some(4)).is_pending(&[success(branch("feature"), 5)]));
        assert!(
            feature(None).is_pending(&[success(Group::Any, 5)]),
            "a version without a branch belongs to no group"
        );
        assert!(
            !VerificationScope {
                group: Group::Any,
                since: None
            }
            .is_pending(&[success(Group::Any, 5)])
        );
    }

    #[test]
    fn a_success_as_work_in_progress_does_not_end_it() {
        let scope = VerificationScope {
            group: Group::Branch("b".to_owned()),
            since: Some(1),
        };
        let success = Success {
            group: scope.group.clone(),
            first_at: 5,
            first_chosen_at: None,
        };
        assert!(scope.is_unverified_when_chosen(std::slice::from_ref(&success)));
        assert!(!scope.is_pending(&[success]));
    }
}
