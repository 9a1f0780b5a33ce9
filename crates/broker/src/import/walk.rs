//! Reads all resources of the other broker by following its links.

use std::collections::{HashMap, HashSet};
use std::fmt;

use contract_broker_core::cases::import::{
    self, ImportedBranchHead, ImportedContent, ImportedContract, ImportedLink, ImportedRevision, ImportedVersion,
    Record,
};
use contract_broker_core::domain::content::Content;
use contract_broker_core::domain::time;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

use super::read::{self, ListedVersion, ResultRow, items, link, links, text};
use super::source::Source;
use super::{ImportError, Target};

/// Number of items on a page.
const PAGE: usize = 100;
/// Maximum number of rows of the matrix in a response.
const ROWS: usize = 1_000;
/// The characters to percent-encode: all except unreserved ones.
const UNRESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

fn encode(text: &str) -> String {
    utf8_percent_encode(text, UNRESERVED).to_string()
}

/// Checks that the source is a broker.
pub(super) async fn check(source: &Source) -> Result<(), ImportError> {
    let url = source.at("");
    let index = source.require(&url).await?;
    match link(&index, "pb:pacticipants") {
        Some(_) => Ok(()),
        None => Err(ImportError::NotBroker(url)),
    }
}

/// Adds all data of the source to the target.
pub(super) async fn walk(
    source: &Source,
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
    for (at, application) in applications.iter().enumerate() {
        let versions = add_versions(source, target, application).await?;
        progress(&format!(
            "[{}/{}] {application}: {} versions",
            at + 1,
            applications.len(),
            versions.len()
        ));
        presences.extend(versions.into_iter().flat_map(|version| version.presences));
    }
    let integrations = source.require(&source.at("integrations")).await?;
    let pairs: Vec<(String, String)> = items(&integrations, "integrations").iter().filter_map(pair).collect();
    drop(integrations);
    for (at, (consumer, provider)) in pairs.iter().enumerate() {
        add_pair(source, target, consumer, provider).await?;
        progress(&format!(
            "[{}/{}] contracts between {consumer} and {provider}",
            at + 1,
            pairs.len()
        ));
    }
    add_presences(source, target, presences, &environments).await?;
    add_webhooks(source, target).await?;
    progress("deployments, releases, and webhooks");
    target.flush().await
}

/// Calls `each` with the items of all pages of a list.
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

/// Returns the UUIDs of the environments.
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

/// Adds the versions of an application from the oldest to the newest, because their order determines which one is the
/// latest.
async fn add_versions(
    source: &Source,
    target: &mut Target,
    application: &str,
) -> Result<Vec<ListedVersion>, ImportError> {
    let mut listed = Vec::new();
    let path = format!("pacticipants/{}/versions?page=1&size={PAGE}", encode(application));
    each_item(source, source.at(&path), "versions", |value| {
        listed.push(read::version(value));
    })
    .await?;
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

/// Returns the branches or tags of a version, without times, because the list of versions does not contain them.
fn links_of(version: &ListedVersion, names: &[String]) -> Vec<ImportedLink> {
    let link = |name: &String| ImportedLink {
        name: name.clone(),
        automatic: false,
        created_at: version.created_at,
    };
    names.iter().map(link).collect()
}

fn pair(integration: &Value) -> Option<(String, String)> {
    let name = |side: &str| text(integration.get(side)?, "name");
    Some((name("consumer")?, name("provider")?))
}

/// Adds the contracts of a consumer with a provider, from the oldest version to the newest, and their results.
async fn add_pair(source: &Source, target: &mut Target, consumer: &str, provider: &str) -> Result<(), ImportError> {
    let path = format!("pacts/provider/{}/consumer/{}", encode(provider), encode(consumer));
    let Some(list) = source.get(&source.at(&format!("{path}/versions"))).await? else {
        return Ok(());
    };
    let published: Vec<(String, String)> = items(&list, "pacts")
        .iter()
        .rev()
        .filter_map(|pact| {
            let version = pact.get("_embedded")?.get("consumerVersion")?;
            Some((text(version, "number")?, link(pact, "self")?))
        })
        .collect();
    drop(list);
    let wanted: Vec<_> = published
        .iter()
        .map(|(version, _)| (consumer.to_owned(), version.clone(), provider.to_owned()))
        .collect();
    let known = target.read(move |tx| import::published(tx, &wanted)).await?;
    let mut verified = Verified::default();
    for ((version, url), is_known) in published.iter().zip(known) {
        let of = Publication {
            consumer,
            version,
            provider,
        };
        let rows = result_rows(source, target, of).await?;
        if is_known {
            target.report.count("contracts").known += 1;
        } else {
            add_contracts(source, target, of, url, &rows).await?;
        }
        add_results(source, target, rows, &mut verified).await?;
    }
    target.flush().await
}

/// The contract of a consumer version with a provider.
#[derive(Clone, Copy)]
struct Publication<'a> {
    consumer: &'a str,
    version: &'a str,
    provider: &'a str,
}

impl fmt::Display for Publication<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            consumer,
            version,
            provider,
        } = self;
        write!(out, "contract between {consumer} {version} and {provider}")
    }
}

/// Adds the revisions of a contract. The API of the other broker returns replaced revisions only if they have a result.
async fn add_contracts(
    source: &Source,
    target: &mut Target,
    of: Publication<'_>,
    url: &str,
    rows: &[ResultRow],
) -> Result<(), ImportError> {
    let Some(latest) = read_content(source, target, of, url).await? else {
        return Ok(());
    };
    let mut known = HashSet::from([latest.content.sha.as_str()]);
    let mut replaced: Vec<&ResultRow> = rows.iter().filter(|row| known.insert(&row.result.sha)).collect();
    replaced.sort_by_key(|row| (row.published_at, row.number));
    let mut revisions = Vec::with_capacity(replaced.len() + 1);
    for row in replaced {
        let path = format!(
            "pacts/provider/{}/consumer/{}/pact-version/{}",
            encode(of.provider),
            encode(of.consumer),
            encode(&row.result.sha)
        );
        if let Some(mut read) = read_content(source, target, of, &source.at(&path)).await? {
            read.content.sha.clone_from(&row.result.sha);
            read.published_at = row.published_at;
            revisions.push(of.add_content(target, read).await?);
        }
    }
    revisions.push(of.add_content(target, latest).await?);
    let contract = ImportedContract {
        consumer: of.consumer.to_owned(),
        version: of.version.to_owned(),
        provider: of.provider.to_owned(),
        revisions,
    };
    target.add(Record::Contract(contract)).await
}

impl Publication<'_> {
    /// Adds the content of a contract, and returns the revision with this content.
    async fn add_content(self, target: &mut Target, read: ReadContent) -> Result<ImportedRevision, ImportError> {
        let revision = ImportedRevision {
            sha: read.content.sha.clone(),
            created_at: read.published_at,
        };
        let content = ImportedContent {
            consumer: self.consumer.to_owned(),
            provider: self.provider.to_owned(),
            content: read.content,
            size: read.size,
            created_at: read.published_at,
        };
        target.add(Record::Content(content)).await?;
        Ok(revision)
    }
}

struct ReadContent {
    content: Content,
    /// Size of the document, in bytes.
    size: usize,
    published_at: i64,
}

/// Reads the contract at `url`. If it cannot be read, adds a problem to the report and returns `None`.
async fn read_content(
    source: &Source,
    target: &mut Target,
    of: Publication<'_>,
    url: &str,
) -> Result<Option<ReadContent>, ImportError> {
    let Some(mut document) = source.get(url).await? else {
        target.report.fail("contracts", format!("{of}: {url} does not exist"));
        return Ok(None);
    };
    let version = document.get("_links").and_then(|links| links.get("pb:pact-version"));
    let sha = version.and_then(|link| text(link, "name"));
    let created_at = text(&document, "createdAt").and_then(|at| time::parse(&at));
    if let Some(document) = document.as_object_mut() {
        document.remove("_links");
        document.remove("createdAt");
    }
    let document = document.to_string();
    match Content::read(document.as_bytes()) {
        Ok(mut content) => {
            // Keep the hash, because it depends on the settings of the other broker, and results refer to it.
            if let Some(sha) = sha {
                content.sha = sha;
            }
            Ok(Some(ReadContent {
                content,
                size: document.len(),
                published_at: created_at.unwrap_or_else(time::now),
            }))
        }
        Err(error) => {
            target.report.fail("contracts", format!("{of}: {error}"));
            Ok(None)
        }
    }
}

/// Returns the results of all revisions of a contract.
async fn result_rows(source: &Source, target: &mut Target, of: Publication<'_>) -> Result<Vec<ResultRow>, ImportError> {
    let query = format!(
        "matrix?q%5B%5D%5Bpacticipant%5D={}&q%5B%5D%5Bversion%5D={}&q%5B%5D%5Bpacticipant%5D={}&limit={ROWS}",
        encode(of.consumer),
        encode(of.version),
        encode(of.provider)
    );
    let matrix = source.require(&source.at(&query)).await?;
    let rows = items(&matrix, "matrix");
    if rows.len() >= ROWS {
        target.report.note(format!(
            "{of}: only {ROWS} results could be read, because the other broker limits the matrix"
        ));
    }
    let mut found = Vec::new();
    for row in rows.iter().filter_map(read::result_row) {
        match row {
            Ok(row) if row.result.consumer == of.consumer && row.result.provider == of.provider => found.push(row),
            // The row belongs to the reverse integration: the provider can also be a consumer of the consumer.
            Ok(_) => {}
            Err(problem) => target.report.fail("results", format!("result of the {of}: {problem}")),
        }
    }
    Ok(found)
}

/// The results of an integration that have been read so far.
#[derive(Default)]
struct Verified {
    numbers: HashSet<i64>,
    /// The number of results with the same SHA, provider version, status, and time.
    equal: HashMap<(String, String, bool, i64), i64>,
}

impl Verified {
    /// Counts a result. Returns `false` if it was read for an earlier version with the same content.
    fn add(&mut self, row: &mut ResultRow) -> bool {
        if !self.numbers.insert(row.number) {
            return false;
        }
        let of = &row.result;
        let key = (of.sha.clone(), of.provider_version.clone(), of.success, of.created_at);
        let equal = self.equal.entry(key).or_default();
        *equal += 1;
        row.result.occurrence = *equal;
        true
    }
}

/// Adds the results of a contract.
async fn add_results(
    source: &Source,
    target: &mut Target,
    mut rows: Vec<ResultRow>,
    verified: &mut Verified,
) -> Result<(), ImportError> {
    // The last result of a provider version counts.
    rows.sort_by_key(|row| row.number);
    rows.retain_mut(|row| verified.add(row));
    let results: Vec<_> = rows.iter().map(|row| row.result.clone()).collect();
    let known = target
        .read(move |tx| {
            let known = results.iter().map(|result| import::has_result(tx, result));
            known.collect::<Result<Vec<_>, _>>()
        })
        .await?;
    for (mut row, is_known) in rows.into_iter().zip(known) {
        if is_known {
            target.report.count("results").known += 1;
            continue;
        }
        match source.get(&row.url).await? {
            Some(details) => read::complete_result(&mut row, &details),
            None => target
                .report
                .note(format!("{}: the details of the result were not found", row.url)),
        }
        target.add(Record::Result(row.result)).await?;
    }
    Ok(())
}

async fn add_presences(
    source: &Source,
    target: &mut Target,
    links: Vec<String>,
    environments: &[String],
) -> Result<(), ImportError> {
    let mut found = Vec::new();
    let mut seen = HashSet::new();
    for url in links {
        let Some(value) = source.get(&url).await? else { continue };
        found.push(read::presence(&value, None).map_err(|problem| format!("{url}: {problem}")));
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
