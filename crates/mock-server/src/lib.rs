//! Plays the provider over HTTP and remembers what it saw.
//!
//! A [`MockServer`] answers the requests that its interactions expect and explains the others. Every expected request is
//! compiled once and found by its path; what arrived is written down before the answer leaves, so that
//! [`MockServer::outcome`] is right the moment a client has its answer.
//!
//! ```
//! use std::sync::Arc;
//! use contract_mock_server::{MockServer, ServerOptions};
//! use contract_model::Interaction;
//!
//! # let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
//! # runtime.block_on(async {
//! let interaction = Arc::new(Interaction { description: "a request for the root".into(), ..Interaction::default() });
//! let server = MockServer::start([interaction], ServerOptions::default()).await?;
//! assert!(server.url().starts_with("http://127.0.0.1:"));
//! // … the consumer's own client calls server.url() …
//! let outcome = server.stop().await;
//! assert_eq!(
//!     outcome.to_string(),
//!     "1 expected request never came\n\n\
//!      1) GET / was never requested: \"a request for the root\"\n\n\
//!      No request came at all: does the code under test use the URL of this server?\n"
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Which interaction answers
//!
//! Only interactions whose request matches in full answer. Among several
//!
//! 1. one whose `times` are not used up comes before one whose are,
//! 2. one with a literal path before one with a rule on its path,
//! 3. the one that answered less often before the others ([`Order::Balanced`]), or, in [`Order::Listed`], the one that
//!    stands first, so that a list of interactions is answered one after another.
//!
//! When all of them are used up, the last listed one answers again, and if it has `times`, the [`Outcome`] says that it was
//! asked too often.
//!
//! This crate makes no runtime: [`MockServer::start`] spawns on the one it is called in. It reads no files and no
//! environment.

#![forbid(unsafe_code)]

mod activity;
mod address;
mod answer;
mod connection;
mod cors;
mod error;
mod exchange;
mod expectations;
mod explain;
mod intake;
mod journal;
mod log;
mod options;
mod outcome;
mod plugin;
mod refusal;
mod server;
mod stream;
mod tls;

pub use address::is_host;
pub use contract_report::{
    Closest, Counts, InteractionCount, InteractionRef, Outcome, ServerMismatch, ShownBody, ShownRequest, Trouble,
};
pub use contract_wire::ServerCertificate;
pub use error::StartError;
pub use journal::{Received, RequestOutcome};
pub use options::{Clock, Limits, Order, ServedInteraction, ServerOptions, Times, Transport};
pub use plugin::{BoxFuture, PluginWork};
pub use server::{MockServer, Prepared};
