//! The commands of `contract-broker` against this project's broker, recorded Pact Broker responses, and stub servers.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "test code")]

mod bad_input;
mod commands;
mod formats;
mod hostile;
#[path = "../support/process.rs"]
mod process;
mod recorded;
mod support;
mod verify;
mod webhooks;
