//! Reads the rows of the matrix that a query selects. Each row is looked up by key, independent of the length of the history.

mod ignore;
mod pairs;
mod participants;
mod rows;

use std::collections::{HashMap, HashSet};

use ignore::Ignored;

use super::environments;
use super::pacticipants::{self, Pacticipant};
use super::versions::{self, Version};
use crate::domain::matrix::{Destination, Query, Versions};
use crate::domain::verdict::{Evidence, Participant, Row};
use crate::store::{StoreError, Tx};

/// The errors of a query as sentences.
pub(crate) type Refused = Vec<String>;

/// The evidence for a verdict, with its versions by id.
pub(crate) struct Found {
    pub(crate) evidence: Evidence,
    pub(crate) versions: HashMap<i64, Version>,
}

/// Collects the evidence for a verdict.
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
            None => refused.push(format!("Pacticipant \"{}\" does not exist.", selector.pacticipant)),
        }
    }
    // As in the Pact Broker, a selector with an unknown environment selects no version.
    let ignored = query.ignore.iter().map(|selector| &selector.versions);
    let destination = query.destination.as_ref().map(|destination| &destination.0);
    for name in ignored.chain(destination).flat_map(Versions::environments) {
        if environments::find_named(tx, name)?.is_none() {
            refused.push(format!("Environment \"{name}\" does not exist."));
        }
    }
    if !refused.is_empty() {
        return Ok(Err(refused));
    }
    let (ignored, warnings) = ignore::find(tx, query)?;
    evidence.warnings = warnings;
    for selector in &query.selectors {
        let participant = participants::find(tx, &names[&selector.pacticipant], &selector.versions)?;
        add_specified(participant, &ignored, &mut evidence);
    }
    warn(query, &mut evidence);
    let pairs = match &query.destination {
        Some(destination) => pairs::with_destination(tx, destination, &mut evidence)?,
        None if evidence.participants.len() > 1 => pairs::among_specified(tx, &evidence)?,
        None => pairs::of_one(tx, &mut evidence)?,
    };
    let mut rows = rows::rows_of(tx, &pairs, query, &evidence)?;
    sort(&mut rows, &evidence);
    if query.selects_no_version() {
        // A view of the history, not a deployment: the verdict covers the shown rows only.
        rows.truncate(usize::try_from(query.limit).unwrap_or(usize::MAX));
    }
    let is_ignored = |row: &Row| ignored.iter().any(|one| one.covers(row));
    (evidence.ignored, evidence.rows) = rows.into_iter().partition(is_ignored);
    let versions = versions_of(tx, &evidence)?;
    Ok(Ok(Found { evidence, versions }))
}

fn add_specified(participant: Participant, ignored: &[Ignored], evidence: &mut Evidence) {
    if participant.is_missing() {
        let absence = participant.absence.clone();
        if ignored
            .iter()
            .any(|one| one.covers_application(participant.pacticipant))
        {
            evidence.warnings.push(format!("Ignored: {absence}"));
        } else {
            evidence.missing.push(absence);
        }
    }
    // Several selectors for one application: the union of their versions.
    match evidence
        .participants
        .iter_mut()
        .find(|other| other.pacticipant == participant.pacticipant)
    {
        None => evidence.participants.push(participant),
        Some(other) => other.extend(participant),
    }
}

fn warn(query: &Query, evidence: &mut Evidence) {
    let Some(Destination(destination)) = &query.destination else {
        return;
    };
    if *destination == Versions::Latest {
        evidence.warnings.push(
            "Warning: no environment is set. The verdict compares with the latest versions, which may not be deployed."
                .to_owned(),
        );
    }
    if query.selectors.iter().any(|selector| !selector.versions.has_number()) {
        evidence.warnings.push(
            "Warning: no version number is set. A branch, tag or environment can select another version by the time of the deployment."
                .to_owned(),
        );
    }
}

fn sort(rows: &mut [Row], evidence: &Evidence) {
    let name = |pacticipant: i64| {
        let mut participants = evidence.participants.iter();
        let found = participants.find(|participant| participant.pacticipant == pacticipant);
        found.map_or_else(String::new, |participant| participant.name.to_lowercase())
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
