//! Which consumers and providers a question compares.

use std::collections::HashSet;

use super::parties;
use crate::domain::matrix::{Destination, Versions};
use crate::domain::verdict::{Among, Evidence};
use crate::sql::pacticipants::{self, Pacticipant};
use crate::sql::pacts;
use crate::store::{StoreError, Tx};

/// A consumer and a provider that are to be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pair {
    pub(super) consumer: i64,
    pub(super) provider: i64,
    /// Without any row the answer is not known.
    pub(super) is_required: bool,
    /// Contracts that the provider versions did not verify are no rows.
    pub(super) only_verified: bool,
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
pub(super) fn with_destination(
    tx: &mut Tx<'_>,
    destination: &Destination,
    evidence: &mut Evidence,
) -> Result<Vec<Pair>, StoreError> {
    let specified = evidence.parties.clone();
    let (mut pairs, mut others) = (Vec::new(), Vec::new());
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
            others.push(if consumer == party.pacticipant {
                integration.provider
            } else {
                integration.consumer
            });
        }
    }
    add_others(tx, others, &destination.0, evidence)?;
    Ok(pairs)
}

/// Adds those who were not named in the question.
fn add_others(
    tx: &mut Tx<'_>,
    mut names: Vec<String>,
    versions: &Versions,
    evidence: &mut Evidence,
) -> Result<(), StoreError> {
    let mut known: HashSet<String> = evidence.parties.iter().map(|party| party.name.clone()).collect();
    names.retain(|name| known.insert(name.clone()));
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let found = pacticipants::find_all(tx, &names)?;
    let found: Vec<Pacticipant> = found.into_iter().flatten().collect();
    evidence.parties.extend(parties::others(tx, &found, versions)?);
    Ok(())
}

/// The specified applications with each other.
pub(super) fn among_specified(tx: &mut Tx<'_>, evidence: &Evidence) -> Result<Vec<Pair>, StoreError> {
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
pub(super) fn of_one(tx: &mut Tx<'_>, evidence: &mut Evidence) -> Result<Vec<Pair>, StoreError> {
    let mut pairs = Vec::new();
    let Some(party) = evidence.parties.first().cloned() else {
        return Ok(pairs);
    };
    let mut others = Vec::new();
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
        others.push(if is_consumer {
            integration.provider
        } else {
            integration.consumer
        });
    }
    add_others(tx, others, &Versions::Every, evidence)?;
    Ok(pairs)
}
