//! Sends the webhook requests in the outbox, a table to which transactions add them.
//!
//! A process acquires a lease for each webhook and sends its requests one by one. It extends its leases while it runs,
//! so that other processes soon continue if it is killed. If the result of a request could not be stored, the request
//! is sent again.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use contract_broker_core::cases::webhooks;
use contract_broker_core::sql::Page;
use contract_broker_core::sql::deliveries::{self, Attempt, Delivery, DeliveryStatus};
use contract_broker_core::sql::leases;
use contract_broker_core::sql::webhooks::{self as rows, Webhook};
use contract_broker_core::store::{StoreError, Tx, TxOutcome};
use contract_broker_domain::time;
use contract_broker_domain::webhook::EventData;
use tokio::sync::{Notify, Semaphore, watch};
use tokio::task::JoinSet;

use crate::http::App;
use contract_broker_remote::log::{Level, LogEntry};
use contract_broker_remote::webhooks::{Execution, seconds};

/// Prefix of the name of a webhook's lease. The webhook's database ID follows.
const LEASE: &str = "webhook ";
/// Duration of a lease in milliseconds. If a process is killed, other processes continue its work after this time.
const LEASE_TIME: i64 = 6_000;
const LEASE_EXTENSION_INTERVAL: Duration = Duration::from_secs(2);
/// Interval between searches for requests that other processes have enqueued or that must be retried.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Interval between checks for overdue verifications and old deliveries.
const CLEAN_INTERVAL: Duration = Duration::from_secs(5);
/// Maximum number of old deliveries that one transaction deletes.
const CLEAN_BATCH: i64 = 200;
/// Maximum number of requests that a webhook sends before other webhooks get a turn.
const TURN: usize = 100;

/// Sends the requests of webhooks for which this process has leases.
struct Worker {
    app: Arc<App>,
    /// A random name that identifies this process as the holder of leases.
    holder: String,
    /// IDs of the webhooks whose requests this process is sending.
    active: Mutex<HashSet<i64>>,
    slots: Arc<Semaphore>,
    stopping: watch::Receiver<bool>,
    /// Notified when a webhook's turn has ended.
    turn_ended: Notify,
}

/// Sends requests until `stopping` becomes true, and then finishes the requests in flight.
pub(crate) async fn send_in_background(app: Arc<App>, mut stopping: watch::Receiver<bool>) {
    let worker = Arc::new(Worker {
        slots: Arc::new(Semaphore::new(app.sender.options.concurrency)),
        app,
        holder: format!("{:016x}", fastrand::u64(..)),
        active: Mutex::default(),
        stopping: stopping.clone(),
        turn_ended: Notify::new(),
    });
    worker.check_secrets().await;
    let extending = tokio::spawn(extend_leases(Arc::clone(&worker)));
    let cleaning = tokio::spawn(clean(Arc::clone(&worker)));
    let mut sending = JoinSet::new();
    while !*stopping.borrow() {
        match worker.due().await {
            Ok(due) => {
                for webhook in due {
                    worker.start(webhook, &mut sending).await;
                }
            }
            Err(error) => worker.note("could not read the outbox (will retry)", &error),
        }
        while sending.try_join_next().is_some() {}
        tokio::select! {
            () = worker.app.deliveries.notified() => {}
            () = worker.turn_ended.notified() => {}
            () = tokio::time::sleep(POLL_INTERVAL) => {}
            _ = stopping.wait_for(|is_stopping| *is_stopping) => {}
        }
    }
    cleaning.abort();
    while sending.join_next().await.is_some() {}
    extending.abort();
}

/// Extends the leases of this process whenever it is sending requests.
async fn extend_leases(worker: Arc<Worker>) {
    loop {
        tokio::time::sleep(LEASE_EXTENSION_INTERVAL).await;
        if worker.active().is_empty() {
            continue;
        }
        let holder = worker.holder.clone();
        let extended = worker.app.store.write(move |tx| {
            deliveries::extend_leases(tx, LEASE, &holder, time::now() + LEASE_TIME)?;
            Ok(TxOutcome::Commit(()))
        });
        if let Err(error) = extended.await {
            worker.note("could not extend webhook leases (will retry)", &error);
        }
    }
}

/// Triggers webhooks for overdue verifications, and deletes old deliveries, until the task is aborted.
async fn clean(worker: Arc<Worker>) {
    loop {
        match worker.clean().await {
            // There may be more to do.
            Ok(true) => tokio::task::yield_now().await,
            Ok(false) => tokio::time::sleep(CLEAN_INTERVAL).await,
            Err(error) => {
                worker.note("could not check verification deadlines (will retry)", &error);
                tokio::time::sleep(CLEAN_INTERVAL).await;
            }
        }
    }
}

struct Job {
    delivery: Delivery,
    webhook: Webhook,
}

impl Worker {
    fn active(&self) -> std::sync::MutexGuard<'_, HashSet<i64>> {
        self.active.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, task: &str, error: &StoreError) {
        (self.app.log)(&LogEntry {
            level: Level::Error,
            message: format!("{task}: {error}"),
            fields: vec![],
        });
    }

    /// Logs an error if the secrets of webhooks cannot be decrypted, for example after a backup was restored without the
    /// key.
    async fn check_secrets(&self) {
        const SIZE: i64 = 500;
        let (mut unreadable, mut reason) = (0_usize, String::new());
        for number in 1.. {
            let page = Page { number, size: SIZE };
            let read = self.app.store.read(move |tx| {
                let (webhooks, _) = rows::list(tx, page)?;
                Ok(TxOutcome::Rollback(webhooks))
            });
            // Database errors are logged when requests are sent.
            let Ok(webhooks) = read.await else { return };
            for webhook in &webhooks {
                if let Err(error) = self.app.sender.read_request(webhook) {
                    unreadable += 1;
                    reason = error;
                }
            }
            if webhooks.len() < usize::try_from(SIZE).unwrap_or(usize::MAX) {
                break;
            }
        }
        if unreadable > 0 {
            let subject = match unreadable {
                1 => "1 webhook cannot send requests".to_owned(),
                count => format!("{count} webhooks cannot send requests"),
            };
            (self.app.log)(&LogEntry {
                level: Level::Error,
                message: format!(
                    "{subject}. {} Start the broker with the key that encrypted them (--secret-key-file).",
                    reason.trim_end()
                ),
                fields: vec![],
            });
        }
    }

    /// Returns the IDs of webhooks that have requests to send, except those whose requests this process is already
    /// sending.
    async fn due(&self) -> Result<Vec<i64>, StoreError> {
        let limit = i64::try_from(2 * self.app.sender.options.concurrency).unwrap_or(i64::MAX);
        let holder = self.holder.clone();
        let due = self.app.store.read(move |tx| {
            let due = deliveries::due_webhooks(tx, (LEASE, &holder), time::now(), limit)?;
            Ok(TxOutcome::Rollback(due))
        });
        let mut due = due.await?;
        let active = self.active();
        due.retain(|webhook| !active.contains(webhook));
        Ok(due)
    }

    /// Waits for a free slot, and starts sending the requests of a webhook. Returns without starting if the broker
    /// stops.
    async fn start(self: &Arc<Self>, webhook: i64, sending: &mut JoinSet<()>) {
        let mut stopping = self.stopping.clone();
        let slot = tokio::select! {
            slot = Arc::clone(&self.slots).acquire_owned() => slot,
            _ = stopping.wait_for(|is_stopping| *is_stopping) => return,
        };
        self.active().insert(webhook);
        let worker = Arc::clone(self);
        sending.spawn(async move {
            if let Err(error) = worker.send_all(webhook).await {
                worker.note("could not send webhook requests (will retry)", &error);
                tokio::time::sleep(POLL_INTERVAL).await;
            }
            worker.active().remove(&webhook);
            drop(slot);
            worker.turn_ended.notify_one();
        });
    }

    async fn send_all(&self, webhook: i64) -> Result<(), StoreError> {
        let holder = self.holder.clone();
        let first = self.app.store.write(move |tx| {
            let job = next(tx, webhook, &holder, time::now())?;
            Ok(TxOutcome::Commit(job))
        });
        let mut job = first.await?;
        let mut sent = 0;
        while let Some(current) = job {
            sent += 1;
            let ends = sent >= TURN || *self.stopping.borrow();
            job = self.send(webhook, current, ends).await?;
        }
        Ok(())
    }

    /// Sends a request, stores the result, and returns the webhook's next request. If `ends` is true or no request is
    /// due, releases the lease and returns `None`.
    async fn send(&self, id: i64, job: Job, ends: bool) -> Result<Option<Job>, StoreError> {
        let Job { delivery, webhook } = job;
        let attempt = usize::try_from(delivery.attempts).unwrap_or(usize::MAX);
        let sender = &self.app.sender;
        let pause = sender.options.retry_schedule.get(attempt).copied();
        let (success, pause, log) = match self.too_old(&delivery) {
            Some(text) => (false, None, text),
            None => match self.execution(&delivery, &webhook) {
                Ok(execution) => {
                    let conclusion = |success| conclusion(success, pause, attempt);
                    let exchange = sender.send(&self.app.rules.webhooks, &execution, conclusion).await;
                    (exchange.success, pause, exchange.log)
                }
                Err(text) => (false, pause, text),
            },
        };
        let holder = self.holder.clone();
        let is_stopping = *self.stopping.borrow();
        let stored = self.app.store.write(move |tx| {
            let now = time::now();
            let due_at = pause.filter(|_| !success).map(|pause| {
                let pause = i64::try_from(pause.as_millis()).unwrap_or(i64::MAX);
                now.saturating_add(pause)
            });
            let status = match (success, due_at) {
                (true, _) => DeliveryStatus::Success,
                (false, Some(_)) => DeliveryStatus::Retrying,
                (false, None) => DeliveryStatus::Failure,
            };
            let attempt = Attempt {
                status,
                due_at,
                log: &log,
                now,
            };
            deliveries::note_attempt(tx, delivery.id, &attempt)?;
            if ends || is_stopping {
                leases::release(tx, &format!("{LEASE}{id}"), &holder)?;
                return Ok(TxOutcome::Commit(None));
            }
            next(tx, id, &holder, now).map(TxOutcome::Commit)
        });
        stored.await
    }

    /// Returns the log text for a request that was never sent and has waited for too long. Returns `None` if the
    /// request can be sent.
    fn too_old(&self, delivery: &Delivery) -> Option<String> {
        let max = self.app.sender.options.max_age;
        let age = time::now().saturating_sub(delivery.created_at);
        let is_old = u128::try_from(age).is_ok_and(|age| age > max.as_millis());
        (is_old && delivery.status == DeliveryStatus::NotRun).then(|| {
            let hours = max.as_secs_f64() / 3_600.0;
            let unit = if max.as_secs() == 3_600 { "hour" } else { "hours" };
            format!(
                "The request was not sent because it waited for more than {hours} {unit} behind failed requests of the webhook.\n"
            )
        })
    }

    fn execution(&self, delivery: &Delivery, webhook: &Webhook) -> Result<Execution, String> {
        let request = self.app.sender.read_request(webhook)?;
        Ok(Execution {
            request,
            data: EventData::parse(&delivery.data),
            id: delivery.uuid.clone(),
            links: serde_json::Value::Null,
        })
    }

    /// Triggers webhooks for overdue verifications, and deletes a batch of old deliveries. Returns true if it did
    /// anything, so that there may be more to do.
    async fn clean(&self) -> Result<bool, StoreError> {
        let keep = self.app.sender.options.keep_log;
        let before = keep.map(|keep| {
            let keep = i64::try_from(keep.as_millis()).unwrap_or(i64::MAX);
            time::now().saturating_sub(keep)
        });
        let waiting = self.app.store.read(move |tx| {
            let waiting = deliveries::has_work(tx, time::now(), before)?;
            Ok(TxOutcome::Rollback(waiting))
        });
        if !waiting.await? {
            return Ok(false);
        }
        let cleaned = self.app.store.write(move |tx| {
            let passed = webhooks::check_deadlines(tx, time::now())?;
            let deleted = match before {
                Some(before) => deliveries::delete_finished(tx, before, CLEAN_BATCH)?,
                None => 0,
            };
            Ok(TxOutcome::Commit((passed, deleted)))
        });
        let (passed, deleted) = cleaned.await?;
        if passed > 0 {
            self.app.deliveries.notify_one();
        }
        Ok(passed > 0 || deleted > 0)
    }
}

/// Acquires or extends the lease for a webhook, and returns the webhook's next request if it is due. Otherwise,
/// releases the lease and returns `None`. Also returns `None` if another process has the lease, for example because the
/// machine of this process was suspended.
fn next(tx: &mut Tx<'_>, id: i64, holder: &str, now: i64) -> Result<Option<Job>, StoreError> {
    if !leases::acquire(tx, &format!("{LEASE}{id}"), holder, now, now + LEASE_TIME)? {
        return Ok(None);
    }
    if let Some((delivery, due_at)) = deliveries::first_of(tx, id)?
        && due_at <= now
        && let Some(webhook) = rows::find(tx, &delivery.webhook_uuid)?
    {
        return Ok(Some(Job { delivery, webhook }));
    }
    leases::release(tx, &format!("{LEASE}{id}"), holder)?;
    Ok(None)
}

fn conclusion(success: bool, pause: Option<Duration>, attempt: usize) -> String {
    match (success, pause) {
        (true, _) => "Successfully executed webhook".to_owned(),
        (false, Some(pause)) => format!("Retrying webhook in {}", seconds(pause)),
        (false, None) => format!("Webhook execution failed after {} attempts", attempt + 1),
    }
}
