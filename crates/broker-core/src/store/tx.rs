use super::session::Session;
use super::{BoundQuery, Row, StoreError, Value, sqlite_statement};

/// One open transaction.
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

    /// Returns the number of statements executed so far.
    pub fn statements(&self) -> usize {
        self.statements
    }

    /// Returns all rows. Parameters are `$1`, `$2`, …
    pub fn query(&mut self, sql: &str, parameters: &[Value]) -> Result<Vec<Row>, StoreError> {
        storable(parameters)?;
        self.statements += 1;
        match &mut self.database {
            Inner::Sqlite(connection) => sqlite_statement::query(connection, sql, parameters),
            Inner::Postgres(session) => session.query(sql, parameters),
        }
    }

    /// Runs independent queries and returns the rows of each. PostgreSQL receives all of them in one round trip.
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

    /// Runs lists of independent queries together. Returns the rows of each query of each list.
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

    /// Returns the integer in the first column of the first row, or 0.
    pub fn number(&mut self, sql: &str, parameters: &[Value]) -> Result<i64, StoreError> {
        Ok(self.query_row(sql, parameters)?.map_or(0, |row| row.int(0)))
    }

    /// Locks a row until the transaction ends, so that later reads stay valid. SQLite has a single writer and needs no
    /// lock.
    pub fn lock_row(&mut self, table: &str, id: i64) -> Result<(), StoreError> {
        match &mut self.database {
            Inner::Sqlite(_) => Ok(()),
            Inner::Postgres(session) => {
                let sql = format!("SELECT id FROM {table} WHERE id = $1 FOR UPDATE");
                session.execute_deferred(&sql, &[Value::Int(id)])
            }
        }
    }

    /// Makes PostgreSQL generate IDs that are greater than those of inserted rows. SQLite does this automatically.
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

    /// Returns the number of changed rows.
    pub fn execute(&mut self, sql: &str, parameters: &[Value]) -> Result<u64, StoreError> {
        storable(parameters)?;
        self.statements += 1;
        match &mut self.database {
            Inner::Sqlite(connection) => sqlite_statement::execute(connection, sql, parameters),
            Inner::Postgres(session) => session.execute(sql, parameters),
        }
    }

    /// Executes a statement without waiting for the response of PostgreSQL. An error is returned by a later statement
    /// or by the commit.
    pub fn execute_deferred(&mut self, sql: &str, parameters: &[Value]) -> Result<(), StoreError> {
        storable(parameters)?;
        self.statements += 1;
        match &mut self.database {
            Inner::Sqlite(connection) => sqlite_statement::execute(connection, sql, parameters).map(drop),
            Inner::Postgres(session) => session.execute_deferred(sql, parameters),
        }
    }

    /// Runs the queries that [`each`] creates for a list of IDs, and returns all rows.
    pub fn query_each(
        &mut self,
        sql: impl Fn(&str) -> String,
        parameters: &[Value],
        ids: &[i64],
    ) -> Result<Vec<Row>, StoreError> {
        let answers = self.query_all(&each(sql, parameters, ids))?;
        Ok(answers.into_iter().flatten().collect())
    }

    /// Runs one statement that filters by any number of `ids`. `sql` receives the subquery that selects the IDs. Its
    /// parameter comes after `parameters`.
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

/// Creates the queries for a list of `ids`. `sql` receives their placeholders, such as `$2,$3`, which follow those of
/// the other parameters. Long lists are split.
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

/// Rejects U+0000, which PostgreSQL does not support in text. For consistency, neither database accepts it.
fn storable(parameters: &[Value]) -> Result<(), StoreError> {
    let is_storable = |value: &Value| !matches!(value, Value::Text(text) if text.contains('\0'));
    if parameters.iter().all(is_storable) {
        Ok(())
    } else {
        Err(StoreError::unstorable())
    }
}
