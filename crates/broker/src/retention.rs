//! Deletes old data according to the retention policy, in the background of a broker or on demand.

use std::sync::Arc;
use std::time::{Duration, Instant};

use contract_broker_core::cases::deletions;
use contract_broker_core::cases::retention::{Batch, Deleted, Position, Preview, Run};
use contract_broker_core::sql::audit::{self, AuditEntry};
use contract_broker_core::sql::leases;
use contract_broker_core::store::{Database, Limits, Store, StoreError, Tx, TxOutcome};
use contract_broker_domain::retention::RetentionPolicy;
use contract_broker_domain::time;

use crate::http::App;
use contract_broker_remote::log::{Level, LogEntry};

const LEASE: &str = "retention";
/// Duration of a lease, in milliseconds. After this time, another process can acquire the lease even if the holder did
/// not release it.
const LEASE_TIME: i64 = 60_000;
/// Maximum number of rows that one transaction deletes. Transactions must be short, because they delay other writes.
const BATCH: usize = 10;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Retention {
    pub policy: RetentionPolicy,
    /// Pause between two runs. Default: 1 hour.
    pub interval: Duration,
}

impl Default for Retention {
    fn default() -> Self {
        Self {
            policy: RetentionPolicy::default(),
            interval: Duration::from_secs(3_600),
        }
    }
}

/// Deletes old data from a database, which a broker can use at the same time. Returns `None` if another process is
/// already deleting old data.
pub async fn clean(
    database: &Database,
    limits: &Limits,
    policy: &RetentionPolicy,
    pace: CleanPace,
) -> Result<Option<Deleted>, StoreError> {
    let store = Store::open(database, limits).await?;
    let deleted = run(&store, policy, pace).await;
    store.close().await;
    deleted
}

/// Returns what [`clean`] would delete and keep. Deletes nothing.
pub async fn preview(database: &Database, limits: &Limits, policy: &RetentionPolicy) -> Result<Preview, StoreError> {
    let store = Store::open(database, limits).await?;
    let preview = preview_with(&store, policy).await;
    store.close().await;
    preview
}

async fn preview_with(store: &Store, policy: &RetentionPolicy) -> Result<Preview, StoreError> {
    let run = start(store, policy).await?;
    let mut preview = Preview::default();
    let mut after = Some(0);
    while let Some(last) = after {
        let (run, mut part) = (Arc::clone(&run), std::mem::take(&mut preview));
        (preview, after) = store
            .read(move |tx| {
                let after = run.preview_versions(tx, &mut part, last)?;
                Ok(TxOutcome::Rollback((std::mem::take(&mut part), after)))
            })
            .await?;
    }
    store
        .read(move |tx| {
            run.preview_branches(tx, &mut preview, i64::from(i32::MAX))?;
            run.preview_contents(tx, &mut preview)?;
            Ok(TxOutcome::Rollback(std::mem::take(&mut preview)))
        })
        .await
}

/// Removes deleted data that can no longer be restored.
async fn forget_deletions(store: &Store) -> Result<(), StoreError> {
    let work = |tx: &mut Tx<'_>| deletions::forget_old(tx, time::now()).map(TxOutcome::Commit);
    store.write(work).await.map(drop)
}

/// Deletes old data at regular intervals, until the broker stops.
pub(crate) async fn run_in_background(app: Arc<App>, retention: Retention) {
    loop {
        tokio::time::sleep(retention.interval).await;
        let entry = match run(&app.store, &retention.policy, CleanPace::Gentle).await {
            Ok(Some(deleted)) if !deleted.is_empty() => LogEntry {
                level: Level::Info,
                message: "retention deleted old data".to_owned(),
                fields: vec![
                    ("branches", deleted.branches.to_string()),
                    ("versions", deleted.versions.to_string()),
                    ("revisions", deleted.revisions.to_string()),
                    ("results", deleted.results.to_string()),
                    ("contents", deleted.contents.to_string()),
                ],
            },
            Ok(_) => continue,
            Err(error) => LogEntry {
                level: Level::Error,
                message: format!("retention failed (will retry at the next interval): {error}"),
                fields: vec![],
            },
        };
        (app.log)(&entry);
    }
}

/// How fast old data is deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CleanPace {
    /// After each transaction, pauses three times as long as the transaction took, so that requests are served in
    /// between.
    Gentle,
    /// Does not pause. If brokers use the same SQLite database, their requests wait for seconds.
    Fast,
}

async fn start(store: &Store, policy: &RetentionPolicy) -> Result<Arc<Run>, StoreError> {
    let (policy, now) = (policy.clone(), time::now());
    let run = store
        .read(move |tx| Run::start(tx, &policy, now).map(TxOutcome::Rollback))
        .await?;
    Ok(Arc::new(run))
}

async fn run(store: &Store, policy: &RetentionPolicy, pace: CleanPace) -> Result<Option<Deleted>, StoreError> {
    let holder = format!("{:016x}", fastrand::u64(..));
    if !acquire(store, &holder).await? {
        return Ok(None);
    }
    let deleted = delete_all(store, policy, pace, &holder).await;
    let entry = match &deleted {
        Ok(Some(deleted)) if !deleted.is_empty() => Some(audit_entry(deleted)),
        _ => None,
    };
    let release = move |tx: &mut Tx<'_>| {
        if let Some(entry) = &entry {
            audit::insert(tx, entry, 1, time::now())?;
        }
        leases::release(tx, LEASE, &holder).map(TxOutcome::Commit)
    };
    store.write(release).await?;
    deleted
}

/// Creates the audit log entry for a run.
fn audit_entry(deleted: &Deleted) -> AuditEntry {
    AuditEntry {
        actor_kind: "local",
        actor: LEASE.to_owned(),
        credential: None,
        address: String::new(),
        method: "DELETE".to_owned(),
        path: "retention".to_owned(),
        route: "retention".to_owned(),
        status: 200,
        resource: None,
        reason: Some(format!(
            "deleted {} branches, {} versions, {} revisions, {} results, {} contents",
            deleted.branches, deleted.versions, deleted.revisions, deleted.results, deleted.contents
        )),
    }
}

async fn delete_all(
    store: &Store,
    policy: &RetentionPolicy,
    pace: CleanPace,
    holder: &str,
) -> Result<Option<Deleted>, StoreError> {
    forget_deletions(store).await?;
    let run = start(store, policy).await?;
    let mut deleted = Deleted::default();
    let mut position = Some(Position::START);
    while let Some(at) = position {
        let reader = Arc::clone(&run);
        let step = store
            .read(move |tx| reader.examine(tx, at).map(TxOutcome::Rollback))
            .await?;
        for batch in step.batches(BATCH) {
            let started = Instant::now();
            let Some(more) = delete_batch(store, &run, batch, holder.to_owned()).await? else {
                // The lease has expired, and another process has taken over.
                return Ok(Some(deleted));
            };
            deleted.add(more);
            if pace == CleanPace::Gentle {
                tokio::time::sleep(3 * started.elapsed()).await;
            }
        }
        position = step.next;
    }
    Ok(Some(deleted))
}

async fn acquire(store: &Store, holder: &str) -> Result<bool, StoreError> {
    let holder = holder.to_owned();
    store.write(move |tx| extend(tx, &holder).map(TxOutcome::Commit)).await
}

/// Deletes the rows of a batch. Returns `None` and deletes nothing if the lease was lost.
async fn delete_batch(
    store: &Store,
    run: &Arc<Run>,
    batch: Batch,
    holder: String,
) -> Result<Option<Deleted>, StoreError> {
    let run = Arc::clone(run);
    store
        .write(move |tx| {
            if !extend(tx, &holder)? {
                return Ok(TxOutcome::Rollback(None));
            }
            run.delete(tx, &batch).map(|deleted| TxOutcome::Commit(Some(deleted)))
        })
        .await
}

fn extend(tx: &mut Tx<'_>, holder: &str) -> Result<bool, StoreError> {
    let now = time::now();
    leases::acquire(tx, LEASE, holder, now, now + LEASE_TIME)
}
