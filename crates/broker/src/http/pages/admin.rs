//! Pages for administrators.

use contract_pages::Query;
use contract_pages::pages::admin::{self as view, Account, AuditEntry, Token};

use super::super::audit::filter;
use super::super::reply::HandlerResult;
use super::super::request::Request;
use super::page;
use contract_broker_core::sql::{UNPAGED, accounts, api_tokens, audit};
use contract_broker_core::store::Tx;

/// Entries of the audit log on a page.
const ENTRIES: i64 = 50;

fn names(array: &str) -> Vec<String> {
    serde_json::from_str(array).unwrap_or_default()
}

pub(in crate::http) fn tokens(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let (found, _) = api_tokens::list(tx, UNPAGED)?;
    let tokens = found.into_iter().map(|token| Token {
        scopes: names(&token.scopes),
        id: token.token_id,
        label: token.label,
        created_by: token.created_by,
        created_at: token.created_at,
        expires_at: token.expires_at,
        last_used_at: token.last_used_at,
        is_revoked: token.revoked_at.is_some(),
    });
    Ok(page(view::tokens(&rq.shell(), &tokens.collect::<Vec<_>>())))
}

pub(in crate::http) fn users(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let users = accounts::list(tx)?.into_iter().map(|account| Account {
        scopes: names(&account.scopes),
        name: account.name,
        created_at: account.created_at,
    });
    Ok(page(view::users(&rq.shell(), &users.collect::<Vec<_>>())))
}

pub(in crate::http) fn audit_log(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
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
        occurrences: entry.occurrences,
    });
    Ok(page(view::audit(
        &rq.shell(),
        &query,
        &entries.collect::<Vec<_>>(),
        older,
    )))
}
