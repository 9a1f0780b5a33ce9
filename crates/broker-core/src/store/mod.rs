//! Storage in SQLite (a file or memory) or PostgreSQL.
//!
//! Each request is one job, which runs in one transaction ([`Tx`]). Jobs are synchronous and run on threads that own a
//! connection, so the SQL in `sql/` consists of plain functions. See docs/decisions/0016-broker-storage.md.

mod database;
mod error;
mod postgres;
mod schema;
mod session;
mod sqlite;
mod sqlite_statement;
#[cfg(test)]
pub(crate) mod steps;
pub mod tables;
mod tls;
mod tx;
mod value;
mod work;

pub use database::{Database, Limits};
pub use error::StoreError;
pub use tx::{Tx, each};
pub(crate) use value::params;
pub use value::{BoundQuery, Columns, Row, Value};
pub use work::TxOutcome;

use work::{Workers, submit};

/// Runs `work` on a snapshot of another program's PostgreSQL database. Nothing is written, and the schema is not
/// migrated. `work` runs on a separate thread. Must be called within a tokio runtime.
pub async fn read_other<O, F>(address: &str, limits: &Limits, work: F) -> Result<O, StoreError>
where
    O: Send + 'static,
    F: FnOnce(&mut Tx<'_>) -> O + Send + 'static,
{
    postgres::read_other(address, limits, work).await
}

/// An open database with the current schema.
#[derive(Clone)]
pub struct Store {
    reads: Workers,
    writes: Workers,
}

impl Store {
    /// Opens the database, creates it if necessary, and migrates its schema. Must be called within a tokio runtime.
    pub async fn open(database: &Database, limits: &Limits) -> Result<Self, StoreError> {
        let (reads, writes) = match database {
            Database::Memory => sqlite::open(None).await?,
            Database::Sqlite(path) => sqlite::open(Some(path.clone())).await?,
            Database::Postgres(address) => postgres::open(address, limits).await?,
        };
        Ok(Self { reads, writes })
    }

    /// Finishes the queued jobs and closes the database. For SQLite, this also moves the write-ahead log into the
    /// database file.
    pub async fn close(&self) {
        self.reads.end().await;
        self.writes.end().await;
    }

    /// Runs `work` on a snapshot of the data. Everything that it writes is discarded.
    pub async fn read<O, F>(&self, work: F) -> Result<O, StoreError>
    where
        O: Send + 'static,
        F: FnMut(&mut Tx<'_>) -> Result<TxOutcome<O>, StoreError> + Send + 'static,
    {
        submit(&self.reads, true, work).await
    }

    /// Runs `work` in a transaction, and returns after the commit is durable. If the transaction conflicts with another
    /// one, `work` runs again.
    pub async fn write<O, F>(&self, work: F) -> Result<O, StoreError>
    where
        O: Send + 'static,
        F: FnMut(&mut Tx<'_>) -> Result<TxOutcome<O>, StoreError> + Send + 'static,
    {
        submit(&self.writes, false, work).await
    }
}
