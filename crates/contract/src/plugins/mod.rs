//! Plugins in mock servers and verifications. Bodies that a plugin compares are not compared by the core.

mod check;
mod driver;
mod error;
mod mismatch;
mod parts;
mod server;
mod work;

pub use check::{PluginCheck, check_plugin};
pub use contract_definition::plugins::{PLUGIN_VARIABLES, PluginOptions};
pub use contract_plugins::{Installation, Manifest as PluginManifest, NO_PLUGIN_DIRECTORY, install, remove};

pub(crate) use driver::{Driver, is_foreign};
pub(crate) use server::{PluginSession, ServerPlace, plugin_for_transport};
pub(crate) use work::{Setting, Side, Work};
