//! Handlers for deletions that can be undone.

use serde_json::{Value, json};

use super::lists;
use super::params::Param;
use super::protection;
use super::reply::{HandlerError, HandlerResult, Reply, not_found};
use super::request::Request;
use super::urls::{Urls, titled};
use contract_broker_core::cases::deletions::{self as cases, UNDO_TIME, UndoRejection};
use contract_broker_core::sql::deletions::{self, Deletion};
use contract_broker_core::sql::pacticipants;
use contract_broker_core::store::Tx;
use contract_broker_domain::time;

fn body(urls: &Urls, deletion: &Deletion) -> Value {
    let url = urls.at(&format!("/deletions/{}", deletion.uuid));
    json!({
        "uuid": deletion.uuid,
        "kind": deletion.kind,
        "name": deletion.name,
        "deletedAt": time::iso(deletion.created_at),
        "undoableUntil": time::iso(deletion.created_at.saturating_add(UNDO_TIME)),
        "_links": {
            "self": titled(&deletion.name, url.clone()),
            "undo": titled("Restore the deleted resource (POST)", format!("{url}/undo")),
        },
    })
}

pub(super) fn list(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let page = rq.page()?;
    let (all, total) = deletions::list(tx, page)?;
    let bodies: Vec<Value> = all.iter().map(|deletion| body(&rq.urls, deletion)).collect();
    let mut reply = json!({
        "_embedded": { "deletions": bodies },
        "_links": { "self": titled("Deletions", rq.self_url()) },
    });
    if let Some(page) = page {
        lists::Total { page, total }.add_to(rq, &mut reply);
    }
    Ok(Reply::ok(&reply))
}

fn find(rq: &Request, tx: &mut Tx<'_>) -> Result<Deletion, HandlerError> {
    Ok(deletions::find(tx, rq.param(Param::Uuid))?.ok_or_else(not_found)?)
}

pub(super) fn show(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let deletion = find(rq, tx)?;
    Ok(Reply::ok(&body(&rq.urls, &deletion)))
}

pub(super) fn undo(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let deletion = find(rq, tx)?;
    cases::undo(tx, &deletion).map_err(|error| {
        HandlerError::from_case(error, |rejection: UndoRejection| {
            Reply::error(409, rejection.to_string())
        })
    })?;
    // Restoring deployments and releases requires the same permission as recording them, and restoring an environment
    // the same as creating it.
    if deletion.kind == "environment" {
        rq.actor.grants.require(rq.rules.changing_environment(&deletion.name))?;
    } else if let Some(restored) = pacticipants::find(tx, &deletion.name)? {
        let current = protection::current_of(tx, restored.id)?;
        protection::require_ending(rq, &current)?;
    }
    Ok(Reply::empty(204))
}
