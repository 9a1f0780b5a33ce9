//! Collects denied requests for the audit log.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use contract_broker_core::sql::audit::AuditEntry;
use tokio::sync::Notify;

/// Maximum number of different denied requests to collect. One additional entry counts the requests above this limit.
const MAX_DENIALS: usize = 200;

/// Denied requests that are not yet in the audit log, each with its number of occurrences.
#[derive(Default)]
pub(crate) struct Denials {
    pending: Mutex<HashMap<AuditEntry, i64>>,
    added: Notify,
}

impl Denials {
    pub(crate) fn add(&self, entry: AuditEntry) {
        let mut pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = if pending.len() < MAX_DENIALS || pending.contains_key(&entry) {
            entry
        } else {
            overflow_entry()
        };
        *pending.entry(entry).or_default() += 1;
        drop(pending);
        self.added.notify_one();
    }

    /// Waits until at least one request has been denied.
    pub(crate) async fn added(&self) {
        self.added.notified().await;
    }

    pub(crate) fn take(&self) -> Vec<(AuditEntry, i64)> {
        let mut pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *pending).into_iter().collect()
    }
}

/// Creates the entry that counts the denied requests above [`MAX_DENIALS`].
fn overflow_entry() -> AuditEntry {
    AuditEntry {
        actor_kind: "anonymous",
        actor: String::new(),
        credential: None,
        address: "*".to_owned(),
        method: "*".to_owned(),
        path: "*".to_owned(),
        route: "*".to_owned(),
        status: 401,
        resource: None,
        reason: Some(format!(
            "More than {MAX_DENIALS} different requests were denied within a second. This entry counts the remaining requests."
        )),
    }
}
