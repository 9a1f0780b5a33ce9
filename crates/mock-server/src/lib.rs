//! HTTP mock server that acts as the provider and records every request.
//!
//! A [`MockServer`] responds to the requests that its interactions expect, and rejects all other requests with an
//! explanation. Expected requests are compiled once and looked up by path. Each request is recorded before its response
//! is sent, so [`MockServer::outcome`] is complete as soon as the client has received its response.
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
//! // … the consumer's client sends requests to server.url() …
//! let outcome = server.stop().await;
//! assert_eq!(outcome.mismatches.len(), 1, "the expected request is missing");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Selection of the response
//!
//! An interaction responds only if it matches the complete request. If multiple interactions match, the server selects
//! one by these criteria, in this order:
//!
//! 1. interactions that have not reached their `times`,
//! 2. interactions without a matching rule for the path,
//! 3. the interaction with the fewest responses so far ([`Order::Balanced`]), or the first one in the list
//!    ([`Order::Listed`]), so that the interactions of a list respond one after the other.
//!
//! If all matching interactions have reached their `times`, the last one in the list responds again, and the
//! [`Outcome`] reports that it was requested too often.
//!
//! This crate does not create a runtime: [`MockServer::start`] uses the current one. It reads neither files nor
//! environment variables.

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
mod handler;
mod header_case;
mod intake;
mod journal;
mod log;
mod options;
mod outcome;
mod plugin;
mod refusal;
mod server;
mod stream;
mod stub;
mod tls;

pub use address::is_host;
pub use contract_report::{
    BodyView, Closest, Counts, InteractionCount, InteractionRef, Outcome, RequestView, ServerMismatch, ServerProblem,
};
pub use contract_wire::ServerCertificate;
pub use error::StartError;
pub use handler::{Handler, Reply};
pub use header_case::HeaderCase;
pub use journal::{Received, RequestOutcome};
pub use options::{Clock, Limits, Order, ServedInteraction, ServerOptions, Times, Transport};
pub use plugin::{BoxFuture, PluginWork};
pub use server::{MockServer, Prepared};
pub use stub::{Catalog, ChosenState, Conflict, InvalidState, Stub, StubContract, StubOptions};
