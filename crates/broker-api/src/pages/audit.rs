//! Collects the data for the audit log page.

use contract_pages::Query;
use contract_pages::pages::admin::audit::{self as view, AuditEntry};

use super::super::audit::filter;
use super::super::reply::HandlerResult;
use super::super::request::Request;
use super::page;
use contract_broker_core::sql::audit;
use contract_broker_core::store::Tx;

/// Maximum number of entries on the page.
const ENTRIES: i64 = 50;

pub(crate) fn list(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let query = Query::new(rq.query.iter().map(|(name, value)| (name.as_str(), value.as_str())));
    let mut found = audit::list(tx, &filter(rq)?, ENTRIES + 1)?;
    let has_more = found.len() > usize::try_from(ENTRIES).unwrap_or(usize::MAX);
    found.truncate(usize::try_from(ENTRIES).unwrap_or(usize::MAX));
    let older = found.last().filter(|_| has_more).map(|entry| entry.id);
    let entries = found.into_iter().map(|entry| AuditEntry {
        at: entry.at,
        actor: entry.actor,
        kind: entry.actor_kind,
        address: entry.address,
        method: entry.method,
        path: entry.path,
        status: entry.status,
        reason: entry.reason,
        resource: entry.resource,
        occurrences: entry.occurrences,
    });
    Ok(page(view::page(
        &rq.shell(),
        &query,
        &entries.collect::<Vec<_>>(),
        older,
    )))
}
