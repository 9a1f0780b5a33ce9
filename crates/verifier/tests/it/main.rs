//! Tests the verifier over real sockets.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a failed test helper fails the test")]

mod answers;
mod choice;
mod messages;
mod reports;
mod requests;
mod states;
mod support;
mod text;
mod tls;
mod url_states;
