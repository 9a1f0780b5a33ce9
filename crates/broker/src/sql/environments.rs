//! Environments, and the versions that are deployed to or released in them.

use super::versions::Version;
use crate::store::{Row, StoreError, Tx, Value, params};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Environment {
    pub(crate) id: i64,
    pub(crate) uuid: String,
    pub(crate) name: String,
    pub(crate) display_name: String,
    pub(crate) production: bool,
    /// JSON.
    pub(crate) contacts: Option<String>,
    pub(crate) created_at: i64,
    pub(crate) updated_at: Option<i64>,
}

const COLUMNS: &str = "e.id, e.uuid, e.name, e.display_name, e.production, e.contacts, e.created_at, e.updated_at";
const WIDTH: usize = 8;

fn of(row: &Row, from: usize) -> Environment {
    Environment {
        id: row.int(from),
        uuid: row.text(from + 1),
        name: row.text(from + 2),
        display_name: row.text(from + 3),
        production: row.bool(from + 4),
        contacts: row.maybe_text(from + 5),
        created_at: row.int(from + 6),
        updated_at: row.maybe_int(from + 7),
    }
}

pub(crate) fn all(tx: &mut Tx<'_>) -> Result<Vec<Environment>, StoreError> {
    let rows = tx.query(
        &format!("SELECT {COLUMNS} FROM environment e ORDER BY e.display_name, e.name"),
        &[],
    )?;
    Ok(rows.iter().map(|row| of(row, 0)).collect())
}

pub(crate) fn find(tx: &mut Tx<'_>, uuid: &str) -> Result<Option<Environment>, StoreError> {
    let row = tx.one(
        &format!("SELECT {COLUMNS} FROM environment e WHERE e.uuid = $1"),
        params![uuid],
    )?;
    Ok(row.map(|row| of(&row, 0)))
}

pub(crate) fn find_named(tx: &mut Tx<'_>, name: &str) -> Result<Option<Environment>, StoreError> {
    let row = tx.one(
        &format!("SELECT {COLUMNS} FROM environment e WHERE e.name = $1"),
        params![name],
    )?;
    Ok(row.map(|row| of(&row, 0)))
}

/// The editable fields of an environment.
pub(crate) struct Description<'a> {
    pub(crate) name: &'a str,
    pub(crate) display_name: &'a str,
    pub(crate) production: bool,
    pub(crate) contacts: Option<&'a str>,
}

pub(crate) fn create(tx: &mut Tx<'_>, description: &Description<'_>, now: i64) -> Result<Environment, StoreError> {
    let uuid = new_uuid();
    tx.execute(
        "INSERT INTO environment (uuid, name, display_name, production, contacts, created_at)
         VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING",
        params![
            &uuid,
            description.name,
            description.display_name,
            description.production,
            description.contacts,
            now
        ],
    )?;
    find(tx, &uuid)?.ok_or_else(StoreError::vanished)
}

pub(crate) fn update(tx: &mut Tx<'_>, id: i64, description: &Description<'_>, now: i64) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE environment SET name = $1, display_name = $2, production = $3, contacts = $4, updated_at = $5 WHERE id = $6",
        params![
            description.name,
            description.display_name,
            description.production,
            description.contacts,
            now,
            id
        ],
    )?;
    Ok(())
}

pub(crate) fn delete(tx: &mut Tx<'_>, id: i64) -> Result<(), StoreError> {
    tx.execute("DELETE FROM environment WHERE id = $1", params![id])?;
    Ok(())
}

/// A deployment or release of a version.
#[derive(Clone, Debug)]
pub(crate) struct Presence {
    pub(crate) id: i64,
    pub(crate) uuid: String,
    pub(crate) kind: PresenceKind,
    pub(crate) version_id: i64,
    pub(crate) version: String,
    pub(crate) pacticipant: String,
    /// The application instance of a deployment.
    pub(crate) instance: Option<String>,
    pub(crate) is_current: bool,
    pub(crate) created_at: i64,
    pub(crate) ended_at: Option<i64>,
    pub(crate) environment: Environment,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PresenceKind {
    /// Current until another version is deployed to the same instance.
    Deployed,
    /// Current until its support ends. Several versions can be released at the same time.
    Released,
}

fn select(kind: PresenceKind) -> String {
    let (table, instance) = match kind {
        PresenceKind::Deployed => ("deployment", "d.instance"),
        PresenceKind::Released => ("released", "''"),
    };
    format!(
        "SELECT {COLUMNS}, d.id, d.uuid, d.version_id, v.number, p.name, {instance}, d.is_current, d.created_at, d.ended_at
         FROM {table} d JOIN version v ON v.id = d.version_id JOIN pacticipant p ON p.id = v.pacticipant_id
         JOIN environment e ON e.id = d.environment_id"
    )
}

pub(super) fn presence(row: &Row, kind: PresenceKind) -> Presence {
    Presence {
        environment: of(row, 0),
        kind,
        id: row.int(WIDTH),
        uuid: row.text(WIDTH + 1),
        version_id: row.int(WIDTH + 2),
        version: row.text(WIDTH + 3),
        pacticipant: row.text(WIDTH + 4),
        instance: row.maybe_text(WIDTH + 5).filter(|instance| !instance.is_empty()),
        is_current: row.bool(WIDTH + 6),
        created_at: row.int(WIDTH + 7),
        ended_at: row.maybe_int(WIDTH + 8),
    }
}

fn where_is(
    tx: &mut Tx<'_>,
    kind: PresenceKind,
    condition: &str,
    parameters: &[Value],
) -> Result<Vec<Presence>, StoreError> {
    let rows = tx.query(&format!("{} WHERE {condition}", select(kind)), parameters)?;
    Ok(rows.iter().map(|row| presence(row, kind)).collect())
}

pub(crate) fn find_presence(tx: &mut Tx<'_>, kind: PresenceKind, uuid: &str) -> Result<Option<Presence>, StoreError> {
    Ok(where_is(tx, kind, "d.uuid = $1", params![uuid])?.pop())
}

/// Returns the current versions in an environment.
pub(crate) fn current_in(tx: &mut Tx<'_>, kind: PresenceKind, environment: i64) -> Result<Vec<Presence>, StoreError> {
    where_is(
        tx,
        kind,
        "d.environment_id = $1 AND d.is_current = 1 ORDER BY d.id DESC",
        params![environment],
    )
}

pub(super) fn of_versions_sql(kind: PresenceKind) -> String {
    format!("{} WHERE d.version_id IN ({{ids}}) ORDER BY d.id DESC", select(kind))
}

/// Returns current and past deployments or releases of versions, newest first.
pub(crate) fn of_versions(tx: &mut Tx<'_>, kind: PresenceKind, versions: &[i64]) -> Result<Vec<Presence>, StoreError> {
    Ok(tx
        .query_list(&of_versions_sql(kind), &[], versions)?
        .iter()
        .map(|row| presence(row, kind))
        .collect())
}

/// Returns the current deployments or releases of an application.
pub(crate) fn current_of(tx: &mut Tx<'_>, kind: PresenceKind, pacticipant: i64) -> Result<Vec<Presence>, StoreError> {
    where_is(
        tx,
        kind,
        "d.pacticipant_id = $1 AND d.is_current = 1 ORDER BY d.id DESC",
        params![pacticipant],
    )
}

/// Records a deployment, which ends the previous one of the same instance. Repeating a deployment has no effect.
pub(crate) fn deploy(
    tx: &mut Tx<'_>,
    version: &Version,
    environment: &Environment,
    instance: &str,
    now: i64,
) -> Result<Presence, StoreError> {
    let slot = "d.environment_id = $1 AND d.pacticipant_id = $2 AND d.instance = $3 AND d.is_current = 1";
    let parameters = params![environment.id, version.pacticipant_id, instance];
    let before = where_is(tx, PresenceKind::Deployed, slot, parameters)?.pop();
    if let Some(before) = before {
        if before.version_id == version.id {
            return Ok(before);
        }
        end(tx, &before, now)?;
    }
    let uuid = new_uuid();
    let made = tx.execute(
        "INSERT INTO deployment (uuid, version_id, pacticipant_id, environment_id, instance, is_current, created_at)
         VALUES ($1, $2, $3, $4, $5, 1, $6) ON CONFLICT DO NOTHING",
        params![&uuid, version.id, version.pacticipant_id, environment.id, instance, now],
    )?;
    if made == 0 {
        return Err(StoreError::vanished());
    }
    find_presence(tx, PresenceKind::Deployed, &uuid)?.ok_or_else(StoreError::vanished)
}

/// Records a release. Returns `true` if the version was not released in the environment before.
pub(crate) fn release(
    tx: &mut Tx<'_>,
    version: &Version,
    environment: &Environment,
    now: i64,
) -> Result<(Presence, bool), StoreError> {
    let made = tx.execute(
        "INSERT INTO released (uuid, version_id, pacticipant_id, environment_id, is_current, created_at)
         VALUES ($1, $2, $3, $4, 1, $5) ON CONFLICT DO NOTHING",
        params![new_uuid(), version.id, version.pacticipant_id, environment.id, now],
    )?;
    let which = params![version.id, environment.id];
    if made == 0 {
        tx.execute(
            "UPDATE released SET is_current = 1, ended_at = NULL WHERE version_id = $1 AND environment_id = $2",
            which,
        )?;
    }
    let found = where_is(
        tx,
        PresenceKind::Released,
        "d.version_id = $1 AND d.environment_id = $2",
        which,
    )?
    .pop();
    Ok((found.ok_or_else(StoreError::vanished)?, made > 0))
}

/// Ends a deployment or the support of a release.
pub(crate) fn end(tx: &mut Tx<'_>, presence: &Presence, now: i64) -> Result<(), StoreError> {
    let table = match presence.kind {
        PresenceKind::Deployed => "deployment",
        PresenceKind::Released => "released",
    };
    tx.execute(
        &format!("UPDATE {table} SET is_current = 0, ended_at = $1 WHERE id = $2 AND is_current = 1"),
        params![now, presence.id],
    )?;
    Ok(())
}

fn new_uuid() -> String {
    uuid::Builder::from_random_bytes(fastrand::u128(..).to_be_bytes())
        .into_uuid()
        .to_string()
}
