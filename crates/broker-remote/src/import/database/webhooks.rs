//! Reads webhooks. Their secrets are not imported.

use contract_broker_core::cases::import::{ImportedParticipant, Record};
use contract_broker_core::store::Row;
use contract_broker_domain::webhook::{WebhookRequest, has_parameter, is_secret_header};
use serde_json::{Map, Value};

use super::super::read::{WebhookColumns, complete_webhook};
use super::{ReadResult, Reader, by, milliseconds};

impl Reader<'_, '_> {
    pub(super) fn read_webhooks(&mut self) -> ReadResult {
        let sql = format!(
            "SELECT w.id, w.uuid, w.description, w.method, w.url, w.headers, w.body, CAST(COALESCE(w.is_json_request_body, false) AS INT),
               w.username, CAST(w.password IS NOT NULL AS INT), CAST(COALESCE(w.enabled, true) AS INT), c.name, w.consumer_label,
               p.name, w.provider_label, COALESCE({created}, 0)
             FROM webhooks w LEFT JOIN pacticipants c ON c.id = w.consumer_id LEFT JOIN pacticipants p ON p.id = w.provider_id
             WHERE w.id > $1 ORDER BY w.id LIMIT $2",
            created = milliseconds("w.created_at")
        );
        self.each_batch::<1>(&sql, |reader, rows| {
            let ids: Vec<i64> = rows.iter().map(|row| row.int(0)).collect();
            let events = |ids: &str| {
                format!("SELECT webhook_id, name FROM webhook_events WHERE webhook_id IN ({ids}) ORDER BY id")
            };
            let mut events = by(reader.tx.query_list(events, &[], &ids)?, 0);
            for row in rows {
                let events = events.remove(&row.int(0)).unwrap_or_default();
                let events = events.iter().map(|event| event.text(1)).collect();
                let (request, hidden) = request(&row);
                match complete_webhook(columns(&row, events), &request, hidden, "are not imported") {
                    Ok((webhook, problem)) => {
                        reader.add(Record::Webhook(webhook))?;
                        if let Some(problem) = problem {
                            reader.note(problem)?;
                        }
                    }
                    Err(problem) => reader.fail("webhooks", format!("webhook {}: {problem}", row.text(1)))?,
                }
            }
            Ok(())
        })?;
        self.progress("webhooks")
    }
}

fn columns(row: &Row, events: Vec<String>) -> WebhookColumns {
    WebhookColumns {
        uuid: row.text(1),
        description: row.maybe_text(2),
        consumer: participant(row.maybe_text(11), row.maybe_text(12)),
        provider: participant(row.maybe_text(13), row.maybe_text(14)),
        enabled: row.bool(10),
        events,
        created_at: row.int(15),
    }
}

fn participant(name: Option<String>, label: Option<String>) -> ImportedParticipant {
    match (name, label) {
        (Some(name), _) => ImportedParticipant::Application(name),
        (None, Some(label)) => ImportedParticipant::Label(label),
        (None, None) => ImportedParticipant::Any,
    }
}

/// Returns the webhook's request without its secrets, and the names of the omitted secrets.
fn request(row: &Row) -> (WebhookRequest, Vec<String>) {
    let mut hidden = Vec::new();
    let mut request = WebhookRequest {
        method: row.text(3),
        url: row.text(4),
        username: row.maybe_text(8),
        ..WebhookRequest::default()
    };
    let headers = row
        .maybe_text(5)
        .and_then(|headers| serde_json::from_str::<Map<String, Value>>(&headers).ok());
    for (name, value) in headers.unwrap_or_default() {
        let (lower, value) = (name.to_ascii_lowercase(), value.as_str().unwrap_or_default().to_owned());
        if is_secret_header(&lower) && !has_parameter(&value) {
            hidden.push(format!("header {name}"));
        } else {
            request.headers.push((lower, value));
        }
    }
    request.body = row.maybe_text(6).map(|body| match serde_json::from_str(&body) {
        Ok(json) if row.bool(7) => json,
        _ => Value::String(body),
    });
    if row.bool(9) {
        hidden.push("password".to_owned());
    }
    (request, hidden)
}
