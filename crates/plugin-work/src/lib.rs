//! Plugins in mock servers and verifications. Bodies that a plugin compares are not compared by the core.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod check;
mod driver;
mod error;
mod mismatch;
mod parts;
mod server;
mod work;

pub use check::{PluginCheck, check_plugin};
pub use driver::{Driver, is_foreign};
pub use error::WorkError;
pub use server::{PluginSession, ServerPlace, plugin_for_transport};
pub use work::{Setting, Side, Work};
