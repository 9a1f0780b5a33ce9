use super::session::Session;
use super::{BoundQuery, Row, StoreError, Value, sqlite_statement};

/// An open transaction in SQLite or PostgreSQL.
pub struct Tx<'a> {
    database: Inner<'a>,
    statements: usize,
}

enum Inner<'a> {
    Sqlite(&'a rusqlite::Connection),
    Postgres(&'a mut Session),
}

impl<'a> Tx<'a> {
    fn new(database: Inner<'a>) -> Self {
        Self {
            database,
            statements: 0,
        }
    }

    pub(super) fn sqlite(connection: &'a rusqlite::Connection) -> Self {
        Self::new(Inner::Sqlite(connection))
    }

    pub(super) fn postgres(session: &'a mut Session) -> Self {
        Self::new(Inner::Postgres(session))
    }

    /// Returns the number of statements that this transaction has executed so far.
    pub fn statements(&self) -> usize {
        self.statements
    }

    /// Executes a query and returns all rows. The placeholders of the parameters are `$1`, `$2`, …
    pub fn query(&mut self, sql: &str, parameters: &[Value]) -> Result<Vec<Row>, StoreError> {
        storable(parameters)?;
        self.statements += 1;
        match &mut self.database {
            Inner::Sqlite(connection) => sqlite_statement::query(connection, sql, parameters),
            Inner::Postgres(session) => session.query(sql, parameters),
        }
    }

    /// Executes a query that joins two lists that have no index. PostgreSQL compares their rows by hash, which the
    /// settings of its sessions prevent for other queries, instead of each row with each. SQLite creates an index.
    pub fn query_joined_lists(&mut self, sql: &str, parameters: &[Value]) -> Result<Vec<Row>, StoreError> {
        self.allow_hash_joins("on")?;
        let rows = self.query(sql, parameters)?;
        self.allow_hash_joins("off")?;
        Ok(rows)
    }

    fn allow_hash_joins(&mut self, setting: &str) -> Result<(), StoreError> {
        match &mut self.database {
            Inner::Sqlite(_) => Ok(()),
            Inner::Postgres(session) => {
                session.execute_deferred(&format!("SET LOCAL enable_hashjoin = {setting}"), &[])
            }
        }
    }

    /// Executes independent queries, and returns the rows of each. PostgreSQL receives all queries at once.
    pub fn query_all(&mut self, queries: &[BoundQuery]) -> Result<Vec<Vec<Row>>, StoreError> {
        match &mut self.database {
            Inner::Sqlite(_) => queries
                .iter()
                .map(|(sql, parameters)| self.query(sql, parameters))
                .collect(),
            Inner::Postgres(session) => {
                queries.iter().try_for_each(|(_, parameters)| storable(parameters))?;
                self.statements += queries.len();
                session.query_all(queries)
            }
        }
    }

    /// Executes several lists of independent queries at once. Returns the rows of each query of each list.
    pub fn query_lists(&mut self, lists: Vec<Vec<BoundQuery>>) -> Result<Vec<Vec<Vec<Row>>>, StoreError> {
        let counts: Vec<usize> = lists.iter().map(Vec::len).collect();
        let queries: Vec<BoundQuery> = lists.into_iter().flatten().collect();
        let mut results = self.query_all(&queries)?.into_iter();
        Ok(counts
            .into_iter()
            .map(|count| results.by_ref().take(count).collect())
            .collect())
    }

    pub fn query_row(&mut self, sql: &str, parameters: &[Value]) -> Result<Option<Row>, StoreError> {
        Ok(self.query(sql, parameters)?.into_iter().next())
    }

    /// Returns the integer in the first column of the first row, or 0 if there are no rows.
    pub fn number(&mut self, sql: &str, parameters: &[Value]) -> Result<i64, StoreError> {
        Ok(self.query_row(sql, parameters)?.map_or(0, |row| row.int(0)))
    }

    /// Locks a row until the transaction ends, so that what is read afterwards stays valid. Does nothing on SQLite,
    /// which has a single writer.
    pub fn lock_row(&mut self, table: &str, id: i64) -> Result<(), StoreError> {
        match &mut self.database {
            Inner::Sqlite(_) => Ok(()),
            Inner::Postgres(session) => {
                let sql = format!("SELECT id FROM {table} WHERE id = $1 FOR UPDATE");
                session.execute_deferred(&sql, &[Value::Int(id)])
            }
        }
    }

    /// Makes PostgreSQL generate IDs that are greater than all IDs in the table. SQLite does so by itself.
    pub fn continue_ids(&mut self, table: &str) -> Result<(), StoreError> {
        match &self.database {
            Inner::Sqlite(_) => Ok(()),
            Inner::Postgres(_) => {
                let sql = format!(
                    "SELECT setval(pg_get_serial_sequence('{table}', 'id'), (SELECT COALESCE(max(id), 0) + 1 FROM {table}), false)"
                );
                self.query(&sql, &[]).map(drop)
            }
        }
    }

    /// Executes a statement, and returns the number of changed rows.
    pub fn execute(&mut self, sql: &str, parameters: &[Value]) -> Result<u64, StoreError> {
        storable(parameters)?;
        self.statements += 1;
        match &mut self.database {
            Inner::Sqlite(connection) => sqlite_statement::execute(connection, sql, parameters),
            Inner::Postgres(session) => session.execute(sql, parameters),
        }
    }

    /// Executes a statement. On PostgreSQL, this function does not wait for the response, and an error is returned by a
    /// later statement or by the commit.
    pub fn execute_deferred(&mut self, sql: &str, parameters: &[Value]) -> Result<(), StoreError> {
        storable(parameters)?;
        self.statements += 1;
        match &mut self.database {
            Inner::Sqlite(connection) => sqlite_statement::execute(connection, sql, parameters).map(drop),
            Inner::Postgres(session) => session.execute_deferred(sql, parameters),
        }
    }

    /// Executes the queries that [`each`] creates for a list of IDs, and returns the rows of all of them.
    pub fn query_each(
        &mut self,
        sql: impl Fn(&str) -> String,
        parameters: &[Value],
        ids: &[i64],
    ) -> Result<Vec<Row>, StoreError> {
        let answers = self.query_all(&each(sql, parameters, ids))?;
        Ok(answers.into_iter().flatten().collect())
    }

    /// Executes one query for any number of `ids`. `sql` receives a subquery that selects the IDs. The placeholder in
    /// the subquery follows those of `parameters`.
    pub fn query_list(
        &mut self,
        sql: impl FnOnce(&str) -> String,
        parameters: &[Value],
        ids: &[i64],
    ) -> Result<Vec<Row>, StoreError> {
        let place = parameters.len() + 1;
        let list = match &self.database {
            Inner::Sqlite(_) => format!("SELECT value FROM json_each(${place})"),
            Inner::Postgres(_) => format!(
                "SELECT CAST(listed.value AS BIGINT) FROM json_array_elements_text(CAST(CAST(${place} AS TEXT) AS JSON)) listed"
            ),
        };
        let ids: Vec<String> = ids.iter().map(i64::to_string).collect();
        let ids = Value::Text(format!("[{}]", ids.join(",")));
        let parameters: Vec<Value> = parameters.iter().cloned().chain([ids]).collect();
        self.query(&sql(&list), &parameters)
    }
}

/// Creates the queries for a list of `ids`, which is split if it is long. `sql` receives placeholders for the IDs, such
/// as `$2,$3`, which follow those of `parameters`.
pub fn each(sql: impl Fn(&str) -> String, parameters: &[Value], ids: &[i64]) -> Vec<BoundQuery> {
    const PIECE: usize = 256;
    let query = |piece: &[i64]| {
        // Pad the list with its last entry to a power of two. This way, there are few distinct statements, and they
        // stay prepared.
        let places = piece.len().next_power_of_two();
        let names: Vec<String> = (1..=places).map(|at| format!("${}", parameters.len() + at)).collect();
        let filler = piece.last().copied().unwrap_or_default();
        let values = (0..places).map(|at| Value::Int(piece.get(at).copied().unwrap_or(filler)));
        let all = parameters.iter().cloned().chain(values).collect();
        (sql(&names.join(",")), all)
    };
    ids.chunks(PIECE).map(query).collect()
}

/// Returns an error if a parameter contains U+0000. PostgreSQL does not support it in text, and SQLite behaves in the
/// same way for consistency.
fn storable(parameters: &[Value]) -> Result<(), StoreError> {
    let is_storable = |value: &Value| !matches!(value, Value::Text(text) if text.contains('\0'));
    if parameters.iter().all(is_storable) {
        Ok(())
    } else {
        Err(StoreError::unstorable())
    }
}
