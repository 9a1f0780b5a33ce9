//! The pairs of applications whose rows a query needs.

use std::collections::HashSet;

use super::participants;
use crate::domain::matrix::{Destination, Versions};
use crate::domain::verdict::{Evidence, VersionSet};
use crate::sql::pacticipants::{self, Integration, Pacticipant};
use crate::sql::pacts;
use crate::store::{StoreError, Tx};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pair {
    pub(super) consumer: i64,
    pub(super) provider: i64,
    /// Omit contracts without a result of the selected provider versions.
    pub(super) only_verified: bool,
}

impl Pair {
    fn new(integration: &Integration) -> Self {
        Self {
            consumer: integration.consumer_id,
            provider: integration.provider_id,
            only_verified: false,
        }
    }
}

fn add(pairs: &mut Vec<Pair>, pair: Pair) {
    if !pairs.contains(&pair) {
        pairs.push(pair);
    }
}

/// The selected versions with the providers they have contracts with, and with all consumers of their applications.
pub(super) fn with_destination(
    tx: &mut Tx<'_>,
    destination: &Destination,
    evidence: &mut Evidence,
) -> Result<Vec<Pair>, StoreError> {
    let specified = evidence.participants.clone();
    let (mut pairs, mut others) = (Vec::new(), Vec::new());
    for participant in &specified {
        let providers: Option<HashSet<i64>> = match &participant.versions {
            VersionSet::Every => None,
            VersionSet::These(ids) => Some(pacts::of_versions(tx, ids)?.iter().map(|one| one.provider_id).collect()),
        };
        for integration in pacticipants::integrations_of(tx, participant.pacticipant)? {
            let (consumer, provider) = (integration.consumer_id, integration.provider_id);
            if consumer != participant.pacticipant {
                add(&mut pairs, Pair::new(&integration));
                others.push(integration.consumer);
            } else if providers.as_ref().is_none_or(|known| known.contains(&provider)) {
                add(&mut pairs, Pair::new(&integration));
                others.push(integration.provider);
            }
        }
    }
    add_others(tx, others, &destination.0, evidence)?;
    Ok(pairs)
}

/// Adds applications that the query does not name.
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

/// The selected applications with each other.
pub(super) fn among_specified(tx: &mut Tx<'_>, evidence: &Evidence) -> Result<Vec<Pair>, StoreError> {
    let mut pairs = Vec::new();
    let specified: HashSet<i64> = evidence.participants.iter().map(|one| one.pacticipant).collect();
    for participant in &evidence.participants {
        for integration in pacticipants::integrations_of(tx, participant.pacticipant)? {
            if specified.contains(&integration.consumer_id) && specified.contains(&integration.provider_id) {
                add(&mut pairs, Pair::new(&integration));
            }
        }
    }
    Ok(pairs)
}

/// The versions of one application with every version of all others.
pub(super) fn of_one(tx: &mut Tx<'_>, evidence: &mut Evidence) -> Result<Vec<Pair>, StoreError> {
    let mut pairs = Vec::new();
    let Some(pacticipant) = evidence.participants.first().map(|one| one.pacticipant) else {
        return Ok(pairs);
    };
    let mut others = Vec::new();
    for integration in pacticipants::integrations_of(tx, pacticipant)? {
        let is_consumer = integration.consumer_id == pacticipant;
        let only_verified = !is_consumer;
        let pair = Pair {
            only_verified,
            ..Pair::new(&integration)
        };
        add(&mut pairs, pair);
        others.push(if is_consumer {
            integration.provider
        } else {
            integration.consumer
        });
    }
    add_others(tx, others, &Versions::Every, evidence)?;
    Ok(pairs)
}
