use super::postgres::Session;
use super::{Row, StoreError, Value};

/// One open transaction.
pub(crate) struct Tx<'a>(Inner<'a>);

enum Inner<'a> {
    Sqlite(&'a rusqlite::Connection),
    Postgres(&'a mut Session),
}

impl<'a> Tx<'a> {
    pub(super) fn sqlite(connection: &'a rusqlite::Connection) -> Self {
        Self(Inner::Sqlite(connection))
    }

    pub(super) fn postgres(session: &'a mut Session) -> Self {
        Self(Inner::Postgres(session))
    }

    /// All rows. Parameters are `$1`, `$2`, …
    pub(crate) fn query(&mut self, sql: &str, parameters: &[Value]) -> Result<Vec<Row>, StoreError> {
        storable(parameters)?;
        match &mut self.0 {
            Inner::Sqlite(connection) => super::sqlite::query(connection, sql, parameters),
            Inner::Postgres(session) => session.query(sql, parameters),
        }
    }

    /// The first row, if any.
    pub(crate) fn one(&mut self, sql: &str, parameters: &[Value]) -> Result<Option<Row>, StoreError> {
        Ok(self.query(sql, parameters)?.into_iter().next())
    }

    /// The integer that a counting statement gives.
    pub(crate) fn number(&mut self, sql: &str, parameters: &[Value]) -> Result<i64, StoreError> {
        Ok(self.one(sql, parameters)?.map_or(0, |row| row.int(0)))
    }

    /// Makes others wait who hold the same row, until this transaction ends: what is read next stays true. One database has a
    /// single writer, for which all others wait as it is.
    pub(crate) fn hold(&mut self, table: &str, id: i64) -> Result<(), StoreError> {
        match &mut self.0 {
            Inner::Sqlite(_) => Ok(()),
            Inner::Postgres(session) => {
                let sql = format!("SELECT id FROM {table} WHERE id = $1 FOR UPDATE");
                session.query(&sql, &[Value::Int(id)]).map(drop)
            }
        }
    }

    /// How many rows were changed.
    pub(crate) fn execute(&mut self, sql: &str, parameters: &[Value]) -> Result<u64, StoreError> {
        storable(parameters)?;
        match &mut self.0 {
            Inner::Sqlite(connection) => super::sqlite::execute(connection, sql, parameters),
            Inner::Postgres(session) => session.execute(sql, parameters),
        }
    }

    /// Rows for each of `ids`, which stand in the place of `{ids}` in the statement; other parameters come first. Long lists
    /// are asked for in pieces.
    pub(crate) fn query_each(&mut self, sql: &str, parameters: &[Value], ids: &[i64]) -> Result<Vec<Row>, StoreError> {
        const PIECE: usize = 256;
        let mut rows = Vec::new();
        for piece in ids.chunks(PIECE) {
            // Filled up to a power of two with the last one: few different statements, which stay prepared.
            let places = piece.len().next_power_of_two();
            let names: Vec<String> = (1..=places).map(|at| format!("${}", parameters.len() + at)).collect();
            let filler = piece.last().copied().unwrap_or_default();
            let values = (0..places).map(|at| Value::Int(piece.get(at).copied().unwrap_or(filler)));
            let all: Vec<Value> = parameters.iter().cloned().chain(values).collect();
            rows.extend(self.query(&sql.replace("{ids}", &names.join(",")), &all)?);
        }
        Ok(rows)
    }
}

/// PostgreSQL holds no U+0000 in texts; what one database refuses, each does.
fn storable(parameters: &[Value]) -> Result<(), StoreError> {
    let is_storable = |value: &Value| !matches!(value, Value::Text(text) if text.contains('\0'));
    if parameters.iter().all(is_storable) {
        Ok(())
    } else {
        Err(StoreError::unstorable())
    }
}
