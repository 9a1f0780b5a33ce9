//! Environments, and the versions that are deployed to them or released in them.

use super::statement::{self, FromColumns};
use super::versions::Version;
use crate::store::{Columns, Row, StoreError, Tx, Value, params};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Environment {
    pub id: i64,
    pub uuid: String,
    pub name: String,
    pub display_name: String,
    pub production: bool,
    /// The contacts as a JSON array, or `None` if there are none.
    pub contacts: Option<String>,
    pub created_at: i64,
    pub updated_at: Option<i64>,
}

const COLUMNS: &str = "e.id, e.uuid, e.name, e.display_name, e.production, e.contacts, e.created_at, e.updated_at";

impl FromColumns for Environment {
    fn from_columns(columns: &mut Columns<'_>) -> Self {
        Self {
            id: columns.int(),
            uuid: columns.text(),
            name: columns.text(),
            display_name: columns.text(),
            production: columns.bool(),
            contacts: columns.maybe_text(),
            created_at: columns.int(),
            updated_at: columns.maybe_int(),
        }
    }
}

pub fn all(tx: &mut Tx<'_>) -> Result<Vec<Environment>, StoreError> {
    let sql = format!("SELECT {COLUMNS} FROM environment e ORDER BY e.display_name, e.name");
    statement::list(tx, &sql, &[])
}

pub fn find(tx: &mut Tx<'_>, uuid: &str) -> Result<Option<Environment>, StoreError> {
    let sql = format!("SELECT {COLUMNS} FROM environment e WHERE e.uuid = $1");
    statement::find(tx, &sql, params![uuid])
}

pub fn find_named(tx: &mut Tx<'_>, name: &str) -> Result<Option<Environment>, StoreError> {
    let sql = format!("SELECT {COLUMNS} FROM environment e WHERE e.name = $1");
    statement::find(tx, &sql, params![name])
}

/// The editable fields of an environment.
pub struct Description<'a> {
    pub name: &'a str,
    pub display_name: &'a str,
    pub production: bool,
    pub contacts: Option<&'a str>,
}

pub fn create(tx: &mut Tx<'_>, description: &Description<'_>, now: i64) -> Result<Environment, StoreError> {
    let uuid = new_uuid();
    insert(tx, &uuid, description, now)?;
    find(tx, &uuid)?.ok_or_else(StoreError::vanished)
}

pub fn insert(tx: &mut Tx<'_>, uuid: &str, description: &Description<'_>, now: i64) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO environment (uuid, name, display_name, production, contacts, created_at)
         VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING",
        params![
            uuid,
            description.name,
            description.display_name,
            description.production,
            description.contacts,
            now
        ],
    )?;
    Ok(())
}

pub fn update(tx: &mut Tx<'_>, id: i64, description: &Description<'_>, now: i64) -> Result<(), StoreError> {
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

pub fn delete(tx: &mut Tx<'_>, id: i64) -> Result<(), StoreError> {
    tx.execute("DELETE FROM environment WHERE id = $1", params![id])?;
    Ok(())
}

/// Returns whether the environment with this ID has current or past deployments or releases.
pub fn is_used(tx: &mut Tx<'_>, id: i64) -> Result<bool, StoreError> {
    let count = tx.number(
        "SELECT (SELECT count(*) FROM deployment WHERE environment_id = $1)
           + (SELECT count(*) FROM released WHERE environment_id = $1)",
        params![id],
    )?;
    Ok(count > 0)
}

/// A deployment or release of a version.
#[derive(Clone, Debug)]
pub struct Presence {
    pub id: i64,
    pub uuid: String,
    pub kind: PresenceKind,
    pub version_id: i64,
    pub version: String,
    pub pacticipant: String,
    /// The application instance of a deployment, or `None` for a release and for an application with a single instance.
    pub instance: Option<String>,
    pub is_current: bool,
    pub created_at: i64,
    pub ended_at: Option<i64>,
    pub environment: Environment,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PresenceKind {
    /// The version is current until the deployment ends or another version is deployed to the same application
    /// instance.
    Deployed,
    /// The version is current until its support ends. Several versions can be released at the same time.
    Released,
}

impl PresenceKind {
    pub(super) fn table(self) -> &'static str {
        match self {
            Self::Deployed => "deployment",
            Self::Released => "released",
        }
    }
}

fn select(kind: PresenceKind) -> String {
    let table = kind.table();
    let instance = match kind {
        PresenceKind::Deployed => "d.instance",
        PresenceKind::Released => "''",
    };
    format!(
        "SELECT {COLUMNS}, d.id, d.uuid, d.version_id, v.number, p.name, {instance}, d.is_current, d.created_at, d.ended_at
         FROM {table} d JOIN version v ON v.id = d.version_id JOIN pacticipant p ON p.id = v.pacticipant_id
         JOIN environment e ON e.id = d.environment_id"
    )
}

pub(super) fn presence(row: &Row, kind: PresenceKind) -> Presence {
    let mut columns = row.columns();
    Presence {
        kind,
        environment: Environment::from_columns(&mut columns),
        id: columns.int(),
        uuid: columns.text(),
        version_id: columns.int(),
        version: columns.text(),
        pacticipant: columns.text(),
        instance: columns.maybe_text().filter(|instance| !instance.is_empty()),
        is_current: columns.bool(),
        created_at: columns.int(),
        ended_at: columns.maybe_int(),
    }
}

fn find_presences(
    tx: &mut Tx<'_>,
    kind: PresenceKind,
    condition: &str,
    parameters: &[Value],
) -> Result<Vec<Presence>, StoreError> {
    let rows = tx.query(&format!("{} WHERE {condition}", select(kind)), parameters)?;
    Ok(rows.iter().map(|row| presence(row, kind)).collect())
}

pub fn find_presence(tx: &mut Tx<'_>, kind: PresenceKind, uuid: &str) -> Result<Option<Presence>, StoreError> {
    Ok(find_presences(tx, kind, "d.uuid = $1", params![uuid])?.pop())
}

/// Returns the current deployments or releases in an environment, newest first.
pub fn current_in(tx: &mut Tx<'_>, kind: PresenceKind, environment: i64) -> Result<Vec<Presence>, StoreError> {
    find_presences(
        tx,
        kind,
        "d.environment_id = $1 AND d.is_current = 1 ORDER BY d.id DESC",
        params![environment],
    )
}

pub(super) fn of_versions_sql(kind: PresenceKind, ids: &str) -> String {
    format!("{} WHERE d.version_id IN ({ids}) ORDER BY d.id DESC", select(kind))
}

/// Returns all deployments or releases of versions, including past ones, newest first.
pub fn of_versions(tx: &mut Tx<'_>, kind: PresenceKind, versions: &[i64]) -> Result<Vec<Presence>, StoreError> {
    Ok(tx
        .query_list(|ids| of_versions_sql(kind, ids), &[], versions)?
        .iter()
        .map(|row| presence(row, kind))
        .collect())
}

/// Returns the current deployments or releases of an application.
pub fn current_of(tx: &mut Tx<'_>, kind: PresenceKind, pacticipant: i64) -> Result<Vec<Presence>, StoreError> {
    find_presences(
        tx,
        kind,
        "d.pacticipant_id = $1 AND d.is_current = 1 ORDER BY d.id DESC",
        params![pacticipant],
    )
}

/// Returns the current deployment of an application instance, or `None` if there is none. An empty `instance` stands
/// for an application with a single instance.
pub fn current_deployment(
    tx: &mut Tx<'_>,
    pacticipant: i64,
    environment: i64,
    instance: &str,
) -> Result<Option<Presence>, StoreError> {
    let condition = "d.environment_id = $1 AND d.pacticipant_id = $2 AND d.instance = $3 AND d.is_current = 1";
    let parameters = params![environment, pacticipant, instance];
    Ok(find_presences(tx, PresenceKind::Deployed, condition, parameters)?.pop())
}

/// Inserts a deployment. The application instance must not have a current deployment.
pub fn insert_deployment(
    tx: &mut Tx<'_>,
    version: &Version,
    environment: &Environment,
    instance: &str,
    now: i64,
) -> Result<Presence, StoreError> {
    let uuid = new_uuid();
    let inserted = tx.execute(
        "INSERT INTO deployment (uuid, version_id, pacticipant_id, environment_id, instance, is_current, created_at)
         VALUES ($1, $2, $3, $4, $5, 1, $6) ON CONFLICT DO NOTHING",
        params![&uuid, version.id, version.pacticipant_id, environment.id, instance, now],
    )?;
    if inserted == 0 {
        return Err(StoreError::vanished());
    }
    find_presence(tx, PresenceKind::Deployed, &uuid)?.ok_or_else(StoreError::vanished)
}

/// Inserts a deployment or a release with a given UUID, start, and end. Returns `false` if it already exists.
pub fn insert_presence(
    tx: &mut Tx<'_>,
    (kind, uuid): (PresenceKind, &str),
    version: &Version,
    environment: &Environment,
    instance: &str,
    (created_at, ended_at): (i64, Option<i64>),
) -> Result<bool, StoreError> {
    let (column, value) = match kind {
        PresenceKind::Deployed => ("instance, ", "$8, "),
        PresenceKind::Released => ("", ""),
    };
    let sql = format!(
        "INSERT INTO {} (uuid, version_id, pacticipant_id, environment_id, {column}is_current, created_at, ended_at)
         VALUES ($1, $2, $3, $4, {value}$5, $6, $7) ON CONFLICT DO NOTHING",
        kind.table()
    );
    let mut parameters = params![
        uuid,
        version.id,
        version.pacticipant_id,
        environment.id,
        ended_at.is_none(),
        created_at,
        ended_at
    ]
    .to_vec();
    if kind == PresenceKind::Deployed {
        parameters.push(instance.into());
    }
    Ok(tx.execute(&sql, &parameters)? > 0)
}

/// Records a release. If the version was released in the environment before, that release becomes current again. Also
/// returns whether this is the first release.
pub fn release(
    tx: &mut Tx<'_>,
    version: &Version,
    environment: &Environment,
    now: i64,
) -> Result<(Presence, bool), StoreError> {
    let inserted = tx.execute(
        "INSERT INTO released (uuid, version_id, pacticipant_id, environment_id, is_current, created_at)
         VALUES ($1, $2, $3, $4, 1, $5) ON CONFLICT DO NOTHING",
        params![new_uuid(), version.id, version.pacticipant_id, environment.id, now],
    )?;
    let parameters = params![version.id, environment.id];
    if inserted == 0 {
        tx.execute(
            "UPDATE released SET is_current = 1, ended_at = NULL WHERE version_id = $1 AND environment_id = $2",
            parameters,
        )?;
    }
    let found = find_presences(
        tx,
        PresenceKind::Released,
        "d.version_id = $1 AND d.environment_id = $2",
        parameters,
    )?
    .pop();
    Ok((found.ok_or_else(StoreError::vanished)?, inserted > 0))
}

/// Ends a deployment, or the support of a release.
pub fn end(tx: &mut Tx<'_>, presence: &Presence, now: i64) -> Result<(), StoreError> {
    let table = presence.kind.table();
    tx.execute(
        &format!("UPDATE {table} SET is_current = 0, ended_at = $1 WHERE id = $2 AND is_current = 1"),
        params![now, presence.id],
    )?;
    Ok(())
}

pub(super) fn new_uuid() -> String {
    uuid::Builder::from_random_bytes(fastrand::u128(..).to_be_bytes())
        .into_uuid()
        .to_string()
}
