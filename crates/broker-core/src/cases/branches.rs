//! Adds versions to branches, and deletes branches.

use crate::sql::branches::{self, Branch};
use crate::sql::pacticipants::{self, Pacticipant};
use crate::sql::versions::Version;
use crate::sql::{Page, branch_deletions};
use crate::store::{StoreError, Tx};
use contract_broker_domain::rules::Rules;

/// Adds a version to a branch and makes it the branch's head. If the application has no main branch, a branch with a
/// typical name, such as `main`, becomes its main branch. Returns `false` if the version was already on the branch.
pub fn add_version(
    tx: &mut Tx<'_>,
    rules: &Rules,
    version: &Version,
    name: &str,
    now: i64,
) -> Result<bool, StoreError> {
    let is_new = branches::add(tx, version, name, false, now)?;
    if is_new && rules.is_main_branch(name) {
        pacticipants::adopt_main_branch(tx, version.pacticipant_id, name, now)?;
    }
    Ok(is_new)
}

/// Enqueues the deletion of all branches except the main branch and the branches in `excluded`. A background job
/// deletes them later, because there may be thousands. Returns the number of enqueued branches, and the branches that
/// are kept.
pub fn delete_except(
    tx: &mut Tx<'_>,
    owner: &Pacticipant,
    excluded: &[&str],
) -> Result<(usize, Vec<Branch>), StoreError> {
    let all = Page {
        number: 1,
        size: i64::from(i32::MAX),
    };
    let (all, _) = branches::list(tx, owner.id, None, all)?;
    let main = owner.details.main_branch.as_deref();
    let is_kept = |branch: &Branch| excluded.contains(&branch.name.as_str()) || main == Some(branch.name.as_str());
    let (kept, deleted): (Vec<Branch>, Vec<Branch>) = all.into_iter().partition(is_kept);
    branch_deletions::enqueue(tx, &deleted)?;
    Ok((deleted.len(), kept))
}

/// Deletes up to 20 of the enqueued branches. Returns `false` if the queue was empty.
pub fn delete_enqueued(tx: &mut Tx<'_>) -> Result<bool, StoreError> {
    const BATCH: i64 = 20;
    let batch = branch_deletions::next(tx, BATCH)?;
    for (pacticipant, branch) in &batch {
        branches::delete(tx, *pacticipant, branch)?;
    }
    Ok(!batch.is_empty())
}
