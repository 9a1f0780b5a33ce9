//! An in-memory database for tests. It counts the virtual machine steps of statements, which do not depend on the speed
//! of the machine.

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

    /// Runs `work` and rolls back. Returns its result, and the number of virtual machine steps that it took.
    pub(crate) fn steps<O>(&self, work: impl FnOnce(&mut Tx<'_>) -> Result<O, StoreError>) -> (O, i64) {
        self.execute("BEGIN");
        STEPS.set(0);
        let outcome = work(&mut Tx::sqlite(&self.0)).expect("it is done");
        let steps = STEPS.get();
        self.execute("ROLLBACK");
        (outcome, steps)
    }
}
