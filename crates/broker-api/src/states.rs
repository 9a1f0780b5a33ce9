//! Handlers that list the provider states that contracts use.

use serde_json::{Value, json};

use super::params::Param;
use super::reply::{HandlerResult, Reply};
use super::request::Request;
use contract_broker_core::cases::selection;
use contract_broker_core::sql::pacts::{self, PactQuery, Publication};
use contract_broker_core::store::{StoreError, Tx};
use contract_broker_domain::content;

pub(super) fn on_main_branch(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    states(rq, tx, PactQuery::HeadOfMainBranch)
}

pub(super) fn on_branch(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    states(rq, tx, PactQuery::HeadOfBranch(rq.param(Param::Branch)))
}

pub(super) fn in_environment(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let provider = rq.find_role(tx, Param::Provider)?;
    let environment = rq.environment(tx)?;
    let found = selection::in_environment(tx, provider.id, &environment.name)?;
    Ok(Reply::ok(&json!({ "providerStates": states_of(tx, &found)? })))
}

fn states(rq: &Request, tx: &mut Tx<'_>, query: PactQuery<'_>) -> HandlerResult {
    let provider = rq.find_role(tx, Param::Provider)?;
    let found = pacts::latest_of_each(tx, provider.id, query)?;
    Ok(Reply::ok(&json!({ "providerStates": states_of(tx, &found)? })))
}

/// Returns each distinct provider state (name and parameters) with the consumers that use it.
fn states_of(tx: &mut Tx<'_>, found: &[Publication]) -> Result<Vec<Value>, StoreError> {
    let mut known: Vec<(content::ProviderState, Vec<String>)> = Vec::new();
    for publication in found {
        for state in content::provider_states(&pacts::document(tx, publication.content_id)?) {
            match known.iter_mut().find(|(other, _)| *other == state) {
                None => known.push((state, vec![publication.consumer.clone()])),
                Some((_, consumers)) if consumers.contains(&publication.consumer) => {}
                Some((_, consumers)) => consumers.push(publication.consumer.clone()),
            }
        }
    }
    known.sort_by(|one, other| one.0.name.cmp(&other.0.name));
    let body = |(state, consumers): (content::ProviderState, Vec<String>)| {
        let mut body = json!({ "name": state.name, "consumers": consumers });
        if let Some(parameters) = state
            .parameters
            .and_then(|text| serde_json::from_str::<Value>(&text).ok())
        {
            body["params"] = parameters;
        }
        body
    };
    Ok(known.into_iter().map(body).collect())
}
