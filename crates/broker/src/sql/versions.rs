//! Versions of applications, the branches and the tags they are on.

use super::{Page, pacticipants};
use crate::domain::rules::Rules;
use crate::store::{Row, StoreError, Tx, params};

#[derive(Clone, Debug)]
pub(crate) struct Version {
    pub(crate) id: i64,
    pub(crate) pacticipant_id: i64,
    pub(crate) pacticipant: String,
    pub(crate) number: String,
    pub(crate) build_url: Option<String>,
    pub(crate) created_at: i64,
    pub(crate) updated_at: Option<i64>,
}

const SELECT: &str =
    "SELECT v.id, v.pacticipant_id, p.name, v.number, v.build_url, v.created_at, v.updated_at FROM version v
    JOIN pacticipant p ON p.id = v.pacticipant_id";

fn of(row: &Row) -> Version {
    Version {
        id: row.int(0),
        pacticipant_id: row.int(1),
        pacticipant: row.text(2),
        number: row.text(3),
        build_url: row.maybe_text(4),
        created_at: row.int(5),
        updated_at: row.maybe_int(6),
    }
}

pub(crate) fn find(tx: &mut Tx<'_>, pacticipant: i64, number: &str) -> Result<Option<Version>, StoreError> {
    let sql = format!("{SELECT} WHERE v.pacticipant_id = $1 AND v.number = $2");
    Ok(tx.one(&sql, params![pacticipant, number])?.as_ref().map(of))
}

/// The version of this number of the application of this name.
pub(crate) fn find_named(tx: &mut Tx<'_>, pacticipant: &str, number: &str) -> Result<Option<Version>, StoreError> {
    let sql = format!("{SELECT} WHERE p.name = $1 AND v.number = $2");
    Ok(tx.one(&sql, params![pacticipant, number])?.as_ref().map(of))
}

pub(crate) fn by_ids(tx: &mut Tx<'_>, ids: &[i64]) -> Result<Vec<Version>, StoreError> {
    Ok(tx
        .query_each(&format!("{SELECT} WHERE v.id IN ({{ids}})"), &[], ids)?
        .iter()
        .map(of)
        .collect())
}

/// A version of the application with this id and name. `true`: it was made.
pub(crate) fn find_or_create(
    tx: &mut Tx<'_>,
    (id, pacticipant): (i64, &str),
    number: &str,
    now: i64,
) -> Result<(Version, bool), StoreError> {
    if let Some(known) = find(tx, id, number)? {
        return Ok((known, false));
    }
    let made = tx.one(
        "INSERT INTO version (pacticipant_id, number, created_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING RETURNING id",
        params![id, number, now],
    )?;
    match made {
        Some(made) => {
            let version = Version {
                id: made.int(0),
                pacticipant_id: id,
                pacticipant: pacticipant.to_owned(),
                number: number.to_owned(),
                build_url: None,
                created_at: now,
                updated_at: None,
            };
            Ok((version, true))
        }
        // Somebody else made it meanwhile.
        None => Ok((find(tx, id, number)?.ok_or_else(StoreError::vanished)?, false)),
    }
}

pub(crate) fn set_build_url(tx: &mut Tx<'_>, version: &Version, url: Option<&str>, now: i64) -> Result<(), StoreError> {
    if version.build_url.as_deref() != url {
        tx.send(
            "UPDATE version SET build_url = $1, updated_at = $2 WHERE id = $3",
            params![url, now, version.id],
        )?;
    }
    Ok(())
}

/// What these applications have in an environment, deployed or released; oldest first.
pub(crate) fn in_environment(
    tx: &mut Tx<'_>,
    environment: &str,
    pacticipants: &[i64],
) -> Result<Vec<Version>, StoreError> {
    let present = |table: &str| {
        format!(
            "SELECT d.version_id FROM {table} d WHERE d.pacticipant_id IN ({{ids}}) AND d.is_current = 1
             AND d.environment_id = (SELECT e.id FROM environment e WHERE e.name = $1)"
        )
    };
    let (deployed, released) = (present("deployment"), present("released"));
    let sql = format!("{SELECT} WHERE v.id IN ({deployed} UNION {released})");
    let mut found: Vec<Version> = tx
        .query_each(&sql, params![environment], pacticipants)?
        .iter()
        .map(of)
        .collect();
    found.sort_by_key(|version| version.id);
    Ok(found)
}

pub(crate) fn latest(tx: &mut Tx<'_>, pacticipant: i64) -> Result<Option<Version>, StoreError> {
    let sql = format!("{SELECT} WHERE v.pacticipant_id = $1 ORDER BY v.id DESC LIMIT 1");
    Ok(tx.one(&sql, params![pacticipant])?.as_ref().map(of))
}

pub(crate) fn latest_with_tag(tx: &mut Tx<'_>, pacticipant: i64, tag: &str) -> Result<Option<Version>, StoreError> {
    let sql = format!("{SELECT} JOIN tag_head h ON h.version_id = v.id WHERE h.pacticipant_id = $1 AND h.name = $2");
    Ok(tx.one(&sql, params![pacticipant, tag])?.as_ref().map(of))
}

pub(crate) fn head_of_branch(tx: &mut Tx<'_>, pacticipant: i64, branch: &str) -> Result<Option<Version>, StoreError> {
    let sql = format!("{SELECT} JOIN branch b ON b.head_version_id = v.id WHERE b.pacticipant_id = $1 AND b.name = $2");
    Ok(tx.one(&sql, params![pacticipant, branch])?.as_ref().map(of))
}

/// Which versions of an application a list is of.
#[derive(Clone, Copy)]
pub(crate) enum Among<'a> {
    All,
    Branch(&'a str),
    Tag(&'a str),
    Environment(i64),
}

/// Newest first.
pub(crate) fn list(
    tx: &mut Tx<'_>,
    pacticipant: i64,
    among: Among<'_>,
    page: Page,
) -> Result<(Vec<Version>, i64), StoreError> {
    let (condition, name, environment) = match among {
        Among::All => ("", "", 0),
        Among::Branch(name) => (
            "AND v.id IN (SELECT bv.version_id FROM branch_version bv JOIN branch b ON b.id = bv.branch_id
             WHERE b.pacticipant_id = $1 AND b.name = $2)",
            name,
            0,
        ),
        Among::Tag(name) => {
            ("AND v.id IN (SELECT t.version_id FROM tag t WHERE t.pacticipant_id = $1 AND t.name = $2)", name, 0)
        }
        Among::Environment(id) => (
            "AND v.id IN (SELECT d.version_id FROM deployment d WHERE d.pacticipant_id = $1 AND d.environment_id = $3 AND d.is_current = 1
             UNION SELECT r.version_id FROM released r WHERE r.pacticipant_id = $1 AND r.environment_id = $3 AND r.is_current = 1)",
            "",
            id,
        ),
    };
    // Not every condition uses every parameter, and a statement must.
    let known = format!(
        "FROM version v JOIN pacticipant p ON p.id = v.pacticipant_id WHERE v.pacticipant_id = $1
         AND CAST($2 AS TEXT) IS NOT NULL AND CAST($3 AS BIGINT) IS NOT NULL {condition}"
    );
    let total = tx.number(
        &format!("SELECT count(*) {known}"),
        params![pacticipant, name, environment],
    )?;
    let columns = "SELECT v.id, v.pacticipant_id, p.name, v.number, v.build_url, v.created_at, v.updated_at";
    let rows = tx.query(
        &format!("{columns} {known} ORDER BY v.id DESC LIMIT $4 OFFSET $5"),
        params![pacticipant, name, environment, page.size, page.offset()],
    )?;
    Ok((rows.iter().map(of).collect(), total))
}

/// Removes a version with its contracts and results.
pub(crate) fn delete(tx: &mut Tx<'_>, version: &Version) -> Result<(), StoreError> {
    let branches = tx.query("SELECT id FROM branch WHERE head_version_id = $1", params![version.id])?;
    let tags = tx.query("SELECT name FROM tag_head WHERE version_id = $1", params![version.id])?;
    let contents = tx.query(
        "SELECT DISTINCT content_id FROM result WHERE version_id = $1",
        params![version.id],
    )?;
    tx.execute("DELETE FROM version WHERE id = $1", params![version.id])?;
    for branch in branches {
        refresh_branch_head(tx, branch.int(0))?;
    }
    for tag in tags {
        refresh_tag_head(tx, version.pacticipant_id, &tag.text(0))?;
    }
    for content in contents {
        super::results::refresh_first_successes(tx, content.int(0))?;
    }
    Ok(())
}

#[derive(Clone, Debug)]
pub(crate) struct Branch {
    pub(crate) id: i64,
    pub(crate) name: String,
    pub(crate) created_at: i64,
}

pub(super) fn branch_of(row: &Row) -> Branch {
    Branch {
        id: row.int(0),
        name: row.text(1),
        created_at: row.int(2),
    }
}

pub(crate) fn find_branch(tx: &mut Tx<'_>, pacticipant: i64, name: &str) -> Result<Option<Branch>, StoreError> {
    let sql = "SELECT id, name, created_at FROM branch WHERE pacticipant_id = $1 AND name = $2";
    Ok(tx.one(sql, params![pacticipant, name])?.as_ref().map(branch_of))
}

pub(crate) fn branches(
    tx: &mut Tx<'_>,
    pacticipant: i64,
    search: Option<&str>,
    page: Page,
) -> Result<(Vec<Branch>, i64), StoreError> {
    let pattern = search.map(pacticipants::like).unwrap_or_default();
    let condition = "pacticipant_id = $1 AND ($2 = '' OR lower(name) LIKE $2 ESCAPE '!')";
    let total = tx.number(
        &format!("SELECT count(*) FROM branch WHERE {condition}"),
        params![pacticipant, &pattern],
    )?;
    let rows = tx.query(
        &format!("SELECT id, name, created_at FROM branch WHERE {condition} ORDER BY id DESC LIMIT $3 OFFSET $4"),
        params![pacticipant, &pattern, page.size, page.offset()],
    )?;
    Ok((rows.iter().map(branch_of).collect(), total))
}

/// Forgets a branch; its versions stay.
pub(crate) fn delete_branch(tx: &mut Tx<'_>, pacticipant: i64, branch: &Branch) -> Result<(), StoreError> {
    tx.execute("DELETE FROM branch WHERE id = $1", params![branch.id])?;
    super::results::forget_group(tx, pacticipant, "b", &branch.name)
}

/// The moment at which a version was put on a branch.
pub(crate) fn branch_version(tx: &mut Tx<'_>, branch: i64, version: i64) -> Result<Option<i64>, StoreError> {
    let sql = "SELECT created_at FROM branch_version WHERE branch_id = $1 AND version_id = $2";
    Ok(tx.one(sql, params![branch, version])?.map(|row| row.int(0)))
}

/// Puts a version on a branch, which is made when it is not there, and so makes it the head. `false`: it was on it.
pub(crate) fn add_to_branch(
    tx: &mut Tx<'_>,
    rules: &Rules,
    version: &Version,
    name: &str,
    now: i64,
) -> Result<bool, StoreError> {
    let is_new = link_to_branch(tx, version, name, false, now)?;
    if is_new && rules.is_main_branch(name) {
        pacticipants::adopt_main_branch(tx, version.pacticipant_id, name, now)?;
    }
    Ok(is_new)
}

/// `automatic`: nobody named the branch; a tag did.
fn link_to_branch(
    tx: &mut Tx<'_>,
    version: &Version,
    name: &str,
    automatic: bool,
    now: i64,
) -> Result<bool, StoreError> {
    tx.send(
        "INSERT INTO branch (pacticipant_id, name, created_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
        params![version.pacticipant_id, name, now],
    )?;
    let branch = find_branch(tx, version.pacticipant_id, name)?.ok_or_else(StoreError::vanished)?;
    // The version's results are to be the branch's, too, and the last link makes the head.
    tx.hold("version", version.id)?;
    tx.hold("branch", branch.id)?;
    let made = tx.execute(
        "INSERT INTO branch_version (branch_id, version_id, automatic, created_at) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING",
        params![branch.id, version.id, automatic, now],
    )?;
    if made == 0 {
        return Ok(false);
    }
    tx.send(
        "UPDATE branch SET head_version_id = $1 WHERE id = $2",
        params![version.id, branch.id],
    )?;
    super::promises::keep_branch(tx, branch.id)?;
    super::results::join_group(tx, version.id, "b", name)?;
    Ok(true)
}

/// Takes a version off a branch. `false`: it was not on it.
pub(crate) fn remove_from_branch(tx: &mut Tx<'_>, branch: &Branch, version: i64) -> Result<bool, StoreError> {
    let gone = tx.execute(
        "DELETE FROM branch_version WHERE branch_id = $1 AND version_id = $2",
        params![branch.id, version],
    )?;
    if gone > 0 {
        refresh_branch_head(tx, branch.id)?;
        super::results::refresh_first_successes_of_version(tx, version)?;
    }
    Ok(gone > 0)
}

fn refresh_branch_head(tx: &mut Tx<'_>, branch: i64) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE branch SET head_version_id =
         (SELECT version_id FROM branch_version WHERE branch_id = $1 ORDER BY id DESC LIMIT 1) WHERE id = $1",
        params![branch],
    )?;
    Ok(())
}

/// A branch that a version is on.
#[derive(Clone, Debug)]
pub(crate) struct BranchOf {
    pub(crate) version_id: i64,
    pub(crate) name: String,
    pub(crate) is_head: bool,
}

pub(super) const BRANCHES_OF: &str =
    "SELECT bv.version_id, b.name, CASE WHEN b.head_version_id = bv.version_id THEN 1 ELSE 0 END
     FROM branch_version bv JOIN branch b ON b.id = bv.branch_id WHERE bv.version_id IN ({ids}) ORDER BY b.name";

pub(super) fn branch_of_version(row: &Row) -> BranchOf {
    BranchOf {
        version_id: row.int(0),
        name: row.text(1),
        is_head: row.int(2) == 1,
    }
}

pub(crate) fn branches_of(tx: &mut Tx<'_>, versions: &[i64]) -> Result<Vec<BranchOf>, StoreError> {
    let rows = tx.query_each(BRANCHES_OF, &[], versions)?;
    Ok(rows.iter().map(branch_of_version).collect())
}

#[derive(Clone, Debug)]
pub(crate) struct Tag {
    pub(crate) version_id: i64,
    pub(crate) name: String,
    pub(crate) created_at: i64,
    pub(crate) is_latest: bool,
}

const TAGS: &str = "SELECT t.version_id, t.name, t.created_at, CASE WHEN h.version_id = t.version_id THEN 1 ELSE 0 END
    FROM tag t JOIN tag_head h ON h.pacticipant_id = t.pacticipant_id AND h.name = t.name";

pub(super) fn tag_of(row: &Row) -> Tag {
    Tag {
        version_id: row.int(0),
        name: row.text(1),
        created_at: row.int(2),
        is_latest: row.int(3) == 1,
    }
}

pub(super) fn tags_of_versions() -> String {
    format!("{TAGS} WHERE t.version_id IN ({{ids}}) ORDER BY t.name")
}

pub(crate) fn tags_of(tx: &mut Tx<'_>, versions: &[i64]) -> Result<Vec<Tag>, StoreError> {
    let rows = tx.query_each(&tags_of_versions(), &[], versions)?;
    Ok(rows.iter().map(tag_of).collect())
}

pub(crate) fn find_tag(tx: &mut Tx<'_>, version: i64, name: &str) -> Result<Option<Tag>, StoreError> {
    let row = tx.one(
        &format!("{TAGS} WHERE t.version_id = $1 AND t.name = $2"),
        params![version, name],
    )?;
    Ok(row.as_ref().map(tag_of))
}

/// Tags a version. `false`: it had the tag.
pub(crate) fn add_tag(
    tx: &mut Tx<'_>,
    rules: &Rules,
    version: &Version,
    name: &str,
    now: i64,
) -> Result<bool, StoreError> {
    tx.hold("version", version.id)?;
    let made = tx.execute(
        "INSERT INTO tag (version_id, name, pacticipant_id, created_at) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING",
        params![version.id, name, version.pacticipant_id, now],
    )?;
    if made == 0 {
        return Ok(false);
    }
    tx.send(
        "INSERT INTO tag_head (pacticipant_id, name, version_id) VALUES ($1, $2, $3) ON CONFLICT (pacticipant_id, name)
         DO UPDATE SET version_id = excluded.version_id WHERE excluded.version_id > tag_head.version_id",
        params![version.pacticipant_id, name, version.id],
    )?;
    super::results::join_group(tx, version.id, "t", name)?;
    if rules.is_main_branch(name) {
        pacticipants::adopt_main_branch(tx, version.pacticipant_id, name, now)?;
    }
    if rules.tags_are_deployments
        && let Some(environment) = super::environments::find_named(tx, name)?
    {
        super::environments::deploy(tx, version, &environment, "", now)?;
    }
    Ok(true)
}

/// The first tag of a young version names its branch, too: older clients know tags only.
pub(crate) fn branch_from_first_tag(
    tx: &mut Tx<'_>,
    rules: &Rules,
    version: &Version,
    name: &str,
    now: i64,
) -> Result<(), StoreError> {
    let id = params![version.id];
    if rules.names_branch(now - version.created_at)
        && tx.number("SELECT count(*) FROM branch_version WHERE version_id = $1", id)? == 0
        && tx.number("SELECT count(*) FROM tag WHERE version_id = $1", id)? == 1
    {
        link_to_branch(tx, version, name, true, now)?;
    }
    Ok(())
}

pub(crate) fn remove_tag(tx: &mut Tx<'_>, version: &Version, name: &str) -> Result<bool, StoreError> {
    let gone = tx.execute(
        "DELETE FROM tag WHERE version_id = $1 AND name = $2",
        params![version.id, name],
    )?;
    if gone > 0 {
        refresh_tag_head(tx, version.pacticipant_id, name)?;
        super::results::refresh_first_successes_of_version(tx, version.id)?;
    }
    Ok(gone > 0)
}

fn refresh_tag_head(tx: &mut Tx<'_>, pacticipant: i64, name: &str) -> Result<(), StoreError> {
    let named = params![pacticipant, name];
    tx.execute("DELETE FROM tag_head WHERE pacticipant_id = $1 AND name = $2", named)?;
    tx.execute(
        "INSERT INTO tag_head (pacticipant_id, name, version_id) SELECT pacticipant_id, name, max(version_id) FROM tag
         WHERE pacticipant_id = $1 AND name = $2 GROUP BY pacticipant_id, name",
        named,
    )?;
    Ok(())
}
