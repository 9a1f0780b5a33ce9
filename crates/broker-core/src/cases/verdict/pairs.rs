//! Finds the pairs of applications whose rows a query needs.

use std::collections::HashSet;

use super::participants;
use crate::sql::pacticipants::{self, Integration, Pacticipant};
use crate::sql::pacts;
use crate::store::{StoreError, Tx};
use contract_broker_domain::matrix::{Destination, Query, Versions};
use contract_broker_domain::verdict::{Evidence, Pair, VersionSet};

impl Integration {
    fn pair(&self) -> Pair {
        Pair {
            consumer: self.consumer_id,
            provider: self.provider_id,
            only_verified: false,
        }
    }
}

/// Returns the distinct pairs that a query needs. The other application of each pair is added to `evidence` if the
/// query does not contain it.
pub(super) fn find(tx: &mut Tx<'_>, query: &Query, evidence: &mut Evidence) -> Result<Vec<Pair>, StoreError> {
    let mut pairs = match &query.destination {
        Some(destination) => with_destination(tx, destination, evidence)?,
        None if evidence.participants.len() > 1 => among_specified(tx, evidence)?,
        None => of_one(tx, evidence)?,
    };
    let mut known = HashSet::new();
    pairs.retain(|pair| known.insert(*pair));
    Ok(pairs)
}

/// Returns the pairs that a deployment affects: each selected application with the providers of its selected versions'
/// contracts, and with all of its consumers.
fn with_destination(
    tx: &mut Tx<'_>,
    destination: &Destination,
    evidence: &mut Evidence,
) -> Result<Vec<Pair>, StoreError> {
    let specified = evidence.participants.clone();
    let (mut pairs, mut counterparts) = (Vec::new(), Vec::new());
    for participant in &specified {
        let providers: Option<HashSet<i64>> = match &participant.versions {
            VersionSet::Every => None,
            VersionSet::These(ids) => Some(pacts::of_versions(tx, ids)?.iter().map(|one| one.provider_id).collect()),
        };
        for integration in pacticipants::integrations_of(tx, participant.pacticipant)? {
            let is_provider = integration.provider_id == participant.pacticipant;
            if is_provider
                || providers
                    .as_ref()
                    .is_none_or(|ids| ids.contains(&integration.provider_id))
            {
                pairs.push(integration.pair());
                counterparts.push(if is_provider {
                    integration.consumer
                } else {
                    integration.provider
                });
            }
        }
    }
    add_others(tx, counterparts, &destination.0, evidence)?;
    Ok(pairs)
}

/// Adds the named applications to `evidence`, with their versions that match `versions`. Applications that `evidence`
/// already contains are skipped.
fn add_others(
    tx: &mut Tx<'_>,
    mut names: Vec<String>,
    versions: &Versions,
    evidence: &mut Evidence,
) -> Result<(), StoreError> {
    let specified = evidence.participants.iter();
    let mut known: HashSet<String> = specified.map(|participant| participant.name.clone()).collect();
    names.retain(|name| known.insert(name.clone()));
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let found = pacticipants::find_all(tx, &names)?;
    let found: Vec<Pacticipant> = found.into_iter().flatten().collect();
    evidence
        .participants
        .extend(participants::find_all(tx, &found, versions)?);
    Ok(())
}

/// Returns the pairs in which both applications are selected.
fn among_specified(tx: &mut Tx<'_>, evidence: &Evidence) -> Result<Vec<Pair>, StoreError> {
    let mut pairs = Vec::new();
    let specified: HashSet<i64> = evidence.participants.iter().map(|one| one.pacticipant).collect();
    for participant in &evidence.participants {
        for integration in pacticipants::integrations_of(tx, participant.pacticipant)? {
            if specified.contains(&integration.consumer_id) && specified.contains(&integration.provider_id) {
                pairs.push(integration.pair());
            }
        }
    }
    Ok(pairs)
}

/// Returns the pairs of the only selected application with each of its providers and consumers, and adds all of their
/// versions to `evidence`.
fn of_one(tx: &mut Tx<'_>, evidence: &mut Evidence) -> Result<Vec<Pair>, StoreError> {
    let mut pairs = Vec::new();
    let Some(pacticipant) = evidence.participants.first().map(|one| one.pacticipant) else {
        return Ok(pairs);
    };
    let mut counterparts = Vec::new();
    for integration in pacticipants::integrations_of(tx, pacticipant)? {
        let is_consumer = integration.consumer_id == pacticipant;
        let only_verified = !is_consumer;
        pairs.push(Pair {
            only_verified,
            ..integration.pair()
        });
        counterparts.push(if is_consumer {
            integration.provider
        } else {
            integration.consumer
        });
    }
    add_others(tx, counterparts, &Versions::Every, evidence)?;
    Ok(pairs)
}
