//! Reads and writes branches and their versions.

use super::results::GroupKind;
use super::statement::{self, Conditions, FromColumns};
use super::versions::Version;
use super::{Page, heads, pacticipants};
use crate::store::{Columns, StoreError, Tx, params};

#[derive(Clone, Debug)]
pub struct Branch {
    pub id: i64,
    pub name: String,
    pub created_at: i64,
}

impl FromColumns for Branch {
    fn from_columns(columns: &mut Columns<'_>) -> Self {
        Self {
            id: columns.int(),
            name: columns.text(),
            created_at: columns.int(),
        }
    }
}

const COLUMNS: &str = "b.id, b.name, b.created_at";

pub fn find(tx: &mut Tx<'_>, pacticipant: i64, name: &str) -> Result<Option<Branch>, StoreError> {
    let sql = format!("SELECT {COLUMNS} FROM branch b WHERE b.pacticipant_id = $1 AND b.name = $2");
    statement::find(tx, &sql, params![pacticipant, name])
}

pub fn list(
    tx: &mut Tx<'_>,
    pacticipant: i64,
    search: Option<&str>,
    page: Page,
) -> Result<(Vec<Branch>, i64), StoreError> {
    let mut conditions = Conditions::default();
    conditions.equal("b.pacticipant_id", pacticipant);
    if let Some(text) = search {
        let pattern = conditions.parameter(pacticipants::like(text));
        conditions.add(format!("lower(b.name) LIKE {pattern} ESCAPE '!'"));
    }
    statement::list_page(tx, (COLUMNS, "branch b", "b.id DESC"), conditions, page)
}

/// Deletes a branch, but not its versions.
pub fn delete(tx: &mut Tx<'_>, pacticipant: i64, branch: &Branch) -> Result<(), StoreError> {
    tx.execute("DELETE FROM branch WHERE id = $1", params![branch.id])?;
    super::results::forget_group(tx, pacticipant, GroupKind::Branch, &branch.name)
}

/// Returns whether a version is on at least one branch.
pub fn has_branch(tx: &mut Tx<'_>, version: i64) -> Result<bool, StoreError> {
    let sql = "SELECT 1 FROM branch_version WHERE version_id = $1 LIMIT 1";
    Ok(tx.query_row(sql, params![version])?.is_some())
}

/// Returns the time at which a version was added to a branch, or `None` if it is not on the branch.
pub fn joined_at(tx: &mut Tx<'_>, branch: i64, version: i64) -> Result<Option<i64>, StoreError> {
    let sql = "SELECT created_at FROM branch_version WHERE branch_id = $1 AND version_id = $2";
    Ok(tx.query_row(sql, params![branch, version])?.map(|row| row.int(0)))
}

/// Creates a branch without versions. Returns `false` if it already exists.
pub fn create(tx: &mut Tx<'_>, pacticipant: i64, name: &str, now: i64) -> Result<bool, StoreError> {
    let created = tx.execute(
        "INSERT INTO branch (pacticipant_id, name, created_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
        params![pacticipant, name, now],
    )?;
    Ok(created > 0)
}

/// Adds a version to a branch and makes it the branch's head. Creates the branch if it does not exist. Returns `false`
/// if the version was already on the branch. `automatic` means that the branch was derived from a tag.
pub fn add(tx: &mut Tx<'_>, version: &Version, name: &str, automatic: bool, now: i64) -> Result<bool, StoreError> {
    tx.execute_deferred(
        "INSERT INTO branch (pacticipant_id, name, created_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
        params![version.pacticipant_id, name, now],
    )?;
    let branch = find(tx, version.pacticipant_id, name)?.ok_or_else(StoreError::vanished)?;
    // Results that are added concurrently must count for the branch, and the version that is added last must become the
    // head.
    tx.lock_row("version", version.id)?;
    tx.lock_row("branch", branch.id)?;
    let inserted = tx.execute(
        "INSERT INTO branch_version (branch_id, version_id, automatic, created_at) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING",
        params![branch.id, version.id, automatic, now],
    )?;
    if inserted == 0 {
        return Ok(false);
    }
    tx.execute_deferred(
        "UPDATE branch SET head_version_id = $1 WHERE id = $2",
        params![version.id, branch.id],
    )?;
    // The branch may be queued for deletion, but is in use again.
    tx.execute_deferred("DELETE FROM branch_to_delete WHERE branch_id = $1", params![branch.id])?;
    super::results::join_group(tx, version.id, GroupKind::Branch, name)?;
    Ok(true)
}

/// Makes a version the head of a branch. Returns `false` if nothing changed, because it is already the head or is not
/// on the branch.
pub fn set_head(tx: &mut Tx<'_>, branch: &Branch, version: i64) -> Result<bool, StoreError> {
    let changed = tx.execute(
        "UPDATE branch SET head_version_id = $1 WHERE id = $2 AND (head_version_id IS NULL OR head_version_id <> $1)
         AND EXISTS (SELECT 1 FROM branch_version bv WHERE bv.branch_id = $2 AND bv.version_id = $1)",
        params![version, branch.id],
    )?;
    Ok(changed > 0)
}

/// Removes a version from a branch. Returns `false` if the version was not on the branch.
pub fn remove(tx: &mut Tx<'_>, branch: &Branch, version: i64) -> Result<bool, StoreError> {
    let removed = tx.execute(
        "DELETE FROM branch_version WHERE branch_id = $1 AND version_id = $2",
        params![branch.id, version],
    )?;
    if removed > 0 {
        heads::of_branch(tx, branch.id)?;
        super::results::refresh_first_successes_of_version(tx, version)?;
    }
    Ok(removed > 0)
}

#[derive(Clone, Debug)]
pub struct VersionBranch {
    pub version_id: i64,
    pub name: String,
    pub is_head: bool,
}

/// Returns the query for the branches of versions. For each version, branches are sorted by the time at which it was
/// added to them. `ids` is a list of version IDs in SQL.
pub(super) fn of_versions_sql(ids: &str) -> String {
    format!(
        "SELECT bv.version_id, b.name, CASE WHEN b.head_version_id = bv.version_id THEN 1 ELSE 0 END
         FROM branch_version bv JOIN branch b ON b.id = bv.branch_id WHERE bv.version_id IN ({ids}) ORDER BY bv.id"
    )
}

impl FromColumns for VersionBranch {
    fn from_columns(columns: &mut Columns<'_>) -> Self {
        Self {
            version_id: columns.int(),
            name: columns.text(),
            is_head: columns.bool(),
        }
    }
}

pub fn of_versions(tx: &mut Tx<'_>, versions: &[i64]) -> Result<Vec<VersionBranch>, StoreError> {
    Ok(FromColumns::from_rows(&tx.query_list(
        of_versions_sql,
        &[],
        versions,
    )?))
}
