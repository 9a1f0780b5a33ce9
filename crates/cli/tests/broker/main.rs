//! `contract-broker serve` and `clean` as processes: options, shutdown, durability, retention, and credentials.
#![cfg(unix)]
#![allow(clippy::panic, reason = "test code")]

mod backup;
mod clean;
mod credentials;
mod health;
mod import;
mod killed;
mod killed_webhooks;
#[path = "../support/process.rs"]
mod process;
mod serve;
