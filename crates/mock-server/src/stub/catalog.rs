//! The interactions of many contracts, indexed by method and path.

use std::collections::{BTreeMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

use contract_generators::apply;
use contract_matching::{ActualRequest, Options, PathIndex, RequestPlan};
use contract_model::{
    Contract, Generators, HttpInteraction, Interaction, InteractionKind, Object, Request, Rules, Text,
};

use super::recent::Recent;
use super::state::ChosenState;
use crate::answer::Answer;

/// Maximum number of interactions with the same method and path to compare when searching for conflicts.
const COMPARED: usize = 64;

#[derive(Clone, Debug)]
pub struct StubContract {
    pub contract: Arc<Contract>,
    /// Path or URL of the contract, which messages show.
    pub source: String,
}

/// Two interactions with the same request and provider states, but different responses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// Description of the interaction that responds, because it comes first.
    pub first: String,
    pub other: String,
    pub request: String,
}

/// Maximum number of compiled interactions to keep. A compiled interaction requires about ten times the memory of the
/// interaction itself, mostly for regular expressions, and is compiled again in less than a millisecond.
const COMPILED: usize = 256;

#[derive(Debug, Default)]
pub struct Catalog {
    contracts: Vec<StubContract>,
    list: Vec<Entry>,
    paths: PathIndex,
    /// Plans that compare only the method and path, for the entries that [`PathIndex::always_ruled`] returns. These
    /// entries are compared with every request. `None` if a rule is invalid.
    always: OnceLock<Vec<Option<RequestPlan>>>,
    /// Plans that compare only the method and path, for all other entries with a rule for either of them. `None` if a
    /// rule is invalid.
    targets: Recent<Option<RequestPlan>>,
    /// Entries are compiled on first comparison, because compiling tens of thousands of interactions at startup would
    /// take seconds.
    compiled: Recent<Result<Compiled, String>>,
    messages: usize,
    /// One message for each interaction that cannot be served, with its description and the reason.
    unsupported: Vec<String>,
}

#[derive(Debug)]
pub(super) struct Entry {
    contract: Arc<Contract>,
    /// Index of the contract in the catalog.
    pub(super) owner: usize,
    /// Index in the contract's interactions.
    index: usize,
    pub(super) responses: AtomicU64,
}

#[derive(Debug)]
pub(super) struct Compiled {
    pub(super) plan: RequestPlan,
    pub(super) answer: Answer,
}

impl Entry {
    pub(super) fn interaction(&self) -> &Interaction {
        &self.contract.interactions[self.index]
    }

    pub(super) fn http(&self) -> &HttpInteraction {
        self.interaction()
            .http()
            .expect("the catalog contains only HTTP interactions")
    }

    fn compile(&self) -> Result<Compiled, String> {
        let http = self.http();
        let options = Options {
            specification: self.contract.specification,
            ..Options::STRICT
        };
        let plan = RequestPlan::new(&http.request, options).map_err(|error| error.to_string())?;
        let answer = Answer::new(&http.response, false).map_err(|error| error.to_string())?;
        Ok(Compiled { plan, answer })
    }

    /// Compiles a plan that compares only the method and path. Returns `None` if a rule for them is invalid.
    fn target(&self) -> Option<RequestPlan> {
        let request = &self.http().request;
        let expected = Request {
            method: request.method.clone(),
            path: request.path.clone(),
            rules: Rules {
                method: request.rules.method.clone(),
                path: request.rules.path.clone(),
                ..Rules::default()
            },
            ..Request::default()
        };
        RequestPlan::new(&expected, Options::STRICT).ok()
    }

    pub(super) fn has_literal_path(&self) -> bool {
        self.http().request.rules.path.is_none()
    }

    /// Returns the number of the interaction's states, or `None` if `chosen` does not select all of them. If `chosen`
    /// is empty, every interaction is allowed, and the number is 0.
    pub(super) fn selected_states(&self, chosen: &[ChosenState]) -> Option<usize> {
        let states = &self.interaction().states;
        let is_selected = |state| chosen.iter().any(|chosen| chosen.selects(state));
        (chosen.is_empty() || states.iter().all(is_selected)).then_some(if chosen.is_empty() {
            0
        } else {
            states.len()
        })
    }
}

impl Catalog {
    /// Indexes the HTTP interactions of the contracts, in the given order.
    pub fn new(contracts: Vec<StubContract>) -> Self {
        let mut catalog = Self::default();
        for (owner, contract) in contracts.iter().enumerate() {
            for index in 0..contract.contract.interactions.len() {
                catalog.add(contract, owner, index);
            }
        }
        catalog.contracts = contracts;
        catalog
    }

    fn add(&mut self, contract: &StubContract, owner: usize, index: usize) {
        let interaction = &contract.contract.interactions[index];
        let http = match &interaction.kind {
            InteractionKind::Http(http) => http,
            InteractionKind::AsyncMessage(_) | InteractionKind::SyncMessage(_) => {
                self.messages += 1;
                return;
            }
            InteractionKind::Unknown { kind, .. } => {
                let problem = format!(
                    "{}: the interaction type {kind:?} is not supported",
                    contract.describe(index)
                );
                return self.unsupported.push(problem);
            }
            InteractionKind::Unreadable(unreadable) => {
                let problem = format!("{}: {}", contract.describe(index), unreadable.reason);
                return self.unsupported.push(problem);
            }
        };
        if let Some((plugin, _)) = interaction.plugin_configuration.iter().next() {
            let problem = format!(
                "{}: its content requires the plugin {:?}, but stubs do not support plugins",
                contract.describe(index),
                plugin.as_str()
            );
            return self.unsupported.push(problem);
        }
        self.paths.add(self.list.len(), &http.request);
        self.list.push(Entry {
            contract: Arc::clone(&contract.contract),
            owner,
            index,
            responses: AtomicU64::new(0),
        });
    }

    pub fn contracts(&self) -> &[StubContract] {
        &self.contracts
    }

    /// Returns the number of interactions that are served.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Returns the number of message interactions. Stubs do not serve them.
    pub fn messages(&self) -> usize {
        self.messages
    }

    /// Returns a message for each interaction that cannot be served, with its description and the reason.
    pub fn unsupported(&self) -> &[String] {
        &self.unsupported
    }

    pub(super) fn entry(&self, at: usize) -> &Entry {
        &self.list[at]
    }

    pub(super) fn entries(&self) -> impl Iterator<Item = (usize, &Entry)> {
        self.list.iter().enumerate()
    }

    pub(super) fn paths(&self) -> &PathIndex {
        &self.paths
    }

    /// Returns the request plan and the response of an entry, or the reason why it cannot be compiled.
    pub(super) fn compiled(&self, at: usize) -> Arc<Result<Compiled, String>> {
        self.compiled.get_or_insert(at, COMPILED, || self.list[at].compile())
    }

    /// Returns the indexes of the entries that match the method and the path, in ascending order.
    pub(super) fn on_target(&self, actual: &ActualRequest) -> Vec<usize> {
        let path = actual.path.as_str();
        let literal = self.paths.literal(path).iter().copied();
        let literal = literal.filter(|&at| {
            let request = &self.list[at].http().request;
            match request.rules.method {
                None => request.method.eq_ignore_ascii_case(&actual.method),
                Some(_) => self.matches_target(at, actual),
            }
        });
        let mut places: Vec<usize> = literal.collect();
        let ruled = self.paths.ruled(path);
        let always = self.paths.always_ruled();
        places.extend(ruled.iter().copied().filter(|&at| {
            let request = &self.list[at].http().request;
            let may_match = request.rules.method.is_some() || request.method.eq_ignore_ascii_case(&actual.method);
            may_match
                && match always.binary_search(&at) {
                    Ok(number) => self.always_target(number, actual),
                    Err(_) => self.matches_target(at, actual),
                }
        }));
        places.sort_unstable();
        places
    }

    fn matches_target(&self, at: usize, actual: &ActualRequest) -> bool {
        let plan = self.targets.get_or_insert(at, COMPILED, || self.list[at].target());
        plan.as_ref().as_ref().is_some_and(|plan| plan.matches_target(actual))
    }

    /// Returns true if the request matches the method and path of an entry. `number` is an index in
    /// [`PathIndex::always_ruled`].
    fn always_target(&self, number: usize, actual: &ActualRequest) -> bool {
        let plans = self.always.get_or_init(|| {
            let entries = self.paths.always_ruled().iter().map(|&at| &self.list[at]);
            entries.map(Entry::target).collect()
        });
        plans[number].as_ref().is_some_and(|plan| plan.matches_target(actual))
    }

    pub(super) fn describe(&self, at: usize) -> String {
        let entry = &self.list[at];
        self.contracts[entry.owner].describe(entry.index)
    }

    /// Returns pairs of interactions with the same request and provider states, but different responses.
    pub fn conflicts(&self) -> Vec<Conflict> {
        let mut places: BTreeMap<(&Text, &Text), Vec<usize>> = BTreeMap::new();
        for (at, entry) in self.entries() {
            let request = &entry.http().request;
            places.entry((&request.method, &request.path)).or_default().push(at);
        }
        let mut conflicts = Vec::new();
        for ((method, path), places) in places.into_iter().filter(|(_, places)| places.len() > 1) {
            let mut named = HashSet::new();
            for (number, &first) in places.iter().enumerate().take(COMPARED) {
                for &other in places.iter().take(COMPARED).skip(number + 1) {
                    if !self.is_conflict(first, other) || !named.insert(other) {
                        continue;
                    }
                    conflicts.push(Conflict {
                        first: self.describe(first),
                        other: self.describe(other),
                        request: format!("{method} {path}"),
                    });
                }
            }
        }
        conflicts
    }

    fn is_conflict(&self, first: usize, other: usize) -> bool {
        let (a, b) = (&self.list[first], &self.list[other]);
        let (response, states) = (&a.http().response, &a.interaction().states);
        let other = &b.http().response;
        let (from, to) = (&a.http().request, &b.http().request);
        a.owner != b.owner
            && *states == b.interaction().states
            && (from.query == to.query && from.headers == to.headers && from.body == to.body)
            && (response.status != other.status || response.headers != other.headers || response.body != other.body)
    }

    pub(super) fn count(&self, at: usize) {
        self.list[at].responses.fetch_add(1, Relaxed);
    }
}

impl StubContract {
    /// Removes data that a stub does not use, which saves about a third of the memory. A stub does not compare
    /// responses, so it keeps the rules of a response only if the response has generators.
    pub fn new(contract: Arc<Contract>, source: String) -> Self {
        let mut contract = Arc::unwrap_or_clone(contract);
        for interaction in &mut contract.interactions {
            if let InteractionKind::Http(http) = &mut interaction.kind {
                let response = &mut http.response;
                if apply::is_fixed(&response.generators, &response.rules) {
                    response.rules = Rules::default();
                    response.generators = Generators::default();
                }
                (http.request.generators, http.request.other) = (Generators::default(), Object::new());
                response.other = Object::new();
            }
            interaction.comments = Object::new();
            interaction.other = Object::new();
        }
        // The allocator can only return memory to the operating system if nothing that is kept is between what was
        // dropped. Copying moves what is kept.
        contract.interactions = contract.interactions.as_slice().to_vec();
        Self {
            contract: Arc::new(contract),
            source,
        }
    }

    fn describe(&self, index: usize) -> String {
        format!(
            "{:?} ({} and {}, {})",
            self.contract.interactions[index].description.as_str(),
            self.contract.consumer,
            self.contract.provider,
            self.source
        )
    }
}
