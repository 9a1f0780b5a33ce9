//! Writes the audit log. Writes are recorded in their own transaction. Denied requests are collected for a second, so that a client
//! that repeats them cannot fill the disk.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use contract_broker_core::domain::time;
use contract_broker_core::sql::audit::{self, AuditEntry};
use contract_broker_core::store::{StoreError, TxOutcome};
use tokio::sync::Notify;

use crate::http::App;
use crate::log::{Level, LogEntry};

/// Maximum number of different denied requests per interval. Further ones are counted in one entry.
const MAX_DENIALS: usize = 200;
const DENIAL_INTERVAL: Duration = Duration::from_secs(1);
/// Interval between deletions of old entries.
const CLEAN_INTERVAL: Duration = Duration::from_secs(600);
/// Number of entries that one transaction deletes.
const CLEAN_BATCH: i64 = 500;
/// Pause between these transactions, in which other writes run.
const CLEAN_PAUSE: Duration = Duration::from_millis(50);
const DAY: i64 = 24 * 3_600 * 1_000;

/// Denied requests that are not stored yet, with their number.
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
            others()
        };
        *pending.entry(entry).or_default() += 1;
        drop(pending);
        self.added.notify_one();
    }

    fn take(&self) -> Vec<(AuditEntry, i64)> {
        let mut pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *pending).into_iter().collect()
    }
}

/// The entry that counts denied requests beyond the limit.
fn others() -> AuditEntry {
    AuditEntry {
        actor_kind: "anonymous",
        actor: String::new(),
        credential: None,
        address: "*".to_owned(),
        method: "*".to_owned(),
        path: "*".to_owned(),
        route: "*".to_owned(),
        status: 401,
        reason: Some(format!(
            "More than {MAX_DENIALS} different requests were denied within a second. This entry counts the others."
        )),
    }
}

/// Stores the denied requests.
pub(crate) async fn store_denials(app: &App) {
    let denials = app.denials.take();
    if denials.is_empty() {
        return;
    }
    let count = denials.len();
    let work = move |tx: &mut contract_broker_core::store::Tx<'_>| {
        let now = time::now();
        for (entry, occurrences) in &denials {
            audit::insert(tx, entry, *occurrences, now)?;
        }
        Ok(TxOutcome::Commit(()))
    };
    if let Err(error) = app.store.write(work).await {
        let text = format!("{count} denied requests could not be written to the audit log: {error}");
        log(app, text);
    }
}

/// Stores denied requests, for as long as the broker runs.
pub(crate) async fn store_denials_in_background(app: Arc<App>) {
    loop {
        app.denials.added.notified().await;
        tokio::time::sleep(DENIAL_INTERVAL).await;
        store_denials(&app).await;
    }
}

/// Deletes entries that are older than a number of days, for as long as the broker runs.
pub(crate) async fn delete_old_in_background(app: Arc<App>, days: u32) {
    loop {
        if let Err(error) = delete_old(&app, days).await {
            let text =
                format!("deleting old entries of the audit log failed and is retried at the next interval: {error}");
            log(&app, text);
        }
        tokio::time::sleep(CLEAN_INTERVAL).await;
    }
}

async fn delete_old(app: &App, days: u32) -> Result<(), StoreError> {
    let before = time::now() - i64::from(days) * DAY;
    loop {
        let deleted = app
            .store
            .write(move |tx| audit::delete_before(tx, before, CLEAN_BATCH).map(TxOutcome::Commit))
            .await?;
        if deleted < CLEAN_BATCH.unsigned_abs() {
            return Ok(());
        }
        tokio::time::sleep(CLEAN_PAUSE).await;
    }
}

fn log(app: &App, message: String) {
    (app.log)(&LogEntry {
        level: Level::Error,
        message,
        fields: vec![],
    });
}
