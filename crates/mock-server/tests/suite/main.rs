//! Tests the public API over real sockets.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod common;
mod golden;
mod http;
mod limits;
mod outcome;
mod start_stop;
mod stub;
mod tls;
