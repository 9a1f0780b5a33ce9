//! Collects the data for the pages of applications and their versions.

use std::collections::{BTreeMap, HashMap};

use contract_model::{Body, ContentValue, Contract, Interaction, InteractionKind, Json};
use contract_pages::pages::Pages;
use contract_pages::pages::application::{
    Activity as ActivityPage, Application, BranchEntry, Branches, Broken, Event as EventEntry, EventKind, Head,
    Operation, Partner, Presence, StateEntry, States, Version as VersionPage, VersionEntry, Versions,
};
use contract_pages::{Query, Status, VersionLabel};

use super::super::reply::{HandlerError, HandlerResult};
use super::super::request::Request;
use super::labels::Labels;
use super::owners::Owners;
use super::{list_page, page, status};
use contract_broker_core::cases::integrations::{ContractStatus, failed_interactions};
use contract_broker_core::sql::Page;
use contract_broker_core::sql::activity::{self, Event};
use contract_broker_core::sql::environments;
use contract_broker_core::sql::integrations::{self, CurrentContract};
use contract_broker_core::sql::pacticipants::Pacticipant;
use contract_broker_core::sql::version_context;
use contract_broker_core::sql::versions::{self, Version, VersionFilter};
use contract_broker_core::sql::{branches, pacts, results};
use contract_broker_core::store::{StoreError, Tx};

/// Number of versions that an application's page lists.
const LATEST: i64 = 5;
/// Default number of entries per page of a list.
const ROWS: i64 = 50;
/// Maximum number of events on the activity page.
const EVENTS: i64 = 60;
const MAX_ROWS: i64 = 200;
/// Maximum total size in bytes of the contracts that are read to find out what consumers use. Further contracts are
/// skipped.
const MAX_CONTRACTS: i64 = 4 * 1024 * 1024;

pub(crate) fn show(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let owner = rq.pacticipant(tx)?;
    let contracts = integrations::current(tx, Some(owner.id))?;
    let details = details(tx, &contracts)?;
    let partner = |contract: &CurrentContract| partner(contract, owner.id, &details);
    let (as_provider, as_consumer): (Vec<&CurrentContract>, Vec<&CurrentContract>) =
        contracts.iter().partition(|contract| contract.provider_id == owner.id);
    let mut consumers: Vec<Partner> = as_provider.iter().map(|contract| partner(contract)).collect();
    let mut providers: Vec<Partner> = as_consumer.iter().map(|contract| partner(contract)).collect();
    for partners in [&mut consumers, &mut providers] {
        partners.sort_by_cached_key(|partner| (partner.status, partner.name.to_lowercase()));
    }
    let usage = Usage::read(tx, &as_provider)?;
    let states = usage.states();
    let (head, owners) = head_with(tx, &owner, Some(states.len()))?;
    let (found, _) = versions::list(
        tx,
        owner.id,
        VersionFilter::All,
        Page {
            number: 1,
            size: LATEST,
        },
    )?;
    let running = integrations::running_versions(tx, Some(owner.id))?;
    let environments = environments::all(tx)?;
    let environment = |id: i64| environments.iter().find(|one| one.id == id);
    let presences = running.iter().filter_map(|one| {
        let environment = environment(one.environment_id)?;
        Some(Presence {
            environment: environment.name.clone(),
            production: environment.production,
            version: VersionLabel::new(&one.pacticipant, &one.version),
            since: one.since,
        })
    });
    let mut presences: Vec<Presence> = presences.collect();
    presences.sort_by_cached_key(|one| (one.production, one.environment.clone()));
    let view = Application {
        consumers,
        providers,
        operations: usage.operations(),
        skipped: usage.skipped,
        states,
        latest: entries(tx, &found)?,
        environments: presences,
        owner: owners.team(owner.id),
        broken: broken(tx, &owner, &contracts, &environments)?,
        head,
    };
    Ok(page(view.page(&rq.shell())))
}

fn head(tx: &mut Tx<'_>, owner: &Pacticipant) -> Result<Head, StoreError> {
    Ok(head_with(tx, owner, None)?.0)
}

/// Reads which of a provider's operations, fields, and provider states its consumers use.
fn provided(tx: &mut Tx<'_>, owner: &Pacticipant) -> Result<Usage, StoreError> {
    let contracts = integrations::current(tx, Some(owner.id))?;
    let as_provider: Vec<&CurrentContract> = contracts.iter().filter(|one| one.provider_id == owner.id).collect();
    Usage::read(tx, &as_provider)
}

fn head_with(tx: &mut Tx<'_>, owner: &Pacticipant, states: Option<usize>) -> Result<(Head, Owners), StoreError> {
    let owners = Owners::read(tx, &[owner.id])?;
    let first_page = Page { number: 1, size: 1 };
    let head = Head {
        name: owner.name.clone(),
        labels: owners.labels(owner.id).to_vec(),
        repository_url: owner.details.repository_url.clone(),
        main_branch: owner.details.main_branch.clone(),
        versions: versions::list(tx, owner.id, VersionFilter::All, first_page)?.1,
        branches: branches::list(tx, owner.id, None, first_page)?.1,
        states,
    };
    Ok((head, owners))
}

/// For each failed result, by its ID: the number of failed interactions and the total number of interactions.
type Failures = HashMap<i64, (usize, usize)>;

fn details(tx: &mut Tx<'_>, contracts: &[CurrentContract]) -> Result<Failures, StoreError> {
    let failed = contracts
        .iter()
        .filter_map(|contract| contract.result.as_ref().filter(|result| !result.success));
    let ids: Vec<i64> = failed.map(|result| result.id).collect();
    let texts = results::test_results(tx, &ids)?;
    Ok(texts
        .into_iter()
        .filter_map(|(id, text)| Some((id, failed_interactions(&text)?)))
        .collect())
}

fn partner(contract: &CurrentContract, own: i64, details: &Failures) -> Partner {
    let is_provider = contract.provider_id == own && contract.consumer_id != own;
    let found = status(ContractStatus::new(contract));
    let failure = contract.result.as_ref().and_then(|result| details.get(&result.id));
    Partner {
        name: if is_provider {
            &contract.consumer
        } else {
            &contract.provider
        }
        .clone(),
        status: found,
        detail: failure
            .filter(|_| found == Status::Failed)
            .map(|(failed, all)| format!("{failed} of {all}")),
        version: VersionLabel {
            branch: contract.branch.clone(),
            ..VersionLabel::new(&contract.consumer, &contract.version)
        },
        verified_by: contract
            .result
            .as_ref()
            .map(|result| VersionLabel::new(&contract.provider, &result.provider_version)),
        contract: (
            contract.consumer.clone(),
            contract.provider.clone(),
            contract.version.clone(),
        ),
    }
}

fn entries(tx: &mut Tx<'_>, found: &[Version]) -> Result<Vec<VersionEntry>, StoreError> {
    let ids: Vec<i64> = found.iter().map(|version| version.id).collect();
    let labels = Labels::read(tx, &ids)?;
    let counts = integrations::contract_counts(tx, &ids)?;
    let entry = |version: &Version| {
        let counts = counts.get(&version.id).copied().unwrap_or_default();
        VersionEntry {
            version: labels.label(version.id, &version.pacticipant, &version.number),
            failed: counts.failed,
            contracts: counts.all,
            verified: counts.verified,
            at: version.created_at,
        }
    };
    Ok(found.iter().map(entry).collect())
}

/// Returns the incompatible versions that run in the same environment and involve an application. Production
/// environments come first.
fn broken(
    tx: &mut Tx<'_>,
    owner: &Pacticipant,
    contracts: &[CurrentContract],
    environments: &[environments::Environment],
) -> Result<Vec<Broken>, StoreError> {
    let mut pairs = integrations::running_pairs(tx, Some(owner.id))?;
    pairs.retain(|pair| pair.success == Some(false));
    let environment = |id: i64| environments.iter().find(|one| one.id == id);
    pairs.sort_by_key(|pair| environment(pair.environment_id).is_none_or(|one| !one.production));
    let consumers = pairs.iter().filter_map(|pair| {
        let contract = contracts
            .iter()
            .find(|one| one.consumer_id == pair.consumer_id && one.provider_id == pair.provider_id)?;
        Some(Broken {
            environment: environment(pair.environment_id)?.name.clone(),
            consumer: (contract.consumer.clone(), pair.consumer_version.clone()),
            provider: (contract.provider.clone(), pair.provider_version.clone()),
        })
    });
    Ok(consumers.collect())
}

/// The consumers of an operation, each with the version of its contract, and the names of the response fields that they
/// use.
type Users = (Vec<(String, String)>, Vec<String>);

#[derive(Default)]
struct Usage {
    /// Keys: method and path. Messages have the `EVENT` or `MESSAGE` method, and their description as the path.
    operations: BTreeMap<(String, String), Users>,
    /// Keys: names of provider states.
    states: BTreeMap<String, StateEntry>,
    skipped: usize,
}

impl Usage {
    fn read(tx: &mut Tx<'_>, contracts: &[&CurrentContract]) -> Result<Self, StoreError> {
        let ids: Vec<i64> = contracts.iter().map(|contract| contract.content_id).collect();
        let documents = pacts::documents(tx, &ids, MAX_CONTRACTS)?;
        let mut usage = Self::default();
        for current in contracts {
            let Some(document) = documents.get(&current.content_id) else {
                usage.skipped += 1;
                continue;
            };
            let contract = Contract::read(document.as_bytes())
                .map(|reading| reading.contract)
                .unwrap_or_default();
            for interaction in &contract.interactions {
                usage.add(interaction, current);
            }
        }
        Ok(usage)
    }

    fn add(&mut self, interaction: &Interaction, contract: &CurrentContract) {
        for state in &interaction.states {
            let entry = self.states.entry(state.name.to_string()).or_insert_with(|| StateEntry {
                name: state.name.to_string(),
                parameters: Vec::new(),
                consumers: Vec::new(),
            });
            if entry
                .consumers
                .iter()
                .all(|(consumer, _)| *consumer != contract.consumer)
            {
                entry
                    .consumers
                    .push((contract.consumer.clone(), contract.version.clone()));
            }
            for (name, _) in &state.parameters {
                if entry.parameters.iter().all(|known| known != name.as_str()) {
                    entry.parameters.push(name.to_string());
                }
            }
        }
        let (key, body) = match &interaction.kind {
            InteractionKind::Http(http) => (
                (http.request.method.to_string(), template(&http.request.path)),
                &http.response.body,
            ),
            InteractionKind::AsyncMessage(message) => (
                ("EVENT".to_owned(), interaction.description.to_string()),
                &message.contents,
            ),
            InteractionKind::SyncMessage(message) => match message.responses.first() {
                Some(response) => (
                    ("MESSAGE".to_owned(), interaction.description.to_string()),
                    &response.contents,
                ),
                None => return,
            },
            InteractionKind::Unknown { .. } | InteractionKind::Unreadable(_) => return,
        };
        let (consumers, fields) = self.operations.entry(key).or_default();
        if consumers.iter().all(|(name, _)| *name != contract.consumer) {
            consumers.push((contract.consumer.clone(), contract.version.clone()));
        }
        for field in fields_of(body) {
            if !fields.contains(&field) {
                fields.push(field);
            }
        }
    }

    fn states(&self) -> Vec<StateEntry> {
        self.states.values().cloned().collect()
    }

    /// Returns the operations, sorted by the number of their consumers in descending order.
    fn operations(&self) -> Vec<Operation> {
        let operations = self
            .operations
            .iter()
            .map(|((method, path), (consumers, fields))| Operation {
                method: method.clone(),
                path: path.clone(),
                consumers: consumers.clone(),
                fields: fields.clone(),
            });
        let mut operations: Vec<Operation> = operations.collect();
        operations.sort_by_key(|operation| std::cmp::Reverse(operation.consumers.len()));
        operations
    }
}

/// Replaces path segments that are numbers or UUIDs with `{id}`, so that `/users/1` and `/users/2` count as one
/// operation.
fn template(path: &str) -> String {
    let is_id = |segment: &str| {
        !segment.is_empty()
            && (segment.bytes().all(|byte| byte.is_ascii_digit())
                || (segment.len() == 36 && segment.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-')))
    };
    let segments = path
        .split('/')
        .map(|segment| if is_id(segment) { "{id}" } else { segment });
    segments.collect::<Vec<_>>().join("/")
}

/// Returns the member names of a JSON object. If the body is an array, uses its first element.
fn fields_of(body: &Body) -> Vec<String> {
    let Body::Present(content) = body else {
        return Vec::new();
    };
    let ContentValue::Json(json) = &content.value else {
        return Vec::new();
    };
    let object = match json.as_ref() {
        Json::Array(items) => items.first().and_then(Json::as_object),
        other => other.as_object(),
    };
    object
        .map(|object| object.keys().map(ToString::to_string).collect())
        .unwrap_or_default()
}

/// Returns the requested page of a list, or the first page by default.
fn page_of(rq: &Request) -> Result<Page, HandlerError> {
    let requested = rq.page()?;
    Ok(Page {
        number: requested.map_or(1, |page| page.number),
        size: rq
            .query_value("size")
            .and(requested)
            .map_or(ROWS, |page| page.size.min(MAX_ROWS)),
    })
}

fn query(rq: &Request) -> Query {
    Query::new(rq.query.iter().map(|(name, value)| (name.as_str(), value.as_str())))
}

pub(crate) fn list_versions(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let owner = rq.pacticipant(tx)?;
    let at = page_of(rq)?;
    let (found, total) = versions::list(tx, owner.id, VersionFilter::All, at)?;
    let view = Versions {
        head: head(tx, &owner)?,
        rows: entries(tx, &found)?,
        query: query(rq),
        pages: Pages {
            number: at.number,
            size: at.size,
            total,
        },
    };
    Ok(list_page(view.pages, view.page(&rq.shell())))
}

pub(crate) fn list_branches(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let owner = rq.pacticipant(tx)?;
    let at = page_of(rq)?;
    let (found, total) = branches::list(tx, owner.id, rq.query_value("q"), at)?;
    let names: Vec<&str> = found.iter().map(|one| one.name.as_str()).collect();
    let heads = versions::heads_of_branches(tx, owner.id, &names)?;
    let rows = found.iter().map(|one| BranchEntry {
        name: one.name.clone(),
        version: heads
            .get(&one.name)
            .map(|number| VersionLabel::new(&owner.name, number)),
        is_main: owner.details.main_branch.as_deref() == Some(&one.name),
        at: one.created_at,
    });
    let view = Branches {
        rows: rows.collect(),
        head: head(tx, &owner)?,
        query: query(rq),
        pages: Pages {
            number: at.number,
            size: at.size,
            total,
        },
    };
    Ok(list_page(view.pages, view.page(&rq.shell())))
}

pub(crate) fn list_states(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let owner = rq.pacticipant(tx)?;
    let at = page_of(rq)?;
    let usage = provided(tx, &owner)?;
    let mut rows = usage.states();
    let pages = Pages {
        number: at.number,
        size: at.size,
        total: i64::try_from(rows.len()).unwrap_or(i64::MAX),
    };
    let (head, _) = head_with(tx, &owner, Some(rows.len()))?;
    let view = States {
        head,
        rows: rows.drain(pages.range()).collect(),
        skipped: usage.skipped,
        query: query(rq),
        pages,
    };
    Ok(list_page(view.pages, view.page(&rq.shell())))
}

pub(crate) fn activity(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let owner = rq.pacticipant(tx)?;
    let events = activity::newest(tx, owner.id, EVENTS)?
        .into_iter()
        .map(|one| EventEntry {
            version: one.version,
            at: one.at,
            kind: match one.event {
                Event::Published { provider } => EventKind::Published(provider),
                Event::Verified {
                    consumer,
                    consumer_version,
                    success,
                } => EventKind::Verified((consumer, consumer_version), success),
                Event::Result {
                    provider,
                    provider_version,
                    success,
                } => EventKind::Result((provider, provider_version), success),
                Event::Deployed {
                    environment,
                    production,
                } => EventKind::Deployed(environment, production),
                Event::Undeployed {
                    environment,
                    production,
                } => EventKind::Undeployed(environment, production),
                Event::Released {
                    environment,
                    production,
                } => EventKind::Released(environment, production),
            },
        });
    let view = ActivityPage {
        events: events.collect(),
        head: head(tx, &owner)?,
    };
    Ok(page(view.page(&rq.shell())))
}

pub(crate) fn version(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let found = rq.version(tx)?;
    let contracts = integrations::of_version(tx, found.id)?;
    let failures = details(tx, &contracts)?;
    let context = version_context::read(tx, &[found.id])?;
    let mut published: Vec<Partner> = contracts
        .iter()
        .map(|contract| partner(contract, 0, &failures))
        .collect();
    published.sort_by_cached_key(|partner| (partner.status, partner.name.to_lowercase()));
    let names = |list: Option<&Vec<branches::VersionBranch>>| {
        list.into_iter().flatten().map(|branch| branch.name.clone()).collect()
    };
    let view = VersionPage {
        version: Labels::read(tx, &[found.id])?.label(found.id, &found.pacticipant, &found.number),
        branches: names(context.branches.get(&found.id)),
        tags: context
            .tags
            .get(&found.id)
            .into_iter()
            .flatten()
            .map(|tag| tag.name.clone())
            .collect(),
        build_url: found.build_url,
        created_at: found.created_at,
        published,
    };
    Ok(page(view.page(&rq.shell())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_templates() {
        for (path, expected) in [
            ("/orders/81", "/orders/{id}"),
            (
                "/orders/5f0c2a9e-77b1-4d3e-9a51-0d8c2e7f4b60/lines",
                "/orders/{id}/lines",
            ),
            ("/v1/orders", "/v1/orders"),
            ("/", "/"),
        ] {
            assert_eq!(template(path), expected);
        }
    }
}
