//! Collects the data for the dependency graph.

use std::collections::{BTreeSet, HashMap, HashSet};

use contract_pages::Status;
use contract_pages::pages::graph::{Edge, Graph, MAX_NODES};

use super::super::reply::HandlerResult;
use super::super::request::Request;
use super::{reply, status};
use contract_broker_core::cases::integrations::ContractStatus;
use contract_broker_core::sql::environments;
use contract_broker_core::sql::integrations;
use contract_broker_core::store::{StoreError, Tx};

/// Maximum number of applications that are listed if the graph is too large to draw.
const LARGEST: usize = 40;

/// A consumer, a provider, and the status between them.
type Integration = (String, String, Status);

pub(in crate::http) fn show(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let value = |name: &str| rq.query_value(name).unwrap_or_default().to_owned();
    let (focus, show, environment) = (value("focus"), value("show"), value("environment"));
    let all = read(tx, &environment)?;
    let mut degrees: HashMap<&str, usize> = HashMap::new();
    for (consumer, provider, _) in &all {
        *degrees.entry(consumer).or_default() += 1;
        *degrees.entry(provider).or_default() += 1;
    }
    let is_known = degrees.contains_key(focus.as_str());
    let total = degrees.len();
    let distance = match show.as_str() {
        _ if !is_known => None,
        "two" => Some(2),
        "neighbors" => Some(1),
        // Large graphs are readable only around a focus.
        _ => (total > MAX_NODES).then_some(1),
    };
    let names: BTreeSet<&str> = match distance {
        Some(distance) => near(&all, &focus, distance),
        None if total > MAX_NODES => BTreeSet::new(),
        None => degrees.keys().copied().collect(),
    };
    let nodes: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let position: HashMap<&str, usize> = names.iter().enumerate().map(|(at, name)| (*name, at)).collect();
    let edges = all.iter().filter_map(|(consumer, provider, status)| {
        Some(Edge {
            consumer: *position.get(consumer.as_str())?,
            provider: *position.get(provider.as_str())?,
            status: *status,
        })
    });
    let mut largest: Vec<(String, usize)> = degrees
        .iter()
        .map(|(name, count)| ((*name).to_owned(), *count))
        .collect();
    let mut applications: Vec<String> = largest.iter().map(|(name, _)| name.clone()).collect();
    applications.sort();
    largest.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
    // The focus can also be part of a name.
    let word = focus.to_lowercase();
    if !is_known && largest.iter().any(|(name, _)| name.to_lowercase().contains(&word)) {
        largest.retain(|(name, _)| name.to_lowercase().contains(&word));
    }
    largest.truncate(LARGEST);
    let view = Graph {
        is_known,
        applications,
        environments: environments::all(tx)?.into_iter().map(|one| one.name).collect(),
        edges: edges.collect(),
        nodes,
        largest,
        total,
        focus,
        show,
        environment,
    };
    let code = if view.is_valid() { 200 } else { 400 };
    Ok(reply(code, view.page(&rq.shell())))
}

/// Returns all integrations. With an environment, returns the integrations that run together there, each with its worst
/// result.
fn read(tx: &mut Tx<'_>, environment: &str) -> Result<Vec<Integration>, StoreError> {
    let contracts = integrations::current(tx, None)?;
    if environment.is_empty() {
        let integration = |one: integrations::CurrentContract| {
            let found = status(ContractStatus::new(&one));
            (one.consumer, one.provider, found)
        };
        return Ok(contracts.into_iter().map(integration).collect());
    }
    let id = environments::find_named(tx, environment)?.map(|found| found.id);
    let mut worst: HashMap<(i64, i64), Status> = HashMap::new();
    for pair in integrations::running_pairs(tx)?
        .iter()
        .filter(|pair| Some(pair.environment_id) == id)
    {
        let found = Status::of_result(pair.success);
        let known = worst.entry((pair.consumer_id, pair.provider_id)).or_insert(found);
        *known = found.min(*known);
    }
    let running = contracts.into_iter().filter_map(|one| {
        let found = worst.get(&(one.consumer_id, one.provider_id))?;
        Some((one.consumer, one.provider, *found))
    });
    Ok(running.collect())
}

/// Returns the applications at most `distance` integrations away from the focus, up to the limit of the drawing.
fn near<'a>(all: &'a [Integration], focus: &'a str, distance: usize) -> BTreeSet<&'a str> {
    let mut found: BTreeSet<&str> = BTreeSet::from([focus]);
    let mut border: HashSet<&str> = HashSet::from([focus]);
    for _ in 0..distance {
        let mut next = HashSet::new();
        for (consumer, provider, _) in all {
            for (one, other) in [(consumer, provider), (provider, consumer)] {
                if border.contains(one.as_str()) && found.len() < MAX_NODES && found.insert(other) {
                    next.insert(other.as_str());
                }
            }
        }
        border = next;
    }
    found
}
