//! Handlers for branches and their versions.

use serde_json::{Value, json};

use super::lists;
use super::params::Param;
use super::reply::{HandlerError, HandlerResult, Reply, not_found};
use super::request::Request;
use super::urls::{Urls, named, titled};
use super::versions::{listed, show_latest};
use contract_broker_core::cases;
use contract_broker_core::sql::Page;
use contract_broker_core::sql::branches::{self, Branch};
use contract_broker_core::sql::pacticipants::Pacticipant;
use contract_broker_core::sql::versions::{self, Version, VersionFilter};
use contract_broker_core::store::Tx;
use contract_broker_domain::{query, time};

fn named_branch(rq: &Request, tx: &mut Tx<'_>) -> Result<(Pacticipant, Branch), HandlerError> {
    let owner = rq.pacticipant(tx)?;
    let branch = branches::find(tx, owner.id, rq.param(Param::Branch))?;
    Ok((owner, branch.ok_or_else(not_found)?))
}

fn branch_body(urls: &Urls, owner: &str, branch: &Branch) -> Value {
    let url = urls.branch(owner, &branch.name);
    json!({
        "name": branch.name,
        "createdAt": time::iso(branch.created_at),
        "_links": {
            "pb:latest-version": titled("Head of the branch", format!("{url}/latest-version")),
            "self": titled("Branch", url),
        },
    })
}

pub(super) fn list(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let owner = rq.pacticipant(tx)?;
    let page = rq.page()?.unwrap_or(Page { number: 1, size: 100 });
    let (found, total) = branches::list(tx, owner.id, rq.query_value("q"), page)?;
    let urls = &rq.urls;
    let bodies: Vec<Value> = found
        .iter()
        .map(|branch| branch_body(urls, &owner.name, branch))
        .collect();
    let links: Vec<Value> = found
        .iter()
        .map(|branch| json!({ "name": branch.name, "href": urls.branch(&owner.name, &branch.name) }))
        .collect();
    let mut reply = json!({
        "_embedded": { "branches": bodies },
        "_links": {
            "self": titled(&format!("Branches of {}", owner.name), rq.self_url()),
            "pb:branches": links,
        },
    });
    lists::Total { page, total }.add_to(rq, &mut reply);
    Ok(Reply::ok(&reply))
}

pub(super) fn show(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let (owner, branch) = named_branch(rq, tx)?;
    Ok(Reply::ok(&branch_body(&rq.urls, &owner.name, &branch)))
}

pub(super) fn delete(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let (owner, branch) = named_branch(rq, tx)?;
    branches::delete(tx, owner.id, &branch)?;
    Ok(Reply::empty(204))
}

/// Enqueues the deletion of all branches except the main branch and those in the query parameter `exclude`.
pub(super) fn delete_all(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    /// Maximum number of kept branches that the response names.
    const NAMED: usize = 20;
    let owner = rq.pacticipant(tx)?;
    let excluded = query::list(&rq.query, "exclude");
    let (deleted, kept) = cases::branches::delete_except(tx, &owner, &excluded)?;
    let mut names: Vec<&str> = kept.iter().take(NAMED).map(|branch| branch.name.as_str()).collect();
    names.extend((kept.len() > NAMED).then_some("…"));
    let text = format!(
        "{deleted} branches of {} will be deleted. Kept branches: {}.",
        owner.name,
        if names.is_empty() {
            "none".to_owned()
        } else {
            names.join(", ")
        }
    );
    let notices = json!({ "notices": [{ "type": "success", "text": text }] });
    Ok(Reply::hal(202, &notices).with_background_job())
}

fn branch_version_body(rq: &Request, created_at: i64) -> Value {
    let (owner, branch, number) = (
        rq.param(Param::Pacticipant),
        rq.param(Param::Branch),
        rq.param(Param::Version),
    );
    json!({
        "createdAt": time::iso(created_at),
        "_links": {
            "self": titled("Branch version", rq.urls.branch_version(owner, branch, number)),
            "pb:branch": named("Branch", branch, rq.urls.branch(owner, branch)),
            "pb:version": named("Version", number, rq.urls.version(owner, number)),
        },
    })
}

fn found_branch_version(rq: &Request, tx: &mut Tx<'_>) -> Result<(Branch, Version, i64), HandlerError> {
    let (_, branch) = named_branch(rq, tx)?;
    let version = rq.version(tx)?;
    let created_at = branches::joined_at(tx, branch.id, version.id)?;
    Ok((branch, version, created_at.ok_or_else(not_found)?))
}

pub(super) fn show_version(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let (_, _, created_at) = found_branch_version(rq, tx)?;
    Ok(Reply::ok(&branch_version_body(rq, created_at)))
}

pub(super) fn add_version(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    rq.object()?;
    let (version, _) = rq.version_or_new(tx)?;
    let is_new = cases::branches::add_version(tx, &rq.rules, &version, rq.param(Param::Branch), rq.now)?;
    let (_, _, created_at) = found_branch_version(rq, tx)?;
    let body = branch_version_body(rq, created_at);
    let url = rq.urls.branch_version(
        rq.param(Param::Pacticipant),
        rq.param(Param::Branch),
        rq.param(Param::Version),
    );
    Ok(if is_new {
        Reply::created(&body, url)
    } else {
        Reply::ok(&body)
    })
}

pub(super) fn remove_version(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let (branch, version, _) = found_branch_version(rq, tx)?;
    branches::remove(tx, &branch, version.id)?;
    Ok(Reply::empty(204))
}

pub(super) fn latest_version(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let owner = rq.pacticipant(tx)?;
    let version = versions::head_of_branch(tx, owner.id, rq.param(Param::Branch))?;
    show_latest(rq, tx, version)
}

pub(super) fn list_versions(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let (owner, branch) = named_branch(rq, tx)?;
    let title = format!("Versions of {} on branch {}", owner.name, branch.name);
    listed(rq, tx, &owner, VersionFilter::Branch(&branch.name), &title)
}
