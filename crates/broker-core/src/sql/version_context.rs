//! Reads the branches, tags, and environments of several versions at once.

use std::collections::HashMap;

use super::branches::{self, VersionBranch};
use super::environments::{self, Environment, PresenceKind};
use super::statement::FromColumns;
use super::tags::{self, Tag};
use crate::store::{StoreError, Tx, each};

/// Branches, tags, and environments by version ID.
#[derive(Default)]
pub struct VersionContext {
    pub branches: HashMap<i64, Vec<VersionBranch>>,
    pub tags: HashMap<i64, Vec<Tag>>,
    /// The environments in which each version is currently deployed or released.
    pub environments: HashMap<i64, Vec<Environment>>,
}

pub fn read(tx: &mut Tx<'_>, ids: &[i64]) -> Result<VersionContext, StoreError> {
    let kinds = [PresenceKind::Deployed, PresenceKind::Released];
    let mut lists = vec![
        each(branches::of_versions_sql, &[], ids),
        each(tags::of_versions_sql, &[], ids),
    ];
    lists.extend(kinds.map(|kind| each(|ids| environments::of_versions_sql(kind, ids), &[], ids)));
    let mut results = tx.query_lists(lists)?.into_iter();
    let mut next = || results.next().into_iter().flatten().flatten().collect::<Vec<_>>();
    let mut context = VersionContext::default();
    for branch in VersionBranch::from_rows(&next()) {
        context.branches.entry(branch.version_id).or_default().push(branch);
    }
    for tag in Tag::from_rows(&next()) {
        context.tags.entry(tag.version_id).or_default().push(tag);
    }
    for kind in kinds {
        for row in next() {
            let presence = environments::presence(&row, kind);
            let current = context.environments.entry(presence.version_id).or_default();
            if presence.is_current && !current.contains(&presence.environment) {
                current.push(presence.environment);
            }
        }
    }
    Ok(context)
}
