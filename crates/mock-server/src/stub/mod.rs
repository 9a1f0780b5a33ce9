//! Serves the interactions of many contracts at once, for local development and for tests of other components.
//!
//! Unlike a mock server, a stub does not expect any requests, so it has no outcome. An interaction responds if it
//! matches the complete request and its provider states are selected. If multiple interactions match, these criteria
//! decide, in this order:
//!
//! 1. the interaction with the most provider states, if any are selected,
//! 2. interactions without a matching rule for the path,
//! 3. with [`StubOptions::sequence`], the interaction with the fewest responses so far,
//! 4. the order of the contracts, and of the interactions in each contract.

mod admin;
mod catalog;
mod journal;
mod problem;
mod recent;
mod state;

use std::cmp::Reverse;
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};
use std::time::Duration;

use bytes::Bytes;
use contract_matching::ActualRequest;
use contract_report::RequestView;
use hyper::StatusCode;
use hyper::header::{HeaderName, HeaderValue};
use hyper::http::request::Parts;

pub use catalog::{Catalog, Conflict, StubContract};
pub use state::{ChosenState, InvalidState};

use crate::answer::Sources;
use crate::cors;
use crate::handler::{Handler, Reply};
use crate::intake;
use crate::options::Clock;
use crate::plugin::BoxFuture;
use journal::{Journal, Record};
use problem::Refusal;

/// Response header that contains the description of the interaction that responded.
const INTERACTION: HeaderName = HeaderName::from_static("contract-interaction");
/// Response header that contains the number of mismatches. Sent only if the request did not match completely
/// ([`StubOptions::loose`]).
const MISMATCHES: HeaderName = HeaderName::from_static("contract-mismatches");

#[derive(Clone, Debug)]
pub struct StubOptions {
    /// If true, a request that matches no interaction receives the response of the closest interaction with the same
    /// method and path.
    pub loose: bool,
    /// If true, interactions that match the same request respond in turn. If false, the first one always responds.
    pub sequence: bool,
    /// If true, the stub responds to CORS preflight requests and allows requests from all origins, with credentials.
    pub cors: bool,
    /// Time to wait before each response.
    pub latency: Duration,
    /// Status of the response if no interaction matches. Default: 501.
    pub unmatched_status: u16,
    /// Base path of the administration requests, without a slash at the end. Default: `/_contract`.
    pub admin_path: String,
    /// Maximum total size of the generated values of a response, in bytes. Default: 64 MiB.
    pub generated: usize,
    /// Provider states that are selected initially. An administration request or the request itself can select others.
    pub states: Vec<ChosenState>,
}

impl Default for StubOptions {
    fn default() -> Self {
        Self {
            loose: false,
            sequence: false,
            cors: true,
            latency: Duration::ZERO,
            unmatched_status: 501,
            admin_path: "/_contract".to_owned(),
            generated: 64 << 20,
            states: Vec::new(),
        }
    }
}

/// The handler of a stub server.
#[derive(Debug)]
pub struct Stub {
    options: StubOptions,
    catalog: RwLock<Arc<Catalog>>,
    states: RwLock<Arc<Vec<ChosenState>>>,
    journal: Journal,
    clock: Clock,
    seed: u64,
    generated: AtomicU64,
    url: OnceLock<String>,
}

impl Stub {
    pub fn new(catalog: Catalog, options: StubOptions) -> Self {
        Self {
            catalog: RwLock::new(Arc::new(catalog)),
            states: RwLock::new(Arc::new(options.states.clone())),
            journal: Journal::default(),
            clock: Clock::default(),
            seed: RandomState::new().hash_one(0),
            generated: AtomicU64::new(0),
            url: OnceLock::new(),
            options,
        }
    }

    /// Sets the base URL for generated URLs, which is known only after the server has started to listen. Later calls
    /// are ignored.
    pub fn set_url(&self, url: &str) {
        self.url.get_or_init(|| url.to_owned());
    }

    /// Replaces the interactions. Requests in flight are completed with the previous ones.
    pub fn replace(&self, catalog: Catalog) {
        *self.catalog.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(catalog);
    }

    pub fn catalog(&self) -> Arc<Catalog> {
        Arc::clone(&self.catalog.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the number of recorded requests since the stub started, or since the records were last deleted.
    pub fn requests(&self) -> u64 {
        self.journal.total()
    }

    fn states(&self) -> Arc<Vec<ChosenState>> {
        Arc::clone(&self.states.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn set_states(&self, states: Vec<ChosenState>) {
        *self.states.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(states);
    }

    fn respond(&self, mut parts: Parts, body: Bytes) -> Reply {
        let original = parts.headers.clone();
        let chosen = match state::take(&mut parts.headers) {
            Ok(Some(states)) => Arc::new(states),
            Ok(None) => self.states(),
            Err(problem) => {
                return problem::simple(StatusCode::BAD_REQUEST, "Invalid provider state", &problem);
            }
        };
        let actual = intake::request(&parts, body);
        let catalog = self.catalog();
        let on_target = catalog.on_target(&actual);
        let allowed: Vec<usize> = on_target
            .iter()
            .copied()
            .filter(|&at| catalog.entry(at).selected_states(&chosen).is_some())
            .collect();
        if let Some(at) = self.choose(&catalog, &allowed, &actual, &chosen) {
            return self.reply(&parts, &catalog, at, &actual, 0);
        }
        if self.options.cors && on_target.is_empty() && cors::is_preflight(&parts.method, &original) {
            return cors::preflight(&original);
        }
        if self.options.loose
            && let Some(near) = problem::nearest_of(&catalog, &allowed, &actual)
        {
            return self.reply(&parts, &catalog, near.at, &actual, near.mismatches.len());
        }
        let status = StatusCode::from_u16(self.options.unmatched_status).unwrap_or(StatusCode::NOT_IMPLEMENTED);
        let broken = allowed.iter().find_map(|&at| {
            let compiled = catalog.compiled(at);
            let problem = compiled.as_ref().as_ref().err()?;
            Some(format!("{}: {problem}", catalog.describe(at)))
        });
        let view = view(&actual);
        let (reply, mismatches) = match broken {
            Some(problem) => (problem::simple(status, "The interaction is invalid", &problem), 0),
            None => Refusal {
                status,
                catalog: &catalog,
                actual: &actual,
                view: &view,
                chosen: &chosen,
                on_target: &on_target,
                allowed: &allowed,
            }
            .reply(),
        };
        self.journal.add(Record::new(view, status.as_u16(), None, mismatches));
        reply
    }

    /// Returns the index of the interaction that responds, or `None` if none of those in `allowed` matches completely.
    fn choose(
        &self,
        catalog: &Catalog,
        allowed: &[usize],
        actual: &ActualRequest,
        chosen: &[ChosenState],
    ) -> Option<usize> {
        let matching = allowed.iter().filter(|&&at| {
            let compiled = catalog.compiled(at);
            compiled
                .as_ref()
                .as_ref()
                .is_ok_and(|compiled| compiled.plan.matches(actual))
        });
        matching.copied().min_by_key(|&at| {
            let entry = catalog.entry(at);
            let responses = if self.options.sequence {
                entry.responses.load(Relaxed)
            } else {
                0
            };
            let states = entry.selected_states(chosen).unwrap_or_default();
            (Reverse(states), !entry.has_literal_path(), responses, at)
        })
    }

    fn reply(&self, request: &Parts, catalog: &Catalog, at: usize, actual: &ActualRequest, mismatches: usize) -> Reply {
        let entry = catalog.entry(at);
        let compiled = catalog.compiled(at);
        let Ok(compiled) = compiled.as_ref() else {
            return problem::simple(
                StatusCode::NOT_IMPLEMENTED,
                "The interaction is invalid",
                &catalog.describe(at),
            );
        };
        catalog.count(at);
        let sources = Sources {
            base_url: self.url.get().map_or("", String::as_str),
            clock: &self.clock,
            seed: self.seed,
            most: self.options.generated,
        };
        let number = || self.generated.fetch_add(1, Relaxed);
        let (mut reply, problems) = compiled.answer.reply(request, number, &sources);
        for problem in problems {
            tracing::warn!(target: "contract::stub", "{}: {problem}", catalog.describe(at));
        }
        let description = entry.interaction().description.to_string();
        let headers = reply.headers_mut();
        // Percent-encode the characters that header values cannot contain.
        let encoded = percent_encoding::utf8_percent_encode(&description, percent_encoding::CONTROLS).to_string();
        if let Ok(value) = HeaderValue::from_str(&encoded) {
            headers.insert(INTERACTION, value);
        }
        if mismatches > 0 {
            headers.insert(MISMATCHES, mismatches.into());
        }
        let status = reply.status().as_u16();
        self.journal
            .add(Record::new(view(actual), status, Some(description), mismatches));
        reply
    }
}

fn view(actual: &ActualRequest) -> RequestView {
    let length = actual.body.bytes().len() as u64;
    let target = (&actual.method, &actual.path);
    RequestView::new(target, &actual.query, &actual.headers, actual.body.bytes(), length)
}

impl Handler for Stub {
    fn handle(&self, parts: Parts, body: Bytes) -> BoxFuture<'_, Reply> {
        Box::pin(async move {
            let below = parts.uri.path().strip_prefix(self.options.admin_path.as_str());
            if let Some(below) = below.filter(|rest| rest.is_empty() || rest.starts_with('/')) {
                // Omit CORS headers, so that pages of other origins cannot read the journal or select states for
                // everyone.
                return self.administer(&parts.method, below, &body);
            }
            if !self.options.latency.is_zero() {
                tokio::time::sleep(self.options.latency).await;
            }
            let request_headers = parts.headers.clone();
            let mut reply = self.respond(parts, body);
            if self.options.cors && !request_headers.is_empty() {
                cors::expose(&request_headers, reply.headers_mut());
            }
            reply
        })
    }
}
