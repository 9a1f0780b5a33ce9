//! Handlers for versions and their tags.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::lists;
use super::pacticipants::short_version;
use super::params::Param;
use super::protection;
use super::reply::{HandlerResult, Reply, name_not_found, not_found};
use super::request::{Fields, Request};
use super::urls::{Urls, link, named, template, titled};
use contract_broker_core::cases;
use contract_broker_core::sql::environments::{self, Presence, PresenceKind};
use contract_broker_core::sql::pacticipants::Pacticipant;
use contract_broker_core::sql::versions::{self, Version, VersionFilter};
use contract_broker_core::sql::{UNPAGED, pacticipants, pacts};
use contract_broker_core::sql::{branches, removal, tags};
use contract_broker_core::store::{StoreError, Tx};
use contract_broker_domain::time;

/// Returns the representations of versions for a list.
fn bodies(tx: &mut Tx<'_>, urls: &Urls, all: &[Version]) -> Result<Vec<Value>, StoreError> {
    let ids: Vec<i64> = all.iter().map(|version| version.id).collect();
    let branches = by_version(branches::of_versions(tx, &ids)?, |branch| branch.version_id);
    let tags = by_version(tags::of_versions(tx, &ids)?, |tag| tag.version_id);
    let published = by_version(pacts::of_versions(tx, &ids)?, |one| one.version_id);
    let mut presences = Vec::with_capacity(PRESENCES.len());
    for kind in PRESENCES {
        let found = environments::of_versions(tx, kind, &ids)?;
        presences.push((kind, by_version(found, |presence| presence.version_id)));
    }
    let mut bodies = Vec::with_capacity(all.len());
    for version in all {
        let (owner, number) = (version.pacticipant.as_str(), version.number.as_str());
        let on: Vec<Value> = of_version(&branches, version)
            .map(|branch| branch_of_version(urls, owner, number, &branch.name, branch.is_head))
            .collect();
        let tagged: Vec<Value> = of_version(&tags, version)
            .map(|tag| {
                let itself = named("Tag", &tag.name, urls.tag(owner, number, &tag.name));
                json!({ "name": tag.name, "_links": { "self": itself } })
            })
            .collect();
        let pacts: Vec<Value> = of_version(&published, version)
            .map(|one| {
                let name = format!("Pact between {} ({}) and {}", one.consumer, one.version, one.provider);
                named("Pact", &name, urls.pact(&one.provider, &one.consumer, &one.version))
            })
            .collect();
        let results = format!(
            "/verification-results/consumer/{}/version/{}/latest",
            super::urls::encode(owner),
            super::urls::encode(number)
        );
        let mut body = json!({
            "number": number,
            "updatedAt": time::iso(version.updated_at.unwrap_or(version.created_at)),
            "createdAt": time::iso(version.created_at),
            "_embedded": { "branchVersions": on, "tags": tagged },
            "_links": {
                "self": named("Version", number, urls.version(owner, number)),
                "pb:pacticipant": named("Pacticipant", owner, urls.pacticipant(owner)),
                "pb:tag": template("Get, create, or delete a tag", urls.tag(owner, number, "") + "{tag}"),
                "pb:latest-verification-results-where-pacticipant-is-consumer":
                    titled("The latest verification results for its contracts", urls.at(&results)),
                "pb:pact-versions": pacts,
                "curies": urls.curies(),
            },
        });
        if let Some(url) = &version.build_url {
            body["buildUrl"] = url.as_str().into();
        }
        for (kind, found) in &presences {
            let links: Vec<Value> = of_version(found, version).map(|one| presence_link(urls, one)).collect();
            // As in the Pact Broker, lists include these links only if there are any.
            if !links.is_empty() {
                body["_links"][relation_of(*kind)] = links.into();
            }
        }
        bodies.push(body);
    }
    Ok(bodies)
}

const PRESENCES: [PresenceKind; 2] = [PresenceKind::Deployed, PresenceKind::Released];

fn by_version<T>(all: Vec<T>, version: impl Fn(&T) -> i64) -> HashMap<i64, Vec<T>> {
    let mut found: HashMap<i64, Vec<T>> = HashMap::new();
    for item in all {
        found.entry(version(&item)).or_default().push(item);
    }
    found
}

fn of_version<'a, T>(all: &'a HashMap<i64, Vec<T>>, version: &Version) -> impl Iterator<Item = &'a T> {
    all.get(&version.id).into_iter().flatten()
}

fn relation_of(kind: PresenceKind) -> &'static str {
    match kind {
        PresenceKind::Deployed => "pb:deployed-environments",
        PresenceKind::Released => "pb:released-environments",
    }
}

/// Returns the link to a deployment or release, which may have ended.
fn presence_link(urls: &Urls, presence: &Presence) -> Value {
    let (place, word, is_current) = match presence.kind {
        PresenceKind::Deployed => ("deployed-versions", "deployed to", "currently_deployed"),
        PresenceKind::Released => ("released-versions", "released to", "currently_supported"),
    };
    let name = &presence.environment.display_name;
    let url = urls.at(&format!("/{place}/{}", presence.uuid));
    let mut link = named(&format!("Version {word} {name}"), name, url);
    link[is_current] = presence.is_current.into();
    link
}

/// Returns the representation of the membership of a version in a branch. `is_head` is true if it is the latest version
/// on the branch.
pub(super) fn branch_of_version(urls: &Urls, owner: &str, number: &str, branch: &str, is_head: bool) -> Value {
    let itself = named("Branch version", branch, urls.branch_version(owner, branch, number));
    json!({ "name": branch, "latest": is_head, "_links": { "self": itself } })
}

/// Returns the complete representation of one version, with the links that lists omit.
fn body(tx: &mut Tx<'_>, urls: &Urls, version: &Version) -> Result<Value, StoreError> {
    let mut body = bodies(tx, urls, std::slice::from_ref(version))?
        .pop()
        .unwrap_or_default();
    let url = urls.version(&version.pacticipant, &version.number);
    let links = &mut body["_links"];
    for kind in PRESENCES {
        if links.get(relation_of(kind)).is_none() {
            links[relation_of(kind)] = json!([]);
        }
    }
    let known = environments::all(tx)?;
    for (relation, place, word) in [
        ("pb:record-deployment", "deployed-versions", "deployment to"),
        ("pb:record-release", "released-versions", "release to"),
    ] {
        let all = known.iter().map(|environment| {
            let title = format!("Record {word} {}", environment.display_name);
            named(
                &title,
                &environment.name,
                format!("{url}/{place}/environment/{}", environment.uuid),
            )
        });
        links[relation] = all.collect();
    }
    Ok(body)
}

pub(super) fn show(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let version = rq.version(tx)?;
    Ok(Reply::ok(&body(tx, &rq.urls, &version)?))
}

pub(super) fn show_latest(rq: &Request, tx: &mut Tx<'_>, version: Option<Version>) -> HandlerResult {
    let version = version.ok_or_else(not_found)?;
    let mut body = body(tx, &rq.urls, &version)?;
    body["_links"]["self"]["href"] = rq.self_url().into();
    Ok(Reply::ok(&body))
}

pub(super) fn latest(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let owner = rq.pacticipant(tx)?;
    let version = versions::latest(tx, owner.id)?;
    show_latest(rq, tx, version)
}

pub(super) fn latest_with_tag(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let owner = rq.pacticipant(tx)?;
    let version = versions::latest_with_tag(tx, owner.id, rq.param(Param::Tag))?;
    show_latest(rq, tx, version)
}

pub(super) fn listed(
    rq: &Request,
    tx: &mut Tx<'_>,
    owner: &Pacticipant,
    filter: VersionFilter<'_>,
    title: &str,
) -> HandlerResult {
    let page = rq.page()?;
    let (found, total) = versions::list(tx, owner.id, filter, page.unwrap_or(UNPAGED))?;
    let urls = &rq.urls;
    let link_to = |version: &Version, title: String| json!({ "href": urls.version(&owner.name, &version.number), "title": title });
    let links: Vec<Value> = found
        .iter()
        .map(|version| {
            link_to(
                version,
                format!("Version {} - {}", version.number, time::day(version.created_at)),
            )
        })
        .collect();
    let old_links: Vec<Value> = found
        .iter()
        .map(|version| link_to(version, "Deprecated: see pb:versions".to_owned()))
        .collect();
    let mut reply = json!({
        "_embedded": { "versions": bodies(tx, urls, &found)? },
        "_links": {
            "self": titled(title, rq.self_url()),
            "pb:pacticipant": titled(&owner.name, urls.pacticipant(&owner.name)),
            "pb:versions": links,
            "pacticipant": titled("Deprecated: see pb:pacticipant", urls.pacticipant(&owner.name)),
            "versions": old_links,
        },
    });
    if let Some(page) = page {
        lists::Total { page, total }.add_to(rq, &mut reply);
    }
    Ok(Reply::ok(&reply))
}

pub(super) fn list(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let owner = rq.pacticipant(tx)?;
    listed(
        rq,
        tx,
        &owner,
        VersionFilter::All,
        &format!("All versions of {}", owner.name),
    )
}

pub(super) fn list_with_tag(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let owner = rq.pacticipant(tx)?;
    if !tags::is_used(tx, owner.id, rq.param(Param::Tag))? {
        return Err(name_not_found("tag", rq.param(Param::Tag)).into());
    }
    let title = format!("Versions of {} with tag {}", owner.name, rq.param(Param::Tag));
    listed(rq, tx, &owner, VersionFilter::Tag(rq.param(Param::Tag)), &title)
}

pub(super) fn list_in_environment(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let owner = rq.pacticipant(tx)?;
    let environment = rq.environment(tx)?;
    let title = format!("Versions of {} in {}", owner.name, environment.display_name);
    listed(rq, tx, &owner, VersionFilter::Environment(environment.id), &title)
}

fn keep(rq: &Request, tx: &mut Tx<'_>, replace: bool) -> HandlerResult {
    let sent = rq.object()?;
    let mut fields = Fields::new(&sent);
    let build_url = fields.text("buildUrl");
    let tags = fields.tags(
        |tag| tag.get("name").and_then(Value::as_str),
        "each tag must have a name",
    );
    fields.finish()?;
    let (version, is_new) = rq.version_or_new(tx)?;
    if sent.contains_key("buildUrl") || replace {
        versions::set_build_url(tx, &version, build_url, rq.now)?;
    }
    // As in the Pact Broker, a branch in the body has no effect. Branches are added with
    // `/branches/{branch}/versions/{version}`.
    if let Some(names) = tags {
        cases::tags::replace(tx, rq.publish_settings(), &version, &names)?;
    }
    let kept = rq.version(tx)?;
    Ok(Reply::hal(if is_new { 201 } else { 200 }, &body(tx, &rq.urls, &kept)?))
}

pub(super) fn replace(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    keep(rq, tx, true)
}

pub(super) fn merge(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    keep(rq, tx, false)
}

pub(super) fn delete(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let version = rq.version(tx)?;
    let mut current = protection::current_of(tx, version.pacticipant_id)?;
    current.retain(|presence| presence.version_id == version.id);
    protection::require_ending(rq, &current)?;
    removal::version(tx, &version)?;
    Ok(Reply::empty(204))
}

// Tags.

fn tag_body(rq: &Request, created_at: i64) -> Value {
    let (owner, number, tag) = (
        rq.param(Param::Pacticipant),
        rq.param(Param::Version),
        rq.param(Param::Tag),
    );
    json!({
        "name": tag,
        "createdAt": time::iso(created_at),
        "_links": {
            "self": named("Tag", tag, rq.urls.tag(owner, number, tag)),
            "version": named("Version", number, rq.urls.version(owner, number)),
            "pacticipant": named("Pacticipant", owner, rq.urls.pacticipant(owner)),
        },
    })
}

pub(super) fn show_tag(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let version = rq.version(tx)?;
    let tag = tags::find(tx, version.id, rq.param(Param::Tag))?.ok_or_else(not_found)?;
    Ok(Reply::ok(&tag_body(rq, tag.created_at)))
}

pub(super) fn add_tag(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    rq.object()?;
    let (version, _) = rq.version_or_new(tx)?;
    let is_new = cases::tags::add_and_deploy(tx, rq.publish_settings(), &version, rq.param(Param::Tag))?;
    let tag = tags::find(tx, version.id, rq.param(Param::Tag))?.ok_or_else(not_found)?;
    let body = tag_body(rq, tag.created_at);
    let url = rq.urls.tag(
        rq.param(Param::Pacticipant),
        rq.param(Param::Version),
        rq.param(Param::Tag),
    );
    Ok(if is_new {
        Reply::created(&body, url)
    } else {
        Reply::ok(&body)
    })
}

pub(super) fn remove_tag(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let version = rq.version(tx)?;
    if tags::remove(tx, &version, rq.param(Param::Tag))? {
        Ok(Reply::empty(204))
    } else {
        Err(not_found().into())
    }
}

/// Returns the latest result for each contract of a consumer version.
pub(super) fn results_as_consumer(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let (consumer, number) = (rq.param(Param::Consumer), rq.param(Param::Version));
    let owner = pacticipants::find(tx, consumer)?.ok_or_else(|| name_not_found("consumer", consumer))?;
    let version = versions::find(tx, owner.id, number)?.ok_or_else(not_found)?;
    let mut bodies = Vec::new();
    let mut names: [Vec<String>; 3] = Default::default();
    for publication in pacts::of_versions(tx, &[version.id])? {
        let result = contract_broker_core::sql::results::latest(tx, publication.content_id)?;
        let place = match &result {
            Some(result) if result.success => 0,
            Some(_) => 1,
            None => 2,
        };
        names[place].push(publication.provider.clone());
        if let Some(result) = result {
            bodies.push(super::results::body(&rq.urls, &publication, &result));
        }
    }
    let success = !names[0].is_empty() && names[1].is_empty() && names[2].is_empty();
    let [successful, failed, unknown] = names;
    Ok(Reply::ok(&json!({
        "success": success,
        "providerSummary": { "successful": successful, "failed": failed, "unknown": unknown },
        "_embedded": { "verificationResults": bodies },
        "_links": { "self": titled(&format!("The latest verification results for {consumer} {number}"), rq.self_url()) },
    })))
}

/// Returns the short representation of a version and its application, for embedding in other resources.
pub(super) fn embedded(urls: &Urls, pacticipant: &str, number: &str) -> Value {
    json!({
        "pacticipant": { "name": pacticipant, "_links": { "self": link(urls.pacticipant(pacticipant)) } },
        "version": short_version(urls, pacticipant, number),
    })
}
