//! The plugins of a contract.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use contract_model::{ContentType, Json, Object};
use contract_plugins::{EntryKind, Plugin, Search, Times};

use super::{PLUGIN, PluginOptions, both_claim, only, plugin_error, registry, resource_error, wait};
use contract_call::error::ArgumentError;
use contract_call::message::{message, operation};

/// The plugins of one contract. All its interactions share them. The plugins run as long as the contract exists.
#[derive(Clone, Debug, Default)]
pub struct PluginSet(Arc<Mutex<Used>>);

#[derive(Debug, Default)]
struct Used {
    options: PluginOptions,
    plugins: Vec<Plugin>,
}

/// The entry of a plugin in the contract file.
#[derive(Clone, Debug, PartialEq)]
pub struct PluginUse {
    pub name: String,
    pub version: String,
    /// Data that the plugin stores for the whole contract.
    pub configuration: Object,
}

impl PluginUse {
    pub fn to_json(&self) -> Json {
        let mut object = Object::new();
        object.insert("configuration", self.configuration.clone());
        object.insert("name", self.name.as_str());
        object.insert("version", self.version.as_str());
        object.into()
    }
}

impl PluginSet {
    fn lock(&self) -> MutexGuard<'_, Used> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn set_options(&self, options: PluginOptions) {
        self.lock().options = options;
    }

    fn places(&self) -> (Search, Times) {
        let used = self.lock();
        (used.options.search(), used.options.times())
    }

    pub fn times(&self) -> Times {
        self.lock().options.times()
    }

    /// Starts a plugin, or uses it if it is already running. `version` is the minimum version; `None` accepts any
    /// version.
    pub fn using(&self, name: &str, version: Option<&str>) -> Result<(), ArgumentError> {
        if name.trim().is_empty() {
            let message = "the plugin name is empty; pass the name from its pact-plugin.json";
            return Err(ArgumentError::new(PLUGIN, message).for_argument("plugin"));
        }
        let is_version = |text: &str| {
            text.trim_start_matches('v')
                .starts_with(|first: char| first.is_ascii_digit())
        };
        if let Some(text) = version.filter(|text| !is_version(text)) {
            let message = format!("the minimum version must have the form 1.2.0, received {text:?}");
            return Err(ArgumentError::new(PLUGIN, message).for_argument("version"));
        }
        contract_runtime::ensure().map_err(|error| resource_error(&error))?;
        let (search, times) = self.places();
        let loaded = wait(registry().load(name, version, &search, times)).map_err(|error| resource_error(&error))?;
        let plugin = loaded.map_err(|error| plugin_error(&error).for_argument("plugin"))?;
        let mut used = self.lock();
        let is_same = |known: &&mut Plugin| known.name() == plugin.name() && known.version() == plugin.version();
        match used.plugins.iter_mut().find(is_same) {
            Some(known) => *known = plugin,
            None => used.plugins.push(plugin),
        }
        Ok(())
    }

    /// Returns the plugins of this contract. Restarts those that have crashed, if possible.
    pub fn running(&self) -> Vec<Plugin> {
        let plugins = self.lock().plugins.clone();
        if plugins.iter().all(Plugin::is_alive) {
            return plugins;
        }
        let times = self.times();
        for plugin in plugins.iter().filter(|plugin| !plugin.is_alive()) {
            let restarted = wait(registry().start(plugin.manifest().clone(), times));
            // If a plugin cannot be restarted, its next call reports the error.
            let Ok(Ok(restarted)) = restarted else { continue };
            let mut used = self.lock();
            let known = used
                .plugins
                .iter_mut()
                .find(|known| known.manifest() == plugin.manifest());
            if let Some(known) = known {
                *known = restarted;
            }
        }
        self.lock().plugins.clone()
    }

    /// Returns true if a plugin of this contract provides a feature of this kind and name, such as a matcher or a
    /// transport.
    pub fn has(&self, kind: EntryKind, name: &str) -> bool {
        self.lock().plugins.iter().any(|plugin| plugin.has(kind, name))
    }

    /// Returns the name of the first transport that the plugins provide, or `None` if they provide none.
    pub fn transport(&self) -> Option<String> {
        let used = self.lock();
        let mut entries = used.plugins.iter().flat_map(Plugin::entries);
        let found = entries.find(|entry| entry.kind == EntryKind::Transport);
        found.map(|entry| entry.key.clone())
    }

    /// Returns the plugin that handles a content type, or an error if no plugin or several plugins handle it.
    pub fn for_contents(&self, content_type: &ContentType) -> Result<Plugin, ArgumentError> {
        let plugins = self.running();
        let message = match only(plugins.iter().filter(|plugin| plugin.compares(content_type))) {
            Ok(Some(plugin)) => return Ok(plugin.clone()),
            Err(both) => both_claim(both, content_type).into(),
            Ok(None) => {
                let mut message = message![format!(
                    "no plugin of this contract handles {}; ",
                    content_type.essence()
                )];
                message.push(if plugins.is_empty() {
                    message!["add one with ", operation("using_plugin")]
                } else {
                    let each = plugins.iter().map(described);
                    format!("the plugins are {}", each.collect::<Vec<_>>().join(", ")).into()
                });
                message
            }
        };
        Err(ArgumentError::new(PLUGIN, message).for_argument("content_type"))
    }

    /// Returns the plugins' entries for the contract file. `configurations` contains the data to store for each plugin.
    pub fn uses(&self, configurations: &[PluginUse]) -> Vec<PluginUse> {
        let mut uses: Vec<PluginUse> = Vec::new();
        for plugin in &self.lock().plugins {
            let mut configuration = Object::new();
            let own = configurations
                .iter()
                .filter(|kept| kept.name == plugin.name() && kept.version == plugin.version());
            own.for_each(|kept| contract_plugins::merge(&mut configuration, kept.configuration.clone()));
            uses.push(PluginUse {
                name: plugin.name().to_owned(),
                version: plugin.version().to_owned(),
                configuration,
            });
        }
        uses
    }
}

fn described(plugin: &Plugin) -> String {
    let mut types: Vec<&str> = plugin
        .entries()
        .iter()
        .flat_map(|entry| entry.content_types.iter().map(String::as_str))
        .collect();
    types.dedup();
    format!("{} {} for {}", plugin.name(), plugin.version(), types.join(", "))
}
