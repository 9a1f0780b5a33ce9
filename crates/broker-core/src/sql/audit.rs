//! Reads and writes the audit log.

use super::statement::{self, Conditions, FromColumns};
use crate::store::{Columns, StoreError, Tx, params};

/// An entry of the audit log: a request that wrote data, or a request that was denied.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AuditEntry {
    /// The kind of actor: `token`, `user`, `ci`, `anonymous`, or `local` for commands that open the database.
    pub actor_kind: &'static str,
    pub actor: String,
    /// The public part of the credential, or `None` if the actor used none.
    pub credential: Option<String>,
    pub address: String,
    pub method: String,
    pub path: String,
    /// The path with names in braces in place of its variable segments.
    pub route: String,
    pub status: u16,
    /// The path of what a write created or changed, if the request's path does not contain it.
    pub resource: Option<String>,
    /// The reason why the request was denied, or a summary of what retention deleted. Otherwise `None`.
    pub reason: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredEntry {
    pub id: i64,
    pub at: i64,
    pub actor_kind: String,
    pub actor: String,
    pub credential: Option<String>,
    pub address: String,
    pub method: String,
    pub path: String,
    pub route: String,
    pub status: i64,
    pub resource: Option<String>,
    pub reason: Option<String>,
    /// The number of identical denied requests that this entry stands for, because they were sent within a short time.
    pub occurrences: i64,
}

const COLUMNS: &str =
    "id, at, actor_kind, actor, credential, address, method, path, route, status, resource, reason, occurrences";

impl FromColumns for StoredEntry {
    fn from_columns(columns: &mut Columns<'_>) -> Self {
        Self {
            id: columns.int(),
            at: columns.int(),
            actor_kind: columns.text(),
            actor: columns.text(),
            credential: columns.maybe_text(),
            address: columns.text(),
            method: columns.text(),
            path: columns.text(),
            route: columns.text(),
            status: columns.int(),
            resource: columns.maybe_text(),
            reason: columns.maybe_text(),
            occurrences: columns.int(),
        }
    }
}

/// Adds an entry. PostgreSQL receives it with a later statement, so an error is returned there or by the commit.
pub fn insert(tx: &mut Tx<'_>, entry: &AuditEntry, occurrences: i64, now: i64) -> Result<(), StoreError> {
    // PostgreSQL cannot store U+0000.
    let text = |text: &str| text.replace('\0', "\u{fffd}");
    tx.execute_deferred(
        "INSERT INTO audit (at, actor_kind, actor, credential, address, method, path, route, status, resource, reason, occurrences)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
        params![
            now,
            entry.actor_kind,
            text(&entry.actor),
            entry.credential.as_deref().map(text),
            &entry.address,
            &entry.method,
            text(&entry.path),
            &entry.route,
            i64::from(entry.status),
            entry.resource.as_deref().map(text),
            entry.reason.as_deref().map(text),
            occurrences
        ],
    )
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditFilter {
    /// Selects entries from this time on, in milliseconds since 1970.
    pub from: Option<i64>,
    /// Selects entries before this time, in milliseconds since 1970.
    pub to: Option<i64>,
    pub actor: Option<String>,
    pub credential: Option<String>,
    pub method: Option<String>,
    /// Selects entries whose path or route is equal to this string.
    pub path: Option<String>,
    /// `true` selects denied requests, `false` selects writes, and `None` selects both.
    pub is_denied: Option<bool>,
    /// Selects entries with greater IDs and sorts them from the oldest to the newest. With `None`, the newest entries
    /// come first.
    pub after: Option<i64>,
    /// Selects entries with smaller IDs.
    pub before: Option<i64>,
}

/// Returns at most `size` entries that match the filter.
pub fn list(tx: &mut Tx<'_>, filter: &AuditFilter, size: i64) -> Result<Vec<StoredEntry>, StoreError> {
    let mut conditions = Conditions::default();
    let bounds = [
        ("at >=", filter.from),
        ("at <", filter.to),
        ("id >", filter.after),
        ("id <", filter.before),
    ];
    for (condition, bound) in bounds {
        if let Some(bound) = bound {
            let bound = conditions.parameter(bound);
            conditions.add(format!("{condition} {bound}"));
        }
    }
    let texts = [
        ("actor", &filter.actor),
        ("credential", &filter.credential),
        ("method", &filter.method),
    ];
    for (column, text) in texts {
        if let Some(text) = text {
            conditions.equal(column, text);
        }
    }
    if let Some(path) = &filter.path {
        let path = conditions.parameter(path);
        conditions.add(format!("(path = {path} OR route = {path})"));
    }
    match filter.is_denied {
        Some(true) => conditions.add("status >= 400"),
        Some(false) => conditions.add("status < 400"),
        None => {}
    }
    let order = if filter.after.is_some() { "id" } else { "id DESC" };
    let condition = conditions.where_clause();
    let size = conditions.parameter(size);
    let sql = format!("SELECT {COLUMNS} FROM audit {condition} ORDER BY {order} LIMIT {size}");
    statement::list(tx, &sql, conditions.parameters())
}

/// Deletes at most `count` entries that are older than `time`, in milliseconds since 1970. Returns the number of
/// deleted entries.
pub fn delete_before(tx: &mut Tx<'_>, time: i64, count: i64) -> Result<u64, StoreError> {
    tx.execute(
        "DELETE FROM audit WHERE id IN (SELECT id FROM audit WHERE at < $1 ORDER BY at LIMIT $2)",
        params![time, count],
    )
}
