//! Collects the data for the overview page.

use std::collections::{HashMap, HashSet};

use contract_pages::pages::Pages;
use contract_pages::pages::overview::{Concern, Overview, Row};
use contract_pages::{Query, Status, VersionLabel};

use super::super::reply::{HandlerResult, Reply};
use super::super::request::Request;
use super::owners::Owners;
use super::{check_choices, first_steps, list_page};
use contract_broker_core::cases::integrations::{ContractStatus, failed_interactions};
use contract_broker_core::cases::sample;
use contract_broker_core::sql::environments::{self, Environment};
use contract_broker_core::sql::integrations::{self, CurrentContract, RunningPair};
use contract_broker_core::sql::{UNPAGED, overview, pacticipants, results};
use contract_broker_core::store::{StoreError, Tx};

/// Default number of integrations per page.
const ROWS: i64 = 25;
/// Maximum number of integrations per page.
const MAX_ROWS: i64 = 200;
/// Maximum number of environments with a column of their own.
const MAX_ENVIRONMENTS: usize = 4;

pub(crate) fn show(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let statuses = Status::OF_CONTRACTS.map(Status::name);
    check_choices(
        rq,
        &[
            ("status", &statuses),
            ("role", &["consumer", "provider"]),
            ("sort", &["consumer", "provider", "status", "updated"]),
        ],
    )?;
    let contracts = integrations::current(tx, None)?;
    if contracts.is_empty() {
        return Ok(first_steps::reply(rq, tx)?);
    }
    let ids: HashSet<i64> = contracts
        .iter()
        .flat_map(|one| [one.consumer_id, one.provider_id])
        .collect();
    let owners = Owners::read(tx, &ids.into_iter().collect::<Vec<_>>())?;
    let environments = environments::all(tx)?;
    let running = integrations::running_pairs(tx, None)?;
    let query = Query::new(rq.query.iter().map(|(name, value)| (name.as_str(), value.as_str())));
    let root = rq.shell().root;
    let mut found: Vec<(Status, &CurrentContract)> = contracts
        .iter()
        .map(|contract| (super::status(ContractStatus::new(contract)), contract))
        .collect();
    let filter = Filter::new(&query, &environments, &running);
    found.retain(|(_, contract)| filter.takes(contract, &owners));
    let count = |status: Status| found.iter().filter(|(known, _)| *known == status).count();
    let counts = Status::OF_CONTRACTS
        .map(|status| (status, i64::try_from(count(status)).unwrap_or(i64::MAX)))
        .to_vec();
    if let Some(selected) = Status::parse(query.value("status")) {
        found.retain(|(status, _)| *status == selected);
    }
    let sort = order(&mut found, query.value("sort"));
    let requested = rq.page()?;
    let pages = Pages {
        number: requested.map_or(1, |page| page.number),
        size: rq
            .query_value("size")
            .and(requested)
            .map_or(ROWS, |page| page.size.min(MAX_ROWS)),
        total: i64::try_from(found.len()).unwrap_or(i64::MAX),
    };
    let columns: Vec<&Environment> = columns(&environments);
    let by_pair = by_pair(&running);
    let visible = &found[pages.range()];
    let failures = failures(tx, visible)?;
    let rows: Vec<Row> = visible
        .iter()
        .map(|(status, contract)| row(*status, contract, &columns, &by_pair, &failures))
        .collect();
    let labels = pacticipants::label_names(tx, UNPAGED)?.0;
    let view = Overview {
        applications: usize::try_from(overview::count(tx, "pacticipant")?).unwrap_or(0),
        counts,
        concerns: concerns(&root, &contracts, &environments, &running, &owners),
        rows,
        pages,
        sort,
        environments: columns.iter().map(|one| (one.name.clone(), one.production)).collect(),
        all_environments: environments.iter().map(|one| one.name.clone()).collect(),
        has_sample: labels.iter().any(|label| label == sample::LABEL) && !sample::applications(tx)?.is_empty(),
        labels,
        query,
    };
    let is_valid = view.is_known_environment();
    let reply = list_page(pages, view.page(&rq.shell()));
    Ok(if is_valid {
        reply
    } else {
        Reply { status: 400, ..reply }
    })
}

/// The filters in the query parameters.
struct Filter<'a> {
    words: Vec<String>,
    role: &'a str,
    label: &'a str,
    /// IDs of the consumers and providers that run in the selected environment. `None` if no environment is selected.
    running: Option<HashSet<(i64, i64)>>,
}

impl<'a> Filter<'a> {
    fn new(query: &'a Query, environments: &[Environment], running: &[RunningPair]) -> Self {
        let environment = query.value("environment");
        let id = environments
            .iter()
            .find(|known| known.name == environment)
            .map(|known| known.id);
        let pairs = || {
            let deployed = running.iter().filter(|pair| Some(pair.environment_id) == id);
            deployed.map(|pair| (pair.consumer_id, pair.provider_id)).collect()
        };
        Self {
            words: query
                .value("q")
                .to_lowercase()
                .split_whitespace()
                .map(str::to_owned)
                .collect(),
            role: query.value("role"),
            label: query.value("label"),
            running: (!environment.is_empty()).then(pairs),
        }
    }

    fn takes(&self, contract: &CurrentContract, owners: &Owners) -> bool {
        let names = match self.role {
            "consumer" => contract.consumer.to_lowercase(),
            "provider" => contract.provider.to_lowercase(),
            _ => format!("{} {}", contract.consumer, contract.provider).to_lowercase(),
        };
        let has_label = |id| owners.labels(id).iter().any(|label| label == self.label);
        let is_labeled = match self.role {
            _ if self.label.is_empty() => true,
            "consumer" => has_label(contract.consumer_id),
            "provider" => has_label(contract.provider_id),
            _ => has_label(contract.consumer_id) || has_label(contract.provider_id),
        };
        let pair = (contract.consumer_id, contract.provider_id);
        self.words.iter().all(|word| names.contains(word.as_str()))
            && is_labeled
            && self.running.as_ref().is_none_or(|running| running.contains(&pair))
    }
}

/// Sorts the integrations by `sort`: `consumer`, `provider`, `updated` (newest first), or, by default, `status` (failed
/// first). Returns the name of the order.
fn order(found: &mut [(Status, &CurrentContract)], sort: &str) -> String {
    let names = |contract: &CurrentContract| (contract.consumer.to_lowercase(), contract.provider.to_lowercase());
    let sort = match sort {
        "consumer" | "provider" | "updated" => sort,
        _ => "status",
    };
    match sort {
        "consumer" => found.sort_by_cached_key(|(_, contract)| names(contract)),
        "provider" => found.sort_by_cached_key(|(_, contract)| {
            let (consumer, provider) = names(contract);
            (provider, consumer)
        }),
        "updated" => found.sort_by_key(|(_, contract)| std::cmp::Reverse(updated_at(contract))),
        _ => found.sort_by_cached_key(|(status, contract)| (*status, names(contract))),
    }
    sort.to_owned()
}

fn updated_at(contract: &CurrentContract) -> i64 {
    let result = contract.result.as_ref().map_or(0, |result| result.at);
    contract.published_at.max(result)
}

/// Returns the environments to display as columns. If there are more than [`MAX_ENVIRONMENTS`], prefers production
/// environments.
fn columns(environments: &[Environment]) -> Vec<&Environment> {
    let mut columns: Vec<&Environment> = environments.iter().collect();
    if columns.len() > MAX_ENVIRONMENTS {
        columns.sort_by_key(|environment| !environment.production);
    } else {
        columns.sort_by_key(|environment| environment.production);
    }
    columns.truncate(MAX_ENVIRONMENTS);
    columns
}

/// Returns the worst status for each combination of environment, consumer, and provider, by their IDs.
fn by_pair(running: &[RunningPair]) -> HashMap<(i64, i64, i64), Status> {
    let mut statuses: HashMap<(i64, i64, i64), Status> = HashMap::new();
    for pair in running {
        let status = Status::of_result(pair.success);
        let known = statuses.entry((pair.environment_id, pair.consumer_id, pair.provider_id));
        known.and_modify(|known| *known = status.min(*known)).or_insert(status);
    }
    statuses
}

/// For each failed result, by its ID: returns the number of failed interactions and the total number of interactions.
fn failures(
    tx: &mut Tx<'_>,
    visible: &[(Status, &CurrentContract)],
) -> Result<HashMap<i64, (usize, usize)>, StoreError> {
    let failed = visible.iter().filter_map(|(_, contract)| contract.result.as_ref());
    let ids: Vec<i64> = failed
        .filter(|result| !result.success)
        .map(|result| result.id)
        .collect();
    let texts = results::test_results(tx, &ids)?;
    Ok(texts
        .into_iter()
        .filter_map(|(id, text)| Some((id, failed_interactions(&text)?)))
        .collect())
}

fn row(
    status: Status,
    contract: &CurrentContract,
    columns: &[&Environment],
    by_pair: &HashMap<(i64, i64, i64), Status>,
    failures: &HashMap<i64, (usize, usize)>,
) -> Row {
    let failure = contract.result.as_ref().and_then(|result| failures.get(&result.id));
    let detail = match (status, failure) {
        (Status::Failed, Some((failed, all))) => Some(format!("{failed} of {all}")),
        (Status::Pending, Some((failed, all))) => Some(format!("{failed} of {all} failed")),
        _ => None,
    };
    Row {
        consumer: contract.consumer.clone(),
        provider: contract.provider.clone(),
        status,
        detail,
        version: VersionLabel {
            branch: contract.branch.clone(),
            ..VersionLabel::new(&contract.consumer, &contract.version)
        },
        updated_at: updated_at(contract),
        environments: columns
            .iter()
            .map(|one| {
                by_pair
                    .get(&(one.id, contract.consumer_id, contract.provider_id))
                    .copied()
            })
            .collect(),
    }
}

/// Returns what needs attention, in this order: incompatible versions in production, incompatible versions in other
/// environments, and failed contracts.
fn concerns(
    root: &str,
    contracts: &[CurrentContract],
    environments: &[Environment],
    running: &[RunningPair],
    owners: &Owners,
) -> Vec<Concern> {
    let environments: HashMap<i64, &Environment> = environments.iter().map(|one| (one.id, one)).collect();
    let contracts_by_pair: HashMap<(i64, i64), &CurrentContract> = contracts
        .iter()
        .map(|one| ((one.consumer_id, one.provider_id), one))
        .collect();
    let owner = |id: i64, name: &str| owners.team(id).unwrap_or_else(|| name.to_owned());
    let mut incompatible: Vec<&RunningPair> = running.iter().filter(|pair| pair.success == Some(false)).collect();
    incompatible.sort_by_key(|pair| {
        let production = environments.get(&pair.environment_id).is_some_and(|one| one.production);
        (!production, std::cmp::Reverse(pair.since))
    });
    let mut known = HashSet::new();
    let mut concerns = Vec::new();
    for pair in incompatible {
        let ids = (pair.consumer_id, pair.provider_id);
        let (Some(contract), Some(environment)) = (contracts_by_pair.get(&ids), environments.get(&pair.environment_id))
        else {
            continue;
        };
        if known.insert(ids) {
            concerns.push(Concern::incompatible(
                root,
                (&contract.consumer, &pair.consumer_version),
                (&contract.provider, &pair.provider_version),
                (&environment.name, &owner(pair.provider_id, &contract.provider)),
                pair.since,
            ));
        }
    }
    let mut failed: Vec<&CurrentContract> = contracts
        .iter()
        .filter(|one| ContractStatus::new(one) == ContractStatus::Failed)
        .collect();
    failed.sort_by_key(|one| std::cmp::Reverse(updated_at(one)));
    for contract in failed {
        let Some(result) = &contract.result else { continue };
        if known.insert((contract.consumer_id, contract.provider_id)) {
            let row = row(Status::Failed, contract, &[], &HashMap::new(), &HashMap::new());
            let owner = owner(contract.provider_id, &contract.provider);
            concerns.push(Concern::failed(root, &row, &result.provider_version, &owner));
        }
    }
    concerns
}
