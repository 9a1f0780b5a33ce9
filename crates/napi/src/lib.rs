//! The Node-API binding. Each function converts its arguments, calls `crates/contract`, and converts the result.
//! Failures are returned as data (see [`failure`]). Each function catches panics.

#![expect(clippy::needless_pass_by_value, reason = "N-API passes owned values")]

pub mod broker;
#[cfg(feature = "command-line")]
pub mod command_line;
pub mod contract;
mod convert;
pub mod failure;
pub mod functions;
pub mod interaction;
pub mod log;
pub mod matchers;
pub mod messages;
mod promise;
pub mod provenance;
pub mod record;
pub mod reports;
pub mod server;
pub mod variants;
pub mod verification;

use napi_derive::napi;

/// Returns the version of the native core. The loader rejects a core with a different version.
#[napi]
pub fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}
