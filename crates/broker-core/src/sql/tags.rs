use super::heads;
use super::results::GroupKind;
use super::statement::{self, FromColumns};
use super::versions::Version;
use crate::store::{Columns, StoreError, Tx, params};

#[derive(Clone, Debug)]
pub struct Tag {
    pub version_id: i64,
    pub name: String,
    pub created_at: i64,
    pub is_latest: bool,
}

const TAGS: &str = "SELECT t.version_id, t.name, t.created_at, CASE WHEN h.version_id = t.version_id THEN 1 ELSE 0 END
    FROM tag t JOIN tag_head h ON h.pacticipant_id = t.pacticipant_id AND h.name = t.name";

impl FromColumns for Tag {
    fn from_columns(columns: &mut Columns<'_>) -> Self {
        Self {
            version_id: columns.int(),
            name: columns.text(),
            created_at: columns.int(),
            is_latest: columns.bool(),
        }
    }
}

pub(super) fn of_versions_sql(ids: &str) -> String {
    format!("{TAGS} WHERE t.version_id IN ({ids}) ORDER BY t.name")
}

pub fn of_versions(tx: &mut Tx<'_>, versions: &[i64]) -> Result<Vec<Tag>, StoreError> {
    Ok(FromColumns::from_rows(&tx.query_list(
        of_versions_sql,
        &[],
        versions,
    )?))
}

pub fn find(tx: &mut Tx<'_>, version: i64, name: &str) -> Result<Option<Tag>, StoreError> {
    let sql = format!("{TAGS} WHERE t.version_id = $1 AND t.name = $2");
    statement::find(tx, &sql, params![version, name])
}

pub fn is_used(tx: &mut Tx<'_>, pacticipant: i64, name: &str) -> Result<bool, StoreError> {
    let sql = "SELECT 1 FROM tag_head WHERE pacticipant_id = $1 AND name = $2";
    Ok(tx.query_row(sql, params![pacticipant, name])?.is_some())
}

/// Returns the time at which a version of an application first received a tag, or `None` if no version has the tag.
pub fn first_created_at(tx: &mut Tx<'_>, pacticipant: i64, name: &str) -> Result<Option<i64>, StoreError> {
    let sql = "SELECT min(created_at) FROM tag WHERE pacticipant_id = $1 AND name = $2";
    Ok(tx
        .query_row(sql, params![pacticipant, name])?
        .and_then(|row| row.maybe_int(0)))
}

/// Tags a version. Returns `false` if the version already had the tag.
pub fn add(tx: &mut Tx<'_>, version: &Version, name: &str, now: i64) -> Result<bool, StoreError> {
    tx.lock_row("version", version.id)?;
    let inserted = tx.execute(
        "INSERT INTO tag (version_id, name, pacticipant_id, created_at) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING",
        params![version.id, name, version.pacticipant_id, now],
    )?;
    if inserted == 0 {
        return Ok(false);
    }
    tx.execute_deferred(
        "INSERT INTO tag_head (pacticipant_id, name, version_id) VALUES ($1, $2, $3) ON CONFLICT (pacticipant_id, name)
         DO UPDATE SET version_id = excluded.version_id WHERE excluded.version_id > tag_head.version_id",
        params![version.pacticipant_id, name, version.id],
    )?;
    super::results::join_group(tx, version.id, GroupKind::Tag, name)?;
    Ok(true)
}

pub fn count(tx: &mut Tx<'_>, version: i64) -> Result<i64, StoreError> {
    tx.number("SELECT count(*) FROM tag WHERE version_id = $1", params![version])
}

pub fn remove(tx: &mut Tx<'_>, version: &Version, name: &str) -> Result<bool, StoreError> {
    let removed = tx.execute(
        "DELETE FROM tag WHERE version_id = $1 AND name = $2",
        params![version.id, name],
    )?;
    if removed > 0 {
        heads::of_tag(tx, version.pacticipant_id, name)?;
        super::results::refresh_first_successes_of_version(tx, version.id)?;
    }
    Ok(removed > 0)
}
