//! Which database a broker works on, and how much of it is taken.

use std::path::PathBuf;
use std::time::Duration;

/// Which database a broker works on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Database {
    /// Nothing is kept when the process ends.
    Memory,
    /// One file, made when it is not there.
    Sqlite(PathBuf),
    /// A PostgreSQL server, as a connection URL or as `key=value` pairs.
    Postgres(String),
}

/// How much of a database server a broker takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Connections to PostgreSQL: as many requests are answered at once. 8 by default.
    pub connections: usize,
    /// How long PostgreSQL may work on one statement; 15 seconds by default.
    pub statement: Duration,
    /// How often to try again, once a second, when PostgreSQL cannot be reached at the start; 0 by default.
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
