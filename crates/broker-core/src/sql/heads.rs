//! Recomputes the latest version of a branch or tag after versions were deleted or removed from it.

use crate::store::{StoreError, Tx, params};

pub(super) fn of_branch(tx: &mut Tx<'_>, branch: i64) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE branch SET head_version_id =
         (SELECT version_id FROM branch_version WHERE branch_id = $1 ORDER BY id DESC LIMIT 1) WHERE id = $1",
        params![branch],
    )?;
    Ok(())
}

pub(super) fn of_tag(tx: &mut Tx<'_>, pacticipant: i64, name: &str) -> Result<(), StoreError> {
    let named = params![pacticipant, name];
    tx.execute("DELETE FROM tag_head WHERE pacticipant_id = $1 AND name = $2", named)?;
    tx.execute(
        "INSERT INTO tag_head (pacticipant_id, name, version_id) SELECT pacticipant_id, name, max(version_id) FROM tag
         WHERE pacticipant_id = $1 AND name = $2 GROUP BY pacticipant_id, name",
        named,
    )?;
    Ok(())
}

/// Recomputes the head of each branch and tag of an application whose head was deleted.
pub(super) fn renew(tx: &mut Tx<'_>, pacticipant: i64) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE branch SET head_version_id =
         (SELECT bv.version_id FROM branch_version bv WHERE bv.branch_id = branch.id ORDER BY bv.id DESC LIMIT 1)
         WHERE pacticipant_id = $1 AND head_version_id IS NULL",
        params![pacticipant],
    )?;
    tx.execute(
        "INSERT INTO tag_head (pacticipant_id, name, version_id) SELECT t.pacticipant_id, t.name, max(t.version_id) FROM tag t
         WHERE t.pacticipant_id = $1
         AND NOT EXISTS (SELECT 1 FROM tag_head h WHERE h.pacticipant_id = t.pacticipant_id AND h.name = t.name)
         GROUP BY t.pacticipant_id, t.name",
        params![pacticipant],
    )?;
    Ok(())
}
