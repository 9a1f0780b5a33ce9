//! The interactions to serve, indexed by path.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, OnceLock, PoisonError};

use contract_matching::{ActualRequest, Mismatch, Options, PathIndex, RequestPlan};
use contract_model::HttpInteraction;

use crate::answer::Answer;
use crate::error::{Problem, StartError};
use crate::options::{Order, ServedInteraction, ServerOptions};

/// The final mismatches of interactions that use plugins, by index of the expectation.
pub(crate) type Judged = BTreeMap<usize, Vec<Mismatch>>;

/// An HTTP interaction with its compiled request and its prepared response.
#[derive(Debug)]
pub(crate) struct Expectation {
    pub(crate) served: ServedInteraction,
    /// Index in [`Expectations::list`].
    pub(crate) at: usize,
    /// Index in the list passed to the server, which may also contain message interactions.
    pub(crate) listed: usize,
    pub(crate) plan: RequestPlan,
    pub(crate) answer: Answer,
    pub(crate) matched: AtomicU64,
    pub(crate) mismatched: AtomicU64,
    options: Options,
    strict: OnceLock<Option<RequestPlan>>,
}

/// The expectations of a server, indexed by path. A request is compared only with the expectations for its path, and
/// with those that have a matching rule for the path.
#[derive(Debug)]
pub(crate) struct Expectations {
    pub(crate) list: Vec<Expectation>,
    /// Number of interactions passed to the server, including message interactions.
    pub(crate) passed: usize,
    paths: PathIndex,
    has_plugins: bool,
    order: Order,
    /// Locked while an interaction is selected and counted. Otherwise, two concurrent requests could both be counted as
    /// the last allowed request of an interaction.
    choosing: Mutex<()>,
}

impl Expectation {
    fn new(served: ServedInteraction, listed: usize, options: Options, cors: bool) -> Result<Option<Self>, StartError> {
        let Some(http) = served.interaction.http() else {
            return Ok(None);
        };
        let name = || served.interaction.description.to_string();
        let http = served.plugin.as_ref().map_or(http, |plugin| plugin.core());
        let plan = RequestPlan::new(&http.request, options).map_err(|source| Problem::Rule {
            interaction: name(),
            source,
        })?;
        let generates = served.plugin.as_ref().is_some_and(|plugin| plugin.generates());
        let answer = Answer::new(&http.response, generates).map_err(|error| Problem::Answer {
            interaction: name(),
            problem: error.to_string(),
        })?;
        let answer = if cors { answer.with_cors() } else { answer };
        Ok(Some(Self {
            served,
            at: 0,
            listed,
            plan,
            answer,
            matched: AtomicU64::new(0),
            mismatched: AtomicU64::new(0),
            options,
            strict: OnceLock::new(),
        }))
    }

    pub(crate) fn http(&self) -> &HttpInteraction {
        self.served
            .interaction
            .http()
            .expect("only HTTP interactions become expectations")
    }

    /// Returns a plan that reports body fields that the contract does not define as mismatches. Returns `None` in
    /// strict mode, or if a plugin compares the body. Used only for
    /// [`Received::unexpected_fields`](crate::Received::unexpected_fields).
    pub(crate) fn strict(&self) -> Option<&RequestPlan> {
        // If a plugin compares the body, only the plugin can parse its fields.
        if self.options.strict || self.served.plugin.is_some() {
            return None;
        }
        let options = Options {
            strict: true,
            ..self.options
        };
        self.strict
            .get_or_init(|| RequestPlan::new(&self.http().request, options).ok())
            .as_ref()
    }

    fn matches(&self, actual: &ActualRequest, judged: &Judged) -> bool {
        match judged.get(&self.at) {
            Some(mismatches) => mismatches.is_empty(),
            None => self.plan.matches(actual),
        }
    }

    pub(crate) fn differences(&self, actual: &ActualRequest, judged: &Judged) -> Vec<Mismatch> {
        judged
            .get(&self.at)
            .cloned()
            .unwrap_or_else(|| self.plan.compare(actual))
    }

    fn is_used_up(&self, order: Order) -> bool {
        let max = match (self.served.times, order) {
            (Some(times), _) => times.max,
            // Without `times`, the interactions respond in turn, once each.
            (None, Order::Listed) => Some(1),
            (None, Order::Balanced) => None,
        };
        max.is_some_and(|max| self.matched.load(Relaxed) >= max)
    }

    fn count(&self) -> &Self {
        self.matched.fetch_add(1, Relaxed);
        self
    }
}

impl Expectations {
    pub(crate) fn new(
        interactions: impl IntoIterator<Item = ServedInteraction>,
        options: &ServerOptions,
    ) -> Result<Self, StartError> {
        let comparison = Options {
            strict: options.strict,
            specification: options.specification,
            ..Options::LENIENT
        };
        let mut all = Self {
            list: Vec::new(),
            passed: 0,
            paths: PathIndex::default(),
            has_plugins: false,
            order: options.order,
            choosing: Mutex::new(()),
        };
        for served in interactions {
            if let Some(expectation) = Expectation::new(served, all.passed, comparison, options.cors)? {
                all.add(expectation);
            }
            all.passed += 1;
        }
        Ok(all)
    }

    fn add(&mut self, mut expectation: Expectation) {
        let at = self.list.len();
        expectation.at = at;
        self.has_plugins |= expectation.served.plugin.is_some();
        let plugin = expectation.served.plugin.as_ref();
        let http = plugin.map_or_else(|| expectation.http(), |plugin| plugin.core());
        self.paths.add(at, &http.request);
        self.list.push(expectation);
    }

    pub(crate) fn has_plugins(&self) -> bool {
        self.has_plugins
    }

    /// Calls the plugins of all interactions with the method and path of the request. Returns their mismatches.
    pub(crate) async fn judged(&self, actual: &ActualRequest) -> Judged {
        let mut judged = Judged::new();
        for at in self.on_target(actual) {
            if let Some(plugin) = &self.list[at].served.plugin {
                let found = self.list[at].plan.compare(actual);
                judged.insert(at, plugin.judge(actual, found).await);
            }
        }
        judged
    }

    /// Returns the expectation that responds to the request, and counts the request. Returns `None` if no expectation
    /// matches.
    pub(crate) fn claim(&self, actual: &ActualRequest, judged: &Judged) -> Option<&Expectation> {
        let on_path = self.paths.literal(&actual.path);
        // The most common case: a single interaction for this path, without `times`.
        if let [only] = on_path {
            let only = &self.list[*only];
            if only.served.times.is_none() && only.matches(actual, judged) {
                return Some(only.count());
            }
        }
        let literal = self.matching(on_path, actual, judged);
        if let Some(chosen) = self.choose(&literal) {
            return Some(chosen);
        }
        let ruled = self.matching(&self.paths.ruled(&actual.path), actual, judged);
        self.choose(&ruled)
            .or_else(|| literal.last().or(ruled.last()).map(|expectation| expectation.count()))
    }

    fn matching(&self, places: &[usize], actual: &ActualRequest, judged: &Judged) -> Vec<&Expectation> {
        let all = places.iter().map(|&at| &self.list[at]);
        all.filter(|expectation| expectation.matches(actual, judged)).collect()
    }

    fn choose<'a>(&self, candidates: &[&'a Expectation]) -> Option<&'a Expectation> {
        let _alone = self.choosing.lock().unwrap_or_else(PoisonError::into_inner);
        let mut free = candidates
            .iter()
            .filter(|expectation| !expectation.is_used_up(self.order));
        let chosen = match self.order {
            Order::Listed => free.next(),
            Order::Balanced => free.min_by_key(|expectation| expectation.matched.load(Relaxed)),
        };
        chosen.map(|expectation| expectation.count())
    }

    /// Returns the indexes of the expectations that match the path. Ignores the method.
    pub(crate) fn on_path(&self, actual: &ActualRequest) -> Vec<usize> {
        self.filtered(actual, |expectation| {
            expectation.plan.matches_target(&ActualRequest {
                method: expectation.http().request.method.clone(),
                path: actual.path.clone(),
                ..ActualRequest::default()
            })
        })
    }

    /// Returns the indexes of the expectations that match the method and the path.
    pub(crate) fn on_target(&self, actual: &ActualRequest) -> Vec<usize> {
        self.filtered(actual, |expectation| expectation.plan.matches_target(actual))
    }

    fn filtered(&self, actual: &ActualRequest, matches: impl Fn(&Expectation) -> bool) -> Vec<usize> {
        let ruled = self.paths.ruled(&actual.path);
        let places = self.paths.literal(&actual.path).iter().chain(&*ruled).copied();
        let mut places: Vec<usize> = places.filter(|&at| matches(&self.list[at])).collect();
        places.sort_unstable();
        places
    }
}
