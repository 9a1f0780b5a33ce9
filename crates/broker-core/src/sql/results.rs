//! Verification results. A result belongs to a contract content, and therefore applies to every version that published
//! this content.

use std::collections::HashMap;

use super::statement::{self, FromColumns};
use super::versions::Version;
use crate::store::{Columns, Row, StoreError, Tx, params};

/// The difference between the number of a result in URLs and its ID.
const NUMBERS_START_AFTER: i64 = 100;

#[derive(Clone, Debug)]
pub struct VerificationResult {
    pub number: i64,
    pub provider: String,
    pub provider_version: String,
    pub success: bool,
    pub build_url: Option<String>,
    pub test_results: Option<String>,
    pub verified_by: Option<String>,
    pub created_at: i64,
}

const SELECT: &str =
    "SELECT r.id, p.name, v.number, r.success, r.build_url, r.test_results, r.verified_by, r.created_at
    FROM result r JOIN version v ON v.id = r.version_id JOIN pacticipant p ON p.id = v.pacticipant_id";

impl FromColumns for VerificationResult {
    fn from_columns(columns: &mut Columns<'_>) -> Self {
        Self {
            number: columns.int() + NUMBERS_START_AFTER,
            provider: columns.text(),
            provider_version: columns.text(),
            success: columns.bool(),
            build_url: columns.maybe_text(),
            test_results: columns.maybe_text(),
            verified_by: columns.maybe_text(),
            created_at: columns.int(),
        }
    }
}

pub fn number_of(id: i64) -> i64 {
    id + NUMBERS_START_AFTER
}

pub fn id_of(number: i64) -> i64 {
    number - NUMBERS_START_AFTER
}

/// The part of a verification result that the verifier sends. `wip` is true if the contract was work in progress.
pub struct Report<'a> {
    pub success: bool,
    pub wip: bool,
    pub build_url: Option<&'a str>,
    pub test_results: Option<&'a str>,
    pub verified_by: Option<&'a str>,
}

/// Adds a result, which becomes the latest result of the provider version for the content. Returns the ID of the
/// result, and the result.
pub fn add(
    tx: &mut Tx<'_>,
    content: i64,
    provider_version: &Version,
    report: &Report<'_>,
    now: i64,
) -> Result<(i64, VerificationResult), StoreError> {
    let version = provider_version.id;
    // Branches and tags that are added concurrently must include this result.
    tx.lock_row("version", version)?;
    let inserted = tx.query_row(
        "INSERT INTO result (content_id, version_id, success, wip, build_url, test_results, verified_by, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING id",
        params![
            content,
            version,
            report.success,
            report.wip,
            report.build_url,
            report.test_results,
            report.verified_by,
            now
        ],
    )?;
    let id = inserted.ok_or_else(StoreError::vanished)?.int(0);
    tx.execute_deferred(
        "INSERT INTO latest_result (content_id, version_id, result_id, success) VALUES ($1, $2, $3, $4)
         ON CONFLICT (content_id, version_id) DO UPDATE SET result_id = excluded.result_id, success = excluded.success
         WHERE excluded.result_id > latest_result.result_id",
        params![content, version, id, report.success],
    )?;
    if report.success {
        note_success(tx, id)?;
    }
    let owned = |text: Option<&str>| text.map(str::to_owned);
    let result = VerificationResult {
        number: number_of(id),
        provider: provider_version.pacticipant.clone(),
        provider_version: provider_version.number.clone(),
        success: report.success,
        build_url: owned(report.build_url),
        test_results: owned(report.test_results),
        verified_by: owned(report.verified_by),
        created_at: now,
    };
    Ok((id, result))
}

/// Returns the number of results that a provider version has for a content with the same outcome and time.
pub fn count_equal(
    tx: &mut Tx<'_>,
    content: i64,
    version: i64,
    success: bool,
    (from, before): (i64, i64),
) -> Result<i64, StoreError> {
    let sql =
        "SELECT count(*) FROM result WHERE content_id = $1 AND version_id = $2 AND success = $3 AND created_at >= $4
         AND created_at < $5";
    tx.number(sql, params![content, version, success, from, before])
}

/// The kind of a group of provider versions. The column `kind` contains its letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupKind {
    Branch,
    Tag,
    /// The group of all versions.
    All,
}

impl GroupKind {
    fn letter(self) -> &'static str {
        match self {
            Self::Branch => "b",
            Self::Tag => "t",
            Self::All => "a",
        }
    }

    fn parse(letter: &str) -> Self {
        let named = [Self::Branch, Self::Tag];
        named
            .into_iter()
            .find(|kind| kind.letter() == letter)
            .unwrap_or(Self::All)
    }
}

/// Returns the query for the results `r` that match a condition, once for each group to which the provider version
/// belongs. The query has one SELECT for each kind of group, because a join with all groups would read all of them.
fn successes(condition: &str) -> String {
    let select = |kind: &str, name: &str, joined: &str| {
        format!(
            "SELECT k.provider_id, r.content_id, {kind} AS kind, {name} AS name, r.created_at,
             CASE WHEN r.wip = 1 THEN NULL ELSE r.created_at END AS chosen
             FROM result r JOIN content k ON k.id = r.content_id {joined} WHERE {condition}"
        )
    };
    let branches = "JOIN branch_version bv ON bv.version_id = r.version_id JOIN branch b ON b.id = bv.branch_id";
    [
        select("'b'", "b.name", branches),
        select("'t'", "t.name", "JOIN tag t ON t.version_id = r.version_id"),
        select("'a'", "''", ""),
    ]
    .join(" UNION ALL ")
}

/// Most successes are not the first ones. Their rows are not written again, because that would change pages in SQLite and
/// leave dead rows in PostgreSQL.
const KEEP_FIRST: &str = "ON CONFLICT (provider_id, content_id, kind, name) DO UPDATE SET
    first_at = CASE WHEN excluded.first_at < first_success.first_at THEN excluded.first_at ELSE first_success.first_at END,
    first_chosen_at = CASE WHEN first_success.first_chosen_at IS NULL OR excluded.first_chosen_at < first_success.first_chosen_at
      THEN excluded.first_chosen_at ELSE first_success.first_chosen_at END
    WHERE excluded.first_at < first_success.first_at OR excluded.first_chosen_at < first_success.first_chosen_at
      OR (first_success.first_chosen_at IS NULL AND excluded.first_chosen_at IS NOT NULL)";

fn note_success(tx: &mut Tx<'_>, result: i64) -> Result<(), StoreError> {
    tx.execute_deferred(
        &format!(
            "INSERT INTO first_success (provider_id, content_id, kind, name, first_at, first_chosen_at) {} {KEEP_FIRST}",
            successes("r.id = $1")
        ),
        params![result],
    )?;
    Ok(())
}

/// Records that provider versions with a tag first verified a content successfully at the time `at`. Returns `false` if
/// a success at this time or earlier is already known; if `wip` is false, it must be known for a run in which the
/// contract was not work in progress.
pub fn note_tag_success(tx: &mut Tx<'_>, content: i64, tag: &str, wip: bool, at: i64) -> Result<bool, StoreError> {
    let chosen_at = (!wip).then_some(at);
    let known = tx.query_row(
        "SELECT first_at, first_chosen_at FROM first_success WHERE content_id = $1 AND kind = 't' AND name = $2",
        params![content, tag],
    )?;
    let is_known = known.is_some_and(|row| {
        let is_chosen_known = chosen_at.is_none_or(|at| row.maybe_int(1).is_some_and(|known| known <= at));
        row.int(0) <= at && is_chosen_known
    });
    if is_known {
        return Ok(false);
    }
    tx.execute_deferred(
        &format!(
            "INSERT INTO first_success (provider_id, content_id, kind, name, first_at, first_chosen_at)
             SELECT k.provider_id, k.id, 't', $2, CAST($3 AS BIGINT), CAST($4 AS BIGINT) FROM content k WHERE k.id = $1 {KEEP_FIRST}"
        ),
        params![content, tag, at, chosen_at],
    )?;
    Ok(true)
}

/// Adds the successful verifications of a version to a branch or tag that the version has just received.
pub(super) fn join_group(tx: &mut Tx<'_>, version: i64, kind: GroupKind, name: &str) -> Result<(), StoreError> {
    tx.execute_deferred(
        &format!(
            "INSERT INTO first_success (provider_id, content_id, kind, name, first_at, first_chosen_at)
             SELECT k.provider_id, k.id, $2, $3, min(r.created_at), min(CASE WHEN r.wip = 1 THEN NULL ELSE r.created_at END)
             FROM result r JOIN content k ON k.id = r.content_id WHERE r.version_id = $1 AND r.success = 1
             GROUP BY k.provider_id, k.id {KEEP_FIRST}"
        ),
        params![version, kind.letter(), name],
    )?;
    Ok(())
}

/// Deletes the first successes of a branch or tag that was deleted.
pub(super) fn forget_group(tx: &mut Tx<'_>, provider: i64, kind: GroupKind, name: &str) -> Result<(), StoreError> {
    tx.execute(
        "DELETE FROM first_success WHERE provider_id = $1 AND kind = $2 AND name = $3",
        params![provider, kind.letter(), name],
    )?;
    Ok(())
}

/// A contract content, and a group of provider versions that has verified it successfully. `name` is empty for the group
/// of all versions.
pub(super) struct SuccessGroup {
    content: i64,
    kind: GroupKind,
    name: String,
}

impl FromColumns for SuccessGroup {
    fn from_columns(columns: &mut Columns<'_>) -> Self {
        Self {
            content: columns.int(),
            kind: GroupKind::parse(&columns.text()),
            name: columns.text(),
        }
    }
}

/// Returns the groups whose first success is a result of this version.
pub(super) fn groups_with_first_success(tx: &mut Tx<'_>, version: i64) -> Result<Vec<SuccessGroup>, StoreError> {
    let select = |joined: &str| {
        format!(
            "SELECT f.content_id, f.kind, f.name FROM result r {joined} WHERE r.version_id = $1 AND r.success = 1
             AND f.content_id = r.content_id AND (f.first_at = r.created_at OR f.first_chosen_at = r.created_at)"
        )
    };
    let groups = [
        select("JOIN first_success f ON f.kind = 'a' AND f.name = ''"),
        select(
            "JOIN branch_version bv ON bv.version_id = r.version_id JOIN branch b ON b.id = bv.branch_id
             JOIN first_success f ON f.kind = 'b' AND f.name = b.name",
        ),
        select("JOIN tag t ON t.version_id = r.version_id JOIN first_success f ON f.kind = 't' AND f.name = t.name"),
    ];
    statement::list(tx, &groups.join(" UNION "), params![version])
}

/// Recomputes the first success of a group after the result was deleted. Reads results from the oldest to the newest,
/// so that deleting many versions, oldest first, takes linear time.
pub(super) fn refresh_group(tx: &mut Tx<'_>, group: &SuccessGroup) -> Result<(), StoreError> {
    let SuccessGroup { content, kind, name } = group;
    let member = match kind {
        GroupKind::Branch => {
            "EXISTS (SELECT 1 FROM branch_version bv JOIN branch b ON b.id = bv.branch_id
               WHERE bv.version_id = r.version_id AND b.name = $2)"
        }
        GroupKind::Tag => "EXISTS (SELECT 1 FROM tag t WHERE t.version_id = r.version_id AND t.name = $2)",
        GroupKind::All => "$2 = ''",
    };
    let first = |chosen: &str| {
        format!(
            "(SELECT r.created_at FROM result r WHERE r.content_id = $1 AND r.success = 1{chosen} AND {member} ORDER BY r.id LIMIT 1)"
        )
    };
    let sql = format!("SELECT {}, {}", first(""), first(" AND r.wip = 0"));
    let found = tx.query_row(&sql, params![*content, name])?;
    let times = found.map(|row| (row.maybe_int(0), row.maybe_int(1)));
    if let Some((Some(first_at), chosen)) = times {
        tx.execute(
            "UPDATE first_success SET first_at = $4, first_chosen_at = $5 WHERE content_id = $1 AND kind = $2 AND name = $3",
            params![*content, kind.letter(), name, first_at, chosen],
        )?;
    } else {
        tx.execute(
            "DELETE FROM first_success WHERE content_id = $1 AND kind = $2 AND name = $3",
            params![*content, kind.letter(), name],
        )?;
    }
    Ok(())
}

/// Recomputes the first successes of a contract content after a result was deleted.
pub(super) fn refresh_first_successes(tx: &mut Tx<'_>, content: i64) -> Result<(), StoreError> {
    tx.execute("DELETE FROM first_success WHERE content_id = $1", params![content])?;
    tx.execute(
        &format!(
            "INSERT INTO first_success (provider_id, content_id, kind, name, first_at, first_chosen_at)
             SELECT s.provider_id, s.content_id, s.kind, s.name, min(s.created_at), min(s.chosen)
             FROM ({}) s GROUP BY s.provider_id, s.content_id, s.kind, s.name",
            successes("r.content_id = $1 AND r.success = 1")
        ),
        params![content],
    )?;
    Ok(())
}

pub(super) fn refresh_first_successes_of_version(tx: &mut Tx<'_>, version: i64) -> Result<(), StoreError> {
    for row in tx.query(
        "SELECT DISTINCT content_id FROM result WHERE version_id = $1",
        params![version],
    )? {
        refresh_first_successes(tx, row.int(0))?;
    }
    Ok(())
}

pub fn by_number(tx: &mut Tx<'_>, content: i64, number: i64) -> Result<Option<VerificationResult>, StoreError> {
    let sql = format!("{SELECT} WHERE r.content_id = $1 AND r.id = $2");
    statement::find(tx, &sql, params![content, number - NUMBERS_START_AFTER])
}

/// Returns the latest result of a contract content, regardless of the provider version.
pub fn latest(tx: &mut Tx<'_>, content: i64) -> Result<Option<VerificationResult>, StoreError> {
    let sql = format!("{SELECT} WHERE r.id = (SELECT max(l.result_id) FROM latest_result l WHERE l.content_id = $1)");
    statement::find(tx, &sql, params![content])
}

/// Returns the latest result of each provider version for a content, newest first. Each result has the ID of its
/// provider version.
pub fn latest_by_version(
    tx: &mut Tx<'_>,
    content: i64,
    limit: i64,
) -> Result<Vec<(i64, VerificationResult)>, StoreError> {
    let rows = tx.query(
        "SELECT r.version_id, r.id, p.name, v.number, r.success, r.build_url, r.test_results, r.verified_by, r.created_at
         FROM latest_result l JOIN result r ON r.id = l.result_id JOIN version v ON v.id = r.version_id
         JOIN pacticipant p ON p.id = v.pacticipant_id WHERE l.content_id = $1 ORDER BY l.result_id DESC LIMIT $2",
        params![content, limit],
    )?;
    let entry = |row: &Row| {
        let mut columns = row.columns();
        (columns.int(), FromColumns::from_columns(&mut columns))
    };
    Ok(rows.iter().map(entry).collect())
}

pub fn latest_of_each(tx: &mut Tx<'_>, contents: &[i64]) -> Result<HashMap<i64, VerificationResult>, StoreError> {
    let sql = |ids: &str| {
        format!(
            "SELECT r.content_id, r.id, p.name, v.number, r.success, NULL, NULL, NULL, r.created_at
             FROM (SELECT max(l.result_id) AS id FROM latest_result l WHERE l.content_id IN ({ids}) GROUP BY l.content_id) newest
             JOIN result r ON r.id = newest.id JOIN version v ON v.id = r.version_id JOIN pacticipant p ON p.id = v.pacticipant_id"
        )
    };
    let rows = tx.query_list(sql, &[], contents)?;
    let entry = |row: &Row| {
        let mut columns = row.columns();
        (columns.int(), FromColumns::from_columns(&mut columns))
    };
    Ok(rows.iter().map(entry).collect())
}

/// Returns the test results that verifiers sent, by result ID. Results without test results are omitted.
pub fn test_results(tx: &mut Tx<'_>, ids: &[i64]) -> Result<HashMap<i64, String>, StoreError> {
    let sql = |ids: &str| {
        format!("SELECT r.id, r.test_results FROM result r WHERE r.id IN ({ids}) AND r.test_results IS NOT NULL")
    };
    let rows = tx.query_list(sql, &[], ids)?;
    Ok(rows.iter().map(|row| (row.int(0), row.text(1))).collect())
}

/// Deletes a result; the provider version's previous result becomes the latest. Returns `false` if the result does not
/// exist.
pub fn delete(tx: &mut Tx<'_>, content: i64, number: i64) -> Result<bool, StoreError> {
    let id = number - NUMBERS_START_AFTER;
    let sql = "SELECT version_id FROM result WHERE content_id = $1 AND id = $2";
    let Some(version) = tx.query_row(sql, params![content, id])?.map(|row| row.int(0)) else {
        return Ok(false);
    };
    tx.execute("DELETE FROM result WHERE id = $1", params![id])?;
    tx.execute(
        "DELETE FROM latest_result WHERE content_id = $1 AND version_id = $2",
        params![content, version],
    )?;
    tx.execute(
        "INSERT INTO latest_result (content_id, version_id, result_id, success)
         SELECT content_id, version_id, id, success FROM result WHERE content_id = $1 AND version_id = $2 ORDER BY id DESC LIMIT 1",
        params![content, version],
    )?;
    refresh_first_successes(tx, content)?;
    Ok(true)
}

/// The first successful verification of a contract content by a group of provider versions. `name` is the name of the
/// branch or tag, and empty for the group of all versions.
#[derive(Clone, Debug)]
pub struct FirstSuccess {
    pub content_id: i64,
    pub name: String,
    pub first_at: i64,
    pub first_chosen_at: Option<i64>,
}

/// Returns the first successes of a provider's contents, one for each group of this kind.
pub fn first_successes(
    tx: &mut Tx<'_>,
    provider: i64,
    contents: &[i64],
    kind: GroupKind,
) -> Result<Vec<FirstSuccess>, StoreError> {
    let rows = tx.query_each(
        |ids| {
            format!(
                "SELECT content_id, name, first_at, first_chosen_at FROM first_success
                 WHERE provider_id = $1 AND content_id IN ({ids}) AND kind = $2"
            )
        },
        params![provider, kind.letter()],
        contents,
    )?;
    Ok(FromColumns::from_rows(&rows))
}

impl FromColumns for FirstSuccess {
    fn from_columns(columns: &mut Columns<'_>) -> Self {
        Self {
            content_id: columns.int(),
            name: columns.text(),
            first_at: columns.int(),
            first_chosen_at: columns.maybe_int(),
        }
    }
}
