//! Registers the running plugins that may call the host service.

use std::collections::HashMap;
use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex, PoisonError};

/// The running host service. Dropping it stops the server.
#[derive(Debug)]
pub(crate) struct Callback {
    port: u16,
    known: Arc<Known>,
    task: tokio::task::AbortHandle,
}

/// The plugins that may call the host service: instance IDs, with the name and version of each plugin.
#[derive(Debug, Default)]
pub(crate) struct Known(Mutex<HashMap<String, String>>);

impl Known {
    pub(crate) fn title(&self, instance: &str) -> Option<String> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(instance).cloned()
    }
}

impl Callback {
    pub(crate) fn new(port: u16, known: Arc<Known>, task: tokio::task::AbortHandle) -> Self {
        Self { port, known, task }
    }

    pub(crate) fn address(&self) -> String {
        format!("{}:{}", Ipv4Addr::LOCALHOST, self.port)
    }

    /// Accepts calls from a plugin instance until the returned value is dropped.
    pub(crate) fn admit(self: &Arc<Self>, instance: &str, title: &str) -> Admitted {
        let mut known = self.known.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(instance.to_owned(), title.to_owned());
        drop(known);
        Admitted {
            callback: Arc::clone(self),
            instance: instance.to_owned(),
        }
    }
}

/// Permission for one plugin instance to call the host service. The service runs while any such value exists.
#[derive(Debug)]
pub(crate) struct Admitted {
    callback: Arc<Callback>,
    instance: String,
}

impl Admitted {
    pub(crate) fn address(&self) -> String {
        self.callback.address()
    }
}

impl Drop for Admitted {
    fn drop(&mut self) {
        let mut known = self.callback.known.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.remove(&self.instance);
    }
}

impl Drop for Callback {
    fn drop(&mut self) {
        // Aborting the task drops the connections that it owns.
        self.task.abort();
    }
}
