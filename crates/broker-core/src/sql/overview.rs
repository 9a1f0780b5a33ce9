//! Counts rows for the metrics and for the page with the first steps.

use crate::store::{StoreError, Tx};

pub fn count(tx: &mut Tx<'_>, source: &str) -> Result<i64, StoreError> {
    tx.number(&format!("SELECT count(*) FROM {source}"), &[])
}

/// Returns whether the table has rows.
pub fn has_rows(tx: &mut Tx<'_>, table: &str) -> Result<bool, StoreError> {
    Ok(tx.query_row(&format!("SELECT 1 FROM {table} LIMIT 1"), &[])?.is_some())
}

/// Returns the creation times of the oldest and the newest row of a table, or `None` if it is empty.
pub fn span(tx: &mut Tx<'_>, table: &str) -> Result<(Option<i64>, Option<i64>), StoreError> {
    let row = tx.query_row(&format!("SELECT min(created_at), max(created_at) FROM {table}"), &[])?;
    Ok(row.map_or((None, None), |row| (row.maybe_int(0), row.maybe_int(1))))
}

/// Groups the rows of a table by the SQL expression `group`. Returns pairs of a group size and the number of groups of
/// this size.
pub fn distribution(tx: &mut Tx<'_>, table: &str, group: &str) -> Result<Vec<(i64, i64)>, StoreError> {
    let rows = tx.query(
        &format!(
            "SELECT g.size, count(*) FROM (SELECT count(*) AS size FROM {table} GROUP BY {group}) g GROUP BY g.size ORDER BY g.size"
        ),
        &[],
    )?;
    Ok(rows.iter().map(|row| (row.int(0), row.int(1))).collect())
}
