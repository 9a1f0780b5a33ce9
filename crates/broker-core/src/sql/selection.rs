//! Queries for the contracts that a provider must verify. Each query starts at the provider's integrations and follows
//! stored heads, so its cost does not depend on the length of the history.

use super::environments::PresenceKind;
use super::pacts::{COLUMNS, LOOKUPS, Publication, newest_publication};
use super::statement::{Conditions, FromColumns};
use crate::store::{BoundQuery, Columns, Row, StoreError, Tx, params};

/// A provider's integrations with one consumer, or with all consumers if `consumer` is `None`.
#[derive(Clone, Copy)]
pub struct Integrations<'a> {
    pub provider: i64,
    pub consumer: Option<&'a str>,
}

/// A selected publication, and the name of the branch, tag, or environment for which it was selected. The name is empty
/// if there is none.
pub struct Head {
    pub publication: Publication,
    pub name: String,
}

impl FromColumns for Head {
    fn from_columns(columns: &mut Columns<'_>) -> Self {
        Self {
            publication: Publication::from_columns(columns),
            name: columns.text(),
        }
    }
}

/// Runs several lists of queries in one round trip. Returns what each query of each list found.
pub fn read(tx: &mut Tx<'_>, lists: Vec<Vec<BoundQuery>>) -> Result<Vec<Vec<Vec<Head>>>, StoreError> {
    let read_list = |list: Vec<Vec<Row>>| list.iter().map(|rows| Head::from_rows(rows)).collect();
    Ok(tx.query_lists(lists)?.into_iter().map(read_list).collect())
}

pub fn main_branch_heads(integrations: Integrations<'_>) -> BoundQuery {
    heads(
        integrations,
        "CROSS JOIN pacticipant m CROSS JOIN branch b",
        "b.name",
        |conditions| {
            conditions.add("m.id = i.consumer_id AND b.pacticipant_id = m.id AND b.name = m.main_branch");
            conditions.add("pub.version_id = b.head_version_id");
        },
    )
}

/// Returns the query for consumers whose main branch has no head. It selects the latest version whose tag is the name
/// of the main branch.
pub fn main_branch_tags(integrations: Integrations<'_>) -> BoundQuery {
    heads(
        integrations,
        "CROSS JOIN pacticipant m CROSS JOIN tag_head h",
        "h.name",
        |conditions| {
            conditions.add("m.id = i.consumer_id AND h.pacticipant_id = m.id AND h.name = m.main_branch");
            conditions.add("pub.version_id = h.version_id");
            conditions.add(
                "NOT EXISTS (SELECT 1 FROM branch b
             WHERE b.pacticipant_id = m.id AND b.name = m.main_branch AND b.head_version_id IS NOT NULL)",
            );
        },
    )
}

/// Returns the query for consumers whose main branch has no head and that have no version tagged with its name. It
/// selects the consumer's latest contract.
pub fn latest_without_main_branch(integrations: Integrations<'_>) -> BoundQuery {
    heads(integrations, "", "''", |conditions| {
        add_latest(conditions);
        conditions.add(
            "NOT EXISTS (SELECT 1 FROM pacticipant m JOIN branch b ON b.pacticipant_id = m.id AND b.name = m.main_branch
             WHERE m.id = i.consumer_id AND b.head_version_id IS NOT NULL)",
        );
        conditions.add(
            "NOT EXISTS (SELECT 1 FROM pacticipant m JOIN tag_head h ON h.pacticipant_id = m.id AND h.name = m.main_branch
             WHERE m.id = i.consumer_id)",
        );
    })
}

pub fn branch_heads(integrations: Integrations<'_>, name: Option<&str>) -> BoundQuery {
    heads(integrations, "CROSS JOIN branch b", "b.name", |conditions| {
        conditions.add("b.pacticipant_id = i.consumer_id");
        if let Some(name) = name {
            conditions.equal("b.name", name);
        }
        conditions.add("pub.version_id = b.head_version_id");
    })
}

/// Returns the query for each consumer's latest version with a tag.
pub fn tag_heads(integrations: Integrations<'_>, tag: &str) -> BoundQuery {
    heads(integrations, "CROSS JOIN tag_head h", "h.name", |conditions| {
        conditions.add("h.pacticipant_id = i.consumer_id");
        conditions.equal("h.name", tag);
        conditions.add("pub.version_id = h.version_id");
    })
}

/// Returns the query for all versions with a tag.
pub fn all_with_tag(integrations: Integrations<'_>, tag: &str) -> BoundQuery {
    heads(integrations, "CROSS JOIN tag t", "t.name", |conditions| {
        conditions.add("t.pacticipant_id = i.consumer_id");
        conditions.equal("t.name", tag);
        conditions.add("pub.version_id = t.version_id");
    })
}

/// Returns the query for each consumer's latest contract.
pub fn latest(integrations: Integrations<'_>) -> BoundQuery {
    heads(integrations, "", "''", add_latest)
}

fn add_latest(conditions: &mut Conditions) {
    let newest = newest_publication("i.consumer_id", "i.provider_id", "");
    conditions.add(format!("pub.id = ({newest})"));
}

/// Returns the query for the versions that are currently deployed to or released in an environment. `None` selects all
/// environments.
pub fn present(integrations: Integrations<'_>, kind: PresenceKind, environment: Option<&str>) -> BoundQuery {
    let tables = format!("CROSS JOIN {} d CROSS JOIN environment e", kind.table());
    heads(integrations, &tables, "e.name", |conditions| {
        conditions.add("d.pacticipant_id = i.consumer_id AND d.is_current = 1 AND e.id = d.environment_id");
        if let Some(name) = environment {
            conditions.equal("e.name", name);
        }
        conditions.add("pub.version_id = d.version_id");
    })
}

/// Returns a query that selects publications for a provider. `name` is an SQL expression for [`Head::name`]. CROSS JOIN
/// with conditions in WHERE fixes the table order for SQLite, starting with the smallest tables. The `+ 0` terms leave
/// PostgreSQL only the lookup by version; without them, it starts with all contracts of the provider while the tables
/// have no statistics. They are removed for SQLite.
fn heads(
    integrations: Integrations<'_>,
    tables: &str,
    name: &str,
    add_conditions: impl FnOnce(&mut Conditions),
) -> BoundQuery {
    let mut conditions = Conditions::default();
    let provider = conditions.parameter(integrations.provider);
    conditions.add(format!("i.provider_id = {provider}"));
    if let Some(name) = integrations.consumer {
        let name = conditions.parameter(name);
        conditions.add(format!(
            "i.consumer_id = (SELECT id FROM pacticipant WHERE name = {name})"
        ));
    }
    add_conditions(&mut conditions);
    add_integration(&mut conditions, &provider);
    let sql = format!(
        "SELECT {COLUMNS}, {name} FROM integration i {tables} CROSS JOIN publication pub {LOOKUPS} {}",
        conditions.where_clause()
    );
    (sql, conditions.parameters().to_vec())
}

fn add_integration(conditions: &mut Conditions, provider: &str) {
    conditions.add(format!(
        "pub.provider_id + 0 = {provider} AND pub.consumer_id + 0 = i.consumer_id AND pub.newest + 0 = 1"
    ));
}

/// A contract of the head of a branch or tag, which may be work in progress. It contains only IDs, because most
/// candidates turn out to be verified.
pub struct Candidate {
    pub publication: i64,
    pub content: i64,
    pub head: CandidateHead,
}

pub enum CandidateHead {
    Branch(String),
    Tag(String),
}

/// Returns the contracts of all branch and tag heads that were published after the time `since`.
pub fn candidates(tx: &mut Tx<'_>, provider: i64, since: i64) -> Result<Vec<Candidate>, StoreError> {
    let query = |table: &str, version: &str| -> BoundQuery {
        let sql = format!(
            "SELECT pub.id, pub.content_id, h.name FROM integration i CROSS JOIN {table} h CROSS JOIN publication pub
             WHERE i.provider_id = $1 AND h.pacticipant_id = i.consumer_id AND pub.version_id = {version} AND pub.created_at > $2
             AND pub.provider_id + 0 = $1 AND pub.consumer_id + 0 = i.consumer_id AND pub.newest + 0 = 1"
        );
        (sql, params![provider, since].to_vec())
    };
    let results = tx.query_all(&[query("branch", "h.head_version_id"), query("tag_head", "h.version_id")])?;
    let heads: [fn(String) -> CandidateHead; 2] = [CandidateHead::Branch, CandidateHead::Tag];
    let mut candidates = Vec::new();
    for (rows, head) in results.iter().zip(heads) {
        candidates.extend(rows.iter().map(|row| Candidate {
            publication: row.int(0),
            content: row.int(1),
            head: head(row.text(2)),
        }));
    }
    Ok(candidates)
}
