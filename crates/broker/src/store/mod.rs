//! Where the broker keeps what it knows: one SQLite file, memory, or PostgreSQL.
//!
//! A request is one job: a function over one transaction ([`Tx`]). Jobs are synchronous; they run on threads that own their
//! connection, so that the one home of the SQL (`sql/`) is plain functions. See docs/decisions/0016-the-broker-s-store.md.

mod database;
mod error;
mod postgres;
mod schema;
mod session;
mod sqlite;
mod sqlite_statement;
#[cfg(test)]
pub(crate) mod steps;
mod tls;
mod tx;
mod value;
mod work;

pub use database::{Database, Limits};
pub use error::StoreError;
#[cfg(test)]
pub(crate) use tx::STATEMENTS;
pub(crate) use tx::{Tx, each};
pub(crate) use value::{Question, Row, Value, params};
pub(crate) use work::Settled;

use work::{Workers, ask};

/// An opened, migrated database.
#[derive(Clone)]
pub(crate) struct Store {
    reads: Workers,
    writes: Workers,
}

impl Store {
    /// Opens the database and brings its tables to the newest form. Call it within a tokio runtime.
    pub(crate) async fn open(database: &Database, limits: &Limits) -> Result<Self, StoreError> {
        let (reads, writes) = match database {
            Database::Memory => sqlite::open(None).await?,
            Database::Sqlite(path) => sqlite::open(Some(path.clone())).await?,
            Database::Postgres(address) => postgres::open(address, limits).await?,
        };
        Ok(Self { reads, writes })
    }

    /// Does what was asked before, then closes the database: a file is whole by itself afterwards.
    pub(crate) async fn close(&self) {
        self.reads.end().await;
        self.writes.end().await;
    }

    /// Runs `work` on one snapshot of the data; it writes nothing.
    pub(crate) async fn read<O, F>(&self, work: F) -> Result<O, StoreError>
    where
        O: Send + 'static,
        F: FnMut(&mut Tx<'_>) -> Result<Settled<O>, StoreError> + Send + 'static,
    {
        ask(&self.reads, true, work).await
    }

    /// Runs `work` in a transaction of its own. When this returns, what it kept survives a killed process. `work` runs again
    /// when another transaction got in its way.
    pub(crate) async fn write<O, F>(&self, work: F) -> Result<O, StoreError>
    where
        O: Send + 'static,
        F: FnMut(&mut Tx<'_>) -> Result<Settled<O>, StoreError> + Send + 'static,
    {
        ask(&self.writes, false, work).await
    }
}
