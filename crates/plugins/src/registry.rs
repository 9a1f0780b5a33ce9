//! The running plugins of this process. Each plugin runs only once and only while it is used.

use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::sync::Mutex as AsyncMutex;

use crate::callback::Callback;
use crate::catalogue;
use crate::chain::{Chains, random_token};
use crate::core::Core;
use crate::error::PluginError;
use crate::host;
use crate::manifest::{Manifest, Search};
use crate::plugin::{Launch, Plugin, Running};
use crate::slots::Slots;
use crate::times::Times;
use crate::wire::v2;

/// Timeout for sending a catalogue to a plugin.
const UPDATE: Duration = Duration::from_secs(5);

/// The running plugins of this process. A plugin is identified by its name, version, and directory. Its process ends
/// when the last [`Plugin`] is dropped.
#[derive(Debug, Clone)]
pub struct Registry(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    slots: Arc<Slots>,
    chains: Arc<Chains>,
    core: Arc<dyn Core>,
    host: AsyncMutex<Weak<Callback>>,
}

impl Registry {
    /// Creates an empty registry. When plugins call the host, it uses `core`.
    pub fn new(core: Arc<dyn Core>) -> Self {
        Self(Arc::new(Inner {
            slots: Arc::default(),
            chains: Arc::default(),
            core,
            host: AsyncMutex::default(),
        }))
    }

    /// Returns a plugin, and starts it if it is not running. `version` is the minimum version; `None` accepts any
    /// version. The highest installed version is used.
    pub async fn load(
        &self,
        name: &str,
        version: Option<&str>,
        search: &Search,
        times: Times,
    ) -> Result<Plugin, PluginError> {
        self.start(search.find(name, version)?, times).await
    }

    /// Returns the plugin with this manifest, and starts it if it is not running.
    pub async fn start(&self, manifest: Manifest, times: Times) -> Result<Plugin, PluginError> {
        let key = (
            manifest.name.clone(),
            manifest.version.clone(),
            manifest.directory.clone(),
        );
        let slot = self.0.slots.slot(key);
        let mut slot = slot.lock().await;
        if let Some(running) = slot.upgrade().filter(|running| running.is_alive()) {
            return Ok(Plugin(running));
        }
        let host = match self.0.host().await {
            Ok(host) => Some(host),
            Err(error) => {
                tracing::warn!(target: "contract::plugins", "the host service for plugins did not start: {error}");
                None
            }
        };
        let (instance, title) = (random_token(), manifest.title());
        let launch = Launch {
            manifest,
            instance: &instance,
            host: host.map(|host| host.admit(&instance, &title)),
            chains: Arc::clone(&self.0.chains),
            times,
            log_level: self.0.core.log_level(),
        };
        let running = Arc::new(Running::start(launch).await?);
        tracing::info!(target: "contract::plugins", process = running_id(&running), "started plugin {title}");
        *slot = Arc::downgrade(&running);
        drop(slot);
        let (plugin, limit) = (Plugin(running), times.call.min(UPDATE));
        self.0.update(&plugin, limit).await;
        Ok(plugin)
    }

    pub fn running(&self) -> Vec<Plugin> {
        self.0.slots.running()
    }
}

fn running_id(running: &Arc<Running>) -> u32 {
    Plugin(Arc::clone(running)).process_id()
}

impl Inner {
    async fn host(&self) -> std::io::Result<Arc<Callback>> {
        let mut host = self.host.lock().await;
        if let Some(server) = host.upgrade() {
            return Ok(server);
        }
        let slots = Arc::downgrade(&self.slots);
        let server = Arc::new(host::start(slots, Arc::clone(&self.chains), Arc::clone(&self.core)).await?);
        *host = Arc::downgrade(&server);
        Ok(server)
    }

    /// Sends the combined catalogue to all running plugins. Waits only until the new plugin has received it, because
    /// another plugin may hang.
    async fn update(&self, new: &Plugin, limit: Duration) {
        let running = self.slots.running();
        for plugin in running.into_iter().filter(|plugin| !Arc::ptr_eq(&plugin.0, &new.0)) {
            let slots = Arc::clone(&self.slots);
            tokio::spawn(async move { update_one(&slots, &plugin, limit).await });
        }
        update_one(&self.slots, new, limit).await;
    }
}

/// Sends the combined catalogue to a plugin. If this fails, only a warning is logged.
async fn update_one(slots: &Slots, plugin: &Plugin, limit: Duration) {
    let _one_at_a_time = plugin.0.updates.lock().await;
    let mut entries: Vec<v2::CatalogueEntry> = catalogue::core().collect();
    for known in slots.running() {
        entries.extend(known.0.catalogue.on_wire());
    }
    if let Err(error) = plugin.0.update(entries, limit).await {
        tracing::warn!(target: "contract::plugins", "{}", error.message());
    }
}
