//! The place where plugins call back, and whom it hears.

use std::collections::HashMap;
use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex, PoisonError};

/// A server that plugins call back. It ends when it is dropped.
#[derive(Debug)]
pub(crate) struct Callback {
    port: u16,
    known: Arc<Known>,
    task: tokio::task::AbortHandle,
}

/// Ids of instances, and the titles of their plugins.
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

    pub(crate) fn admit(&self, instance: &str, title: &str) {
        let mut known = self.known.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(instance.to_owned(), title.to_owned());
    }

    pub(crate) fn dismiss(&self, instance: &str) {
        let mut known = self.known.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.remove(instance);
    }
}

impl Drop for Callback {
    fn drop(&mut self) {
        // The set of connections goes down with the task that owns it.
        self.task.abort();
    }
}
