//! Reads and writes webhooks.

use super::Page;
use super::statement::{self, Conditions, FromColumns};
use crate::store::{Columns, StoreError, Tx, Value, params};

/// The consumers or providers to which a webhook applies: all, one application, or the applications with a label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Participant {
    Any,
    /// The ID and the name of the application.
    Application(i64, String),
    Label(String),
}

#[derive(Clone, Debug)]
pub struct Webhook {
    pub id: i64,
    pub uuid: String,
    pub description: Option<String>,
    pub consumer: Participant,
    pub provider: Participant,
    pub enabled: bool,
    /// The names of the events as a JSON array.
    pub events: String,
    /// The request as JSON, in which secret values are null.
    pub request: String,
    /// The encrypted secrets of the request, or `None` if it contains none.
    pub secrets: Option<String>,
    pub created_at: i64,
    pub updated_at: Option<i64>,
}

const COLUMNS: &str =
    "w.id, w.uuid, w.description, w.consumer_id, c.name, w.consumer_label, w.provider_id, p.name, w.provider_label,
    w.enabled, w.events, w.request, w.secrets, w.created_at, w.updated_at";
const TABLES: &str =
    "webhook w LEFT JOIN pacticipant c ON c.id = w.consumer_id LEFT JOIN pacticipant p ON p.id = w.provider_id";

impl FromColumns for Participant {
    fn from_columns(columns: &mut Columns<'_>) -> Self {
        match (columns.maybe_int(), columns.maybe_text(), columns.maybe_text()) {
            (Some(id), Some(name), _) => Self::Application(id, name),
            (_, _, Some(label)) => Self::Label(label),
            _ => Self::Any,
        }
    }
}

impl Participant {
    /// Returns the values of the ID column and the label column.
    fn columns(&self) -> [Value; 2] {
        match self {
            Self::Any => [Value::Null, Value::Null],
            Self::Application(id, _) => [(*id).into(), Value::Null],
            Self::Label(label) => [Value::Null, label.into()],
        }
    }
}

impl FromColumns for Webhook {
    fn from_columns(columns: &mut Columns<'_>) -> Self {
        Self {
            id: columns.int(),
            uuid: columns.text(),
            description: columns.maybe_text(),
            consumer: Participant::from_columns(columns),
            provider: Participant::from_columns(columns),
            enabled: columns.bool(),
            events: columns.text(),
            request: columns.text(),
            secrets: columns.maybe_text(),
            created_at: columns.int(),
            updated_at: columns.maybe_int(),
        }
    }
}

pub fn find(tx: &mut Tx<'_>, uuid: &str) -> Result<Option<Webhook>, StoreError> {
    let sql = format!("SELECT {COLUMNS} FROM {TABLES} WHERE w.uuid = $1");
    statement::find(tx, &sql, params![uuid])
}

/// Returns a page of the webhooks, oldest first, and the total number of webhooks.
pub fn list(tx: &mut Tx<'_>, page: Page) -> Result<(Vec<Webhook>, i64), StoreError> {
    statement::list_page(tx, (COLUMNS, TABLES, "w.id"), Conditions::default(), page)
}

/// Returns the webhooks that are set up for exactly this consumer and provider. `None` stands for webhooks that do not
/// name a consumer or provider.
pub fn of_pair(
    tx: &mut Tx<'_>,
    consumer: Option<i64>,
    provider: Option<i64>,
    page: Page,
) -> Result<Vec<Webhook>, StoreError> {
    let mut conditions = Conditions::default();
    for (column, id) in [("w.consumer_id", consumer), ("w.provider_id", provider)] {
        match id {
            Some(id) => conditions.equal(column, id),
            None => conditions.add(format!("{column} IS NULL")),
        }
    }
    Ok(statement::list_page(tx, (COLUMNS, TABLES, "w.id"), conditions, page)?.0)
}

/// Inserts a webhook, or replaces the webhook with the same UUID.
pub fn save(tx: &mut Tx<'_>, webhook: &Webhook) -> Result<(), StoreError> {
    let [consumer_id, consumer_label] = webhook.consumer.columns();
    let [provider_id, provider_label] = webhook.provider.columns();
    tx.execute(
        "INSERT INTO webhook (uuid, description, consumer_id, consumer_label, provider_id, provider_label, enabled, events, request,
           secrets, created_at, updated_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
         ON CONFLICT (uuid) DO UPDATE SET description = excluded.description, consumer_id = excluded.consumer_id,
           consumer_label = excluded.consumer_label, provider_id = excluded.provider_id, provider_label = excluded.provider_label,
           enabled = excluded.enabled, events = excluded.events, request = excluded.request, secrets = excluded.secrets,
           updated_at = excluded.updated_at",
        params![
            &webhook.uuid,
            webhook.description.as_deref(),
            consumer_id,
            consumer_label,
            provider_id,
            provider_label,
            webhook.enabled,
            &webhook.events,
            &webhook.request,
            webhook.secrets.as_deref(),
            webhook.created_at,
            webhook.updated_at
        ],
    )?;
    Ok(())
}

/// Deletes a webhook. Its deliveries are kept, but those that are not finished fail.
pub fn delete(tx: &mut Tx<'_>, id: i64) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE delivery SET status = 'failure', is_waiting = 0, due_at = NULL WHERE webhook_id = $1 AND is_waiting = 1",
        params![id],
    )?;
    tx.execute("DELETE FROM webhook WHERE id = $1", params![id])?;
    Ok(())
}

/// An enabled webhook that applies to the contracts between a consumer and a provider.
#[derive(Clone, Debug)]
pub struct Listener {
    pub id: i64,
    pub uuid: String,
    pub description: Option<String>,
    /// The names of the events.
    pub events: Vec<String>,
    /// The request as JSON, in which secret values are null.
    pub request: String,
}

impl FromColumns for Listener {
    fn from_columns(columns: &mut Columns<'_>) -> Self {
        Self {
            id: columns.int(),
            uuid: columns.text(),
            description: columns.maybe_text(),
            events: serde_json::from_str(&columns.text()).unwrap_or_default(),
            request: columns.text(),
        }
    }
}

/// Returns the enabled webhooks that apply to the contracts between a consumer and a provider. Each SELECT reads one
/// range of an index and skips the webhooks for other applications.
pub fn listeners(tx: &mut Tx<'_>, consumer: i64, provider: i64) -> Result<Vec<Listener>, StoreError> {
    let labeled = |label: &str, application: &str| {
        format!(
            "({label} IS NULL OR EXISTS (SELECT 1 FROM label l WHERE l.pacticipant_id = {application} AND l.name = {label}))"
        )
    };
    let select = |consumer: &str, provider: &str| {
        format!(
            "SELECT w.id, w.uuid, w.description, w.events, w.request FROM webhook w
             WHERE w.consumer_id {consumer} AND w.provider_id {provider} AND w.enabled = 1 AND {} AND {}",
            labeled("w.consumer_label", "$1"),
            labeled("w.provider_label", "$2")
        )
    };
    let selects = [
        select("= $1", "= $2"),
        select("= $1", "IS NULL"),
        select("IS NULL", "= $2"),
        select("IS NULL", "IS NULL"),
    ];
    let sql = format!("{} ORDER BY 1", selects.join(" UNION ALL "));
    statement::list(tx, &sql, params![consumer, provider])
}

/// Returns the ID of the newest publication to which a webhook applies, as an example for testing the webhook.
pub fn example(tx: &mut Tx<'_>, consumer: &Participant, provider: &Participant) -> Result<Option<i64>, StoreError> {
    let mut conditions = Conditions::default();
    conditions.add("pub.newest = 1");
    for (participant, column) in [(consumer, "pub.consumer_id"), (provider, "pub.provider_id")] {
        match participant {
            Participant::Any => {}
            Participant::Application(id, _) => conditions.equal(column, *id),
            Participant::Label(label) => {
                let label = conditions.parameter(label);
                conditions.add(format!(
                    "EXISTS (SELECT 1 FROM label l WHERE l.pacticipant_id = {column} AND l.name = {label})"
                ));
            }
        }
    }
    let sql = format!(
        "SELECT pub.id FROM publication pub {} ORDER BY pub.id DESC LIMIT 1",
        conditions.where_clause()
    );
    Ok(tx.query_row(&sql, conditions.parameters())?.map(|row| row.int(0)))
}
