//! Writes the audit log. Each write is recorded in its own transaction. Denied requests are collected for one second,
//! so that a client that repeats a request cannot fill the disk.

use std::sync::Arc;
use std::time::Duration;

use contract_broker_core::domain::time;
use contract_broker_core::sql::audit;
use contract_broker_core::store::{StoreError, TxOutcome};

use crate::http::App;
use crate::log::{Level, LogEntry};

const DENIAL_INTERVAL: Duration = Duration::from_secs(1);
/// Interval between deletions of old entries.
const CLEAN_INTERVAL: Duration = Duration::from_secs(600);
/// Number of entries that one transaction deletes.
const CLEAN_BATCH: i64 = 500;
/// Pause between these transactions, so that other writes are not blocked.
const CLEAN_PAUSE: Duration = Duration::from_millis(50);
const DAY: i64 = 24 * 3_600 * 1_000;

/// Stores the collected denied requests.
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

/// Stores denied requests until the broker stops.
pub(crate) async fn store_denials_in_background(app: Arc<App>) {
    loop {
        app.denials.added().await;
        tokio::time::sleep(DENIAL_INTERVAL).await;
        store_denials(&app).await;
    }
}

/// Deletes entries older than `days`, until the broker stops.
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
