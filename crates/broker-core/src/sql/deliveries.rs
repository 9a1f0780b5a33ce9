//! The outbox for webhook requests, and the attempts to send them.

use std::collections::HashMap;

use super::Page;
use super::environments::new_uuid;
use super::statement::{self, Conditions, FromColumns};
use super::webhooks::Listener;
use crate::store::{Columns, Row, StoreError, Tx, Value, params};

/// The status of a delivery. The names are the same as in the Pact Broker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeliveryStatus {
    NotRun,
    Retrying,
    Success,
    Failure,
}

impl DeliveryStatus {
    pub fn name(self) -> &'static str {
        match self {
            Self::NotRun => "not_run",
            Self::Retrying => "retrying",
            Self::Success => "success",
            Self::Failure => "failure",
        }
    }

    fn parse(name: &str) -> Self {
        let all = [Self::NotRun, Self::Retrying, Self::Success];
        all.into_iter()
            .find(|status| status.name() == name)
            .unwrap_or(Self::Failure)
    }
}

/// A request that an event triggered, and that is sent until an attempt succeeds or no retries are left.
#[derive(Clone, Debug)]
pub struct Delivery {
    pub id: i64,
    pub uuid: String,
    /// The ID of the webhook, or `None` if it was deleted.
    pub webhook_id: Option<i64>,
    pub webhook_uuid: String,
    /// The method and the host of the request, which the Pact Broker uses as the name of a webhook.
    pub name: String,
    pub event: String,
    pub consumer: String,
    pub provider: String,
    /// The values of template parameters as JSON.
    pub data: String,
    pub status: DeliveryStatus,
    pub attempts: i64,
    pub created_at: i64,
}

const COLUMNS: &str =
    "d.id, d.uuid, d.webhook_id, d.webhook_uuid, d.name, d.event, c.name, p.name, d.data, d.status, d.attempts,
    d.created_at";
const LOOKUPS: &str = "JOIN pacticipant c ON c.id = d.consumer_id JOIN pacticipant p ON p.id = d.provider_id";

impl FromColumns for Delivery {
    fn from_columns(columns: &mut Columns<'_>) -> Self {
        Self {
            id: columns.int(),
            uuid: columns.text(),
            webhook_id: columns.maybe_int(),
            webhook_uuid: columns.text(),
            name: columns.text(),
            event: columns.text(),
            consumer: columns.text(),
            provider: columns.text(),
            data: columns.text(),
            status: DeliveryStatus::parse(&columns.text()),
            attempts: columns.int(),
            created_at: columns.int(),
        }
    }
}

/// What an event is about: a consumer version, a provider, and a verification result if the event is about one.
#[derive(Clone, Copy, Debug)]
pub struct Subject {
    pub consumer_id: i64,
    pub provider_id: i64,
    /// The ID of the consumer version.
    pub version_id: i64,
    pub result_id: Option<i64>,
}

/// Adds a delivery to the outbox. Returns its UUID.
pub fn enqueue(
    tx: &mut Tx<'_>,
    listener: &Listener,
    name: &str,
    (event, data): (&str, &str),
    subject: Subject,
    now: i64,
) -> Result<String, StoreError> {
    let uuid = new_uuid();
    tx.execute_deferred(
        "INSERT INTO delivery (uuid, webhook_id, webhook_uuid, name, event, consumer_id, provider_id, version_id, result_id, data, status,
           attempts, is_waiting, due_at, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 'not_run', 0, 1, $11, $11)",
        params![
            &uuid,
            listener.id,
            &listener.uuid,
            name,
            event,
            subject.consumer_id,
            subject.provider_id,
            subject.version_id,
            subject.result_id,
            data,
            now
        ],
    )?;
    Ok(uuid)
}

/// Returns the webhooks whose next request is due, the longest overdue first. Webhooks for which another holder has a
/// lease are skipped. The name of a lease consists of `lease_prefix` and the ID of the webhook.
pub fn due_webhooks(
    tx: &mut Tx<'_>,
    (lease_prefix, holder): (&str, &str),
    now: i64,
    limit: i64,
) -> Result<Vec<i64>, StoreError> {
    let sql = "SELECT w.id FROM webhook w CROSS JOIN delivery d
         WHERE d.id = (SELECT q.id FROM delivery q WHERE q.webhook_id = w.id AND q.is_waiting = 1 ORDER BY q.id LIMIT 1)
         AND d.due_at <= $1
         AND NOT EXISTS (SELECT 1 FROM lease l WHERE l.name = $2 || CAST(w.id AS TEXT) AND l.holder <> $3
           AND l.expires_at > $1)
         ORDER BY d.due_at, w.id LIMIT $4";
    let rows = tx.query(sql, params![now, lease_prefix, holder, limit])?;
    Ok(rows.iter().map(|row| row.int(0)).collect())
}

/// Returns a webhook's next request and the time at which it is due, or `None` if no request is waiting.
pub fn first_of(tx: &mut Tx<'_>, webhook: i64) -> Result<Option<(Delivery, i64)>, StoreError> {
    let sql = format!(
        "SELECT {COLUMNS}, d.due_at FROM delivery d {LOOKUPS}
         WHERE d.id = (SELECT q.id FROM delivery q WHERE q.webhook_id = $1 AND q.is_waiting = 1 ORDER BY q.id LIMIT 1)"
    );
    let row = tx.query_row(&sql, params![webhook])?;
    Ok(row.map(|row| {
        let mut columns = row.columns();
        (Delivery::from_columns(&mut columns), columns.int())
    }))
}

/// The result of an attempt to send a request.
pub struct Attempt<'a> {
    pub status: DeliveryStatus,
    /// Time of the next attempt, or `None` if this was the last one.
    pub due_at: Option<i64>,
    pub log: &'a str,
    pub now: i64,
}

/// Stores an attempt. Does nothing if the delivery was deleted or is no longer waiting.
pub fn note_attempt(tx: &mut Tx<'_>, delivery: i64, attempt: &Attempt<'_>) -> Result<(), StoreError> {
    let changed = tx.execute(
        "UPDATE delivery SET status = $2, is_waiting = $3, due_at = $4, attempts = attempts + 1 WHERE id = $1 AND is_waiting = 1",
        params![
            delivery,
            attempt.status.name(),
            attempt.due_at.is_some(),
            attempt.due_at
        ],
    )?;
    if changed == 0 {
        return Ok(());
    }
    tx.execute_deferred(
        "INSERT INTO delivery_attempt (delivery_id, success, log, created_at) VALUES ($1, $2, $3, $4)",
        params![
            delivery,
            attempt.status == DeliveryStatus::Success,
            attempt.log,
            attempt.now
        ],
    )
}

/// Enqueues a finished delivery again, with a new count of attempts.
pub fn retry(tx: &mut Tx<'_>, delivery: i64, now: i64) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE delivery SET status = 'retrying', attempts = 0, is_waiting = 1, due_at = $2 WHERE id = $1 AND is_waiting = 0",
        params![delivery, now],
    )?;
    Ok(())
}

pub fn find(tx: &mut Tx<'_>, uuid: &str) -> Result<Option<Delivery>, StoreError> {
    let sql = format!("SELECT {COLUMNS} FROM delivery d {LOOKUPS} WHERE d.uuid = $1");
    statement::find(tx, &sql, params![uuid])
}

#[derive(Clone, Debug)]
pub struct PastAttempt {
    pub success: bool,
    pub log: String,
    pub created_at: i64,
}

impl FromColumns for PastAttempt {
    fn from_columns(columns: &mut Columns<'_>) -> Self {
        Self {
            success: columns.bool(),
            log: columns.text(),
            created_at: columns.int(),
        }
    }
}

/// Returns the newest `limit` attempts of a delivery, oldest first.
pub fn attempts(tx: &mut Tx<'_>, delivery: i64, limit: i64) -> Result<Vec<PastAttempt>, StoreError> {
    let sql = "SELECT success, log, created_at FROM delivery_attempt WHERE delivery_id = $1 ORDER BY id DESC LIMIT $2";
    let mut attempts: Vec<PastAttempt> = statement::list(tx, sql, params![delivery, limit])?;
    attempts.reverse();
    Ok(attempts)
}

/// Returns the deliveries for events of a consumer version's contract with a provider. Deliveries for verification
/// results are not included.
pub fn of_version(tx: &mut Tx<'_>, version: i64, provider: i64, page: Page) -> Result<Vec<Delivery>, StoreError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM delivery d {LOOKUPS} WHERE d.version_id = $1 AND d.provider_id = $2 AND d.event LIKE 'contract%'
         ORDER BY d.id LIMIT $3 OFFSET $4"
    );
    statement::list(tx, &sql, params![version, provider, page.size, page.offset()])
}

/// Returns a page of the deliveries that a verification result triggered, oldest first.
pub fn of_result(tx: &mut Tx<'_>, result: i64, page: Page) -> Result<Vec<Delivery>, StoreError> {
    let sql =
        format!("SELECT {COLUMNS} FROM delivery d {LOOKUPS} WHERE d.result_id = $1 ORDER BY d.id LIMIT $2 OFFSET $3");
    statement::list(tx, &sql, params![result, page.size, page.offset()])
}

/// Returns the newest delivery of each webhook and event for an integration. Considers only the integration's newest
/// `limit` deliveries, and only webhooks that still exist.
pub fn newest_of_pair(tx: &mut Tx<'_>, consumer: i64, provider: i64, limit: i64) -> Result<Vec<Delivery>, StoreError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM (
            SELECT n.id, row_number() OVER (PARTITION BY n.webhook_id, n.event ORDER BY n.id DESC) AS place FROM (
                SELECT id, webhook_id, event FROM delivery WHERE consumer_id = $1 AND provider_id = $2 ORDER BY id DESC LIMIT $3
            ) n WHERE n.webhook_id IS NOT NULL
         ) newest JOIN delivery d ON d.id = newest.id {LOOKUPS} WHERE newest.place = 1 ORDER BY d.id"
    );
    statement::list(tx, &sql, params![consumer, provider, limit])
}

/// Returns the newest deliveries of a webhook, or of all webhooks if `webhook` is `None`, newest first.
pub fn newest(tx: &mut Tx<'_>, webhook: Option<i64>, limit: i64) -> Result<Vec<Delivery>, StoreError> {
    let mut conditions = Conditions::default();
    if let Some(id) = webhook {
        conditions.equal("d.webhook_id", id);
    }
    let condition = conditions.where_clause();
    let limit = conditions.parameter(limit);
    let sql = format!("SELECT {COLUMNS} FROM delivery d {LOOKUPS} {condition} ORDER BY d.id DESC LIMIT {limit}");
    statement::list(tx, &sql, conditions.parameters())
}

/// Returns the newest delivery of each webhook, by webhook ID.
pub fn last_of_webhooks(tx: &mut Tx<'_>, webhooks: &[i64]) -> Result<HashMap<i64, Delivery>, StoreError> {
    let sql = |ids: &str| {
        format!(
            "SELECT {COLUMNS} FROM (SELECT max(l.id) AS id FROM delivery l WHERE l.webhook_id IN ({ids}) GROUP BY l.webhook_id) newest
             JOIN delivery d ON d.id = newest.id {LOOKUPS}"
        )
    };
    let found = Delivery::from_rows(&tx.query_list(sql, &[], webhooks)?);
    Ok(found
        .into_iter()
        .filter_map(|one| Some((one.webhook_id?, one)))
        .collect())
}

/// The newest delivery for the integration between a consumer and a provider.
#[derive(Clone, Copy, Debug)]
pub struct LastDelivery {
    pub consumer_id: i64,
    pub provider_id: i64,
    pub status: DeliveryStatus,
    pub created_at: i64,
}

/// Returns the newest delivery for each integration in which one of these applications is the consumer.
pub fn last_of_consumers(tx: &mut Tx<'_>, consumers: &[i64]) -> Result<Vec<LastDelivery>, StoreError> {
    let sql = |ids: &str| {
        format!(
            "SELECT d.consumer_id, d.provider_id, d.status, d.created_at FROM integration i CROSS JOIN delivery d
             WHERE i.consumer_id IN ({ids}) AND d.id = (SELECT q.id FROM delivery q WHERE q.consumer_id = i.consumer_id
               AND q.provider_id = i.provider_id ORDER BY q.id DESC LIMIT 1)"
        )
    };
    let rows = tx.query_list(sql, &[], consumers)?;
    let last = |row: &Row| LastDelivery {
        consumer_id: row.int(0),
        provider_id: row.int(1),
        status: DeliveryStatus::parse(&row.text(2)),
        created_at: row.int(3),
    };
    Ok(rows.iter().map(last).collect())
}

/// Returns whether a verification deadline has passed, or a finished delivery was created before the time `before`.
/// `None` ignores deliveries.
pub fn has_work(tx: &mut Tx<'_>, now: i64, before: Option<i64>) -> Result<bool, StoreError> {
    let mut queries = vec![(
        "SELECT 1 FROM verification_deadline WHERE due_at <= $1 LIMIT 1".to_owned(),
        params![now].to_vec(),
    )];
    queries.extend(before.map(|before| {
        (
            "SELECT 1 FROM delivery WHERE is_waiting = 0 AND created_at < $1 LIMIT 1".to_owned(),
            params![before].to_vec(),
        )
    }));
    Ok(tx.query_all(&queries)?.iter().any(|rows| !rows.is_empty()))
}

/// Deletes at most `limit` finished deliveries that were created before the time `before`. Returns the number of
/// deleted deliveries.
pub fn delete_finished(tx: &mut Tx<'_>, before: i64, limit: i64) -> Result<u64, StoreError> {
    tx.execute(
        "DELETE FROM delivery WHERE id IN (
            SELECT id FROM delivery WHERE is_waiting = 0 AND created_at < $1 ORDER BY created_at LIMIT $2
         )",
        params![before, limit],
    )
}

pub fn extend_leases(tx: &mut Tx<'_>, lease_prefix: &str, holder: &str, expires_at: i64) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE lease SET expires_at = $3 WHERE holder = $2 AND name LIKE $1 || '%'",
        params![lease_prefix, holder, expires_at],
    )?;
    Ok(())
}

/// The deadline for the verification of a contract by a provider version. Webhooks are triggered if the verification is
/// still missing then.
pub struct Deadline {
    pub id: i64,
    pub content_id: i64,
    pub consumer_id: i64,
    pub provider_id: i64,
    pub version_id: i64,
    pub provider_version_id: i64,
    pub data: String,
}

impl FromColumns for Deadline {
    fn from_columns(columns: &mut Columns<'_>) -> Self {
        Self {
            id: columns.int(),
            content_id: columns.int(),
            consumer_id: columns.int(),
            provider_id: columns.int(),
            version_id: columns.int(),
            provider_version_id: columns.int(),
            data: columns.text(),
        }
    }
}

/// Returns whether this content is the current contract of a consumer version with a provider.
pub fn is_published(tx: &mut Tx<'_>, version: i64, content: i64) -> Result<bool, StoreError> {
    let row = tx.query_row(
        "SELECT 1 FROM publication WHERE version_id = $1 AND content_id = $2 AND newest = 1 LIMIT 1",
        params![version, content],
    )?;
    Ok(row.is_some())
}

/// Adds a deadline, unless there is one for the same contract and the same provider version.
pub fn add_deadline(tx: &mut Tx<'_>, deadline: &Deadline, due_at: i64) -> Result<(), StoreError> {
    let values: &[Value] = params![
        deadline.content_id,
        deadline.version_id,
        deadline.provider_version_id,
        &deadline.data,
        due_at
    ];
    tx.execute_deferred(
        "INSERT INTO verification_deadline (content_id, version_id, provider_version_id, data, due_at) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT DO NOTHING",
        values,
    )
}

/// Removes at most `limit` deadlines that have passed, and returns them. A deadline that another process took at the
/// same time is not returned.
pub fn take_deadlines(tx: &mut Tx<'_>, now: i64, limit: i64) -> Result<Vec<Deadline>, StoreError> {
    let sql = "SELECT t.id, t.content_id, c.consumer_id, c.provider_id, t.version_id, t.provider_version_id, t.data
         FROM verification_deadline t JOIN content c ON c.id = t.content_id WHERE t.due_at <= $1 ORDER BY t.due_at, t.id LIMIT $2";
    let passed: Vec<Deadline> = statement::list(tx, sql, params![now, limit])?;
    let mut claimed = Vec::with_capacity(passed.len());
    for deadline in passed {
        // Another process may have taken the deadline.
        let deleted = tx.execute("DELETE FROM verification_deadline WHERE id = $1", params![deadline.id])?;
        claimed.extend((deleted > 0).then_some(deadline));
    }
    Ok(claimed)
}

/// What the database knows about a contract and its verifications. Events report these facts.
#[derive(Clone, Debug, Default)]
pub struct ContractFacts {
    pub tags: Vec<String>,
    pub branch: Option<String>,
    pub consumer_labels: Vec<String>,
    pub provider_labels: Vec<String>,
    /// The latest result on the provider's main branch, or else the latest result of any provider version. `None` if
    /// the contract was never verified.
    pub latest: Option<KnownResult>,
    /// The numbers of the provider versions that are currently deployed.
    pub deployed: Vec<String>,
}

/// A provider version that must verify a contract.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequiredVersion {
    pub id: i64,
    pub number: String,
    /// Why this version must verify the contract. There is at least one reason.
    pub reasons: Vec<RequiredReason>,
}

/// Why a provider version must verify a contract: it is the head of the main branch, or it is deployed to or released
/// in an environment, which the variant names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RequiredReason {
    MainBranch,
    Deployed(String),
    Released(String),
}

/// A verification result with the provider version that published it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownResult {
    pub id: i64,
    pub success: bool,
    pub build_url: Option<String>,
    pub version_id: i64,
    pub version: String,
}

impl FromColumns for KnownResult {
    fn from_columns(columns: &mut Columns<'_>) -> Self {
        Self {
            id: columns.int(),
            success: columns.bool(),
            build_url: columns.maybe_text(),
            version_id: columns.int(),
            version: columns.text(),
        }
    }
}

const UNVERIFIED: &str = "NOT EXISTS (SELECT 1 FROM latest_result l WHERE l.content_id = $1 AND l.version_id = v.id)";

/// Returns the provider versions that must still verify this contract content: the head of the main branch and the
/// current versions in environments, unless they have a result.
pub fn required_versions(tx: &mut Tx<'_>, content: i64, provider: i64) -> Result<Vec<RequiredVersion>, StoreError> {
    let sql = format!(
        "SELECT v.id, v.number, CAST(0 AS BIGINT), '' FROM pacticipant m JOIN branch b ON b.pacticipant_id = m.id AND b.name = m.main_branch
           JOIN version v ON v.id = b.head_version_id WHERE m.id = $2 AND {UNVERIFIED}
         UNION ALL SELECT v.id, v.number, CAST(1 AS BIGINT), e.name FROM deployment d JOIN version v ON v.id = d.version_id
           JOIN environment e ON e.id = d.environment_id WHERE d.pacticipant_id = $2 AND d.is_current = 1 AND {UNVERIFIED}
         UNION ALL SELECT v.id, v.number, CAST(2 AS BIGINT), e.name FROM released d JOIN version v ON v.id = d.version_id
           JOIN environment e ON e.id = d.environment_id WHERE d.pacticipant_id = $2 AND d.is_current = 1 AND {UNVERIFIED}
         ORDER BY 3, 1"
    );
    let mut versions: Vec<RequiredVersion> = Vec::new();
    for row in tx.query(&sql, params![content, provider])? {
        let reason = match row.int(2) {
            0 => RequiredReason::MainBranch,
            1 => RequiredReason::Deployed(row.text(3)),
            _ => RequiredReason::Released(row.text(3)),
        };
        let id = row.int(0);
        match versions.iter_mut().find(|version| version.id == id) {
            Some(known) if known.reasons.contains(&reason) => {}
            Some(known) => known.reasons.push(reason),
            None => versions.push(RequiredVersion {
                id,
                number: row.text(1),
                reasons: vec![reason],
            }),
        }
    }
    Ok(versions)
}

const RESULT: &str =
    "SELECT r.id, r.success, r.build_url, v.id, v.number FROM latest_result l CROSS JOIN result r CROSS JOIN version v
    WHERE l.content_id = $1 AND r.id = l.result_id AND v.id = l.version_id";

pub fn facts(
    tx: &mut Tx<'_>,
    (consumer, version): (i64, i64),
    (provider, content): (i64, i64),
) -> Result<ContractFacts, StoreError> {
    let text = str::to_owned;
    let answers = tx.query_all(&[
        (
            text("SELECT name FROM tag WHERE version_id = $1 ORDER BY created_at, name LIMIT 100"),
            params![version].to_vec(),
        ),
        (
            text("SELECT b.name FROM branch_version bv JOIN branch b ON b.id = bv.branch_id WHERE bv.version_id = $1 ORDER BY bv.id DESC LIMIT 1"),
            params![version].to_vec(),
        ),
        (
            text("SELECT pacticipant_id, name FROM label WHERE pacticipant_id IN ($1, $2) ORDER BY name LIMIT 200"),
            params![consumer, provider].to_vec(),
        ),
        (
            format!(
                "{RESULT} AND EXISTS (SELECT 1 FROM branch_version bv JOIN branch b ON b.id = bv.branch_id
                 JOIN pacticipant m ON m.id = b.pacticipant_id AND m.main_branch = b.name WHERE bv.version_id = l.version_id)
                 ORDER BY l.result_id DESC LIMIT 1"
            ),
            params![content].to_vec(),
        ),
        (
            format!("{RESULT} ORDER BY l.result_id DESC LIMIT 1"),
            params![content].to_vec(),
        ),
        (
            text(
                "SELECT DISTINCT v.id, v.number FROM deployment d JOIN version v ON v.id = d.version_id
                 WHERE d.pacticipant_id = $1 AND d.is_current = 1 ORDER BY v.id LIMIT 100",
            ),
            params![provider].to_vec(),
        ),
    ])?;
    let mut answers = answers.into_iter();
    let mut next = || answers.next().unwrap_or_default();
    let names = |rows: &[Row]| rows.iter().map(|row| row.text(0)).collect::<Vec<_>>();
    let (tags, branch, labels) = (next(), next(), next());
    let labels_of = |id: i64| {
        let labels = labels.iter().filter(|row| row.int(0) == id);
        labels.map(|row| row.text(1)).collect()
    };
    let (of_main_branch, of_any) = (next(), next());
    Ok(ContractFacts {
        tags: names(&tags),
        branch: names(&branch).pop(),
        consumer_labels: labels_of(consumer),
        provider_labels: labels_of(provider),
        latest: of_main_branch.first().or(of_any.first()).map(KnownResult::from_row),
        deployed: next().iter().map(|row| row.text(1)).collect(),
    })
}

/// Returns a version's tags, and the branch to which it was added last.
pub fn labels_of_version(tx: &mut Tx<'_>, version: i64) -> Result<(Vec<String>, Option<String>), StoreError> {
    let answers = tx.query_all(&[
        (
            "SELECT name FROM tag WHERE version_id = $1 ORDER BY created_at, name LIMIT 100".to_owned(),
            params![version].to_vec(),
        ),
        (
            "SELECT b.name FROM branch_version bv JOIN branch b ON b.id = bv.branch_id WHERE bv.version_id = $1 ORDER BY bv.id DESC LIMIT 1"
                .to_owned(),
            params![version].to_vec(),
        ),
    ])?;
    let names = |at: usize| {
        let rows = answers.get(at).into_iter().flatten();
        rows.map(|row| row.text(0)).collect::<Vec<_>>()
    };
    Ok((names(0), names(1).pop()))
}
