//! What CI jobs need: reading contract sources, calling the broker, and detecting the CI system.

#![forbid(unsafe_code)]

pub mod broker;
mod environment;
mod identity;
mod sources;

pub use broker::{AccessOptions, BROKER_CALLS, BrokerFailure, BrokerReply, Detector, Undetected, broker_call};
pub use broker::{short_version, short_versions};
pub use environment::*;
pub use identity::identity;
pub use sources::*;
