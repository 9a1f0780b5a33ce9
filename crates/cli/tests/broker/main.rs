//! `contract-broker serve` as a process: its options, its end, and what survives it.
#![cfg(unix)]
#![allow(clippy::panic, reason = "only tests are here")]

mod killed;
mod process;
mod serve;
