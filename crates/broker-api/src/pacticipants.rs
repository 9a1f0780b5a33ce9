//! Handlers for applications, labels, and integrations.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use super::action::Prepared;
use super::lists;
use super::params::Param;
use super::protection::{current_of, require_ended, require_ending};
use super::reply::{HandlerError, HandlerResult, Reply, not_found};
use super::request::{Fields, Request, check_name};
use super::urls::{Urls, link, template, titled};
use contract_broker_core::cases::deletions;
use contract_broker_core::sql::environments::{self, PresenceKind};
use contract_broker_core::sql::pacticipants::{self, Details, Pacticipant};
use contract_broker_core::sql::{UNPAGED, removal, versions};
use contract_broker_core::store::{StoreError, Tx};
use contract_broker_domain::{names, time};

/// Where an application's representation appears. In a list, it has no `pb:deployed-environments` link.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Within {
    List,
    Alone,
}

/// Returns the representations of applications for a list. The number of SQL statements does not depend on their
/// number.
fn bodies(tx: &mut Tx<'_>, urls: &Urls, all: &[Pacticipant]) -> Result<Vec<Value>, StoreError> {
    let ids: Vec<i64> = all.iter().map(|one| one.id).collect();
    let mut labels: HashMap<i64, Vec<String>> = HashMap::new();
    for label in pacticipants::labels_of(tx, &ids)? {
        labels.entry(label.pacticipant_id).or_default().push(label.name);
    }
    let latest: HashMap<i64, String> = versions::latest_numbers(tx, &ids)?.into_iter().collect();
    let labels_of = |one: &Pacticipant| labels.get(&one.id).map(Vec::as_slice).unwrap_or_default();
    let latest_of = |one: &Pacticipant| latest.get(&one.id).map(String::as_str);
    Ok(all
        .iter()
        .map(|one| body_with(urls, one, labels_of(one), latest_of(one)))
        .collect())
}

fn body(tx: &mut Tx<'_>, urls: &Urls, pacticipant: &Pacticipant, within: Within) -> Result<Value, StoreError> {
    let mut body = bodies(tx, urls, std::slice::from_ref(pacticipant))?
        .pop()
        .unwrap_or_default();
    if within == Within::Alone {
        body["_links"]["pb:deployed-environments"] = deployed_environments(tx, urls, pacticipant.id)?;
    }
    Ok(body)
}

fn body_with(urls: &Urls, pacticipant: &Pacticipant, labels: &[String], latest: Option<&str>) -> Value {
    let labels: Vec<Value> = labels
        .iter()
        .map(|label| json!({ "name": label, "_links": { "self": link(urls.label(&pacticipant.name, label)) } }))
        .collect();
    let mut embedded = json!({ "labels": labels });
    if let Some(latest) = latest {
        let mut version = short_version(urls, &pacticipant.name, latest);
        embedded["latestVersion"] = version.clone();
        version["title"] = "Deprecated: see latestVersion".into();
        version["name"] = "DEPRECATED: see latestVersion".into();
        embedded["latest-version"] = version;
    }
    let details = &pacticipant.details;
    let mut body = json!({
        "name": pacticipant.name,
        "displayName": details.display_name.clone().unwrap_or_else(|| names::display_name(&pacticipant.name)),
        "updatedAt": time::iso(pacticipant.updated_at.unwrap_or(pacticipant.created_at)),
        "createdAt": time::iso(pacticipant.created_at),
        "_embedded": embedded,
    });
    let more = [
        ("mainBranch", &details.main_branch),
        ("repositoryUrl", &details.repository_url),
        ("repositoryName", &details.repository_name),
        ("repositoryNamespace", &details.repository_namespace),
    ];
    for (key, value) in more {
        if let Some(value) = value {
            body[key] = value.as_str().into();
        }
    }
    let url = urls.pacticipant(&pacticipant.name);
    let at = |path: &str| format!("{url}{path}");
    body["_links"] = json!({
        "self": link(&url),
        "pb:versions": link(at("/versions")),
        "pb:branches": link(at("/branches")),
        "pb:version": template("Get, create, or delete a version", at("/versions/{version}")),
        "pb:version-tag": template("Get, create, or delete a tag of a version", at("/versions/{version}/tags/{tag}")),
        "pb:branch-version": template("Get, add, or remove a version on a branch", at("/branches/{branch}/versions/{version}")),
        "pb:label": template("Get, create, or delete a label", at("/labels/{label}")),
        "versions": titled("Deprecated: see pb:versions", at("/versions")),
        "pb:can-i-deploy-badge": template(
            "A badge that shows whether the latest version with one tag is compatible with the latest versions of other applications with another tag",
            at("/latest-version/{tag}/can-i-deploy/to/{environmentTag}/badge"),
        ),
        "pb:can-i-deploy-branch-to-environment-badge": template(
            "A badge that shows whether the head of a branch can be deployed to an environment",
            at("/branches/{branch}/latest-version/can-i-deploy/to-environment/{environment}/badge"),
        ),
        "curies": urls.curies(),
    });
    body
}

fn deployed_environments(tx: &mut Tx<'_>, urls: &Urls, id: i64) -> Result<Value, StoreError> {
    let mut seen = Vec::new();
    let mut found = Vec::new();
    for presence in environments::current_of(tx, PresenceKind::Deployed, id)? {
        let environment = presence.environment;
        if seen.contains(&environment.id) {
            continue;
        }
        seen.push(environment.id);
        let url = format!(
            "{}/deployed-versions/currently-deployed",
            urls.environment(&environment.uuid)
        );
        found.push(json!({ "title": "Currently deployed versions", "name": environment.name, "href": url }));
    }
    Ok(found.into())
}

pub(super) fn short_version(urls: &Urls, pacticipant: &str, number: &str) -> Value {
    let itself = json!({ "title": "Version", "name": number, "href": urls.version(pacticipant, number) });
    json!({ "number": number, "_links": { "self": itself } })
}

fn listed(tx: &mut Tx<'_>, rq: &Request, all: &[Pacticipant], total: Option<lists::Total>) -> HandlerResult {
    let urls = &rq.urls;
    let bodies = bodies(tx, urls, all)?;
    let links: Vec<Value> = all
        .iter()
        .map(|one| json!({ "href": urls.pacticipant(&one.name), "title": "Pacticipant", "name": one.name }))
        .collect();
    let old_links: Vec<Value> = all
        .iter()
        .map(|one| json!({ "href": urls.pacticipant(&one.name), "title": one.name, "name": "DEPRECATED: see pb:pacticipants" }))
        .collect();
    let old: Vec<Value> = bodies
        .iter()
        .cloned()
        .map(|mut body| {
            body["title"] = "Deprecated: use the embedded pacticipants".into();
            body
        })
        .collect();
    let mut reply = json!({
        "_embedded": { "pacticipants": bodies },
        "_links": {
            "self": link(urls.at("/pacticipants")),
            "pb:pacticipants-with-label": template("Applications with a label", urls.at("/pacticipants/label/{label}")),
            "pb:pacticipants": links,
            "pacticipants": old_links,
        },
    });
    if !old.is_empty() || total.is_none() || rq.params.get(Param::Label).is_none() {
        reply["pacticipants"] = old.into();
    }
    if rq.params.get(Param::Label).is_some() {
        // The list of applications with a label has no deprecated fields.
        if let Some(reply) = reply.as_object_mut() {
            reply.remove("pacticipants");
        }
    }
    if let Some(total) = total {
        total.add_to(rq, &mut reply);
    }
    Ok(Reply::ok(&reply))
}

pub(super) fn list(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let page = rq.page()?;
    let (found, total) = pacticipants::list(tx, rq.query_value("q"), page.unwrap_or(UNPAGED))?;
    listed(tx, rq, &found, page.map(|page| lists::Total { page, total }))
}

pub(super) fn with_label(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let found = pacticipants::by_label(tx, rq.param(Param::Label))?;
    listed(tx, rq, &found, None)
}

pub(super) fn show(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let known = rq.pacticipant(tx)?;
    Ok(Reply::ok(&body(tx, &rq.urls, &known, Within::Alone)?))
}

fn details(fields: &mut Fields<'_>, before: Details) -> Details {
    let mut after = before;
    let details = [
        ("displayName", &mut after.display_name),
        ("mainBranch", &mut after.main_branch),
        ("repositoryUrl", &mut after.repository_url),
        ("repositoryName", &mut after.repository_name),
        ("repositoryNamespace", &mut after.repository_namespace),
    ];
    for (name, detail) in details {
        if fields.members.contains_key(name) {
            *detail = fields.text(name).map(str::to_owned);
        }
    }
    if let Some(problem) = after.main_branch.as_deref().and_then(|branch| check_name(branch).err()) {
        fields.error("mainBranch", problem);
    }
    if after
        .repository_url
        .as_deref()
        .is_some_and(|url| url.contains(char::is_whitespace))
    {
        fields.error("repositoryUrl", "must be a URL");
    }
    after
}

/// Creates or updates the application `name`. If `replace` is true, properties that `sent` does not contain are
/// removed. Returns the application, and true if it was created.
fn keep(
    rq: &Request,
    tx: &mut Tx<'_>,
    name: &str,
    sent: &Map<String, Value>,
    replace: bool,
) -> Result<(Pacticipant, bool), HandlerError> {
    let mut fields = Fields::new(sent);
    if let Err(problem) = check_name(name) {
        fields.error("name", problem);
    }
    if let Some(other) = fields.text("name").filter(|other| *other != name) {
        let text = format!("must be equal to the name in the path, not {other:?}");
        fields.error("name", text);
    }
    let before = pacticipants::find(tx, name)?;
    let known = before.as_ref().map(|known| known.details.clone()).unwrap_or_default();
    let after = details(&mut fields, if replace { Details::default() } else { known.clone() });
    fields.finish()?;
    let (kept, is_new) = pacticipants::find_or_create(tx, name, rq.now)?;
    if after == kept.details {
        return Ok((kept, is_new));
    }
    pacticipants::update(tx, kept.id, &after, rq.now)?;
    let updated_at = (!is_new).then_some(rq.now);
    Ok((
        Pacticipant {
            details: after,
            updated_at,
            ..kept
        },
        is_new,
    ))
}

pub(super) fn prepare_create(rq: &Request) -> Result<Prepared, HandlerError> {
    let sent = rq.object()?;
    let mut fields = Fields::new(&sent);
    let name = fields.name("name").to_owned();
    fields.finish()?;
    let subject = name.clone();
    Ok(Prepared::new(move |rq, tx| create(rq, tx, &name, &sent)).with_subject(subject))
}

fn create(rq: &Request, tx: &mut Tx<'_>, name: &str, sent: &Map<String, Value>) -> HandlerResult {
    let kept = match pacticipants::find(tx, name)? {
        // As in the Pact Broker, POST does not change an existing application.
        Some(known) => known,
        None => keep(rq, tx, name, sent, false)?.0,
    };
    Ok(Reply::created(
        &body(tx, &rq.urls, &kept, Within::List)?,
        rq.urls.pacticipant(name),
    ))
}

fn changed(rq: &Request, tx: &mut Tx<'_>, replace: bool) -> HandlerResult {
    let (kept, is_new) = keep(rq, tx, rq.param(Param::Pacticipant), &rq.object()?, replace)?;
    let body = body(tx, &rq.urls, &kept, Within::Alone)?;
    Ok(Reply::hal(if is_new { 201 } else { 200 }, &body))
}

pub(super) fn replace(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    changed(rq, tx, true)
}

pub(super) fn merge(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    changed(rq, tx, false)
}

pub(super) fn delete(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let known = rq.pacticipant(tx)?;
    require_ending(rq, &current_of(tx, known.id)?)?;
    deletions::delete_pacticipant(tx, &known, rq.now)?;
    Ok(Reply::empty(204))
}

fn label_body(rq: &Request, created_at: i64) -> Value {
    let (owner, label) = (rq.param(Param::Pacticipant), rq.param(Param::Label));
    json!({
        "name": label,
        "createdAt": time::iso(created_at),
        "_links": {
            "self": json!({ "title": "Label", "name": label, "href": rq.urls.label(owner, label) }),
            "pacticipant": json!({ "title": "Pacticipant", "name": owner, "href": rq.urls.pacticipant(owner) }),
        },
    })
}

pub(super) fn show_label(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let Some(owner) = pacticipants::find(tx, rq.param(Param::Pacticipant))? else {
        return Err(not_found().into());
    };
    let labels = pacticipants::labels_of(tx, &[owner.id])?;
    let label = labels
        .iter()
        .find(|label| label.pacticipant_id == owner.id && label.name == rq.param(Param::Label));
    let label = label.ok_or_else(not_found)?;
    Ok(Reply::ok(&label_body(rq, label.created_at)))
}

pub(super) fn add_label(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    for param in [Param::Pacticipant, Param::Label] {
        check_name(rq.param(param)).map_err(|text| super::reply::invalid_field(param.name(), text))?;
    }
    let (owner, _) = pacticipants::find_or_create(tx, rq.param(Param::Pacticipant), rq.now)?;
    let is_new = pacticipants::add_label(tx, owner.id, rq.param(Param::Label), rq.now)?;
    Ok(Reply::hal(if is_new { 201 } else { 200 }, &label_body(rq, rq.now)))
}

pub(super) fn remove_label(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let owner = rq.pacticipant(tx)?;
    if pacticipants::remove_label(tx, owner.id, rq.param(Param::Label))? {
        Ok(Reply::empty(204))
    } else {
        Err(not_found().into())
    }
}

pub(super) fn labels(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let page = rq.page()?;
    let (names, total) = pacticipants::label_names(tx, page.unwrap_or(UNPAGED))?;
    let labels: Vec<Value> = names.iter().map(|name| json!({ "name": name })).collect();
    let mut reply = json!({
        "_embedded": { "labels": labels },
        "_links": { "self": titled("Labels", rq.urls.at("/labels")) },
    });
    if let Some(page) = page {
        lists::Total { page, total }.add_to(rq, &mut reply);
    }
    Ok(Reply::ok(&reply))
}

pub(super) fn integrations(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let page = rq.page()?;
    let (found, total) = pacticipants::integrations(tx, page.unwrap_or(UNPAGED))?;
    let path = |integration: &pacticipants::Integration| {
        format!(
            "/provider/{}/consumer/{}",
            super::urls::encode(&integration.provider),
            super::urls::encode(&integration.consumer)
        )
    };
    let bodies: Vec<Value> = found
        .iter()
        .map(|integration| {
            json!({
                "consumer": { "name": integration.consumer },
                "provider": { "name": integration.provider },
                "_links": {
                    "pb:dashboard": titled("Contracts with their latest results", rq.urls.at(&format!("/dashboard{}", path(integration)))),
                    "pb:matrix": titled("All contracts and results", rq.urls.at(&format!("/matrix{}", path(integration)))),
                    "pb:group": link(rq.urls.pacticipant(&integration.consumer)),
                    "pb:delete_integration": titled("Delete the integration with its contracts and results", rq.urls.at(&format!("/integrations{}", path(integration)))),
                },
            })
        })
        .collect();
    let mut reply = json!({
        "_embedded": { "integrations": bodies },
        "_links": { "self": titled("All integrations", rq.urls.at("/integrations")) },
    });
    if let Some(page) = page {
        lists::Total { page, total }.add_to(rq, &mut reply);
    }
    Ok(Reply::ok(&reply))
}

pub(super) fn delete_integration(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let (consumer, provider) = rq.pair(tx)?;
    if delete_with_versions(rq, tx, consumer.id, provider.id)? {
        Ok(Reply::empty(204))
    } else {
        Err(not_found().into())
    }
}

/// Deletes an integration, and its versions that have no contracts or results with other applications.
fn delete_with_versions(rq: &Request, tx: &mut Tx<'_>, consumer: i64, provider: i64) -> Result<bool, HandlerError> {
    let mut current = current_of(tx, consumer)?;
    current.extend(current_of(tx, provider)?);
    let is_deleted = removal::integration(tx, consumer, provider)?;
    require_ended(rq, tx, &current)?;
    Ok(is_deleted)
}

pub(super) fn delete_all_integrations(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    loop {
        let (batch, _) = pacticipants::integrations(tx, UNPAGED)?;
        if batch.is_empty() {
            return Ok(Reply::empty(204));
        }
        for integration in batch {
            delete_with_versions(rq, tx, integration.consumer_id, integration.provider_id)?;
        }
    }
}
