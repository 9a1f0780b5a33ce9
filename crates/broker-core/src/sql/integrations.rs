//! Reads the current contract of each integration with its newest result, and the versions that run together in an
//! environment.

use std::collections::HashMap;

use super::statement::{self, FromColumns};
use crate::store::{Columns, Row, StoreError, Tx, params};

/// A contract with its newest result. [`current`] selects for each integration the contract of the head of the
/// consumer's main branch, or else the newest contract.
#[derive(Clone, Debug)]
pub struct CurrentContract {
    pub consumer_id: i64,
    pub consumer: String,
    pub provider_id: i64,
    pub provider: String,
    pub publication_id: i64,
    pub version_id: i64,
    pub version: String,
    pub content_id: i64,
    pub published_at: i64,
    /// The consumer's main branch if the contract comes from it, or else the branch to which the version was added
    /// last. `None` if the version is not on a branch.
    pub branch: Option<String>,
    /// Whether the consumer has a main branch, but the contract does not come from it. In [`current`], the contract
    /// must come from the head of the main branch.
    pub is_on_other_branch: bool,
    pub result: Option<NewestResult>,
    /// Whether another content of the integration has a result. That content may be newer.
    pub was_verified_before: bool,
    /// Whether the content has passed on the provider's main branch, or with any version if the provider has no main
    /// branch.
    pub has_passed: bool,
}

/// The newest verification result of a contract content.
#[derive(Clone, Debug)]
pub struct NewestResult {
    pub id: i64,
    pub success: bool,
    pub at: i64,
    pub provider_version: String,
}

impl FromColumns for CurrentContract {
    fn from_columns(columns: &mut Columns<'_>) -> Self {
        Self {
            consumer_id: columns.int(),
            consumer: columns.text(),
            provider_id: columns.int(),
            provider: columns.text(),
            publication_id: columns.int(),
            version_id: columns.int(),
            version: columns.text(),
            content_id: columns.int(),
            published_at: columns.int(),
            branch: columns.maybe_text(),
            is_on_other_branch: columns.bool(),
            was_verified_before: columns.bool(),
            has_passed: columns.bool(),
            result: columns.maybe_int().map(|id| NewestResult {
                id,
                success: columns.bool(),
                at: columns.int(),
                provider_version: columns.text(),
            }),
        }
    }
}

/// Returns the current contract of each integration of an application, or of all integrations if `pacticipant` is
/// `None`.
pub fn current(tx: &mut Tx<'_>, pacticipant: Option<i64>) -> Result<Vec<CurrentContract>, StoreError> {
    let (condition, parameters) = match pacticipant {
        Some(id) => ("WHERE i.consumer_id = $1 OR i.provider_id = $1", params![id].to_vec()),
        None => ("", Vec::new()),
    };
    let sql = contracts(&format!(
        "SELECT i.consumer_id, i.provider_id,
           (SELECT mp.id FROM pacticipant o JOIN branch b ON b.pacticipant_id = o.id AND b.name = o.main_branch
            JOIN publication mp ON mp.version_id = b.head_version_id AND mp.provider_id = i.provider_id AND mp.newest = 1
            WHERE o.id = i.consumer_id) AS main_id,
           (SELECT n.id FROM publication n WHERE n.consumer_id = i.consumer_id AND n.provider_id = i.provider_id
            AND n.newest = 1 ORDER BY n.version_id DESC LIMIT 1) AS newest_id
         FROM integration i {condition}"
    ));
    statement::list(tx, &sql, &parameters)
}

/// Returns the publication with this ID and its newest result.
pub fn of_publication(tx: &mut Tx<'_>, id: i64) -> Result<Option<CurrentContract>, StoreError> {
    statement::find(tx, &contracts(&publications("x.id = $1")), params![id])
}

/// Returns the contracts that a version published, each with its newest result.
pub fn of_version(tx: &mut Tx<'_>, version: i64) -> Result<Vec<CurrentContract>, StoreError> {
    let sql = contracts(&publications("x.version_id = $1 AND x.newest = 1"));
    statement::list(tx, &sql, params![version])
}

fn publications(condition: &str) -> String {
    format!(
        "SELECT x.consumer_id, x.provider_id,
           (SELECT x.id FROM branch_version bv JOIN branch b ON b.id = bv.branch_id JOIN pacticipant o ON o.id = x.consumer_id
            WHERE bv.version_id = x.version_id AND b.name = o.main_branch LIMIT 1) AS main_id,
           x.id AS newest_id
         FROM publication x WHERE {condition}"
    )
}

/// The number of contracts that a version published: all of them, those whose newest result passed, and those whose
/// newest result failed.
#[derive(Clone, Copy, Debug, Default)]
pub struct ContractCounts {
    pub all: i64,
    pub verified: i64,
    pub failed: i64,
}

/// Returns the counts by version ID. Versions without contracts are omitted.
pub fn contract_counts(tx: &mut Tx<'_>, versions: &[i64]) -> Result<HashMap<i64, ContractCounts>, StoreError> {
    let sql = |ids: &str| {
        format!(
            "SELECT pub.version_id, count(*), count(CASE WHEN r.success = 1 THEN 1 END), count(CASE WHEN r.success = 0 THEN 1 END)
             FROM publication pub
             LEFT JOIN result r ON r.id = (SELECT max(l.result_id) FROM latest_result l WHERE l.content_id = pub.content_id)
             WHERE pub.version_id IN ({ids}) AND pub.newest = 1 GROUP BY pub.version_id"
        )
    };
    let rows = tx.query_list(sql, &[], versions)?;
    let counts = |row: &Row| ContractCounts {
        all: row.int(1),
        verified: row.int(2),
        failed: row.int(3),
    };
    Ok(rows.iter().map(|row| (row.int(0), counts(row))).collect())
}

/// Returns the query for [`CurrentContract`]. `chosen` is the query for the publications.
fn contracts(chosen: &str) -> String {
    format!(
        "SELECT t.consumer_id, c.name, t.provider_id, p.name, pub.id, pub.version_id, v.number, pub.content_id, pub.created_at,
           CASE WHEN t.main_id IS NOT NULL THEN c.main_branch ELSE
             (SELECT b.name FROM branch_version bv JOIN branch b ON b.id = bv.branch_id WHERE bv.version_id = pub.version_id
              ORDER BY bv.id DESC LIMIT 1) END,
           CASE WHEN t.main_id IS NULL AND c.main_branch IS NOT NULL THEN 1 ELSE 0 END,
           CASE WHEN EXISTS (SELECT 1 FROM content k JOIN latest_result x ON x.content_id = k.id
             WHERE k.consumer_id = t.consumer_id AND k.provider_id = t.provider_id AND k.id <> pub.content_id)
             THEN 1 ELSE 0 END,
           CASE WHEN EXISTS (SELECT 1 FROM first_success f WHERE f.provider_id = t.provider_id AND f.content_id = pub.content_id
             AND (p.main_branch IS NULL OR f.kind = 'b' AND f.name = p.main_branch)) THEN 1 ELSE 0 END,
           r.id, r.success, r.created_at, rv.number
         FROM ({chosen}) t
         JOIN publication pub ON pub.id = coalesce(t.main_id, t.newest_id)
         JOIN pacticipant c ON c.id = t.consumer_id JOIN pacticipant p ON p.id = t.provider_id
         JOIN version v ON v.id = pub.version_id
         LEFT JOIN result r ON r.id = (SELECT max(l.result_id) FROM latest_result l WHERE l.content_id = pub.content_id)
         LEFT JOIN version rv ON rv.id = r.version_id"
    )
}

#[derive(Clone, Debug)]
pub struct ContentHistory {
    /// The number of the first version that published the content. Empty if no version has the content any more.
    pub first_version: String,
    /// Number of the consumer's versions that have a contract with the provider.
    pub versions: i64,
}

pub fn content_history(
    tx: &mut Tx<'_>,
    content: i64,
    (consumer, provider): (i64, i64),
) -> Result<ContentHistory, StoreError> {
    let first = tx.query_row(
        "SELECT v.number FROM publication pub JOIN version v ON v.id = pub.version_id
         WHERE pub.content_id = $1 AND pub.newest = 1 ORDER BY pub.version_id LIMIT 1",
        params![content],
    )?;
    let versions = tx.number(
        "SELECT count(*) FROM publication WHERE consumer_id = $1 AND provider_id = $2 AND newest = 1",
        params![consumer, provider],
    )?;
    Ok(ContentHistory {
        first_version: first.map_or_else(String::new, |row| row.text(0)),
        versions,
    })
}

/// A consumer version and a provider version that run together in an environment. `success` is the latest result
/// between them, or `None` if there is none.
#[derive(Clone, Debug)]
pub struct RunningPair {
    pub environment_id: i64,
    pub consumer_id: i64,
    pub consumer_version: String,
    pub provider_id: i64,
    pub provider_version: String,
    pub success: Option<bool>,
    /// The time at which the later of both versions was deployed or released, in milliseconds since 1970.
    pub since: i64,
}

impl FromColumns for RunningPair {
    fn from_columns(columns: &mut Columns<'_>) -> Self {
        Self {
            environment_id: columns.int(),
            consumer_id: columns.int(),
            consumer_version: columns.text(),
            provider_id: columns.int(),
            provider_version: columns.text(),
            since: columns.int().max(columns.int()),
            success: columns.maybe_int().map(|success| success != 0),
        }
    }
}

/// Selects the versions that are currently deployed or released, once for each environment, because several instances
/// may run the same version.
const RUNNING: &str = "SELECT version_id, pacticipant_id, environment_id, max(created_at) AS created_at FROM (
      SELECT version_id, pacticipant_id, environment_id, created_at FROM deployment WHERE is_current = 1
      UNION ALL SELECT version_id, pacticipant_id, environment_id, created_at FROM released WHERE is_current = 1) one
    GROUP BY version_id, pacticipant_id, environment_id";

/// Returns the pairs of an application, or all pairs if `pacticipant` is `None`. CROSS JOIN keeps the join order;
/// otherwise, SQLite would read all publications for the providers.
pub fn running_pairs(tx: &mut Tx<'_>, pacticipant: Option<i64>) -> Result<Vec<RunningPair>, StoreError> {
    let (condition, parameters) = match pacticipant {
        Some(id) => (
            "AND (pub.consumer_id = $1 OR pub.provider_id = $1)",
            params![id].to_vec(),
        ),
        None => ("", Vec::new()),
    };
    let sql = format!(
        "WITH running AS ({RUNNING})
         SELECT d.environment_id, pub.consumer_id, dv.number, pub.provider_id, ev.number, d.created_at, e.created_at, l.success
         FROM running d CROSS JOIN publication pub CROSS JOIN running e
         JOIN version dv ON dv.id = d.version_id JOIN version ev ON ev.id = e.version_id
         LEFT JOIN latest_result l ON l.content_id = pub.content_id AND l.version_id = e.version_id
         WHERE pub.version_id = d.version_id AND pub.newest = 1 {condition}
         AND e.environment_id = d.environment_id AND e.pacticipant_id = pub.provider_id"
    );
    Ok(RunningPair::from_rows(&tx.query_joined_lists(&sql, &parameters)?))
}

#[derive(Clone, Debug)]
pub struct RunningVersion {
    pub environment_id: i64,
    pub pacticipant_id: i64,
    pub pacticipant: String,
    pub version_id: i64,
    pub version: String,
    pub since: i64,
}

impl FromColumns for RunningVersion {
    fn from_columns(columns: &mut Columns<'_>) -> Self {
        Self {
            environment_id: columns.int(),
            pacticipant_id: columns.int(),
            pacticipant: columns.text(),
            version_id: columns.int(),
            version: columns.text(),
            since: columns.int(),
        }
    }
}

/// Returns the running versions of an application, or of all applications if `pacticipant` is `None`, newest first.
pub fn running_versions(tx: &mut Tx<'_>, pacticipant: Option<i64>) -> Result<Vec<RunningVersion>, StoreError> {
    let (condition, parameters) = match pacticipant {
        Some(id) => ("WHERE d.pacticipant_id = $1", params![id].to_vec()),
        None => ("", Vec::new()),
    };
    let sql = format!(
        "SELECT d.environment_id, d.pacticipant_id, p.name, d.version_id, v.number, d.created_at FROM ({RUNNING}) d
         JOIN pacticipant p ON p.id = d.pacticipant_id JOIN version v ON v.id = d.version_id {condition}
         ORDER BY d.created_at DESC, v.id DESC"
    );
    statement::list(tx, &sql, &parameters)
}
