//! Runs statements on SQLite.

use contract_broker_domain::packed::unpack;
use rusqlite::Connection;
use rusqlite::types::ValueRef;

use super::{Row, StoreError, Value};

pub(super) fn query(connection: &Connection, sql: &str, parameters: &[Value]) -> Result<Vec<Row>, StoreError> {
    let mut statement = connection.prepare_cached(&adapted(sql))?;
    let columns = statement.column_count();
    let mut rows = statement.query(rusqlite::params_from_iter(parameters))?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let values = (0..columns).map(|at| owned(row.get_ref(at)?));
        found.push(Row(values.collect::<Result<_, StoreError>>()?));
    }
    drop(rows);
    #[cfg(test)]
    count_steps(&statement);
    Ok(found)
}

pub(super) fn execute(connection: &Connection, sql: &str, parameters: &[Value]) -> Result<u64, StoreError> {
    let mut statement = connection.prepare_cached(&adapted(sql))?;
    let changed = statement.execute(rusqlite::params_from_iter(parameters))?;
    #[cfg(test)]
    count_steps(&statement);
    Ok(changed as u64)
}

#[cfg(test)]
thread_local! {
    /// Number of virtual machine steps that all statements on this thread have taken.
    pub(super) static STEPS: std::cell::Cell<i64> = const { std::cell::Cell::new(0) };
}

#[cfg(test)]
fn count_steps(statement: &rusqlite::Statement<'_>) {
    let steps = statement.reset_status(rusqlite::StatementStatus::VmStep);
    STEPS.set(STEPS.get() + i64::from(steps));
}

/// Replaces `$1` with `?1`, because SQLite treats `$1` as a named parameter. Removes ` + 0`, with which queries keep
/// PostgreSQL from searching an index for a column. SQLite never changes the order of tables in a CROSS JOIN. With an
/// index of all these columns, it finds the rows of an integration on a few adjacent pages.
fn adapted(sql: &str) -> String {
    let adapted = sql.replace('$', "?");
    if adapted.contains('+') {
        adapted.replace(" + 0 ", " ")
    } else {
        adapted
    }
}

fn owned(value: ValueRef<'_>) -> Result<Value, StoreError> {
    Ok(match value {
        ValueRef::Null => Value::Null,
        ValueRef::Blob(packed) => Value::Text(unpack(packed)?),
        ValueRef::Integer(value) => Value::Int(value),
        #[expect(clippy::cast_possible_truncation, reason = "no column contains fractions")]
        ValueRef::Real(value) => Value::Int(value as i64),
        // For valid text, `from_utf8` is several times faster than `from_utf8_lossy`.
        ValueRef::Text(text) => Value::Text(match std::str::from_utf8(text) {
            Ok(text) => text.to_owned(),
            Err(_) => String::from_utf8_lossy(text).into_owned(),
        }),
    })
}
