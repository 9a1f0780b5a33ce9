//! Which version is the newest of a branch or a tag, worked out again when one was taken away.

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
