//! The rules of the broker for publications, selections, verdicts, retention, access, secrets, and webhooks. This crate
//! accesses neither the database nor HTTP.
#![forbid(unsafe_code)]

pub mod access;
pub mod content;
pub mod keyring;
pub mod matrix;
pub mod names;
pub mod packed;
pub mod passwords;
pub mod query;
pub mod retention;
pub mod rules;
pub mod selector;
pub mod time;
pub mod tokens;
pub mod verdict;
pub mod webhook;
