//! Maintains the audit log. Successful writes add their entry in the transaction of the write. Denied requests are
//! collected here and stored once per second, so that a client that repeats a request cannot fill the disk.

use std::sync::Arc;
use std::time::Duration;

use contract_broker_core::sql::audit;
use contract_broker_core::store::{StoreError, TxOutcome};
use contract_broker_domain::time;

use crate::http::App;
use contract_broker_remote::log::{Level, LogEntry};

const DENIAL_INTERVAL: Duration = Duration::from_secs(1);
/// Interval between deletions of old audit log entries.
const CLEAN_INTERVAL: Duration = Duration::from_secs(600);
/// Maximum number of entries that one transaction deletes.
const CLEAN_BATCH: i64 = 500;
/// Pause between transactions that delete entries, so that they do not block other writes.
const CLEAN_PAUSE: Duration = Duration::from_millis(50);
const DAY: i64 = 24 * 3_600 * 1_000;

/// Writes the denied requests that have been collected so far to the audit log.
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

/// Writes denied requests to the audit log, at most once per second, until the broker stops.
pub(crate) async fn store_denials_in_background(app: Arc<App>) {
    loop {
        app.denials.added().await;
        tokio::time::sleep(DENIAL_INTERVAL).await;
        store_denials(&app).await;
    }
}

/// Deletes entries that are older than `days` days, until the broker stops.
pub(crate) async fn delete_old_in_background(app: Arc<App>, days: u32) {
    loop {
        if let Err(error) = delete_old(&app, days).await {
            let text = format!("could not delete old audit log entries (will retry at the next interval): {error}");
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
