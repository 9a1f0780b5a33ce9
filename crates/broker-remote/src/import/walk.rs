//! Follows the links of the other broker's API, and imports all resources.

use std::collections::HashSet;
use std::sync::Arc;

use contract_broker_core::cases::import::{self, ImportedBranchHead, ImportedLink, ImportedVersion, Record};
use serde_json::Value;

use super::contracts;
use super::fetch::{Fetch, FetchAhead};
use super::read::{self, ListedVersion, items, link, links};
use super::source::{Source, encode};
use super::{ImportError, Target};

/// Number of items to request per page of a list.
const PAGE: usize = 100;

/// Returns an error unless the source is a Pact Broker or compatible.
pub(super) async fn check(source: &Source) -> Result<(), ImportError> {
    let url = source.at("");
    let index = source.require(&url).await?;
    match link(&index, "pb:pacticipants") {
        Some(_) => Ok(()),
        None => Err(ImportError::NotBroker(url)),
    }
}

/// Imports all data of `source` into `target`.
pub(super) async fn walk(
    source: &Arc<Source>,
    target: &mut Target,
    progress: &(dyn Fn(&str) + Sync),
) -> Result<(), ImportError> {
    let environments = add_environments(source, target).await?;
    let applications = add_applications(source, target).await?;
    progress(&format!(
        "{} environments, {} applications",
        environments.len(),
        applications.len()
    ));
    let mut presences = Vec::new();
    let lists = applications.iter().map(|application| {
        let (source, application) = (Arc::clone(source), application.clone());
        Fetch::start(async move { list_versions(&source, &application).await })
    });
    let mut lists = FetchAhead::start(lists, source.max_requests());
    for (at, application) in applications.iter().enumerate() {
        let listed = lists.next().await?.unwrap_or_default();
        let versions = add_versions(target, application, listed).await?;
        progress(&format!(
            "[{}/{}] {application}: {} versions",
            at + 1,
            applications.len(),
            versions.len()
        ));
        presences.extend(versions.into_iter().flat_map(|version| version.presences));
    }
    contracts::add_all(source, target, progress).await?;
    add_presences(source, target, presences, &environments).await?;
    add_webhooks(source, target).await?;
    progress("deployments, releases, and webhooks");
    target.flush().await
}

/// Calls `each` for each item of a list. Starts with the page at the URL `first`, and follows the links to the next
/// pages.
async fn each_item(
    source: &Source,
    first: String,
    list: &str,
    mut each: impl FnMut(&Value),
) -> Result<(), ImportError> {
    let mut known = HashSet::new();
    let mut next = Some(first);
    while let Some(url) = next {
        let page = source.require(&url).await?;
        items(&page, list).iter().for_each(&mut each);
        next = link(&page, "next");
        if !known.insert(url) || next.as_ref().is_some_and(|next| known.contains(next)) {
            return Err(ImportError::Circle(source.at(list)));
        }
    }
    Ok(())
}

/// Imports the environments, and returns their UUIDs.
async fn add_environments(source: &Source, target: &mut Target) -> Result<Vec<String>, ImportError> {
    let mut uuids = Vec::new();
    // Brokers before 2.80 have no environments.
    let Some(found) = source.get(&source.at("environments")).await? else {
        return Ok(uuids);
    };
    for value in items(&found, "environments") {
        match read::environment(value) {
            Ok(environment) => {
                uuids.push(environment.uuid.clone());
                target.add(Record::Environment(environment)).await?;
            }
            Err(problem) => target.report.fail("environments", format!("environment: {problem}")),
        }
    }
    Ok(uuids)
}

async fn add_applications(source: &Source, target: &mut Target) -> Result<Vec<String>, ImportError> {
    let mut read = Vec::new();
    let first = source.at(&format!("pacticipants?page=1&size={PAGE}"));
    each_item(source, first, "pacticipants", |value| {
        read.push(read::application(value));
    })
    .await?;
    let mut names = Vec::new();
    for application in read {
        match application {
            Ok(application) => {
                names.push(application.name.clone());
                target.add(Record::Application(application)).await?;
            }
            Err(problem) => target.report.fail("applications", format!("application: {problem}")),
        }
    }
    target.flush().await?;
    Ok(names)
}

/// Returns the versions of an application, newest first. Each is an error message if it could not be parsed.
async fn list_versions(source: &Source, application: &str) -> Result<Vec<Result<ListedVersion, String>>, ImportError> {
    let mut listed = Vec::new();
    let path = format!("pacticipants/{}/versions?page=1&size={PAGE}", encode(application));
    each_item(source, source.at(&path), "versions", |value| {
        listed.push(read::version(value));
    })
    .await?;
    Ok(listed)
}

/// Imports the versions of an application, oldest first, because their order determines which one is the latest.
async fn add_versions(
    target: &mut Target,
    application: &str,
    listed: Vec<Result<ListedVersion, String>>,
) -> Result<Vec<ListedVersion>, ImportError> {
    let mut versions = Vec::with_capacity(listed.len());
    let mut numbers = HashSet::new();
    for version in listed {
        match version {
            // A version that is published during the import moves others to the next page.
            Ok(version) if !numbers.insert(version.number.clone()) => {}
            Ok(version) => versions.push(version),
            Err(problem) => target
                .report
                .fail("versions", format!("version of {application}: {problem}")),
        }
    }
    let name = application.to_owned();
    let newest = target.read(move |tx| import::newest_version(tx, &name)).await?;
    if let Some(version) = newest.filter(|newest| !numbers.contains(newest)) {
        let application = application.to_owned();
        return Err(ImportError::ForeignVersion { application, version });
    }
    drop(numbers);
    // Lists start with the newest version.
    for version in versions.iter().rev() {
        let version = ImportedVersion {
            application: application.to_owned(),
            number: version.number.clone(),
            build_url: version.build_url.clone(),
            branches: links_of(version, &version.branches),
            tags: links_of(version, &version.tags),
            created_at: version.created_at,
            is_old: false,
        };
        target.add(Record::Version(version)).await?;
    }
    for version in &versions {
        for branch in &version.heads {
            let head = ImportedBranchHead {
                application: application.to_owned(),
                branch: branch.clone(),
                version: version.number.clone(),
            };
            target.add(Record::BranchHead(head)).await?;
        }
    }
    target.flush().await?;
    Ok(versions)
}

/// Converts the names of a version's branches or tags to links. They get the version's creation time, because the list
/// of versions does not contain their own.
fn links_of(version: &ListedVersion, names: &[String]) -> Vec<ImportedLink> {
    let link = |name: &String| ImportedLink {
        name: name.clone(),
        automatic: false,
        created_at: version.created_at,
    };
    names.iter().map(link).collect()
}

async fn add_presences(
    source: &Arc<Source>,
    target: &mut Target,
    links: Vec<String>,
    environments: &[String],
) -> Result<(), ImportError> {
    let mut found = Vec::new();
    let mut seen = HashSet::new();
    let fetches = links.into_iter().map(|url| {
        let source = Arc::clone(source);
        Fetch::start(async move {
            let presence = source.get(&url).await?.map(|value| read::presence(&value, None));
            Ok(presence.map(|read| read.map_err(|problem| format!("{url}: {problem}"))))
        })
    });
    let mut fetches = FetchAhead::start(fetches, source.max_requests());
    while let Some(presence) = fetches.next().await? {
        found.extend(presence);
    }
    // Brokers before 2.116 do not link to past deployments.
    for environment in environments {
        for (path, list) in [
            ("deployed-versions/currently-deployed", "deployedVersions"),
            ("released-versions/currently-supported", "releasedVersions"),
        ] {
            let url = source.at(&format!("environments/{}/{path}", encode(environment)));
            let Some(value) = source.get(&url).await? else { continue };
            let current = items(&value, list).iter();
            found.extend(
                current.map(|value| {
                    read::presence(value, Some(environment)).map_err(|problem| format!("{url}: {problem}"))
                }),
            );
        }
    }
    let mut presences = Vec::with_capacity(found.len());
    for presence in found {
        match presence {
            Ok(presence) if seen.insert(presence.uuid.clone()) => presences.push(presence),
            Ok(_) => {}
            Err(problem) => target.report.fail("deployments", problem),
        }
    }
    // Lists start with the newest entry. Times are in whole seconds, so the order of the list matters for equal times.
    presences.reverse();
    presences.sort_by_key(|presence| presence.created_at);
    for presence in presences {
        target.add(Record::Presence(presence)).await?;
    }
    target.flush().await
}

async fn add_webhooks(source: &Source, target: &mut Target) -> Result<(), ImportError> {
    let Some(list) = source.get(&source.at("webhooks")).await? else {
        return Ok(());
    };
    for url in links(&list, "pb:webhooks") {
        let Some(value) = source.get(&url).await? else { continue };
        match read::webhook(&value) {
            Ok((webhook, problem)) => {
                if let Some(problem) = problem {
                    target.report.note(problem);
                }
                target.add(Record::Webhook(webhook)).await?;
            }
            Err(problem) => target.report.fail("webhooks", format!("{url}: {problem}")),
        }
    }
    target.flush().await
}
