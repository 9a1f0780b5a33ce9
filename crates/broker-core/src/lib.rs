//! The broker without HTTP: its use cases, SQL queries, and database connections.
#![forbid(unsafe_code)]

pub mod cases;
pub mod sql;
pub mod store;
