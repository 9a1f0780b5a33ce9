//! Reads and writes applications, labels, and integrations.

use super::Page;
use super::statement::{self, Conditions, FromColumns};
use crate::store::{Columns, StoreError, Tx, params};

#[derive(Clone, Debug)]
pub struct Pacticipant {
    pub id: i64,
    pub name: String,
    pub details: Details,
    pub created_at: i64,
    pub updated_at: Option<i64>,
}

impl Pacticipant {
    fn new(id: i64, name: &str, now: i64) -> Self {
        Self {
            id,
            name: name.to_owned(),
            details: Details::default(),
            created_at: now,
            updated_at: None,
        }
    }
}

/// The editable fields of an application.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Details {
    pub display_name: Option<String>,
    pub main_branch: Option<String>,
    pub repository_url: Option<String>,
    pub repository_name: Option<String>,
    pub repository_namespace: Option<String>,
}

const COLUMNS: &str = "p.id, p.name, p.display_name, p.main_branch, p.repository_url, p.repository_name, p.repository_namespace, p.created_at, p.updated_at";

impl FromColumns for Pacticipant {
    fn from_columns(columns: &mut Columns<'_>) -> Self {
        Self {
            id: columns.int(),
            name: columns.text(),
            details: Details {
                display_name: columns.maybe_text(),
                main_branch: columns.maybe_text(),
                repository_url: columns.maybe_text(),
                repository_name: columns.maybe_text(),
                repository_namespace: columns.maybe_text(),
            },
            created_at: columns.int(),
            updated_at: columns.maybe_int(),
        }
    }
}

pub fn find(tx: &mut Tx<'_>, name: &str) -> Result<Option<Pacticipant>, StoreError> {
    let sql = format!("SELECT {COLUMNS} FROM pacticipant p WHERE p.name = $1");
    statement::find(tx, &sql, params![name])
}

/// Finds applications by name. The result has one entry for each name, which is `None` if the application does not
/// exist.
pub fn find_all(tx: &mut Tx<'_>, names: &[&str]) -> Result<Vec<Option<Pacticipant>>, StoreError> {
    let query = |name: &&str| {
        (
            format!("SELECT {COLUMNS} FROM pacticipant p WHERE p.name = $1"),
            params![*name].to_vec(),
        )
    };
    let answers = tx.query_all(&names.iter().map(query).collect::<Vec<_>>())?;
    Ok(answers
        .iter()
        .map(|rows| rows.first().map(Pacticipant::from_row))
        .collect())
}

/// Returns `found`, or finds or creates the application if `found` is `None`.
pub fn or_create(tx: &mut Tx<'_>, found: Option<Pacticipant>, name: &str, now: i64) -> Result<Pacticipant, StoreError> {
    match found {
        Some(found) => Ok(found),
        None => Ok(find_or_create(tx, name, now)?.0),
    }
}

/// Finds or creates an application. Also returns whether the application was created.
pub fn find_or_create(tx: &mut Tx<'_>, name: &str, now: i64) -> Result<(Pacticipant, bool), StoreError> {
    if let Some(known) = find(tx, name)? {
        return Ok((known, false));
    }
    let inserted = tx.query_row(
        "INSERT INTO pacticipant (name, created_at) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING id",
        params![name, now],
    )?;
    match inserted {
        Some(inserted) => Ok((Pacticipant::new(inserted.int(0), name, now), true)),
        // Another transaction created it in the meantime.
        None => Ok((find(tx, name)?.ok_or_else(StoreError::vanished)?, false)),
    }
}

pub fn update(tx: &mut Tx<'_>, id: i64, details: &Details, now: i64) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE pacticipant SET display_name = $1, main_branch = $2, repository_url = $3, repository_name = $4,
         repository_namespace = $5, updated_at = $6 WHERE id = $7",
        params![
            details.display_name.as_deref(),
            details.main_branch.as_deref(),
            details.repository_url.as_deref(),
            details.repository_name.as_deref(),
            details.repository_namespace.as_deref(),
            now,
            id
        ],
    )?;
    Ok(())
}

/// Sets an application's main branch if it has none.
pub fn adopt_main_branch(tx: &mut Tx<'_>, id: i64, branch: &str, now: i64) -> Result<(), StoreError> {
    tx.execute_deferred(
        "UPDATE pacticipant SET main_branch = $1, updated_at = $2 WHERE id = $3 AND main_branch IS NULL",
        params![branch, now, id],
    )?;
    Ok(())
}

/// Deletes an application with all of its data.
pub fn delete(tx: &mut Tx<'_>, id: i64) -> Result<(), StoreError> {
    tx.execute(
        "DELETE FROM publication WHERE consumer_id = $1 OR provider_id = $1",
        params![id],
    )?;
    tx.execute(
        "DELETE FROM content WHERE consumer_id = $1 OR provider_id = $1",
        params![id],
    )?;
    tx.execute("DELETE FROM pacticipant WHERE id = $1", params![id])?;
    Ok(())
}

pub fn names(tx: &mut Tx<'_>) -> Result<Vec<String>, StoreError> {
    Ok(tx
        .query("SELECT name FROM pacticipant", &[])?
        .iter()
        .map(|row| row.text(0))
        .collect())
}

pub fn ids_and_names(tx: &mut Tx<'_>) -> Result<Vec<(i64, String)>, StoreError> {
    let rows = tx.query("SELECT id, name FROM pacticipant", &[])?;
    Ok(rows.iter().map(|row| (row.int(0), row.text(1))).collect())
}

/// Returns a page of the applications, ordered by name, and their total number. `search` selects applications whose
/// name or display name contains it; `None` selects all.
pub fn list(tx: &mut Tx<'_>, search: Option<&str>, page: Page) -> Result<(Vec<Pacticipant>, i64), StoreError> {
    let mut conditions = Conditions::default();
    if let Some(text) = search {
        let pattern = conditions.parameter(like(text));
        conditions.add(format!(
            "(lower(p.name) LIKE {pattern} ESCAPE '!' OR lower(p.display_name) LIKE {pattern} ESCAPE '!')"
        ));
    }
    statement::list_page(
        tx,
        (COLUMNS, "pacticipant p", "lower(p.name), p.name"),
        conditions,
        page,
    )
}

/// Returns an SQL pattern for LIKE that matches strings that contain `text`.
pub fn like(text: &str) -> String {
    let escaped = text
        .to_lowercase()
        .replace('!', "!!")
        .replace('%', "!%")
        .replace('_', "!_");
    format!("%{escaped}%")
}

pub fn by_label(tx: &mut Tx<'_>, label: &str) -> Result<Vec<Pacticipant>, StoreError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM pacticipant p JOIN label l ON l.pacticipant_id = p.id WHERE l.name = $1 ORDER BY lower(p.name), p.name"
    );
    statement::list(tx, &sql, params![label])
}

#[derive(Clone, Debug)]
pub struct Label {
    pub pacticipant_id: i64,
    pub name: String,
    pub created_at: i64,
}

pub fn labels_of(tx: &mut Tx<'_>, ids: &[i64]) -> Result<Vec<Label>, StoreError> {
    let rows = tx.query_list(
        |ids| {
            format!("SELECT pacticipant_id, name, created_at FROM label WHERE pacticipant_id IN ({ids}) ORDER BY name")
        },
        &[],
        ids,
    )?;
    Ok(FromColumns::from_rows(&rows))
}

impl FromColumns for Label {
    fn from_columns(columns: &mut Columns<'_>) -> Self {
        Self {
            pacticipant_id: columns.int(),
            name: columns.text(),
            created_at: columns.int(),
        }
    }
}

pub fn label_names(tx: &mut Tx<'_>, page: Page) -> Result<(Vec<String>, i64), StoreError> {
    let total = tx.number("SELECT count(DISTINCT name) FROM label", &[])?;
    let rows = tx.query(
        "SELECT DISTINCT name FROM label ORDER BY name LIMIT $1 OFFSET $2",
        params![page.size, page.offset()],
    )?;
    Ok((rows.iter().map(|row| row.text(0)).collect(), total))
}

pub fn add_label(tx: &mut Tx<'_>, id: i64, label: &str, now: i64) -> Result<bool, StoreError> {
    let inserted = tx.execute(
        "INSERT INTO label (pacticipant_id, name, created_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
        params![id, label, now],
    )?;
    Ok(inserted > 0)
}

pub fn remove_label(tx: &mut Tx<'_>, id: i64, label: &str) -> Result<bool, StoreError> {
    Ok(tx.execute(
        "DELETE FROM label WHERE pacticipant_id = $1 AND name = $2",
        params![id, label],
    )? > 0)
}

/// A consumer and a provider for which a contract was published.
#[derive(Clone, Debug)]
pub struct Integration {
    pub consumer_id: i64,
    pub consumer: String,
    pub provider_id: i64,
    pub provider: String,
}

const INTEGRATIONS: &str = "SELECT i.consumer_id, c.name, i.provider_id, p.name FROM integration i
    JOIN pacticipant c ON c.id = i.consumer_id JOIN pacticipant p ON p.id = i.provider_id";

impl FromColumns for Integration {
    fn from_columns(columns: &mut Columns<'_>) -> Self {
        Self {
            consumer_id: columns.int(),
            consumer: columns.text(),
            provider_id: columns.int(),
            provider: columns.text(),
        }
    }
}

pub fn integrations(tx: &mut Tx<'_>, page: Page) -> Result<(Vec<Integration>, i64), StoreError> {
    let total = tx.number("SELECT count(*) FROM integration", &[])?;
    let sql = format!("{INTEGRATIONS} ORDER BY lower(c.name), c.name, lower(p.name), p.name LIMIT $1 OFFSET $2");
    Ok((statement::list(tx, &sql, params![page.size, page.offset()])?, total))
}

/// Returns the integrations in which an application is the consumer or the provider.
pub fn integrations_of(tx: &mut Tx<'_>, id: i64) -> Result<Vec<Integration>, StoreError> {
    let sql =
        format!("{INTEGRATIONS} WHERE i.consumer_id = $1 OR i.provider_id = $1 ORDER BY lower(c.name), lower(p.name)");
    statement::list(tx, &sql, params![id])
}

pub fn integrate(tx: &mut Tx<'_>, consumer: i64, provider: i64, now: i64) -> Result<(), StoreError> {
    tx.execute_deferred(
        "INSERT INTO integration (consumer_id, provider_id, created_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
        params![consumer, provider, now],
    )?;
    Ok(())
}

/// Deletes an integration with its contracts and results. Returns `false` if the integration does not exist.
pub fn delete_integration(tx: &mut Tx<'_>, consumer: i64, provider: i64) -> Result<bool, StoreError> {
    let pair = params![consumer, provider];
    tx.execute(
        "DELETE FROM publication WHERE consumer_id = $1 AND provider_id = $2",
        pair,
    )?;
    tx.execute("DELETE FROM content WHERE consumer_id = $1 AND provider_id = $2", pair)?;
    Ok(tx.execute(
        "DELETE FROM integration WHERE consumer_id = $1 AND provider_id = $2",
        pair,
    )? > 0)
}
