//! Finds and deletes the rows that the retention policy does not keep.

use std::collections::HashSet;

use super::branches::Branch;
use super::statement::{Conditions, FromColumns};
use super::{heads, statement};
use crate::store::{Columns, Row, StoreError, Tx, Value, each, params};
use contract_broker_domain::retention::{KeepRule, RetentionPolicy};

/// A version, whether it is older than the policy's limit, and the rules that keep it.
#[derive(Clone, Debug)]
pub struct VersionStatus {
    pub id: i64,
    pub pacticipant: String,
    pub number: String,
    pub created_at: i64,
    pub is_old: bool,
    pub kept_by: Vec<KeepRule>,
}

impl VersionStatus {
    pub fn is_kept(&self) -> bool {
        !self.is_old || !self.kept_by.is_empty()
    }
}

impl FromColumns for VersionStatus {
    fn from_columns(columns: &mut Columns<'_>) -> Self {
        Self {
            id: columns.int(),
            pacticipant: columns.text(),
            number: columns.text(),
            created_at: columns.int(),
            is_old: columns.bool(),
            kept_by: KeepRule::OPTIONAL.into_iter().filter(|_| columns.bool()).collect(),
        }
    }
}

/// Creates the SQL conditions for a policy and the time of a run.
struct Rules<'a> {
    policy: &'a RetentionPolicy,
    conditions: Conditions,
    cutoff: String,
    branch_cutoff: Option<String>,
}

impl<'a> Rules<'a> {
    fn new(policy: &'a RetentionPolicy, now: i64) -> Self {
        let mut conditions = Conditions::default();
        let cutoff = conditions.parameter(policy.cutoff(now));
        // PostgreSQL rejects parameters that the statement does not use.
        let branch_cutoff = policy.branch_cutoff(now).filter(|_| policy.keeps(KeepRule::BranchHead));
        let branch_cutoff = branch_cutoff.map(|time| conditions.parameter(time));
        Self {
            policy,
            conditions,
            cutoff,
            branch_cutoff,
        }
    }

    /// Returns the condition that a version, one of its results, or one of its contracts is younger than the limit.
    /// `version` is the alias of the table.
    fn is_young(&self, version: &str) -> String {
        let cutoff = &self.cutoff;
        format!(
            "({version}.created_at >= {cutoff}
             OR EXISTS (SELECT 1 FROM result y WHERE y.version_id = {version}.id AND y.created_at >= {cutoff})
             OR EXISTS (SELECT 1 FROM publication y WHERE y.version_id = {version}.id AND y.created_at >= {cutoff}))"
        )
    }

    /// Returns the condition that this rule keeps a version. `version` is the alias of the table.
    fn applies(&self, rule: KeepRule, version: &str) -> String {
        if !self.policy.keeps(rule) {
            return "1 = 0".to_owned();
        }
        match rule {
            KeepRule::Deployed => {
                format!("EXISTS (SELECT 1 FROM deployment d WHERE d.version_id = {version}.id AND d.is_current = 1)")
            }
            KeepRule::Released => {
                format!("EXISTS (SELECT 1 FROM released d WHERE d.version_id = {version}.id AND d.is_current = 1)")
            }
            KeepRule::Latest => format!(
                "{version}.id = (SELECT max(l.id) FROM version l WHERE l.pacticipant_id = {version}.pacticipant_id)"
            ),
            KeepRule::BranchHead => {
                let cutoff = self.branch_cutoff.as_deref();
                let stale = cutoff.map_or_else(String::new, |cutoff| format!(" AND NOT ({})", is_stale(cutoff)));
                format!("EXISTS (SELECT 1 FROM branch b WHERE b.head_version_id = {version}.id{stale})")
            }
            KeepRule::TagHead => format!("EXISTS (SELECT 1 FROM tag_head t WHERE t.version_id = {version}.id)"),
            // This rule depends on other versions. See `first_successes`.
            KeepRule::FirstSuccess => "1 = 0".to_owned(),
        }
    }

    /// Returns the condition that a version is young or that a rule other than `FirstSuccess` keeps it.
    fn is_kept(&self, version: &str) -> String {
        let rules = KeepRule::OPTIONAL.map(|rule| self.applies(rule, version));
        format!("({} OR {})", self.is_young(version), rules.join(" OR "))
    }
}

/// Returns the condition that the branch `b` is not a main branch and that its head was added before `cutoff`.
fn is_stale(cutoff: &str) -> String {
    format!(
        "NOT EXISTS (SELECT 1 FROM pacticipant m WHERE m.id = b.pacticipant_id AND m.main_branch = b.name)
         AND COALESCE((SELECT max(h.created_at) FROM branch_version h
           WHERE h.branch_id = b.id AND h.version_id = b.head_version_id), b.created_at) < {cutoff}"
    )
}

/// Returns the next `limit` versions whose IDs are greater than `after`, ordered by ID, with the rules that keep them.
/// `FirstSuccess` is not included.
pub fn versions(
    tx: &mut Tx<'_>,
    policy: &RetentionPolicy,
    now: i64,
    after: i64,
    limit: i64,
) -> Result<Vec<VersionStatus>, StoreError> {
    let mut rules = Rules::new(policy, now);
    let young = rules.is_young("v");
    let flag = |condition: &str| format!("CASE WHEN {condition} THEN 1 ELSE 0 END");
    let mut columns = vec![flag(&format!("NOT ({young})"))];
    // The other rules do not matter for young versions, which are most of them.
    let is_old = format!("v.created_at < {}", rules.cutoff);
    columns.extend(KeepRule::OPTIONAL.map(|rule| flag(&format!("{is_old} AND {}", rules.applies(rule, "v")))));
    let (after, limit) = (rules.conditions.parameter(after), rules.conditions.parameter(limit));
    let sql = format!(
        "SELECT v.id, p.name, v.number, v.created_at, {} FROM version v JOIN pacticipant p ON p.id = v.pacticipant_id
         WHERE v.id > {after} ORDER BY v.id LIMIT {limit}",
        columns.join(", ")
    );
    statement::list(tx, &sql, rules.conditions.parameters())
}

/// Returns the IDs of the contents that kept versions have published. Versions that only `FirstSuccess` keeps do not
/// count.
pub fn kept_contents(tx: &mut Tx<'_>, policy: &RetentionPolicy, now: i64) -> Result<HashSet<i64>, StoreError> {
    let rules = Rules::new(policy, now);
    let sql = format!(
        "SELECT DISTINCT p.content_id FROM version v JOIN publication p ON p.version_id = v.id WHERE {}",
        rules.is_kept("v")
    );
    let rows = tx.query(&sql, rules.conditions.parameters())?;
    Ok(rows.iter().map(|row| row.int(0)).collect())
}

/// Returns those of the given contents that kept versions have published. Versions that only `FirstSuccess` keeps do
/// not count.
pub fn kept_among(
    tx: &mut Tx<'_>,
    policy: &RetentionPolicy,
    now: i64,
    contents: &[i64],
) -> Result<HashSet<i64>, StoreError> {
    let rules = Rules::new(policy, now);
    let kept = rules.is_kept("v");
    let sql = |ids: &str| {
        format!(
            "SELECT c.id FROM content c WHERE c.id IN ({ids}) AND EXISTS (
               SELECT 1 FROM publication p JOIN version v ON v.id = p.version_id WHERE p.content_id = c.id AND {kept})"
        )
    };
    let rows = tx.query_list(sql, rules.conditions.parameters(), contents)?;
    Ok(rows.iter().map(|row| row.int(0)).collect())
}

/// Returns pairs of a version and a content that the version was the first to verify successfully: the first of all
/// versions, of the versions on a branch, or of the versions with a tag.
pub fn first_successes(tx: &mut Tx<'_>, versions: &[i64]) -> Result<Vec<(i64, i64)>, StoreError> {
    let first = "r.success = 1 AND (f.first_at = r.created_at OR f.first_chosen_at = r.created_at)";
    let sql = |ids: &str| {
        format!(
            "SELECT r.version_id, r.content_id FROM result r
               JOIN first_success f ON f.content_id = r.content_id AND f.kind = 'a' AND f.name = ''
               WHERE r.version_id IN ({ids}) AND {first}
             UNION SELECT r.version_id, r.content_id FROM result r
               JOIN branch_version bv ON bv.version_id = r.version_id JOIN branch b ON b.id = bv.branch_id
               JOIN first_success f ON f.content_id = r.content_id AND f.kind = 'b' AND f.name = b.name
               WHERE r.version_id IN ({ids}) AND {first}
             UNION SELECT r.version_id, r.content_id FROM result r
               JOIN tag t ON t.version_id = r.version_id
               JOIN first_success f ON f.content_id = r.content_id AND f.kind = 't' AND f.name = t.name
               WHERE r.version_id IN ({ids}) AND {first}"
        )
    };
    let rows = tx.query_list(sql, &[], versions)?;
    Ok(rows.iter().map(|row| (row.int(0), row.int(1))).collect())
}

/// Deletes the given versions, unless they are young or a rule other than `FirstSuccess` keeps them. Returns the number
/// of deleted versions.
pub fn delete_versions(tx: &mut Tx<'_>, policy: &RetentionPolicy, now: i64, ids: &[i64]) -> Result<u64, StoreError> {
    // Lock the versions, so that new deployments, tags, and results of them wait until this transaction ends.
    for id in ids {
        tx.lock_row("version", *id)?;
    }
    let rules = Rules::new(policy, now);
    let kept = rules.is_kept("version");
    let parameters = rules.conditions.parameters();
    let owners = tx.query_list(
        |ids| format!("SELECT DISTINCT pacticipant_id FROM version WHERE id IN ({ids})"),
        &[],
        ids,
    )?;
    let deleted = delete_list(
        tx,
        &format!("DELETE FROM version WHERE NOT {kept} AND id IN"),
        parameters,
        ids,
    )?;
    if deleted > 0
        && !(policy.keeps(KeepRule::BranchHead) && policy.keeps(KeepRule::TagHead) && policy.branch_days.is_none())
    {
        for owner in owners {
            heads::renew(tx, owner.int(0))?;
        }
    }
    Ok(deleted)
}

/// Executes a statement with a list of IDs. `sql` ends with `IN`. Returns the number of changed rows.
fn delete_list(tx: &mut Tx<'_>, sql: &str, parameters: &[Value], ids: &[i64]) -> Result<u64, StoreError> {
    let mut deleted = 0;
    for (sql, parameters) in each(|list| format!("{sql} ({list})"), parameters, ids) {
        deleted += tx.execute(&sql, &parameters)?;
    }
    Ok(deleted)
}

/// Returns up to `limit` branches to delete, each with the ID of its application.
pub fn stale_branches(
    tx: &mut Tx<'_>,
    policy: &RetentionPolicy,
    now: i64,
    limit: i64,
) -> Result<Vec<(i64, Branch)>, StoreError> {
    let Some(cutoff) = policy.branch_cutoff(now) else {
        return Ok(Vec::new());
    };
    let sql = format!(
        "SELECT b.pacticipant_id, b.id, b.name, b.created_at FROM branch b WHERE {} ORDER BY b.id LIMIT $2",
        is_stale("$1")
    );
    let rows = tx.query(&sql, params![cutoff, limit])?;
    let entry = |row: &Row| {
        let mut columns = row.columns();
        (columns.int(), Branch::from_columns(&mut columns))
    };
    Ok(rows.iter().map(entry).collect())
}

/// Returns for each branch the name of its application and its own name.
pub fn names_of_branches(tx: &mut Tx<'_>, ids: &[i64]) -> Result<Vec<(String, String)>, StoreError> {
    let sql = |ids: &str| {
        format!(
            "SELECT p.name, b.name FROM branch b JOIN pacticipant p ON p.id = b.pacticipant_id WHERE b.id IN ({ids})
             ORDER BY p.name, b.name"
        )
    };
    let rows = tx.query_list(sql, &[], ids)?;
    Ok(rows.iter().map(|row| (row.text(0), row.text(1))).collect())
}

/// The kinds of rows that are deleted when they are older than the policy's limit, even if a version to which they
/// belong is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leftover {
    /// Revisions that a later revision of the same version replaced.
    Revision,
    /// Results that a later result of the same provider version replaced, except first successes.
    Result,
    /// Contract contents that no version has published.
    Content,
}

impl Leftover {
    fn table(self) -> &'static str {
        match self {
            Self::Revision => "publication",
            Self::Result => "result",
            Self::Content => "content",
        }
    }

    /// Returns the condition that a row is no longer needed. `$1` is the time before which rows are old.
    fn condition(self) -> &'static str {
        match self {
            Self::Revision => "publication.newest = 0 AND publication.created_at < $1",
            // The first success of content determines the pending status, even if a later result replaced it.
            Self::Result => {
                "result.created_at < $1
                 AND NOT EXISTS (SELECT 1 FROM latest_result l WHERE l.result_id = result.id)
                 AND NOT (result.success = 1 AND EXISTS (SELECT 1 FROM first_success f WHERE f.content_id = result.content_id
                   AND (f.first_at = result.created_at OR f.first_chosen_at = result.created_at)))"
            }
            Self::Content => {
                "content.created_at < $1 AND NOT EXISTS (SELECT 1 FROM publication p WHERE p.content_id = content.id)"
            }
        }
    }
}

/// The rows to delete in a range of a table.
pub struct Window {
    /// IDs of the rows that are no longer needed.
    pub ids: Vec<i64>,
    /// The ID of the last row in the range, or `None` if there are no more rows.
    pub last: Option<i64>,
}

/// Examines the next `limit` rows whose IDs are greater than `after`, and returns those that are no longer needed.
pub fn leftovers(
    tx: &mut Tx<'_>,
    kind: Leftover,
    policy: &RetentionPolicy,
    now: i64,
    after: i64,
    limit: i64,
) -> Result<Window, StoreError> {
    let (table, condition) = (kind.table(), kind.condition());
    let rows = tx.query(
        &format!(
            "SELECT {table}.id, CASE WHEN {condition} THEN 1 ELSE 0 END FROM {table} WHERE {table}.id > $2 ORDER BY {table}.id LIMIT $3"
        ),
        params![policy.cutoff(now), after, limit],
    )?;
    Ok(Window {
        ids: rows.iter().filter(|row| row.bool(1)).map(|row| row.int(0)).collect(),
        last: rows.last().map(|row| row.int(0)),
    })
}

/// Deletes the given rows, except those that have become necessary in the meantime. Returns the number of deleted rows.
pub fn delete_leftovers(
    tx: &mut Tx<'_>,
    kind: Leftover,
    policy: &RetentionPolicy,
    now: i64,
    ids: &[i64],
) -> Result<u64, StoreError> {
    for id in ids {
        tx.lock_row(kind.table(), *id)?;
    }
    let sql = format!("DELETE FROM {} WHERE {} AND id IN", kind.table(), kind.condition());
    delete_list(tx, &sql, params![policy.cutoff(now)], ids)
}

/// Returns the number of revisions or results of these versions that are no longer needed.
pub fn count_leftovers(
    tx: &mut Tx<'_>,
    kind: Leftover,
    policy: &RetentionPolicy,
    now: i64,
    versions: &[i64],
) -> Result<i64, StoreError> {
    let (table, condition) = (kind.table(), kind.condition());
    let sql = |ids: &str| format!("SELECT count(*) FROM {table} WHERE {condition} AND {table}.version_id IN ({ids})");
    let rows = tx.query_list(sql, params![policy.cutoff(now)], versions)?;
    Ok(rows.first().map_or(0, |row| row.int(0)))
}

/// Returns the IDs of the contents that these versions published.
pub fn published_contents(tx: &mut Tx<'_>, versions: &[i64]) -> Result<Vec<i64>, StoreError> {
    let sql = |ids: &str| format!("SELECT DISTINCT content_id FROM publication WHERE version_id IN ({ids})");
    let rows = tx.query_list(sql, &[], versions)?;
    Ok(rows.iter().map(|row| row.int(0)).collect())
}

/// Returns the number of contents that are old and that no version has published.
pub fn count_orphans(tx: &mut Tx<'_>, policy: &RetentionPolicy, now: i64) -> Result<i64, StoreError> {
    let sql = format!("SELECT count(*) FROM content WHERE {}", Leftover::Content.condition());
    tx.number(&sql, params![policy.cutoff(now)])
}
