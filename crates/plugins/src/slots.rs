//! One lock per plugin, so that each plugin is started only once.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use tokio::sync::Mutex as AsyncMutex;

use crate::plugin::{Plugin, Running};

/// The slots of the plugins requested so far. A task locks a plugin's slot while it starts the plugin, so that only
/// tasks that request the same plugin wait.
#[derive(Debug, Default)]
pub(crate) struct Slots(Mutex<HashMap<Key, Slot>>);

/// Name, version, and directory of a plugin.
pub(crate) type Key = (String, String, PathBuf);
pub(crate) type Slot = Arc<AsyncMutex<Weak<Running>>>;

impl Slots {
    fn all(&self) -> MutexGuard<'_, HashMap<Key, Slot>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn slot(&self, key: Key) -> Slot {
        Arc::clone(self.all().entry(key).or_default())
    }

    pub(crate) fn running(&self) -> Vec<Plugin> {
        let slots: Vec<Slot> = self.all().values().map(Arc::clone).collect();
        // A locked slot belongs to a plugin that is being started.
        let running = slots.iter().filter_map(|slot| slot.try_lock().ok()?.upgrade());
        let mut plugins: Vec<Plugin> = running.filter(|running| running.is_alive()).map(Plugin).collect();
        plugins.sort_by(|a, b| (a.name(), a.version()).cmp(&(b.name(), b.version())));
        plugins
    }
}
