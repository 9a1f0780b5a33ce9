//! Handlers for environments, deployments, and releases.

use serde_json::{Value, json};

use super::params::Param;
use super::reply::{HandlerError, HandlerResult, Reply, fields, invalid_field, not_found};
use super::request::{Fields, Request, check_name};
use super::urls::{Urls, named, titled};
use super::versions::embedded;
use contract_broker_core::cases::{self, deletions, deployments};
use contract_broker_core::sql::environments::{self, Description, Environment, Presence, PresenceKind};
use contract_broker_core::store::Tx;
use contract_broker_domain::{names, time};

fn body(urls: &Urls, environment: &Environment) -> Value {
    let url = urls.environment(&environment.uuid);
    let name = &environment.display_name;
    let mut body = json!({
        "uuid": environment.uuid,
        "name": environment.name,
        "displayName": name,
        "production": environment.production,
        "updatedAt": time::iso(environment.updated_at.unwrap_or(environment.created_at)),
        "createdAt": time::iso(environment.created_at),
        "_links": {
            "self": named("Environment", &environment.name, &url),
            "pb:currently-deployed-deployed-versions":
                titled(&format!("Versions currently deployed to {name}"), format!("{url}/deployed-versions/currently-deployed")),
            "pb:currently-supported-released-versions":
                titled(&format!("Versions currently supported in {name}"), format!("{url}/released-versions/currently-supported")),
            "pb:environments": titled("Environments", urls.at("/environments")),
        },
    });
    if let Some(contacts) = environment
        .contacts
        .as_deref()
        .and_then(|text| serde_json::from_str::<Value>(text).ok())
    {
        body["contacts"] = contacts;
    }
    body
}

pub(super) fn list(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let all = environments::all(tx)?;
    let links: Vec<Value> = all
        .iter()
        .map(|one| named("Environment", &one.name, rq.urls.environment(&one.uuid)))
        .collect();
    Ok(Reply::ok(&json!({
        "_embedded": { "environments": all.iter().map(|one| body(&rq.urls, one)).collect::<Vec<_>>() },
        "_links": { "self": titled("Environments", rq.urls.at("/environments")), "pb:environments": links },
    })))
}

pub(super) fn show(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let environment = rq.environment(tx)?;
    Ok(Reply::ok(&body(&rq.urls, &environment)))
}

/// Maximum number of contacts, and maximum size of their JSON in bytes. They are limited, because each deployment in a
/// response contains them.
const MAX_CONTACTS: usize = 100;
const MAX_CONTACTS_SIZE: usize = 64 * 1024;

/// Creates an environment from the request body, or updates the existing environment `before`.
fn save(rq: &Request, tx: &mut Tx<'_>, before: Option<&Environment>) -> Result<Environment, HandlerError> {
    let sent = rq.object()?;
    let mut fields = Fields::new(&sent);
    let name = fields.name("name");
    if name.contains(char::is_whitespace) {
        fields.error("name", "cannot contain spaces");
    }
    let production = fields.required_bool("production");
    let display_name = fields.text("displayName");
    if let Some(problem) = display_name.and_then(|name| check_name(name).err()) {
        fields.error("displayName", problem);
    }
    let contacts = match sent.get("contacts") {
        None | Some(Value::Null) => None,
        Some(Value::Array(contacts)) if contacts.len() > MAX_CONTACTS => {
            let text = format!("must have at most {MAX_CONTACTS} entries, not {}", contacts.len());
            fields.error("contacts", text);
            None
        }
        Some(list @ Value::Array(contacts)) => {
            for (at, contact) in contacts.iter().enumerate() {
                if contact
                    .get("name")
                    .and_then(Value::as_str)
                    .is_none_or(|name| name.trim().is_empty())
                {
                    fields.error("contacts", format!("must each have a name (missing at index {at})"));
                }
            }
            let text = list.to_string();
            if text.len() > MAX_CONTACTS_SIZE {
                fields.error("contacts", format!("must not exceed {MAX_CONTACTS_SIZE} bytes as JSON"));
            }
            Some(text)
        }
        Some(_) => {
            fields.error("contacts", "must be an array");
            None
        }
    };
    fields.finish()?;
    rq.actor.grants.require(rq.rules.changing_environment(name))?;
    let display_name = display_name.map_or_else(|| names::display_name(name), str::to_owned);
    let description = Description {
        name,
        display_name: &display_name,
        production,
        contacts: contacts.as_deref(),
    };
    cases::environments::save(tx, before, &description, rq.now)
        .map_err(|error| HandlerError::from_case(error, |in_use| invalid_field("name", in_use.to_string())))?
        .ok_or_else(|| not_found().into())
}

pub(super) fn create(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let environment = save(rq, tx, None)?;
    Ok(Reply::created(
        &body(&rq.urls, &environment),
        rq.urls.environment(&environment.uuid),
    ))
}

pub(super) fn replace(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let before = rq.environment(tx)?;
    let environment = save(rq, tx, Some(&before))?;
    Ok(Reply::ok(&body(&rq.urls, &environment)))
}

pub(super) fn delete(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let environment = rq.environment(tx)?;
    deletions::delete_environment(tx, &environment, rq.now)?;
    Ok(Reply::empty(204))
}

// Deployments and releases.

fn presence_url(urls: &Urls, presence: &Presence) -> String {
    let place = match presence.kind {
        PresenceKind::Deployed => "deployed-versions",
        PresenceKind::Released => "released-versions",
    };
    urls.at(&format!("/{place}/{}", presence.uuid))
}

fn presence_body(urls: &Urls, presence: &Presence, with_environment: bool) -> Value {
    let (is_current, ended) = match presence.kind {
        PresenceKind::Deployed => ("currentlyDeployed", "undeployedAt"),
        PresenceKind::Released => ("currentlySupported", "supportEndedAt"),
    };
    let mut inner = embedded(urls, &presence.pacticipant, &presence.version);
    if with_environment {
        inner["environment"] = body(urls, &presence.environment);
    }
    let mut body = json!({
        "uuid": presence.uuid,
        "createdAt": time::iso(presence.created_at),
        "_embedded": inner,
        "_links": { "self": { "href": presence_url(urls, presence) } },
    });
    body[is_current] = presence.is_current.into();
    if let Some(at) = presence.ended_at {
        body[ended] = time::iso(at).into();
    }
    if let Some(instance) = &presence.instance {
        body["target"] = instance.as_str().into();
        body["applicationInstance"] = instance.as_str().into();
    }
    body
}

pub(super) fn deploy(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let (version, environment) = (rq.version(tx)?, rq.environment(tx)?);
    let sent = rq.object()?;
    let mut fields = Fields::new(&sent);
    // `target` is the older name of the field.
    let instance = fields
        .text("applicationInstance")
        .or_else(|| fields.text("target"))
        .unwrap_or_default();
    if !instance.is_empty()
        && let Err(problem) = check_name(instance)
    {
        fields.error("applicationInstance", problem);
    }
    fields.finish()?;
    let presence = deployments::deploy(tx, &version, &environment, instance, rq.now)?;
    Ok(Reply::created(
        &presence_body(&rq.urls, &presence, true),
        presence_url(&rq.urls, &presence),
    ))
}

pub(super) fn release(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let (version, environment) = (rq.version(tx)?, rq.environment(tx)?);
    rq.object()?;
    let (presence, is_new) = environments::release(tx, &version, &environment, rq.now)?;
    let body = presence_body(&rq.urls, &presence, true);
    Ok(Reply::hal(if is_new { 201 } else { 200 }, &body).with("location", presence_url(&rq.urls, &presence)))
}

fn listed(rq: &Request, key: &str, title: &str, found: &[Presence]) -> Reply {
    let bodies: Vec<Value> = found.iter().map(|one| presence_body(&rq.urls, one, false)).collect();
    let mut reply = json!({ "_embedded": {}, "_links": { "self": titled(title, rq.self_url()) } });
    reply["_embedded"][key] = bodies.into();
    Reply::ok(&reply)
}

fn of_version(rq: &Request, tx: &mut Tx<'_>, kind: PresenceKind) -> Result<Vec<Presence>, HandlerError> {
    let (version, environment) = (rq.version(tx)?, rq.environment(tx)?);
    let mut found = environments::of_versions(tx, kind, &[version.id])?;
    found.retain(|one| one.environment.id == environment.id);
    Ok(found)
}

pub(super) fn deployments_of_version(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let found = of_version(rq, tx, PresenceKind::Deployed)?;
    Ok(listed(rq, "deployedVersions", "Deployments of the version", &found))
}

pub(super) fn releases_of_version(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let found = of_version(rq, tx, PresenceKind::Released)?;
    Ok(listed(rq, "releasedVersions", "Releases of the version", &found))
}

pub(super) fn currently_deployed(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let environment = rq.environment(tx)?;
    let mut found = environments::current_in(tx, PresenceKind::Deployed, environment.id)?;
    // An empty value selects deployments without an application instance.
    let instance = contract_broker_domain::query::value(&rq.query, "applicationInstance")
        .or_else(|| contract_broker_domain::query::value(&rq.query, "target"));
    found.retain(|one| {
        rq.query_value("pacticipant").is_none_or(|name| one.pacticipant == name)
            && instance.is_none_or(|instance| one.instance.as_deref().unwrap_or_default() == instance)
    });
    Ok(listed(
        rq,
        "deployedVersions",
        &format!("Versions currently deployed to {}", environment.display_name),
        &found,
    ))
}

pub(super) fn currently_supported(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let environment = rq.environment(tx)?;
    let mut found = environments::current_in(tx, PresenceKind::Released, environment.id)?;
    found.retain(|one| {
        rq.query_value("pacticipant").is_none_or(|name| one.pacticipant == name)
            && rq.query_value("version").is_none_or(|number| one.version == number)
    });
    found.sort_by_key(|one| one.id);
    Ok(listed(
        rq,
        "releasedVersions",
        &format!("Versions currently supported in {}", environment.display_name),
        &found,
    ))
}

fn presence(rq: &Request, tx: &mut Tx<'_>, kind: PresenceKind) -> Result<Presence, HandlerError> {
    Ok(environments::find_presence(tx, kind, rq.param(Param::Uuid))?.ok_or_else(not_found)?)
}

fn show_presence(rq: &Request, tx: &mut Tx<'_>, kind: PresenceKind) -> HandlerResult {
    let presence = presence(rq, tx, kind)?;
    Ok(Reply::ok(&presence_body(&rq.urls, &presence, true)))
}

pub(super) fn show_deployment(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    show_presence(rq, tx, PresenceKind::Deployed)
}

pub(super) fn show_release(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    show_presence(rq, tx, PresenceKind::Released)
}

pub(super) fn change_deployment(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let presence = presence(rq, tx, PresenceKind::Deployed)?;
    match rq.object()?.get("currentlyDeployed") {
        Some(Value::Bool(false)) => environments::end(tx, &presence, rq.now)?,
        Some(Value::Bool(true)) if presence.is_current => {}
        Some(Value::Bool(true)) => {
            let text = "cannot be set to true again: record a new deployment".to_owned();
            return Err(fields(422, vec![("currentlyDeployed".to_owned(), text)]).into());
        }
        None => {}
        Some(_) => return Err(invalid_field("currentlyDeployed", "must be true or false").into()),
    }
    show_presence(rq, tx, PresenceKind::Deployed)
}

pub(super) fn change_release(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let presence = presence(rq, tx, PresenceKind::Released)?;
    match rq.object()?.get("currentlySupported") {
        Some(Value::Bool(false)) => environments::end(tx, &presence, rq.now)?,
        Some(Value::Bool(true)) if presence.is_current => {}
        Some(Value::Bool(true)) => {
            let text = "cannot be set to true again: record a new release".to_owned();
            return Err(fields(422, vec![("currentlySupported".to_owned(), text)]).into());
        }
        None => {}
        Some(_) => return Err(invalid_field("currentlySupported", "must be true or false").into()),
    }
    show_presence(rq, tx, PresenceKind::Released)
}
