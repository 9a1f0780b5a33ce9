//! The broker: keeps contracts and verification results, and answers whether a version may be deployed.
//!
//! It speaks the HAL interface of the field's brokers on the same paths, so that their clients work unchanged.
#![forbid(unsafe_code)]

mod domain;
mod http;
mod log;
mod server;
mod sql;
mod store;
mod tls;
mod traffic;

pub use crate::domain::rules::Rules;
pub use crate::http::{Credentials, Permissions};
pub use crate::log::{Entry, Level, Log};
pub use crate::server::{Broker, Options};
pub use crate::store::{Database, Limits, StoreError};
pub use crate::tls::{TlsConfig, TlsError, tls};
pub use crate::traffic::HttpLimits;
