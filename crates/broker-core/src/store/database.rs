//! The kinds of databases that a broker can use, and their limits.

use std::path::PathBuf;
use std::time::Duration;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Database {
    /// A SQLite database in memory. The data is lost when the process ends.
    Memory,
    /// A SQLite file, which is created if it does not exist.
    Sqlite(PathBuf),
    /// A PostgreSQL server: a connection URL or `key=value` pairs.
    Postgres(String),
}

/// Limits for PostgreSQL. SQLite ignores them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Number of connections, and therefore of requests that can use the database at the same time. Default: 8.
    pub connections: usize,
    /// Maximum time that a statement may take. Default: 15 seconds.
    pub statement: Duration,
    /// Number of retries if the connection fails at startup, one per second. Default: 0.
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
