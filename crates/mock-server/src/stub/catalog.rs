//! The interactions of many contracts, indexed by method and path.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

use contract_matching::{ActualRequest, Options, RequestPlan};
use contract_model::{Combine, Contract, HttpInteraction, Interaction, InteractionKind, Request, Rule, Rules, Text};

use super::state::ChosenState;
use crate::answer::Answer;
use crate::expectations::path_key;

/// Maximum number of interactions with the same method and path that are compared to find conflicts.
const COMPARED: usize = 64;

/// A contract with the name of its source.
#[derive(Clone, Debug)]
pub struct StubContract {
    pub contract: Arc<Contract>,
    /// Path or URL for messages.
    pub source: String,
}

/// Two interactions with equal requests and provider states, but different responses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// Description of the interaction that responds because it is listed first.
    pub first: String,
    pub other: String,
    pub request: String,
}

/// The interactions that a stub serves.
#[derive(Debug, Default)]
pub struct Catalog {
    contracts: Vec<StubContract>,
    list: Vec<Entry>,
    /// Entries by path, for paths without a matching rule.
    by_path: HashMap<Box<str>, Vec<usize>>,
    /// Entries with a matching rule for the path, or for the method.
    by_rule: Vec<usize>,
    /// The same entries by the literal prefix of all paths that their rules accept.
    by_prefix: HashMap<Box<str>, Vec<usize>>,
    /// The lengths of these prefixes.
    prefix_lengths: BTreeSet<usize>,
    /// Number of message interactions.
    messages: usize,
    /// Descriptions of interactions that cannot be served, with the reason.
    unsupported: Vec<String>,
}

#[derive(Debug)]
pub(super) struct Entry {
    contract: Arc<Contract>,
    /// Index of the contract in the catalog.
    pub(super) owner: usize,
    /// Index of the interaction in its contract.
    index: usize,
    /// The plan that compares only the method and the path, for entries with rules for them. `None` if a rule is
    /// invalid.
    target: OnceLock<Option<Box<RequestPlan>>>,
    /// Compiled when the entry is first compared. Compiling tens of thousands of entries at startup would take seconds.
    compiled: OnceLock<Result<Box<Compiled>, String>>,
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

    /// Returns the plan and the response, or the reason why the interaction cannot be served.
    pub(super) fn compiled(&self) -> Result<&Compiled, &str> {
        let compiled = self.compiled.get_or_init(|| {
            let http = self.http();
            let options = Options {
                specification: self.contract.specification,
                ..Options::STRICT
            };
            let plan = RequestPlan::new(&http.request, options).map_err(|error| error.to_string())?;
            let answer = Answer::new(&http.response, false).map_err(|error| error.to_string())?;
            Ok(Box::new(Compiled { plan, answer }))
        });
        compiled.as_deref().map_err(String::as_str)
    }

    /// Returns true if the method and the path match. `by_path` is true if the index has already compared the path.
    pub(super) fn is_on_target(&self, actual: &ActualRequest, by_path: bool) -> bool {
        let request = &self.http().request;
        if by_path {
            return request.method.eq_ignore_ascii_case(&actual.method);
        }
        if request.rules.method.is_none() && !request.method.eq_ignore_ascii_case(&actual.method) {
            return false;
        }
        let target = self.target.get_or_init(|| {
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
            RequestPlan::new(&expected, Options::STRICT).ok().map(Box::new)
        });
        target.as_ref().is_some_and(|plan| plan.matches_target(actual))
    }

    pub(super) fn has_literal_path(&self) -> bool {
        self.http().request.rules.path.is_none()
    }

    /// Returns the number of selected states of the interaction, or `None` if one of its states is not selected.
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
    /// Indexes the HTTP interactions of the contracts. Keeps their order.
    pub fn new(contracts: Vec<StubContract>) -> Self {
        let mut catalog = Self::default();
        for (owner, named) in contracts.iter().enumerate() {
            for index in 0..named.contract.interactions.len() {
                catalog.add(named, owner, index);
            }
        }
        catalog.contracts = contracts;
        catalog
    }

    fn add(&mut self, named: &StubContract, owner: usize, index: usize) {
        let interaction = &named.contract.interactions[index];
        let http = match &interaction.kind {
            InteractionKind::Http(http) => http,
            InteractionKind::AsyncMessage(_) | InteractionKind::SyncMessage(_) => {
                self.messages += 1;
                return;
            }
            InteractionKind::Unknown { kind, .. } => {
                let problem = format!("{}: the type {kind:?} is not supported", named.describe(index));
                return self.unsupported.push(problem);
            }
            InteractionKind::Unreadable(unreadable) => {
                let problem = format!("{}: {}", named.describe(index), unreadable.reason);
                return self.unsupported.push(problem);
            }
        };
        if let Some((plugin, _)) = interaction.plugin_configuration.iter().next() {
            let problem = format!(
                "{}: its content requires the plugin {:?}, and stubs do not use plugins",
                named.describe(index),
                plugin.as_str()
            );
            return self.unsupported.push(problem);
        }
        let at = self.list.len();
        let rules = &http.request.rules;
        if rules.path.is_none() && rules.method.is_none() {
            let path = path_key(&http.request.path).into();
            self.by_path.entry(path).or_default().push(at);
        } else {
            self.by_rule.push(at);
            let prefix = prefix_of(&http.request);
            self.prefix_lengths.insert(prefix.len());
            self.by_prefix.entry(prefix.into()).or_default().push(at);
        }
        self.list.push(Entry {
            contract: Arc::clone(&named.contract),
            owner,
            index,
            target: OnceLock::new(),
            compiled: OnceLock::new(),
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

    /// Returns the number of message interactions, which are not served.
    pub fn messages(&self) -> usize {
        self.messages
    }

    /// Returns the interactions that cannot be served, with the reasons.
    pub fn unsupported(&self) -> &[String] {
        &self.unsupported
    }

    pub(super) fn entry(&self, at: usize) -> &Entry {
        &self.list[at]
    }

    pub(super) fn entries(&self) -> impl Iterator<Item = (usize, &Entry)> {
        self.list.iter().enumerate()
    }

    pub(super) fn literal_paths(&self) -> impl Iterator<Item = (&str, &[usize])> {
        self.by_path.iter().map(|(path, places)| (&**path, places.as_slice()))
    }

    pub(super) fn with_path_rules(&self) -> &[usize] {
        &self.by_rule
    }

    /// Returns the entries that match the method and the path, in their order.
    pub(super) fn on_target(&self, actual: &ActualRequest) -> Vec<usize> {
        let literal = self
            .by_path
            .get(&*path_key(&actual.path))
            .map_or(&[][..], Vec::as_slice);
        let literal = literal.iter().filter(|at| self.list[**at].is_on_target(actual, true));
        let mut places: Vec<usize> = literal.copied().collect();
        let mut add = |ruled: &[usize]| {
            let matching = ruled.iter().filter(|at| self.list[**at].is_on_target(actual, false));
            places.extend(matching);
        };
        let path = actual.path.as_str();
        if path.contains('%') {
            // Rules may match the decoded path, whose length may differ.
            add(&self.by_rule);
        } else {
            let prefixes = self.prefix_lengths.iter().filter_map(|&length| path.get(..length));
            prefixes
                .filter_map(|prefix| self.by_prefix.get(prefix))
                .for_each(|ruled| add(ruled));
        }
        places.sort_unstable();
        places
    }

    pub(super) fn describe(&self, at: usize) -> String {
        let entry = &self.list[at];
        self.contracts[entry.owner].describe(entry.index)
    }

    /// Returns pairs of interactions with equal requests and provider states, but different responses.
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

/// Returns the literal prefix of all paths that match. Returns an empty string unless the only rule is a regular
/// expression.
fn prefix_of(request: &Request) -> String {
    match &request.rules.path {
        Some(list) if list.combine == Combine::And || list.rules.len() == 1 => match list.rules.as_slice() {
            [Rule::Regex(pattern)] => literal_prefix(pattern),
            _ => String::new(),
        },
        _ => String::new(),
    }
}

fn literal_prefix(pattern: &str) -> String {
    let mut prefix = String::new();
    // Alternatives may start differently.
    if pattern.contains('|') {
        return prefix;
    }
    let mut rest = pattern.strip_prefix('^').unwrap_or(pattern).chars().peekable();
    while let Some(&next) = rest.peek() {
        match next {
            '\\' => {
                rest.next();
                match rest.peek() {
                    Some(&escaped) if escaped.is_ascii_punctuation() => prefix.push(escaped),
                    _ => return prefix,
                }
            }
            '*' | '?' | '{' => {
                prefix.pop();
                return prefix;
            }
            '.' | '+' | '(' | ')' | '[' | ']' | '}' | '^' | '$' | '#' => return prefix,
            literal => prefix.push(literal),
        }
        rest.next();
    }
    prefix
}

#[cfg(test)]
mod tests {
    use super::literal_prefix;

    #[test]
    fn prefixes_contain_only_literal_text() {
        for (pattern, expected) in [
            (r"^/orders/\d+$", "/orders/"),
            (r"\/orders\/[0-9]+", "/orders/"),
            ("/a/b", "/a/b"),
            ("/ab*", "/a"),
            ("/ab?c", "/a"),
            ("/ab{2}", "/a"),
            ("/ab+", "/ab"),
            ("(?i)/a", ""),
            ("/a|/b", ""),
            (r"/v1\.0/.*", "/v1.0/"),
            (".*", ""),
        ] {
            assert_eq!(literal_prefix(pattern), expected, "{pattern}");
        }
    }
}
