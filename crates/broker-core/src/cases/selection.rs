//! Selects the contracts that a provider must verify, and determines which of them are pending or work in progress.

mod notices;

use std::collections::{HashMap, HashSet};

pub use notices::SelectionNotice;

use super::CaseError;
use crate::sql::environments::{self, PresenceKind};
use crate::sql::pacts::{self, Publication};
use crate::sql::results::{self, GroupKind};
use crate::sql::selection::{self, Candidate, CandidateHead, Head, Integrations};
use crate::sql::{branches, tags};
use crate::store::{BoundQuery, StoreError, Tx};
use contract_broker_domain::selector::{
    BranchFallback, Choice, Criterion, Group, Reason, SelectionRequest, Selector, Success, VerificationScope,
};

#[derive(Clone, Debug)]
pub struct SelectedContract {
    /// The contract as published by the latest of the selected consumer versions.
    pub publication: Publication,
    pub choices: Vec<Choice>,
    pub status: PendingStatus,
    /// The provider branch or tags for which the contract has this status.
    pub scopes: Vec<VerificationScope>,
}

/// Whether a failed verification of the contract fails the build.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PendingStatus {
    /// The client did not ask for pending contracts, so every failure fails the build.
    NotRequested,
    Verified,
    Pending,
    WorkInProgress,
}

/// The selector at `index` contains the name of an environment that does not exist.
#[derive(Debug, thiserror::Error)]
#[error("environment {name:?} does not exist (at index {index})")]
pub struct UnknownEnvironment {
    name: String,
    index: usize,
}

/// Returns the selected contracts, followed by contracts that are work in progress.
pub fn select(
    tx: &mut Tx<'_>,
    provider: i64,
    request: &SelectionRequest,
) -> Result<Vec<SelectedContract>, CaseError<UnknownEnvironment>> {
    check_environments(tx, request)?;
    let selected = find_selected(tx, provider, request)?;
    let scopes = scopes(tx, provider, request)?;
    let mut candidates = candidates(tx, provider, request, &scopes, &selected)?;
    let contents = selected.iter().map(|one| one.publication.content_id);
    let contents: HashSet<i64> = contents.chain(candidates.iter().map(|one| one.content)).collect();
    let contents: Vec<i64> = contents.into_iter().collect();
    let successes = successes(tx, provider, &contents, &scopes)?;
    let successes = |content: i64| successes.get(&content).map(Vec::as_slice).unwrap_or_default();
    let scopes_where = |condition: &dyn Fn(&VerificationScope) -> bool| -> Vec<VerificationScope> {
        scopes.iter().filter(|scope| condition(scope)).cloned().collect()
    };
    let unverified = |content: i64| scopes_where(&|scope| scope.is_unverified_when_chosen(successes(content)));
    candidates.retain(|one| !unverified(one.content).is_empty());
    let in_progress = read_publications(tx, candidates)?;

    let with_status = |one: Selected| {
        let pending = scopes_where(&|scope| scope.is_pending(successes(one.publication.content_id)));
        let status = match (request.include_pending, pending.is_empty()) {
            (false, _) => PendingStatus::NotRequested,
            (true, true) => PendingStatus::Verified,
            (true, false) => PendingStatus::Pending,
        };
        let concerned = if pending.is_empty() { scopes.clone() } else { pending };
        one.with_status(status, concerned)
    };
    let in_progress = in_progress.into_iter().map(|one| {
        let unverified = unverified(one.publication.content_id);
        one.with_status(PendingStatus::WorkInProgress, unverified)
    });
    Ok(selected.into_iter().map(with_status).chain(in_progress).collect())
}

fn check_environments(tx: &mut Tx<'_>, request: &SelectionRequest) -> Result<(), CaseError<UnknownEnvironment>> {
    for (index, selector) in request.selectors.iter().enumerate() {
        if let Criterion::Present {
            environment: Some(name),
            ..
        } = &selector.criterion
            && environments::find_named(tx, name)?.is_none()
        {
            let name = name.clone();
            return Err(CaseError::Rejected(UnknownEnvironment { name, index }));
        }
    }
    Ok(())
}

/// Returns the provider's contracts that were published by consumer versions in an environment.
pub fn in_environment(tx: &mut Tx<'_>, provider: i64, environment: &str) -> Result<Vec<Publication>, StoreError> {
    let request = SelectionRequest {
        selectors: vec![Selector {
            consumer: None,
            criterion: Criterion::Present {
                deployed: true,
                released: true,
                environment: Some(environment.to_owned()),
            },
        }],
        ..SelectionRequest::default()
    };
    let selected = find_selected(tx, provider, &request)?;
    Ok(selected.into_iter().map(|one| one.publication).collect())
}

/// A contract content with all reasons why it was selected.
struct Selected {
    publication: Publication,
    choices: Vec<Choice>,
}

impl Selected {
    fn with_status(self, status: PendingStatus, scopes: Vec<VerificationScope>) -> SelectedContract {
        SelectedContract {
            publication: self.publication,
            choices: self.choices,
            status,
            scopes,
        }
    }
}

/// Returns the distinct selected contents, ordered by the consumer's name and the age of the version.
fn find_selected(tx: &mut Tx<'_>, provider: i64, request: &SelectionRequest) -> Result<Vec<Selected>, StoreError> {
    let steps: Vec<Step<'_>> = if request.selectors.is_empty() {
        default_steps(provider)
    } else {
        let selectors = request.selectors.iter();
        selectors
            .flat_map(|selector| steps_of_selector(provider, selector))
            .collect()
    };
    let (queries, assign): (Vec<_>, Vec<_>) = steps.into_iter().map(|step| (step.queries, step.assign)).unzip();
    let heads = selection::read(tx, queries)?;
    Ok(merge(
        assign.iter().zip(heads).flat_map(|(assign, heads)| assign(heads)),
    ))
}

/// The queries of one selection criterion, and a function that adds the reason to each publication that they find.
struct Step<'a> {
    queries: Vec<BoundQuery>,
    assign: Assign<'a>,
}

/// Adds reasons to publications. The argument contains the results of each query of the [`Step`].
type Assign<'a> = Box<dyn Fn(Vec<Vec<Head>>) -> Vec<(Publication, Reason)> + 'a>;

impl<'a> Step<'a> {
    /// Selects everything that a query finds. `reason` receives the name of the branch, tag, or environment, and
    /// returns the reason.
    fn all(query: BoundQuery, reason: impl Fn(String) -> Reason + 'a) -> Self {
        Self {
            queries: vec![query],
            assign: Box::new(move |heads| {
                let heads = heads.into_iter().flatten();
                heads.map(|head| (head.publication, reason(head.name))).collect()
            }),
        }
    }

    /// Selects the results of `query`, which searches for the branch or tag `name`. For consumers without a result,
    /// selects the results of `fallback`.
    fn with_fallback(
        query: BoundQuery,
        name: &'a str,
        fallback: Option<BoundQuery>,
        reason: impl Fn(&str, Option<String>) -> Reason + 'a,
    ) -> Self {
        let queries = std::iter::once(query).chain(fallback).collect();
        let assign = move |heads: Vec<Vec<Head>>| {
            let mut heads = heads.into_iter();
            let requested = heads.next().unwrap_or_default();
            let known: HashSet<i64> = requested.iter().map(|head| head.publication.consumer_id).collect();
            let substitutes = heads.next().unwrap_or_default().into_iter();
            let substitutes = substitutes.filter(|head| !known.contains(&head.publication.consumer_id));
            let instead_of = || Some(name.to_owned());
            let substitutes = substitutes.map(|head| (head.publication, reason(&head.name, instead_of())));
            let requested = requested.into_iter().map(|head| (head.publication, reason(name, None)));
            requested.chain(substitutes).collect()
        };
        Self {
            queries,
            assign: Box::new(assign),
        }
    }

    fn main_branches(integrations: Integrations<'_>) -> Self {
        Self::all(selection::main_branch_heads(integrations), |name| Reason::MainBranch {
            name,
        })
    }

    fn present(integrations: Integrations<'_>, kind: PresenceKind, environment: Option<&str>) -> Self {
        Self::all(
            selection::present(integrations, kind, environment),
            move |environment| match kind {
                PresenceKind::Deployed => Reason::Deployed { environment },
                PresenceKind::Released => Reason::Released { environment },
            },
        )
    }
}

/// Returns the steps that apply if a request has no selectors. They select the head of each consumer's main branch, or
/// else the latest version tagged with the main branch's name, or else the latest version. They also select all
/// versions in environments.
fn default_steps<'a>(provider: i64) -> Vec<Step<'a>> {
    let integrations = Integrations {
        provider,
        consumer: None,
    };
    vec![
        Step::main_branches(integrations),
        Step::all(selection::main_branch_tags(integrations), |tag| Reason::LatestWithTag {
            tag,
            instead_of: None,
        }),
        Step::all(selection::latest_without_main_branch(integrations), |_| Reason::Latest),
        Step::present(integrations, PresenceKind::Deployed, None),
        Step::present(integrations, PresenceKind::Released, None),
    ]
}

fn steps_of_selector(provider: i64, selector: &Selector) -> Vec<Step<'_>> {
    let integrations = Integrations {
        provider,
        consumer: selector.consumer.as_deref(),
    };
    vec![match &selector.criterion {
        Criterion::MainBranch => Step::main_branches(integrations),
        Criterion::Branch { name, fallback } => Step::with_fallback(
            selection::branch_heads(integrations, Some(name)),
            name,
            fallback.as_ref().map(|fallback| match fallback {
                BranchFallback::Named(name) => selection::branch_heads(integrations, Some(name)),
                BranchFallback::Main => selection::main_branch_heads(integrations),
            }),
            |name, instead_of| Reason::Branch {
                name: name.to_owned(),
                instead_of,
            },
        ),
        Criterion::EveryBranch => Step::all(selection::branch_heads(integrations, None), |name| Reason::Branch {
            name,
            instead_of: None,
        }),
        Criterion::LatestWithTag { tag, fallback } => Step::with_fallback(
            selection::tag_heads(integrations, tag),
            tag,
            fallback.as_deref().map(|tag| selection::tag_heads(integrations, tag)),
            |tag, instead_of| Reason::LatestWithTag {
                tag: tag.to_owned(),
                instead_of,
            },
        ),
        Criterion::EveryWithTag { tag } => Step::all(selection::all_with_tag(integrations, tag), |tag| {
            Reason::EveryWithTag { tag }
        }),
        Criterion::Latest => Step::all(selection::latest(integrations), |_| Reason::Latest),
        Criterion::Present {
            deployed,
            released,
            environment,
        } => {
            let kinds = [(*deployed, PresenceKind::Deployed), (*released, PresenceKind::Released)];
            return kinds
                .into_iter()
                .filter_map(|(is_selected, kind)| is_selected.then_some(kind))
                .map(|kind| Step::present(integrations, kind, environment.as_deref()))
                .collect();
        }
    }]
}

/// Groups publications by content. A group contains its newest publication and all reasons.
fn merge(selected: impl Iterator<Item = (Publication, Reason)>) -> Vec<Selected> {
    let mut indexes: HashMap<i64, usize> = HashMap::new();
    let mut merged: Vec<Selected> = Vec::new();
    for (publication, reason) in selected {
        let choice = Choice {
            reason,
            version_id: publication.version_id,
            version: publication.version.clone(),
        };
        if let Some(&index) = indexes.get(&publication.content_id) {
            let known = &mut merged[index];
            if publication.version_id > known.publication.version_id {
                known.publication = publication;
            }
            if !known.choices.contains(&choice) {
                known.choices.push(choice);
            }
        } else {
            indexes.insert(publication.content_id, merged.len());
            merged.push(Selected {
                publication,
                choices: vec![choice],
            });
        }
    }
    for contract in &mut merged {
        contract.choices.sort_by(Choice::order);
    }
    merged.sort_by_cached_key(|contract| {
        let publication = &contract.publication;
        (
            publication.consumer.to_lowercase(),
            publication.consumer.clone(),
            publication.version_id,
        )
    });
    merged
}

/// Returns the provider branch or tags for which the pending and work-in-progress statuses are computed.
fn scopes(tx: &mut Tx<'_>, provider: i64, request: &SelectionRequest) -> Result<Vec<VerificationScope>, StoreError> {
    if let Some(name) = &request.provider_branch {
        let branch = branches::find(tx, provider, name)?;
        return Ok(vec![VerificationScope {
            group: Group::Branch(name.clone()),
            since: branch.map(|branch| branch.created_at),
        }]);
    }
    if request.provider_tags.is_empty() {
        return Ok(vec![VerificationScope {
            group: Group::Any,
            since: None,
        }]);
    }
    let scope = |tag: &String| {
        Ok(VerificationScope {
            group: Group::Tag(tag.clone()),
            since: tags::first_created_at(tx, provider, tag)?,
        })
    };
    request.provider_tags.iter().map(scope).collect()
}

/// Returns the contracts that may be work in progress, without those that are already selected. Empty if the request
/// does not include contracts that are work in progress, or contains neither a provider branch nor tags.
fn candidates(
    tx: &mut Tx<'_>,
    provider: i64,
    request: &SelectionRequest,
    scopes: &[VerificationScope],
    selected: &[Selected],
) -> Result<Vec<Candidate>, StoreError> {
    let has_scope = scopes.iter().all(|scope| scope.group != Group::Any);
    let Some(since) = request.wip_since.filter(|_| has_scope) else {
        return Ok(Vec::new());
    };
    let selected: HashSet<i64> = selected.iter().map(|one| one.publication.content_id).collect();
    let mut candidates = selection::candidates(tx, provider, since)?;
    candidates.retain(|one| !selected.contains(&one.content));
    Ok(candidates)
}

/// Returns the first successful verifications of each content, one for each branch if the scope is a branch, and one for
/// each tag if the scopes are tags.
fn successes(
    tx: &mut Tx<'_>,
    provider: i64,
    contents: &[i64],
    scopes: &[VerificationScope],
) -> Result<HashMap<i64, Vec<Success>>, StoreError> {
    let (kind, group): (GroupKind, fn(String) -> Group) = match scopes.first().map(|scope| &scope.group) {
        Some(Group::Branch(_)) => (GroupKind::Branch, Group::Branch),
        Some(Group::Tag(_)) => (GroupKind::Tag, Group::Tag),
        Some(Group::Any) | None => (GroupKind::All, |_| Group::Any),
    };
    let mut successes: HashMap<i64, Vec<Success>> = HashMap::new();
    for row in results::first_successes(tx, provider, contents, kind)? {
        let group = group(row.name);
        let success = Success {
            group,
            first_at: row.first_at,
            first_chosen_at: row.first_chosen_at,
        };
        successes.entry(row.content_id).or_default().push(success);
    }
    Ok(successes)
}

fn read_publications(tx: &mut Tx<'_>, candidates: Vec<Candidate>) -> Result<Vec<Selected>, StoreError> {
    let ids: HashSet<i64> = candidates.iter().map(|one| one.publication).collect();
    let ids: Vec<i64> = ids.into_iter().collect();
    let publications = pacts::by_ids(tx, &ids)?.into_iter();
    let publications: HashMap<i64, Publication> = publications.map(|one| (one.id, one)).collect();
    Ok(merge(candidates.into_iter().filter_map(|one| {
        let reason = match one.head {
            CandidateHead::Branch(name) => Reason::Branch { name, instead_of: None },
            CandidateHead::Tag(tag) => Reason::LatestWithTag { tag, instead_of: None },
        };
        Some((publications.get(&one.publication)?.clone(), reason))
    })))
}
