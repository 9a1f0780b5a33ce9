use std::collections::HashMap;

use super::Page;
use super::statement::{self, Conditions, FromColumns};
use crate::store::{Columns, StoreError, Tx, Value, params};

#[derive(Clone, Debug)]
pub struct Version {
    pub id: i64,
    pub pacticipant_id: i64,
    pub pacticipant: String,
    pub number: String,
    pub build_url: Option<String>,
    pub created_at: i64,
    pub updated_at: Option<i64>,
}

const COLUMNS: &str = "v.id, v.pacticipant_id, p.name, v.number, v.build_url, v.created_at, v.updated_at";
const TABLES: &str = "version v JOIN pacticipant p ON p.id = v.pacticipant_id";

impl FromColumns for Version {
    fn from_columns(columns: &mut Columns<'_>) -> Self {
        Self {
            id: columns.int(),
            pacticipant_id: columns.int(),
            pacticipant: columns.text(),
            number: columns.text(),
            build_url: columns.maybe_text(),
            created_at: columns.int(),
            updated_at: columns.maybe_int(),
        }
    }
}

fn find_where(tx: &mut Tx<'_>, condition: &str, parameters: &[Value]) -> Result<Option<Version>, StoreError> {
    statement::find(tx, &format!("SELECT {COLUMNS} FROM {TABLES} {condition}"), parameters)
}

pub fn find(tx: &mut Tx<'_>, pacticipant: i64, number: &str) -> Result<Option<Version>, StoreError> {
    find_where(
        tx,
        "WHERE v.pacticipant_id = $1 AND v.number = $2",
        params![pacticipant, number],
    )
}

pub fn find_named(tx: &mut Tx<'_>, pacticipant: &str, number: &str) -> Result<Option<Version>, StoreError> {
    find_where(tx, "WHERE p.name = $1 AND v.number = $2", params![pacticipant, number])
}

pub fn by_ids(tx: &mut Tx<'_>, ids: &[i64]) -> Result<Vec<Version>, StoreError> {
    let sql = |ids: &str| format!("SELECT {COLUMNS} FROM {TABLES} WHERE v.id IN ({ids})");
    Ok(FromColumns::from_rows(&tx.query_each(sql, &[], ids)?))
}

/// Returns the name of each application that has versions, and the number of its newest version.
pub fn newest_of_all(tx: &mut Tx<'_>) -> Result<Vec<(String, String)>, StoreError> {
    let sql = "SELECT p.name, v.number FROM pacticipant p
        JOIN version v ON v.id = (SELECT max(o.id) FROM version o WHERE o.pacticipant_id = p.id)";
    let rows = tx.query(sql, &[])?;
    Ok(rows.iter().map(|row| (row.text(0), row.text(1))).collect())
}

/// Finds or creates a version. The tuple contains the ID and the name of the application. Also returns whether the
/// version was created.
pub fn find_or_create(
    tx: &mut Tx<'_>,
    (id, pacticipant): (i64, &str),
    number: &str,
    now: i64,
) -> Result<(Version, bool), StoreError> {
    if let Some(known) = find(tx, id, number)? {
        return Ok((known, false));
    }
    let created = tx.query_row(
        "INSERT INTO version (pacticipant_id, number, created_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING RETURNING id",
        params![id, number, now],
    )?;
    match created {
        Some(row) => {
            let version = Version {
                id: row.int(0),
                pacticipant_id: id,
                pacticipant: pacticipant.to_owned(),
                number: number.to_owned(),
                build_url: None,
                created_at: now,
                updated_at: None,
            };
            Ok((version, true))
        }
        // Another transaction created the version in the meantime.
        None => Ok((find(tx, id, number)?.ok_or_else(StoreError::vanished)?, false)),
    }
}

pub fn set_build_url(tx: &mut Tx<'_>, version: &Version, url: Option<&str>, now: i64) -> Result<(), StoreError> {
    if version.build_url.as_deref() != url {
        tx.execute_deferred(
            "UPDATE version SET build_url = $1, updated_at = $2 WHERE id = $3",
            params![url, now, version.id],
        )?;
    }
    Ok(())
}

/// Returns the versions of these applications that are currently deployed to or released in an environment, oldest
/// first.
pub fn in_environment(tx: &mut Tx<'_>, environment: &str, pacticipants: &[i64]) -> Result<Vec<Version>, StoreError> {
    let present = |table: &str, ids: &str| {
        format!(
            "SELECT d.version_id FROM {table} d WHERE d.pacticipant_id IN ({ids}) AND d.is_current = 1
             AND d.environment_id = (SELECT e.id FROM environment e WHERE e.name = $1)"
        )
    };
    let sql = |ids: &str| {
        let (deployed, released) = (present("deployment", ids), present("released", ids));
        format!("SELECT {COLUMNS} FROM {TABLES} WHERE v.id IN ({deployed} UNION {released})")
    };
    let mut found = Version::from_rows(&tx.query_each(sql, params![environment], pacticipants)?);
    found.sort_by_key(|version| version.id);
    Ok(found)
}

pub fn latest(tx: &mut Tx<'_>, pacticipant: i64) -> Result<Option<Version>, StoreError> {
    find_where(
        tx,
        "WHERE v.pacticipant_id = $1 ORDER BY v.id DESC LIMIT 1",
        params![pacticipant],
    )
}

/// Returns pairs of an application's ID and the number of its latest version.
pub fn latest_numbers(tx: &mut Tx<'_>, pacticipants: &[i64]) -> Result<Vec<(i64, String)>, StoreError> {
    let sql = |ids: &str| {
        format!(
            "SELECT v.pacticipant_id, v.number FROM pacticipant p CROSS JOIN version v WHERE p.id IN ({ids})
             AND v.id = (SELECT max(n.id) FROM version n WHERE n.pacticipant_id = p.id)"
        )
    };
    let rows = tx.query_list(sql, &[], pacticipants)?;
    Ok(rows.iter().map(|row| (row.int(0), row.text(1))).collect())
}

pub fn latest_with_tag(tx: &mut Tx<'_>, pacticipant: i64, tag: &str) -> Result<Option<Version>, StoreError> {
    find_where(
        tx,
        "JOIN tag_head h ON h.version_id = v.id WHERE h.pacticipant_id = $1 AND h.name = $2",
        params![pacticipant, tag],
    )
}

pub fn head_of_branch(tx: &mut Tx<'_>, pacticipant: i64, branch: &str) -> Result<Option<Version>, StoreError> {
    find_where(
        tx,
        "JOIN branch b ON b.head_version_id = v.id WHERE b.pacticipant_id = $1 AND b.name = $2",
        params![pacticipant, branch],
    )
}

/// Returns the version number of each branch's head, by branch name.
pub fn heads_of_branches(
    tx: &mut Tx<'_>,
    pacticipant: i64,
    branches: &[&str],
) -> Result<HashMap<String, String>, StoreError> {
    if branches.is_empty() {
        return Ok(HashMap::new());
    }
    let mut conditions = Conditions::default();
    conditions.equal("b.pacticipant_id", pacticipant);
    let names: Vec<String> = branches.iter().map(|name| conditions.parameter(*name)).collect();
    conditions.add(format!("b.name IN ({})", names.join(", ")));
    let sql = format!(
        "SELECT b.name, v.number FROM branch b JOIN version v ON v.id = b.head_version_id {}",
        conditions.where_clause()
    );
    let rows = tx.query(&sql, conditions.parameters())?;
    Ok(rows.iter().map(|row| (row.text(0), row.text(1))).collect())
}

/// Selects all versions of an application, or those on a branch, with a tag, or in the environment with this ID.
#[derive(Clone, Copy)]
pub enum VersionFilter<'a> {
    All,
    Branch(&'a str),
    Tag(&'a str),
    Environment(i64),
}

/// Returns a page of an application's versions, newest first, and their total number.
pub fn list(
    tx: &mut Tx<'_>,
    pacticipant: i64,
    filter: VersionFilter<'_>,
    page: Page,
) -> Result<(Vec<Version>, i64), StoreError> {
    let mut conditions = Conditions::default();
    let owner = conditions.parameter(pacticipant);
    conditions.add(format!("v.pacticipant_id = {owner}"));
    match filter {
        VersionFilter::All => {}
        VersionFilter::Branch(name) => {
            let name = conditions.parameter(name);
            conditions.add(format!(
                "v.id IN (SELECT bv.version_id FROM branch_version bv JOIN branch b ON b.id = bv.branch_id
                 WHERE b.pacticipant_id = {owner} AND b.name = {name})"
            ));
        }
        VersionFilter::Tag(name) => {
            let name = conditions.parameter(name);
            conditions.add(format!(
                "v.id IN (SELECT t.version_id FROM tag t WHERE t.pacticipant_id = {owner} AND t.name = {name})"
            ));
        }
        VersionFilter::Environment(id) => {
            let id = conditions.parameter(id);
            let current = |table: &str| {
                format!(
                    "SELECT d.version_id FROM {table} d
                     WHERE d.pacticipant_id = {owner} AND d.environment_id = {id} AND d.is_current = 1"
                )
            };
            let (deployed, released) = (current("deployment"), current("released"));
            conditions.add(format!("v.id IN ({deployed} UNION {released})"));
        }
    }
    statement::list_page(tx, (COLUMNS, TABLES, "v.id DESC"), conditions, page)
}
