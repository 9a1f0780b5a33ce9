//! Tests the verifier over real sockets.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a helper of a test that cannot go on has failed it"
)]

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
