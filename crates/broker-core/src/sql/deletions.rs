//! Deletions that can be undone, and the rows that they deleted.

use std::collections::{HashMap, HashSet};

use super::environments::new_uuid;
use super::rows::Inserter;
use super::statement::{self, FromColumns};
use super::{Page, UNPAGED};
use crate::store::tables::{Table, tables};
use crate::store::{Columns, Row, StoreError, Tx, Value, params};

/// Maximum number of rows that one statement stores.
const GROUP: usize = 100;

/// A deletion of an application or an environment that can be undone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deletion {
    pub id: i64,
    pub uuid: String,
    /// `pacticipant` or `environment`, which is also the name of the table.
    pub kind: String,
    pub name: String,
    pub created_at: i64,
}

const COLUMNS: &str = "id, uuid, kind, name, created_at";

impl FromColumns for Deletion {
    fn from_columns(columns: &mut Columns<'_>) -> Self {
        Self {
            id: columns.int(),
            uuid: columns.text(),
            kind: columns.text(),
            name: columns.text(),
            created_at: columns.int(),
        }
    }
}

pub fn insert(tx: &mut Tx<'_>, kind: &str, name: &str, now: i64) -> Result<Deletion, StoreError> {
    let uuid = new_uuid();
    tx.execute(
        "INSERT INTO deletion (uuid, kind, name, created_at) VALUES ($1, $2, $3, $4)",
        params![&uuid, kind, name, now],
    )?;
    find(tx, &uuid)?.ok_or_else(StoreError::vanished)
}

pub fn find(tx: &mut Tx<'_>, uuid: &str) -> Result<Option<Deletion>, StoreError> {
    statement::find(
        tx,
        &format!("SELECT {COLUMNS} FROM deletion WHERE uuid = $1"),
        params![uuid],
    )
}

/// Returns the newest deletion of the application or environment with this name.
pub fn find_named(tx: &mut Tx<'_>, kind: &str, name: &str) -> Result<Option<Deletion>, StoreError> {
    let sql = format!("SELECT {COLUMNS} FROM deletion WHERE kind = $1 AND name = $2 ORDER BY id DESC LIMIT 1");
    statement::find(tx, &sql, params![kind, name])
}

/// Returns a page of the deletions, newest first, and the total number of deletions. `None` returns all deletions.
pub fn list(tx: &mut Tx<'_>, page: Option<Page>) -> Result<(Vec<Deletion>, i64), StoreError> {
    let conditions = statement::Conditions::default();
    statement::list_page(
        tx,
        (COLUMNS, "deletion", "id DESC"),
        conditions,
        page.unwrap_or(UNPAGED),
    )
}

/// Removes a deletion and the rows stored for it, so that it can no longer be undone.
pub fn remove(tx: &mut Tx<'_>, deletion: &Deletion) -> Result<(), StoreError> {
    tx.execute("DELETE FROM deletion WHERE id = $1", params![deletion.id])
        .map(drop)
}

/// Removes the deletions that are older than `time`, in milliseconds since 1970. Returns their number.
pub fn remove_before(tx: &mut Tx<'_>, time: i64) -> Result<u64, StoreError> {
    tx.execute("DELETE FROM deletion WHERE created_at < $1", params![time])
}

/// Stores the row with the ID `root`, and all rows that the database deletes together with it.
pub fn store_rows(tx: &mut Tx<'_>, deletion: &Deletion, root: i64) -> Result<(), StoreError> {
    let mut reached: HashMap<String, Vec<i64>> = HashMap::new();
    for table in tables() {
        let sources: Vec<(&str, Vec<i64>)> = if table.name == deletion.kind {
            vec![("id", vec![root])]
        } else {
            let cascading = table.references.iter().filter(|reference| reference.cascades);
            cascading
                .filter_map(|reference| Some((reference.column.as_str(), reached.get(&reference.table)?.clone())))
                .collect()
        };
        let ids = store_rows_of(tx, deletion, &table, &sources)?;
        reached.insert(table.name, ids);
    }
    Ok(())
}

/// Stores the rows of a table that have one of the given values in one of the columns in `sources`. Returns the IDs of
/// the rows.
fn store_rows_of(
    tx: &mut Tx<'_>,
    deletion: &Deletion,
    table: &Table,
    sources: &[(&str, Vec<i64>)],
) -> Result<Vec<i64>, StoreError> {
    let is_key: Vec<bool> = table.columns.iter().map(|column| table.key.contains(column)).collect();
    // Several references may lead to the same row.
    let mut seen: HashSet<Vec<Value>> = HashSet::new();
    let mut ids = Vec::new();
    for (column, parents) in sources {
        let sql = |list: &str| {
            let (columns, key) = (table.columns.join(", "), table.key.join(", "));
            format!(
                "SELECT {columns} FROM {} WHERE {column} IN ({list}) ORDER BY {key}",
                table.name
            )
        };
        for part in parents.chunks(GROUP) {
            let mut rows = tx.query_each(sql, &[], part)?;
            rows.retain(|row| {
                let key = row.values().iter().zip(&is_key).filter(|(_, is_key)| **is_key);
                seen.insert(key.map(|(value, _)| value.clone()).collect())
            });
            if table.has_generated_id {
                ids.extend(rows.iter().map(|row| row.int(0)));
            }
            for group in rows.chunks(GROUP) {
                insert_rows(tx, deletion, table, group)?;
            }
        }
    }
    Ok(ids)
}

fn insert_rows(tx: &mut Tx<'_>, deletion: &Deletion, table: &Table, rows: &[Row]) -> Result<(), StoreError> {
    let row = |row: &Row| -> Vec<serde_json::Value> { row.values().iter().map(Value::to_json).collect() };
    let content = serde_json::json!({ "columns": table.columns, "rows": rows.iter().map(row).collect::<Vec<_>>() });
    tx.execute(
        "INSERT INTO deleted_rows (deletion_id, table_name, content) VALUES ($1, $2, $3)",
        params![deletion.id, &table.name, content.to_string()],
    )
    .map(drop)
}

/// Returns a later deletion of an application or an environment to which rows of this deletion refer, or `None` if there
/// is none.
pub fn find_missing(tx: &mut Tx<'_>, deletion: &Deletion) -> Result<Option<Deletion>, StoreError> {
    let sql = format!("SELECT {COLUMNS} FROM deletion WHERE id > $1 ORDER BY id DESC");
    let later: Vec<Deletion> = statement::list(tx, &sql, params![deletion.id])?;
    let tables = tables();
    // What was deleted later, by table and ID.
    let mut roots: HashMap<String, HashMap<i64, Deletion>> = HashMap::new();
    for other in later {
        // The row of the application or the environment was stored first.
        if let Some(StoredRows { table, rows, .. }) = next_rows(tx, &other, 0, &tables)?
            && let Some(Value::Int(id)) = rows.first().and_then(|row| row.first())
        {
            roots.entry(table.name.clone()).or_default().insert(*id, other);
        }
    }
    if roots.is_empty() {
        return Ok(None);
    }
    let mut after = 0;
    while let Some(StoredRows { id, table, rows }) = next_rows(tx, deletion, after, &tables)? {
        after = id;
        for (at, column) in table.columns.iter().enumerate() {
            let reference = table.references.iter().find(|reference| reference.column == *column);
            let Some(deleted) = reference.and_then(|reference| roots.get(&reference.table)) else {
                continue;
            };
            let mut missing = rows.iter().filter_map(|row| match row[at] {
                Value::Int(id) => deleted.get(&id),
                _ => None,
            });
            if let Some(missing) = missing.next() {
                return Ok(Some(missing.clone()));
            }
        }
    }
    Ok(None)
}

/// Restores the rows of a deletion. Skips rows that already exist, and rows that refer to a row that no longer exists.
pub fn restore_rows(tx: &mut Tx<'_>, deletion: &Deletion) -> Result<(), StoreError> {
    let tables = tables();
    let mut after = 0;
    while let Some(StoredRows { id, table, rows }) = next_rows(tx, deletion, after, &tables)? {
        after = id;
        let rows = with_references(tx, table, rows)?;
        let mut inserter = Inserter::keeping_existing_rows();
        for row in rows {
            inserter.add(tx, table, row)?;
        }
        inserter.finish(tx, table)?;
    }
    Ok(())
}

/// Deleted rows of one table, which were stored together.
struct StoredRows<'a> {
    id: i64,
    table: &'a Table,
    rows: Vec<Vec<Value>>,
}

/// Returns the stored rows with the smallest ID above `after`. Skips tables that no longer exist.
fn next_rows<'a>(
    tx: &mut Tx<'_>,
    deletion: &Deletion,
    mut after: i64,
    tables: &'a [Table],
) -> Result<Option<StoredRows<'a>>, StoreError> {
    let sql = "SELECT id, table_name, content FROM deleted_rows WHERE deletion_id = $1 AND id > $2 ORDER BY id LIMIT 1";
    while let Some(row) = tx.query_row(sql, params![deletion.id, after])? {
        let (id, name) = (row.int(0), row.text(1));
        if let Some(table) = tables.iter().find(|table| table.name == name) {
            let rows = rows_of(&row.text(2), table);
            return Ok(Some(StoredRows { id, table, rows }));
        }
        after = id;
    }
    Ok(None)
}

/// Parses stored rows. Columns that were added to the table later are set to NULL.
fn rows_of(content: &str, table: &Table) -> Vec<Vec<Value>> {
    let content: serde_json::Value = serde_json::from_str(content).unwrap_or_default();
    let columns: Vec<&str> = content["columns"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|name| name.as_str())
        .collect();
    let position = |name: &String| columns.iter().position(|column| column == name);
    let positions: Vec<Option<usize>> = table.columns.iter().map(position).collect();
    let row = |row: &serde_json::Value| {
        let value = |at: &Option<usize>| at.and_then(|at| Value::from_json(&row[at])).unwrap_or(Value::Null);
        positions.iter().map(value).collect()
    };
    content["rows"].as_array().into_iter().flatten().map(row).collect()
}

/// Returns the rows that refer only to existing rows.
fn with_references(tx: &mut Tx<'_>, table: &Table, mut rows: Vec<Vec<Value>>) -> Result<Vec<Vec<Value>>, StoreError> {
    for reference in &table.references {
        let Some(at) = table.columns.iter().position(|column| *column == reference.column) else {
            continue;
        };
        let id = |row: &Vec<Value>| match row[at] {
            Value::Int(id) => Some(id),
            _ => None,
        };
        let ids: Vec<i64> = rows
            .iter()
            .filter_map(id)
            .collect::<HashSet<i64>>()
            .into_iter()
            .collect();
        let sql = |list: &str| format!("SELECT id FROM {} WHERE id IN ({list})", reference.table);
        let found: HashSet<i64> = tx.query_each(sql, &[], &ids)?.iter().map(|row| row.int(0)).collect();
        rows.retain(|row| id(row).is_none_or(|id| found.contains(&id)));
    }
    Ok(rows)
}
