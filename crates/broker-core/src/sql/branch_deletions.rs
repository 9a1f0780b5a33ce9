//! The queue of branches that a background job deletes. It is stored in the database, so that the job continues after a
//! restart.

use super::branches::Branch;
use super::statement::FromColumns;
use crate::store::{Row, StoreError, Tx, params};

pub fn enqueue(tx: &mut Tx<'_>, branches: &[Branch]) -> Result<(), StoreError> {
    for branch in branches {
        tx.execute_deferred(
            "INSERT INTO branch_to_delete (branch_id) VALUES ($1) ON CONFLICT DO NOTHING",
            params![branch.id],
        )?;
    }
    Ok(())
}

/// Returns the first branches of the queue, each with the ID of its application. Deleting a branch also removes it from
/// the queue.
pub fn next(tx: &mut Tx<'_>, limit: i64) -> Result<Vec<(i64, Branch)>, StoreError> {
    let rows = tx.query(
        "SELECT b.pacticipant_id, b.id, b.name, b.created_at FROM branch_to_delete d JOIN branch b ON b.id = d.branch_id
         ORDER BY b.id LIMIT $1",
        params![limit],
    )?;
    let entry = |row: &Row| {
        let mut columns = row.columns();
        (columns.int(), Branch::from_columns(&mut columns))
    };
    Ok(rows.iter().map(entry).collect())
}
