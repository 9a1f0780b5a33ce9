//! The database of a broker, and its limits.

use std::path::PathBuf;
use std::time::Duration;

/// The database of a broker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Database {
    /// In memory. The data is lost when the process ends.
    Memory,
    /// A SQLite file, which is created if it does not exist.
    Sqlite(PathBuf),
    /// A PostgreSQL server: a connection URL or `key=value` pairs.
    Postgres(String),
}

/// Limits for PostgreSQL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Number of connections, which is also the maximum number of requests that run at the same time. Default: 8.
    pub connections: usize,
    /// Timeout of one statement. Default: 15 seconds.
    pub statement: Duration,
    /// Number of connection attempts after a failure at startup, one per second. Default: 0.
    pub connect_retries: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 8,
            statement: Duration::from_secs(15),
            connect_retries: 0,
        }
    }
}
