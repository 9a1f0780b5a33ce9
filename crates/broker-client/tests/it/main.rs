//! Runs the client against this project's broker, recorded Pact Broker replies, and misbehaving servers.
#![allow(clippy::unwrap_used, clippy::panic, reason = "this module contains only tests")]

mod publishing;
mod records;
mod support;
mod transport;
mod verification;
