//! What was promised in a reply and is done afterwards, a piece at a time, so that nobody waits for it. It is kept with the data:
//! a broker that ends before it is done goes on at its next start.

use super::branches::{self, Branch};
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

/// Does a piece of what was promised. `false`: nothing is left.
pub(crate) fn fulfil(tx: &mut Tx<'_>) -> Result<bool, StoreError> {
    let piece = tx.query(
        "SELECT b.id, b.name, b.created_at, b.pacticipant_id FROM branch_to_delete d JOIN branch b ON b.id = d.branch_id
         ORDER BY b.id LIMIT $1",
        params![PIECE],
    )?;
    for row in &piece {
        branches::delete(tx, row.int(3), &branches::of(row))?;
    }
    Ok(!piece.is_empty())
}
