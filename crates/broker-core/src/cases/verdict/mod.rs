//! Decides whether versions are deployable. Finds the selected versions, the applications that they depend on, and the
//! results that the verdict needs. Each row of the matrix is looked up by key, so the cost does not depend on the
//! length of the history.

mod deployment;
mod ignore;
mod pairs;
mod participants;

use std::collections::{HashMap, HashSet};

pub use deployment::{DeploymentParameters, deployment_query};
use ignore::Ignored;

use super::CaseError;
use crate::sql::pacticipants::{self, Pacticipant};
use crate::sql::versions::{self, Version};
use crate::sql::{environments, matrix};
use crate::store::{StoreError, Tx};
use contract_broker_domain::matrix::{Destination, Query, Versions};
use contract_broker_domain::verdict::{self, Evidence, Participant, Row, Verdict};

/// The errors of a query, one sentence each.
pub type InvalidQuery = Vec<String>;

/// The rows of a query, and the verdict.
pub struct Matrix {
    pub evidence: Evidence,
    pub verdict: Verdict,
    /// All versions that occur in the rows, by ID.
    versions: HashMap<i64, Version>,
}

impl Matrix {
    pub fn version(&self, id: i64) -> Option<&Version> {
        self.versions.get(&id)
    }

    pub fn number(&self, version: i64) -> &str {
        self.version(version).map_or("", |version| version.number.as_str())
    }

    pub fn name(&self, pacticipant: i64) -> &str {
        let known = self.evidence.participant(pacticipant);
        known.map_or("", |known| known.name.as_str())
    }
}

/// Returns the rows that a query selects, and the verdict.
pub fn decide(tx: &mut Tx<'_>, query: &Query) -> Result<Matrix, CaseError<InvalidQuery>> {
    let evidence = gather(tx, query)?;
    let versions = versions_of(tx, &evidence)?;
    let number = |id: i64| {
        versions
            .get(&id)
            .map_or_else(String::new, |version| version.number.clone())
    };
    let verdict = verdict::decide(&evidence, number);
    Ok(Matrix {
        evidence,
        verdict,
        versions,
    })
}

/// Returns whether all verifications between the selected versions passed: `Some(false)` if at least one failed, and
/// `None` if there are no results.
pub fn is_verified(tx: &mut Tx<'_>, query: &Query) -> Result<Option<bool>, CaseError<InvalidQuery>> {
    let verdict = decide(tx, query)?.verdict;
    Ok(match (verdict.success, verdict.failed) {
        (_, failed) if failed > 0 => Some(false),
        (0, _) => None,
        _ => Some(true),
    })
}

/// Collects the rows and warnings on which the verdict is based.
fn gather(tx: &mut Tx<'_>, query: &Query) -> Result<Evidence, CaseError<InvalidQuery>> {
    let known = find_names(tx, query)?;
    let mut evidence = Evidence::default();
    let (ignored, warnings) = ignore::find(tx, query)?;
    evidence.warnings = warnings;
    for selector in &query.selectors {
        let participant = participants::find(tx, &known[&selector.pacticipant], &selector.versions)?;
        add_specified(participant, &ignored, &mut evidence);
    }
    warn(query, &mut evidence);
    let pairs = pairs::find(tx, query, &mut evidence)?;
    let mut rows = matrix::rows(tx, &pairs, query, &evidence)?;
    sort(&mut rows, &evidence);
    if query.selects_no_version() {
        // The query covers the history instead of a deployment, so the verdict covers only the rows in the response.
        rows.truncate(usize::try_from(query.limit).unwrap_or(usize::MAX));
    }
    let is_ignored = |row: &Row| ignored.iter().any(|one| one.covers(row));
    (evidence.ignored, evidence.rows) = rows.into_iter().partition(is_ignored);
    Ok(evidence)
}

/// Finds the selected applications by name. Returns an error for unknown applications, and for unknown environments in
/// the destination and in `ignore`.
fn find_names(tx: &mut Tx<'_>, query: &Query) -> Result<HashMap<String, Pacticipant>, CaseError<InvalidQuery>> {
    let mut errors = InvalidQuery::new();
    let mut known = HashMap::new();
    let names = query.selectors.iter().map(|selector| selector.pacticipant.as_str());
    let names: Vec<&str> = names.collect();
    let found = pacticipants::find_all(tx, &names)?;
    for (name, found) in names.into_iter().zip(found) {
        match found {
            Some(pacticipant) => drop(known.insert(name.to_owned(), pacticipant)),
            None => errors.push(format!("Pacticipant \"{name}\" does not exist.")),
        }
    }
    // As in the Pact Broker, a selector with an unknown environment selects no version.
    let ignored = query.ignore.iter().map(|selector| &selector.versions);
    let destination = query.destination.as_ref().map(|destination| &destination.0);
    for name in ignored.chain(destination).flat_map(Versions::environments) {
        if environments::find_named(tx, name)?.is_none() {
            errors.push(format!("Environment \"{name}\" does not exist."));
        }
    }
    if errors.is_empty() {
        Ok(known)
    } else {
        Err(CaseError::Rejected(errors))
    }
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
    // Several selectors for one application select the union of their versions.
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
            "Warning: no environment is set. The versions are compared with the latest versions of other applications, which \
             might not be deployed."
                .to_owned(),
        );
    }
    if query.selectors.iter().any(|selector| !selector.versions.has_number()) {
        evidence.warnings.push(
            "Warning: no version number is set. By the time you deploy, the branch, tag, or environment may select a different version."
                .to_owned(),
        );
    }
}

fn sort(rows: &mut [Row], evidence: &Evidence) {
    let name = |pacticipant: i64| {
        let known = evidence.participant(pacticipant);
        known.map_or_else(String::new, |known| known.name.to_lowercase())
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
