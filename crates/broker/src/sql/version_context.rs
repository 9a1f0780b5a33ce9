//! Branches, tags and environments of versions, queried together.

use std::collections::HashMap;

use super::branches::{self, BranchOf};
use super::environments::{self, Environment, PresenceKind};
use super::tags::{self, Tag};
use crate::store::{StoreError, Tx, each};

/// Keyed by version id.
#[derive(Default)]
pub(crate) struct VersionContext {
    pub(crate) branches: HashMap<i64, Vec<BranchOf>>,
    pub(crate) tags: HashMap<i64, Vec<Tag>>,
    /// Current environments.
    pub(crate) environments: HashMap<i64, Vec<Environment>>,
}

pub(crate) fn read(tx: &mut Tx<'_>, ids: &[i64]) -> Result<VersionContext, StoreError> {
    let kinds = [PresenceKind::Deployed, PresenceKind::Released];
    let mut queries = each(branches::OF_VERSIONS, &[], ids);
    let pieces = queries.len();
    queries.extend(each(&tags::of_versions_sql(), &[], ids));
    for kind in kinds {
        queries.extend(each(&environments::of_versions_sql(kind), &[], ids));
    }
    let mut answers = tx.query_all(&queries)?.into_iter();
    let mut next = || answers.by_ref().take(pieces).flatten().collect::<Vec<_>>();
    let mut known = VersionContext::default();
    for row in next() {
        let branch = branches::of_version(&row);
        known.branches.entry(branch.version_id).or_default().push(branch);
    }
    for row in next() {
        let tag = tags::of(&row);
        known.tags.entry(tag.version_id).or_default().push(tag);
    }
    for kind in kinds {
        for row in next() {
            let presence = environments::presence(&row, kind);
            let of = known.environments.entry(presence.version_id).or_default();
            if presence.is_current && !of.contains(&presence.environment) {
                of.push(presence.environment);
            }
        }
    }
    Ok(known)
}
