//! What was promised in a reply and is done afterwards, a piece at a time, so that nobody waits for it. It is kept with the data:
//! a broker that ends before it is done goes on at its next start.

use super::versions::{self, Branch};
use crate::store::{StoreError, Tx, params};

/// How many branches are deleted at once.
const PIECE: i64 = 20;

/// Promises that branches will be deleted.
pub(crate) fn delete_branches(tx: &mut Tx<'_>, branches: &[Branch]) -> Result<(), StoreError> {
    for branch in branches {
        tx.send(
            "INSERT INTO branch_to_delete (branch_id) VALUES ($1) ON CONFLICT DO NOTHING",
            params![branch.id],
        )?;
    }
    Ok(())
}

/// A version was put on the branch after all: it stays.
pub(super) fn keep_branch(tx: &mut Tx<'_>, branch: i64) -> Result<(), StoreError> {
    tx.send("DELETE FROM branch_to_delete WHERE branch_id = $1", params![branch])?;
    Ok(())
}

/// Does a piece of what was promised. `false`: nothing is left.
pub(crate) fn fulfil(tx: &mut Tx<'_>) -> Result<bool, StoreError> {
    let piece = tx.query(
        "SELECT b.id, b.name, b.created_at, b.pacticipant_id FROM branch_to_delete d JOIN branch b ON b.id = d.branch_id
         ORDER BY b.id LIMIT $1",
        params![PIECE],
    )?;
    for row in &piece {
        versions::delete_branch(tx, row.int(3), &versions::branch_of(row))?;
    }
    Ok(!piece.is_empty())
}
