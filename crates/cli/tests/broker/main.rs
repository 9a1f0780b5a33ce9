//! `contract-broker serve` as a process: options, shutdown, and durability.
#![cfg(unix)]
#![allow(clippy::panic, reason = "test code")]

mod killed;
#[path = "../support/process.rs"]
mod process;
mod serve;
