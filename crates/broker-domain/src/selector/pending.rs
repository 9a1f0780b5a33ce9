/// The first successful verification of a contract content by the provider versions of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Success {
    pub group: Group,
    pub first_at: i64,
    /// The first success in a run in which the contract was not work in progress, or `None` if there was no such
    /// success.
    pub first_chosen_at: Option<i64>,
}

/// A group of provider versions: all versions on a branch, all versions with a tag, or all versions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Group {
    Branch(String),
    Tag(String),
    Any,
}

/// The group of provider versions for which the pending and work-in-progress statuses are computed. `since` is the time
/// at which its branch was created or its tag was first used. It is `None` if the branch or tag does not exist yet, and
/// for [`Group::Any`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerificationScope {
    pub group: Group,
    pub since: Option<i64>,
}

impl VerificationScope {
    /// Returns whether a content with these successes is pending. It is not pending if this group has verified it
    /// successfully, or if another group of the same kind did so before this group was created. A failed verification
    /// of a pending contract does not fail the build.
    pub fn is_pending(&self, successes: &[Success]) -> bool {
        !self.was_verified(successes, |success| Some(success.first_at))
    }

    /// Like [`VerificationScope::is_pending`], but ignores runs in which the contract was work in progress.
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
