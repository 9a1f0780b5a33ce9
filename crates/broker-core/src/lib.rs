//! The broker without HTTP: its use cases, domain rules, SQL queries, and database connections.
#![forbid(unsafe_code)]

pub mod cases;
pub mod domain;
pub mod sql;
pub mod store;
