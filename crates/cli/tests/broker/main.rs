//! `contract-broker serve` and `clean` as processes: options, shutdown, durability, and retention.
#![cfg(unix)]
#![allow(clippy::panic, reason = "test code")]

mod backup;
mod clean;
mod killed;
#[path = "../support/process.rs"]
mod process;
mod serve;
