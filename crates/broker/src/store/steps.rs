//! A database in memory that counts what statements cost: in steps of SQLite's machine, which no clock disturbs.

use rusqlite::Connection;

use super::sqlite_statement::STEPS;
use super::{StoreError, Tx, sqlite};

pub(crate) struct Counted(Connection);

impl Counted {
    /// With its tables, which are empty.
    pub(crate) fn new() -> Self {
        let mut connection = sqlite::connect(None).expect("a database");
        sqlite::migrate(&mut connection).expect("tables");
        Self(connection)
    }

    pub(crate) fn fill(&self, sql: &str) {
        self.0.execute_batch(sql).expect("rows");
    }

    /// What the work gave, and how many steps it took; nothing that it wrote is kept.
    pub(crate) fn steps<O>(&self, work: impl FnOnce(&mut Tx<'_>) -> Result<O, StoreError>) -> (O, i64) {
        self.fill("BEGIN");
        STEPS.set(0);
        let outcome = work(&mut Tx::sqlite(&self.0)).expect("it is done");
        let steps = STEPS.get();
        self.fill("ROLLBACK");
        (outcome, steps)
    }
}
