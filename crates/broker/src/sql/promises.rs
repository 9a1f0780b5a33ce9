//! Background jobs: work that a response announces and that runs later in small steps, so that no request waits for it. Jobs are
//! stored in the database and continue after a restart.

use super::branches::{self, Branch};
use super::statement::FromColumns;
use crate::store::{StoreError, Tx, params};

/// Number of branches deleted in one transaction.
const PIECE: i64 = 20;

/// Queues branches for deletion.
pub(crate) fn delete_branches(tx: &mut Tx<'_>, branches: &[Branch]) -> Result<(), StoreError> {
    for branch in branches {
        tx.execute_deferred(
            "INSERT INTO branch_to_delete (branch_id) VALUES ($1) ON CONFLICT DO NOTHING",
            params![branch.id],
        )?;
    }
    Ok(())
}

/// Runs one step of the queued jobs. Returns `false` if none was left.
pub(crate) fn fulfil(tx: &mut Tx<'_>) -> Result<bool, StoreError> {
    let piece = tx.query(
        "SELECT b.id, b.name, b.created_at, b.pacticipant_id FROM branch_to_delete d JOIN branch b ON b.id = d.branch_id
         ORDER BY b.id LIMIT $1",
        params![PIECE],
    )?;
    for row in &piece {
        let mut columns = row.columns();
        let branch = Branch::from_columns(&mut columns);
        branches::delete(tx, columns.int(), &branch)?;
    }
    Ok(!piece.is_empty())
}
