//! The rows of the matrix that a question is about, and no others: each is looked up by its key, history does not matter.

use std::collections::{HashMap, HashSet};

use super::environments::{self, Kind};
use super::pacticipants::{self, Pacticipant};
use super::versions::{self, Among as List, Version};
use super::{WHOLE, pacts, results};
use crate::domain::matrix::{Destination, LatestBy, Query, Selector, Versions};
use crate::domain::verdict::{Among, Evidence, Party, Row, Verified};
use crate::store::{StoreError, Tx, Value, params};

/// A question that makes no sense in this broker, as sentences.
pub(crate) type Refused = Vec<String>;

/// What a question is answered from, and the numbers of the versions in it.
pub(crate) struct Found {
    pub(crate) evidence: Evidence,
    pub(crate) versions: HashMap<i64, Version>,
}

/// Gathers what a verdict needs.
pub(crate) fn gather(tx: &mut Tx<'_>, query: &Query) -> Result<Result<Found, Refused>, StoreError> {
    let mut evidence = Evidence::default();
    let mut refused = Refused::new();
    let mut names: HashMap<String, Pacticipant> = HashMap::new();
    for selector in &query.selectors {
        match pacticipants::find(tx, &selector.pacticipant)? {
            Some(known) => drop(names.insert(selector.pacticipant.clone(), known)),
            None => refused.push(format!("There is no pacticipant {}.", selector.pacticipant)),
        }
    }
    let asked = query.selectors.iter().map(|selector| &selector.versions);
    for versions in asked.chain(query.destination.as_ref().map(|destination| &destination.0)) {
        if let Versions::Environment(name) = versions
            && environments::find_named(tx, name)?.is_none()
        {
            refused.push(format!("There is no environment {name}."));
        }
    }
    if !refused.is_empty() {
        return Ok(Err(refused));
    }
    for selector in &query.selectors {
        add_specified(tx, selector, &names[&selector.pacticipant], &mut evidence)?;
    }
    let ignored = ignored(tx, query, &mut evidence)?;
    warn(query, &mut evidence);
    let pairs = match &query.destination {
        // Nothing can be said about a version that does not exist but that.
        _ if !evidence.missing.is_empty() => Vec::new(),
        Some(destination) => with_destination(tx, destination, &mut evidence)?,
        None if evidence.parties.len() > 1 => among_specified(tx, &evidence)?,
        None => of_one(tx, &mut evidence)?,
    };
    let mut rows = Vec::new();
    for pair in &pairs {
        rows.extend(rows_of(tx, pair, query, &evidence)?);
    }
    if !query.success.is_empty() {
        rows.retain(|row| query.success.contains(&row.verified.map(|verified| verified.success)));
    }
    sort(&mut rows, &evidence);
    if query.destination.is_none() {
        // A view is cut; what a verdict about a deployment is made of is not.
        rows.truncate(usize::try_from(query.limit).unwrap_or(usize::MAX));
    }
    let is_ignored = |row: &Row| ignored.iter().any(|one| one.covers(row));
    (evidence.ignored, evidence.rows) = rows.into_iter().partition(is_ignored);
    evidence.required = pairs
        .iter()
        .filter(|pair| pair.is_required && !ignored.iter().any(|one| one.covers_pair(pair.consumer, pair.provider)))
        .map(|pair| (pair.consumer, pair.provider))
        .collect();
    let versions = versions_of(tx, &evidence)?;
    Ok(Ok(Found { evidence, versions }))
}

fn add_specified(
    tx: &mut Tx<'_>,
    selector: &Selector,
    known: &Pacticipant,
    evidence: &mut Evidence,
) -> Result<(), StoreError> {
    let party = party(tx, known, &selector.versions, true)?;
    if party.versions == Among::These(Vec::new()) {
        evidence.missing.push(match &selector.versions {
            Versions::Number(number) => {
                format!(
                    "Nothing was published for version {number} of {}: it does not exist.",
                    known.name
                )
            }
            _ => format!("There is no {} of {}.", party.phrase, known.name),
        });
    }
    // The same application twice: all its versions together.
    match evidence
        .parties
        .iter_mut()
        .find(|other| other.pacticipant == party.pacticipant)
    {
        None => evidence.parties.push(party),
        Some(other) => {
            other.phrase = format!("{} or {}", other.phrase, party.phrase);
            match (&mut other.versions, party.versions) {
                (Among::These(known), Among::These(more)) => known.extend(more),
                (versions, _) => *versions = Among::Every,
            }
        }
    }
    Ok(())
}

fn party(tx: &mut Tx<'_>, known: &Pacticipant, versions: &Versions, is_specified: bool) -> Result<Party, StoreError> {
    let (among, phrase) = match versions {
        Versions::Every => (None, "any version".to_owned()),
        Versions::Number(number) => (
            Some(versions::find(tx, known.id, number)?.into_iter().collect()),
            format!("version {number}"),
        ),
        Versions::Latest => (
            Some(versions::latest(tx, known.id)?.into_iter().collect()),
            "the latest version".to_owned(),
        ),
        Versions::Tag { tag, latest: true } => (
            Some(versions::latest_with_tag(tx, known.id, tag)?.into_iter().collect()),
            format!("the latest version with tag {tag}"),
        ),
        Versions::Tag { tag, latest: false } => (
            Some(versions::list(tx, known.id, List::Tag(tag), WHOLE)?.0),
            format!("a version with tag {tag}"),
        ),
        Versions::Branch { branch, latest } => on_branch(tx, known.id, branch, *latest)?,
        Versions::MainBranch { latest } => match &known.details.main_branch {
            Some(branch) => on_branch(tx, known.id, branch, *latest)?,
            None => (
                Some(Vec::new()),
                "a version on the main branch, which is not set,".to_owned(),
            ),
        },
        Versions::Environment(name) => (
            Some(in_environment(tx, known.id, name)?),
            format!("the version in {name}"),
        ),
    };
    let Some(among) = among else {
        let name = known.name.clone();
        return Ok(Party {
            pacticipant: known.id,
            name,
            versions: Among::Every,
            is_specified,
            phrase,
        });
    };
    let phrase = phrase_with_numbers(phrase, versions, &among);
    let versions = Among::These(among.iter().map(|version| version.id).collect());
    Ok(Party {
        pacticipant: known.id,
        name: known.name.clone(),
        versions,
        is_specified,
        phrase,
    })
}

/// Which versions stand behind a phrase, where it does not say itself.
fn phrase_with_numbers(phrase: String, versions: &Versions, among: &[Version]) -> String {
    const MOST: usize = 5;
    if matches!(versions, Versions::Number(_)) {
        return phrase;
    }
    let numbers: Vec<&str> = among.iter().take(MOST).map(|version| version.number.as_str()).collect();
    match (numbers.as_slice(), versions) {
        ([], Versions::Environment(name)) => format!("a version in {name}, where none is recorded,"),
        ([], _) => phrase,
        ([one], _) => format!("{phrase} ({one})"),
        (several, Versions::Environment(name)) => format!("one of the versions in {name} ({})", several.join(", ")),
        (several, _) => format!(
            "{phrase} ({}{})",
            several.join(", "),
            if among.len() > MOST { ", …" } else { "" }
        ),
    }
}

type AmongWithPhrase = (Option<Vec<Version>>, String);

fn on_branch(tx: &mut Tx<'_>, pacticipant: i64, branch: &str, latest: bool) -> Result<AmongWithPhrase, StoreError> {
    Ok(if latest {
        let head = versions::head_of_branch(tx, pacticipant, branch)?;
        (
            Some(head.into_iter().collect()),
            format!("the latest version on branch {branch}"),
        )
    } else {
        let all = versions::list(tx, pacticipant, List::Branch(branch), WHOLE)?.0;
        (Some(all), format!("a version on branch {branch}"))
    })
}

fn in_environment(tx: &mut Tx<'_>, pacticipant: i64, name: &str) -> Result<Vec<Version>, StoreError> {
    let mut ids = Vec::new();
    for kind in [Kind::Deployed, Kind::Released] {
        for presence in environments::current_of(tx, kind, pacticipant)? {
            if presence.environment.name == name && !ids.contains(&presence.version_id) {
                ids.push(presence.version_id);
            }
        }
    }
    let mut found = versions::by_ids(tx, &ids)?;
    found.sort_by_key(|version| version.id);
    Ok(found)
}

/// Something that is not to decide.
struct Ignore {
    pacticipant: i64,
    version: Option<i64>,
}

impl Ignore {
    fn covers(&self, row: &Row) -> bool {
        let is_meant = |pacticipant: i64, version: Option<i64>| {
            pacticipant == self.pacticipant && (self.version.is_none() || self.version == version)
        };
        is_meant(row.consumer, Some(row.consumer_version))
            || is_meant(row.provider, row.verified.map(|verified| verified.version))
    }

    fn covers_pair(&self, consumer: i64, provider: i64) -> bool {
        self.version.is_none() && (self.pacticipant == consumer || self.pacticipant == provider)
    }
}

fn ignored(tx: &mut Tx<'_>, query: &Query, evidence: &mut Evidence) -> Result<Vec<Ignore>, StoreError> {
    let mut found = Vec::new();
    for one in &query.ignore {
        let Some(known) = pacticipants::find(tx, &one.pacticipant)? else {
            let text = format!(
                "Warning: {} cannot be ignored, there is no such pacticipant.",
                one.pacticipant
            );
            evidence.warnings.push(text);
            continue;
        };
        let version = match &one.version {
            None => None,
            Some(number) => {
                if let Some(version) = versions::find(tx, known.id, number)? {
                    Some(version.id)
                } else {
                    let text = format!(
                        "Warning: {} {number} cannot be ignored, there is no such version.",
                        known.name
                    );
                    evidence.warnings.push(text);
                    continue;
                }
            }
        };
        found.push(Ignore {
            pacticipant: known.id,
            version,
        });
    }
    Ok(found)
}

fn warn(query: &Query, evidence: &mut Evidence) {
    let Some(Destination(destination)) = &query.destination else {
        return;
    };
    if *destination == Versions::Latest {
        evidence.warnings.push(
            "Warning: without an environment this compares with the latest versions, which may not be the deployed ones."
                .to_owned(),
        );
    }
    if query
        .selectors
        .iter()
        .any(|selector| !matches!(selector.versions, Versions::Number(_)))
    {
        evidence.warnings.push(
            "Warning: name the version to deploy by its number; what a branch or tag stands for may change at any moment."
                .to_owned(),
        );
    }
}

/// A consumer and a provider that are to be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Pair {
    consumer: i64,
    provider: i64,
    /// Without any row the answer is not known.
    is_required: bool,
    /// Contracts that the provider versions did not verify are no rows.
    only_verified: bool,
}

fn add(pairs: &mut Vec<Pair>, pair: Pair) {
    match pairs
        .iter_mut()
        .find(|known| (known.consumer, known.provider) == (pair.consumer, pair.provider))
    {
        Some(known) => known.is_required |= pair.is_required,
        None => pairs.push(pair),
    }
}

/// The specified versions against everyone that they depend on or that depends on them.
fn with_destination(
    tx: &mut Tx<'_>,
    destination: &Destination,
    evidence: &mut Evidence,
) -> Result<Vec<Pair>, StoreError> {
    let specified = evidence.parties.clone();
    let mut pairs = Vec::new();
    for party in &specified {
        let providers: Option<HashSet<i64>> = match &party.versions {
            Among::Every => None,
            Among::These(ids) => Some(pacts::of_versions(tx, ids)?.iter().map(|one| one.provider_id).collect()),
        };
        for integration in pacticipants::integrations_of(tx, party.pacticipant)? {
            let (consumer, provider) = (integration.consumer_id, integration.provider_id);
            let uses =
                consumer == party.pacticipant && providers.as_ref().is_none_or(|known| known.contains(&provider));
            if uses {
                add(
                    &mut pairs,
                    Pair {
                        consumer,
                        provider,
                        is_required: true,
                        only_verified: false,
                    },
                );
            }
            if provider == party.pacticipant && consumer != provider {
                add(
                    &mut pairs,
                    Pair {
                        consumer,
                        provider,
                        is_required: false,
                        only_verified: false,
                    },
                );
            }
            let other = if consumer == party.pacticipant {
                integration.provider
            } else {
                integration.consumer
            };
            if evidence.parties.iter().all(|known| known.name != other)
                && let Some(known) = pacticipants::find(tx, &other)?
            {
                evidence.parties.push(self::party(tx, &known, &destination.0, false)?);
            }
        }
    }
    Ok(pairs)
}

/// The specified applications with each other.
fn among_specified(tx: &mut Tx<'_>, evidence: &Evidence) -> Result<Vec<Pair>, StoreError> {
    let mut pairs = Vec::new();
    let specified: HashSet<i64> = evidence.parties.iter().map(|party| party.pacticipant).collect();
    for party in &evidence.parties {
        for integration in pacticipants::integrations_of(tx, party.pacticipant)? {
            let (consumer, provider) = (integration.consumer_id, integration.provider_id);
            if consumer == party.pacticipant && specified.contains(&provider) {
                add(
                    &mut pairs,
                    Pair {
                        consumer,
                        provider,
                        is_required: true,
                        only_verified: false,
                    },
                );
            }
        }
    }
    Ok(pairs)
}

/// All that is known of one application's versions.
fn of_one(tx: &mut Tx<'_>, evidence: &mut Evidence) -> Result<Vec<Pair>, StoreError> {
    let mut pairs = Vec::new();
    let Some(party) = evidence.parties.first().cloned() else {
        return Ok(pairs);
    };
    for integration in pacticipants::integrations_of(tx, party.pacticipant)? {
        let (consumer, provider) = (integration.consumer_id, integration.provider_id);
        let is_consumer = consumer == party.pacticipant;
        add(
            &mut pairs,
            Pair {
                consumer,
                provider,
                is_required: false,
                only_verified: !is_consumer,
            },
        );
        let other = if is_consumer {
            integration.provider
        } else {
            integration.consumer
        };
        if evidence.parties.iter().all(|known| known.name != other)
            && let Some(known) = pacticipants::find(tx, &other)?
        {
            evidence.parties.push(self::party(tx, &known, &Versions::Every, false)?);
        }
    }
    Ok(pairs)
}

fn among(evidence: &Evidence, pacticipant: i64) -> &Among {
    evidence
        .parties
        .iter()
        .find(|party| party.pacticipant == pacticipant)
        .map_or(&Among::Every, |party| &party.versions)
}

/// A publication, as far as rows need it.
struct Published {
    version: i64,
    content: i64,
    revision: i64,
    at: i64,
    sha: String,
}

fn rows_of(tx: &mut Tx<'_>, pair: &Pair, query: &Query, evidence: &Evidence) -> Result<Vec<Row>, StoreError> {
    let published = published(tx, pair, among(evidence, pair.consumer), query)?;
    let contents: HashSet<i64> = published.iter().map(|one| one.content).collect();
    let contents: Vec<i64> = contents.into_iter().collect();
    let verified = verified(tx, &contents, among(evidence, pair.provider), query)?;
    let mut rows = Vec::new();
    for one in published {
        let row = |verified: Option<Verified>| Row {
            consumer: pair.consumer,
            consumer_version: one.version,
            revision: one.revision,
            provider: pair.provider,
            published_at: one.at,
            sha: one.sha.clone(),
            verified,
        };
        match verified.get(&one.content) {
            None if pair.only_verified => {}
            None => rows.push(row(None)),
            Some(results) => rows.extend(results.iter().map(|result| row(Some(*result)))),
        }
    }
    Ok(rows)
}

fn published(tx: &mut Tx<'_>, pair: &Pair, among: &Among, query: &Query) -> Result<Vec<Published>, StoreError> {
    let select = "SELECT pub.version_id, pub.content_id, pub.revision, pub.created_at, ct.sha FROM publication pub
        LEFT JOIN content ct ON ct.id = pub.content_id";
    let newest = if query.latest_by == LatestBy::Nothing {
        ""
    } else {
        "AND pub.newest = 1"
    };
    let rows = match among {
        Among::Every => tx.query(
            &format!(
                "{select} WHERE pub.consumer_id = $1 AND pub.provider_id = $2 AND pub.newest IN (0, 1) {newest}
                 ORDER BY pub.version_id DESC, pub.revision DESC LIMIT $3"
            ),
            params![pair.consumer, pair.provider, query.limit],
        )?,
        Among::These(ids) => tx.query_each(
            &format!("{select} WHERE pub.version_id IN ({{ids}}) AND pub.provider_id = $1 {newest}"),
            params![pair.provider],
            ids,
        )?,
    };
    let of = |row: &crate::store::Row| Published {
        version: row.int(0),
        content: row.int(1),
        revision: row.int(2),
        at: row.int(3),
        sha: row.text(4),
    };
    Ok(rows.iter().map(of).collect())
}

/// By content, the results of the provider versions in question, newest version and newest result first.
fn verified(
    tx: &mut Tx<'_>,
    contents: &[i64],
    among: &Among,
    query: &Query,
) -> Result<HashMap<i64, Vec<Verified>>, StoreError> {
    let select = match query.latest_by {
        LatestBy::Nothing => "SELECT l.content_id, l.version_id, l.id, l.success, l.created_at FROM result l",
        LatestBy::Both | LatestBy::Consumer => {
            "SELECT l.content_id, l.version_id, l.result_id, l.success, r.created_at FROM latest_result l
             LEFT JOIN result r ON r.id = l.result_id"
        }
    };
    let order = match query.latest_by {
        LatestBy::Nothing => "l.version_id DESC, l.id DESC",
        LatestBy::Both | LatestBy::Consumer => "l.version_id DESC",
    };
    let mut rows = Vec::new();
    match among {
        Among::Every => {
            let most = if query.latest_by == LatestBy::Consumer {
                1
            } else {
                query.limit
            };
            for content in contents {
                let sql = format!("{select} WHERE l.content_id = $1 ORDER BY {order} LIMIT $2");
                rows.extend(tx.query(&sql, params![*content, most])?);
            }
        }
        Among::These(ids) => {
            for id in ids {
                let sql = format!("{select} WHERE l.version_id = $1 AND l.content_id IN ({{ids}})");
                rows.extend(tx.query_each(&sql, &[Value::Int(*id)], contents)?);
            }
        }
    }
    let mut found: HashMap<i64, Vec<Verified>> = HashMap::new();
    for row in rows {
        found.entry(row.int(0)).or_default().push(Verified {
            version: row.int(1),
            number: results::number_of(row.int(2)),
            success: row.bool(3),
            at: row.int(4),
        });
    }
    for results in found.values_mut() {
        results.sort_by_key(|result| std::cmp::Reverse((result.version, result.number)));
        if query.latest_by == LatestBy::Consumer {
            results.truncate(1);
        }
    }
    Ok(found)
}

fn sort(rows: &mut [Row], evidence: &Evidence) {
    let name = |pacticipant: i64| {
        let party = evidence.parties.iter().find(|party| party.pacticipant == pacticipant);
        party.map_or_else(String::new, |party| party.name.to_lowercase())
    };
    rows.sort_by_cached_key(|row| {
        let provided = row.verified.map(|verified| (verified.version, verified.number));
        (
            name(row.consumer),
            std::cmp::Reverse((row.consumer_version, row.revision)),
            name(row.provider),
            std::cmp::Reverse(provided),
        )
    });
}

fn versions_of(tx: &mut Tx<'_>, evidence: &Evidence) -> Result<HashMap<i64, Version>, StoreError> {
    let rows = || evidence.rows.iter().chain(&evidence.ignored);
    let consumers = rows().map(|row| row.consumer_version);
    let providers = rows().filter_map(|row| row.verified.map(|verified| verified.version));
    let ids: HashSet<i64> = consumers.chain(providers).collect();
    let ids: Vec<i64> = ids.into_iter().collect();
    Ok(versions::by_ids(tx, &ids)?
        .into_iter()
        .map(|version| (version.id, version))
        .collect())
}
