//! Finds interactions with different responses to the same request.

use std::sync::Arc;

use contract_matching::ActualRequest;
use serde::Serialize;

use crate::expectation::Expectation;
use crate::index::Index;

/// Maximum number of conflicts to report.
const REPORTED: usize = 100;
/// Maximum number of interactions on the same path with which each interaction is compared.
const COMPARED: usize = 200;

/// Two interactions of different contracts that match the same request in the same provider states, but have different
/// responses.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Conflict {
    /// Method and path of the later interaction's example request, which both interactions match.
    pub request: String,
    /// The earlier interaction, whose response is sent.
    pub first: Named,
    /// The later interaction, whose response is not sent for this request.
    pub other: Named,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Named {
    pub contract: String,
    pub description: String,
    pub status: u16,
}

/// Finds conflicts: compares the example request of each interaction with the earlier interactions on the same path in
/// other contracts.
pub(crate) fn conflicts(index: &Index) -> Vec<Conflict> {
    let mut found = Vec::new();
    for expectation in &index.list {
        let http = expectation.http();
        let example = ActualRequest::from(&http.request);
        let candidates = index.on_path(&http.request.path).take(COMPARED);
        let earlier = candidates
            .filter(|other| other.at < expectation.at && !Arc::ptr_eq(&other.contract, &expectation.contract));
        for other in earlier {
            if found.len() == REPORTED {
                return found;
            }
            let is_conflict = other.interaction.states == expectation.interaction.states
                && !other.answer.is_same_as(&expectation.answer)
                && other.plan.matches(&example);
            if is_conflict {
                found.push(Conflict {
                    request: format!("{} {}", http.request.method, http.request.path),
                    first: named(other),
                    other: named(expectation),
                });
            }
        }
    }
    found
}

fn named(expectation: &Expectation) -> Named {
    Named {
        contract: expectation.contract.to_string(),
        description: expectation.interaction.description.to_string(),
        status: expectation.http().response.status,
    }
}
