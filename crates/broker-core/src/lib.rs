//! The broker without HTTP: use cases, domain rules, queries, and storage.
#![forbid(unsafe_code)]

pub mod cases;
pub mod domain;
pub mod sql;
pub mod store;
