//! The rows of the matrix that a question is about, and no others: each is looked up by its key, history does not matter.

mod ignore;
mod pairs;
mod parties;
mod rows;

use std::collections::{HashMap, HashSet};

use super::environments;
use super::pacticipants::{self, Pacticipant};
use super::versions::{self, Version};
use crate::domain::matrix::{Destination, Query, Selector, Versions};
use crate::domain::verdict::{Among, Evidence, Row};
use crate::store::{StoreError, Tx};

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
    let asked: Vec<&str> = query
        .selectors
        .iter()
        .map(|selector| selector.pacticipant.as_str())
        .collect();
    let found = pacticipants::find_all(tx, &asked)?;
    for (selector, found) in query.selectors.iter().zip(found) {
        match found {
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
    let ignored = ignore::ignored(tx, query, &mut evidence)?;
    warn(query, &mut evidence);
    let pairs = match &query.destination {
        // Nothing can be said about a version that does not exist but that.
        _ if !evidence.missing.is_empty() => Vec::new(),
        Some(destination) => pairs::with_destination(tx, destination, &mut evidence)?,
        None if evidence.parties.len() > 1 => pairs::among_specified(tx, &evidence)?,
        None => pairs::of_one(tx, &mut evidence)?,
    };
    let mut rows = rows::rows_of(tx, &pairs, query, &evidence)?;
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
    let party = parties::party(tx, known, &selector.versions, true)?;
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
