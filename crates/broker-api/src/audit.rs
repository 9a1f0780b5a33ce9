//! Handlers for the audit log. They require the `admin` scope.

use serde_json::{Value, json};

use super::reply::{HandlerError, HandlerResult, Media, Reply, invalid_field};
use super::request::Request;
use super::urls::{encode, titled};
use contract_broker_core::sql::audit::{self, AuditFilter, StoredEntry};
use contract_broker_core::store::Tx;
use contract_broker_domain::time;

/// Returns an entry of the audit log, as the API returns it.
pub fn body(entry: &StoredEntry) -> Value {
    let mut body = json!({
        "id": entry.id,
        "at": time::iso(entry.at),
        "actor": { "kind": entry.actor_kind, "name": entry.actor },
        "address": entry.address,
        "method": entry.method,
        "path": entry.path,
        "route": entry.route,
        "status": entry.status,
        "outcome": if entry.status < 400 { "written" } else { "denied" },
    });
    if let Some(credential) = &entry.credential {
        body["actor"]["credential"] = credential.as_str().into();
    }
    if let Some(resource) = &entry.resource {
        body["resource"] = resource.as_str().into();
    }
    if let Some(reason) = &entry.reason {
        body["reason"] = reason.as_str().into();
    }
    if entry.occurrences > 1 {
        body["occurrences"] = entry.occurrences.into();
    }
    body
}

pub(crate) fn filter(rq: &Request) -> Result<AuditFilter, HandlerError> {
    let time = |name: &str| match rq.query_value(name) {
        None => Ok(None),
        Some(text) => time::parse(text).map(Some).ok_or_else(|| {
            let problem = "must be a date or a time, such as 2026-01-31 or 2026-01-31T12:00:00Z";
            HandlerError::from(invalid_field(name, problem))
        }),
    };
    let id = |name: &str| match rq.query_value(name).map(str::parse) {
        None => Ok(None),
        Some(Ok(id)) => Ok(Some(id)),
        Some(Err(_)) => Err(HandlerError::from(invalid_field(
            name,
            "must be the ID of an audit log entry",
        ))),
    };
    let text = |name: &str| rq.query_value(name).map(str::to_owned);
    let is_denied = match rq.query_value("outcome") {
        None => None,
        Some("denied") => Some(true),
        Some("written") => Some(false),
        Some(_) => return Err(invalid_field("outcome", "must be written or denied").into()),
    };
    Ok(AuditFilter {
        from: time("from")?,
        to: time("to")?,
        actor: text("actor"),
        credential: text("credential"),
        method: text("method"),
        path: text("path"),
        is_denied,
        after: id("after")?,
        before: id("before")?,
    })
}

pub(crate) fn list(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let filter = filter(rq)?;
    let size = rq.page()?.map_or(100, |page| page.size);
    // Read one more entry to detect whether there is a next page.
    let mut entries = audit::list(tx, &filter, size + 1)?;
    let has_more = i64::try_from(entries.len()).is_ok_and(|count| count > size);
    if has_more {
        entries.pop();
    }
    if rq.accepts_lines {
        let lines: Vec<String> = entries.iter().map(|entry| format!("{}\n", body(entry))).collect();
        return Ok(Reply::text(200, Media::Lines, lines.concat()));
    }
    let bodies: Vec<Value> = entries.iter().map(body).collect();
    let mut reply = json!({
        "_embedded": { "entries": bodies },
        "_links": { "self": titled("Audit log", rq.self_url()) },
    });
    if let Some(last) = entries.last().filter(|_| has_more) {
        let direction = if filter.after.is_some() { "after" } else { "before" };
        let other_parameters = rq.query.iter().filter(|(name, _)| name != direction);
        let other_parameters: Vec<String> = other_parameters
            .map(|(name, value)| format!("&{}={}", encode(name), encode(value)))
            .collect();
        let next = rq.urls.at(&format!(
            "/admin/audit?{direction}={}{}",
            last.id,
            other_parameters.concat()
        ));
        reply["_links"]["next"] = titled("Next page", next);
    }
    Ok(Reply::ok(&reply))
}
