//! What contract-broker says to brokers: to one of this project, to recorded replies of the field's, and to what is none.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "only tests are here")]

mod bad_input;
mod commands;
mod formats;
mod hostile;
mod recorded;
mod support;
mod webhooks;
