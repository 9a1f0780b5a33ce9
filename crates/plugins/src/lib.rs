//! Runs plugins as processes and calls them over gRPC. Plugins support content types, matching rules, and transports
//! that the core does not.
//!
//! A [`Search`] finds installed plugins by their manifests. A [`Registry`] starts each plugin only once. A [`Plugin`]
//! is a running plugin. Plugins are started only from the configured directories, never from a path in a contract.
//!
//! ```no_run
//! use contract_plugins::{Registry, Search, Times};
//! # async fn run(core: std::sync::Arc<dyn contract_plugins::Core>) -> Result<(), contract_plugins::PluginError> {
//! let search = Search { directories: vec!["/opt/plugins".into()], configured_by: "an option" };
//! let csv = Registry::new(core).load("csv", Some("0.0.6"), &search, Times::default()).await?;
//! assert!(csv.compares(&"text/csv".parse().expect("a content type")));
//! # Ok(())
//! # }
//! ```
//!
//! The process of a plugin ends when the last clone of its [`Plugin`] is dropped, or when this process ends for any
//! reason.

#![forbid(unsafe_code)]

mod callback;
mod catalogue;
mod chain;
mod connection;
mod contents;
mod core;
mod error;
mod field;
mod host;
mod installed;
mod log;
mod manifest;
mod plugin;
mod process;
mod registry;
mod regular;
mod slots;
mod times;
mod transport;
mod values;
pub mod wire;

pub use crate::core::{Core, CoreComparison, CoreError};
pub use catalogue::{Entry, EntryKind};
pub use chain::run_id;
pub use contents::{Compared, Comparison, Configured, ConfiguredPart, Difference, Generation, merge};
pub use error::PluginError;
pub use field::FieldComparison;
pub use installed::{NO_PLUGIN_DIRECTORY, install, remove};
pub use manifest::{Installation, MANIFEST, Manifest, Search};
pub use plugin::{Configuration, MESSAGE_LIMIT, Plugin};
pub use registry::Registry;
pub use times::Times;
pub use transport::{
    MetadataValue, MockServerRequest, PluginMockServer, PluginResult, PluginResults, PluginVerification, Prepared,
    TransportInteraction, VerificationRequest,
};
