//! Collects the data for the dependency graph page.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use contract_pages::Status;
use contract_pages::pages::graph::{Edge, Graph, MAX_NODES};

use super::super::reply::HandlerResult;
use super::super::request::Request;
use super::{check_choices, reply, status};
use contract_broker_core::cases::integrations::ContractStatus;
use contract_broker_core::sql::environments;
use contract_broker_core::sql::integrations;
use contract_broker_core::store::{StoreError, Tx};

/// Maximum number of applications in a drawing around one application. A column with more of them would be hard to
/// read.
const MAX_NEIGHBORS: usize = 40;
/// Maximum number of applications in the list that is shown if the graph is too large to draw.
const LARGEST: usize = 40;

/// Consumer, provider, and status of an integration.
type Integration = (String, String, Status);

pub(crate) fn show(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    check_choices(rq, &[("show", &["neighbors", "two", "failed"])])?;
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
    let (edges, nodes, left_out) = drawing(&all, &focus, Show::new(&show, is_known, total));
    let position: HashMap<&str, usize> = nodes.iter().enumerate().map(|(at, name)| (*name, at)).collect();
    let edges = edges.into_iter().filter_map(|(consumer, provider, status)| {
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
        left_out,
        providers: partners(&all, |(consumer, ..)| *consumer == focus, |(_, provider, _)| provider),
        consumers: partners(&all, |(_, provider, _)| *provider == focus, |(consumer, ..)| consumer),
        nodes: nodes.into_iter().map(str::to_owned).collect(),
        failed: all.iter().filter(|(.., status)| *status == Status::Failed).count(),
        largest,
        total,
        focus,
        show,
        environment,
    };
    let code = if view.is_valid() { 200 } else { 400 };
    Ok(reply(code, view.page(&rq.shell())))
}

/// The part of the graph to draw.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Show {
    All,
    Failed,
    /// Applications that are at most this many integrations away from the selected one.
    Near(usize),
}

impl Show {
    fn new(show: &str, is_known: bool, total: usize) -> Self {
        match show {
            "failed" => Self::Failed,
            "two" if is_known => Self::Near(2),
            "neighbors" if is_known => Self::Near(1),
            // A focus makes large graphs readable. Without one, failures are what people look for.
            _ if total <= MAX_NODES => Self::All,
            _ if is_known => Self::Near(1),
            _ => Self::Failed,
        }
    }
}

/// Returns the integrations and applications to draw, and the number of applications that are omitted because they do
/// not fit. `focus` is the selected application.
fn drawing<'a>(all: &'a [Integration], focus: &'a str, show: Show) -> (Vec<&'a Integration>, Vec<&'a str>, usize) {
    let is_shown = |one: &&Integration| show != Show::Failed || one.2 == Status::Failed;
    let mut edges: Vec<&Integration> = all.iter().filter(is_shown).collect();
    // The last one is drawn on top.
    edges.sort_by_key(|(.., status)| std::cmp::Reverse(*status));
    let (names, left_out) = match show {
        Show::Near(distance) => near(all, focus, distance),
        Show::All | Show::Failed => within(&edges),
    };
    (edges, names.into_iter().collect(), left_out)
}

/// Adds the applications of one integration after the other, up to the maximum. Returns them, and the number of the
/// omitted applications.
fn within<'a>(edges: &[&'a Integration]) -> (BTreeSet<&'a str>, usize) {
    let mut all: BTreeSet<&str> = BTreeSet::new();
    let mut found = BTreeSet::new();
    for (consumer, provider, _) in edges {
        let names = [consumer.as_str(), provider.as_str()];
        all.extend(names);
        let added = names.iter().filter(|name| !found.contains(*name)).count();
        if found.len() + added <= MAX_NODES {
            found.extend(names);
        }
    }
    let left_out = all.len() - found.len();
    (found, left_out)
}

/// Returns the consumers or the providers of an application, sorted by status: failed ones come first.
fn partners(
    all: &[Integration],
    is_of_focus: impl Fn(&&Integration) -> bool,
    other: impl Fn(&Integration) -> &String,
) -> Vec<(String, Status)> {
    let found = all.iter().filter(is_of_focus);
    let mut found: Vec<(String, Status)> = found.map(|one| (other(one).clone(), one.2)).collect();
    found.sort_by(|one, other| one.1.cmp(&other.1).then_with(|| one.0.cmp(&other.0)));
    found
}

/// Returns all integrations. If `environment` is not empty, returns only those whose versions run there, each with its
/// worst result.
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
    for pair in integrations::running_pairs(tx, None)?
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

/// Returns the direct and indirect providers and consumers of `focus`, up to `distance` integrations away, and the
/// number of applications that are omitted because they do not fit. Failed integrations take precedence.
fn near<'a>(all: &'a [Integration], focus: &'a str, distance: usize) -> (BTreeSet<&'a str>, usize) {
    let mut found: BTreeSet<&str> = BTreeSet::from([focus]);
    // Consumers of a provider are no neighbors of its other consumers, so that popular providers do not fill the
    // drawing.
    let mut borders = [HashSet::from([focus]), HashSet::from([focus])];
    let mut left_out: BTreeSet<&str> = BTreeSet::new();
    for _ in 0..distance {
        for (border, is_provider) in borders.iter_mut().zip([true, false]) {
            let mut next: BTreeMap<&str, Status> = BTreeMap::new();
            for (consumer, provider, status) in all {
                let (near_end, far_end) = if is_provider {
                    (consumer, provider)
                } else {
                    (provider, consumer)
                };
                if border.contains(near_end.as_str()) && !found.contains(far_end.as_str()) {
                    let known = next.entry(far_end).or_insert(*status);
                    *known = *status.min(known);
                }
            }
            let mut next: Vec<(&str, Status)> = next.into_iter().collect();
            next.sort_by_key(|(_, status)| *status);
            let room = MAX_NEIGHBORS.saturating_sub(found.len());
            let rest = next.split_off(room.min(next.len()));
            left_out.extend(rest.iter().map(|(name, _)| *name));
            *border = next.into_iter().map(|(name, _)| name).collect();
            found.extend(border.iter());
        }
    }
    (found, left_out.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn integration(consumer: &str, provider: &str, status: Status) -> Integration {
        (consumer.to_owned(), provider.to_owned(), status)
    }

    #[test]
    fn the_consumers_of_a_shared_provider_are_no_neighbors() {
        let all = [
            integration("web", "orders", Status::Verified),
            integration("orders", "auth", Status::Verified),
            integration("auth", "people", Status::Verified),
            integration("billing", "auth", Status::Failed),
            integration("robot", "web", Status::Verified),
        ];
        let names_within = |distance| near(&all, "orders", distance).0.into_iter().collect::<Vec<_>>();
        assert_eq!(names_within(1), ["auth", "orders", "web"]);
        assert_eq!(names_within(2), ["auth", "orders", "people", "robot", "web"]);
    }

    #[test]
    fn failures_are_drawn_first_if_there_is_no_room_for_all() {
        let consumer = |number: usize| {
            let status = if number == 90 { Status::Failed } else { Status::Verified };
            integration(&format!("consumer-{number:02}"), "auth", status)
        };
        let all: Vec<Integration> = (0..99).map(consumer).collect();
        let (found, left_out) = near(&all, "auth", 1);
        assert_eq!((found.len(), left_out), (MAX_NEIGHBORS, 100 - MAX_NEIGHBORS));
        assert!(found.contains("consumer-90"));
        let edges: Vec<&Integration> = all.iter().collect();
        let (found, left_out) = within(&edges);
        assert_eq!((found.len(), left_out), (MAX_NODES, 100 - MAX_NODES));
    }
}
