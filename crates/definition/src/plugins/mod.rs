//! The plugins of this process. Each plugin is started once and shared by all contracts and verifications.

mod core;
mod settings;
mod used;

pub use core::set_log_level;
pub use settings::{PLUGIN_VARIABLES, PluginOptions};
pub use used::{PluginSet, PluginUse};

use std::sync::{Arc, LazyLock};

use contract_model::ContentType;
use contract_plugins::{Plugin, PluginError, Registry};
use contract_runtime::ResourceError;

use contract_call::error::ArgumentError;

/// The error code for a plugin that is missing, does not start, does not respond, or rejects a request.
pub const PLUGIN: &str = "ERR_CONTRACT_PLUGIN";

/// All plugins of this process.
static REGISTRY: LazyLock<Registry> = LazyLock::new(|| Registry::new(Arc::new(core::Host)));

pub fn registry() -> &'static Registry {
    &REGISTRY
}

/// Blocks this thread until the future completes. Synchronous functions use it. The future runs on another thread,
/// because the current thread may belong to a runtime. Returns an error if the system cannot create that thread.
pub fn wait<T: Send>(future: impl Future<Output = T> + Send) -> Result<T, ResourceError> {
    std::thread::scope(|scope| {
        let waiting = std::thread::Builder::new()
            .spawn_scoped(scope, || contract_runtime::run_here(future))
            .map_err(ResourceError::Threads)?;
        waiting.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// Like [`wait`], for futures that can fail.
pub fn try_wait<T, E>(future: impl Future<Output = Result<T, E>> + Send) -> Result<T, E>
where
    T: Send,
    E: From<ResourceError> + Send,
{
    wait(future)?
}

pub fn resource_error(error: &ResourceError) -> ArgumentError {
    ArgumentError::new(error.code(), error.to_string())
}

/// Returns the error message, with control characters escaped and secrets redacted, because it contains text from the
/// plugin.
pub fn text(error: &PluginError) -> String {
    let text = contract_report::escape_text(&error.to_string());
    contract_report::redact::text(&text).into_owned()
}

/// Returns the only plugin, or `None` if there are none. If there are plugins with different names, returns two of them
/// as the error.
pub fn only<'a>(mut plugins: impl Iterator<Item = &'a Plugin>) -> Result<Option<&'a Plugin>, [&'a Plugin; 2]> {
    let Some(plugin) = plugins.next() else { return Ok(None) };
    match plugins.find(|other| other.name() != plugin.name()) {
        None => Ok(Some(plugin)),
        Some(other) => Err([plugin, other]),
    }
}

pub fn both_claim([first, second]: [&Plugin; 2], content_type: &ContentType) -> String {
    format!(
        "the plugins {} {} and {} {} both handle {}; a contract can use only one of them",
        first.name(),
        first.version(),
        second.name(),
        second.version(),
        content_type.essence()
    )
}

pub fn plugin_error(error: &PluginError) -> ArgumentError {
    ArgumentError::new(PLUGIN, text(error))
}
