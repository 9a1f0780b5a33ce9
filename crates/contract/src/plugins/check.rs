//! Whether an installed plugin works.

use contract_plugins::{Entry, Manifest};
use serde::Serialize;

use super::PluginOptions;

/// What trying a plugin found.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PluginCheck {
    /// Its name and version.
    pub title: String,
    /// What it can do: `content-matcher/csv (text/csv)`.
    pub entries: Vec<String>,
    /// How long it took to start, in milliseconds.
    pub started_ms: u64,
    /// Why it cannot be used; nothing when it can.
    pub problem: Option<String>,
}

/// Starts a plugin, asks what it can do, and ends it.
pub async fn check_plugin(plugin: &Manifest, options: &PluginOptions) -> PluginCheck {
    let began = std::time::Instant::now();
    let started = contract_definition::plugins::registry()
        .start(plugin.clone(), options.times())
        .await;
    let started_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    let title = plugin.title();
    match started {
        Ok(started) => PluginCheck {
            title,
            entries: started.entries().iter().map(Entry::to_string).collect(),
            started_ms,
            problem: None,
        },
        Err(error) => PluginCheck {
            title,
            entries: Vec::new(),
            started_ms: 0,
            problem: Some(contract_definition::plugins::text(&error)),
        },
    }
}
