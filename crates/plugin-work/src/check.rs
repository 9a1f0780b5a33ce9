//! Checks whether an installed plugin works.

use contract_plugins::{Entry, Manifest};
use serde::Serialize;

use contract_definition::plugins::PluginOptions;

/// The result of [`check_plugin`].
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PluginCheck {
    /// The plugin's name and version.
    pub title: String,
    /// The plugin's capabilities, such as `content-matcher/csv (text/csv)`. Empty if it does not work.
    pub entries: Vec<String>,
    /// Time until the plugin was ready, in milliseconds. 0 if it does not work.
    pub started_ms: u64,
    /// The reason why the plugin does not work, or `None` if it works.
    pub problem: Option<String>,
}

/// Starts a plugin, reads its capabilities, and stops it.
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
