//! Tests this crate with a test plugin, in both versions of the interface.

#![expect(clippy::unwrap_used, reason = "a failed test helper fails the test")]

mod bad;
mod contents;
mod fields;
mod life;
mod search;
mod support;
mod transports;
