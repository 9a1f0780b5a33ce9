//! An in-memory database that counts the virtual machine steps of statements, to measure their cost independent of
//! time.

use rusqlite::Connection;

use super::sqlite_statement::STEPS;
use super::{StoreError, Tx, sqlite};

pub(crate) struct StepCounter(Connection);

impl StepCounter {
    /// Creates a database with empty tables.
    pub(crate) fn new() -> Self {
        let mut connection = sqlite::connect(None).expect("a database");
        sqlite::migrate(&mut connection).expect("tables");
        Self(connection)
    }

    pub(crate) fn execute(&self, sql: &str) {
        self.0.execute_batch(sql).expect("rows");
    }

    /// Returns the result of `work` and its number of steps, and rolls back.
    pub(crate) fn steps<O>(&self, work: impl FnOnce(&mut Tx<'_>) -> Result<O, StoreError>) -> (O, i64) {
        self.execute("BEGIN");
        STEPS.set(0);
        let outcome = work(&mut Tx::sqlite(&self.0)).expect("it is done");
        let steps = STEPS.get();
        self.execute("ROLLBACK");
        (outcome, steps)
    }
}
