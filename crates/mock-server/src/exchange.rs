//! Processes a request: matches it, records it, and creates the response.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, PoisonError, RwLock};

use bytes::Bytes;
use contract_matching::{ActualRequest, Mismatch};
use contract_model::Headers;
use contract_report::{Outcome, RequestView, ServerProblem};
use hyper::body::{Body, Incoming};
use hyper::http::request::Parts;
use hyper::{Request, StatusCode};

use crate::answer::Sources;
use crate::cors;
use crate::expectations::{Expectation, Expectations, Judged};
use crate::explain::Explanation;
use crate::handler::{Handler, Reply};
use crate::header_case::SharedCase;
use crate::intake::{self, BodyProblem, HeaderDecoder};
use crate::journal::{Failure, Journal, Received, RequestOutcome};
use crate::options::{Clock, Limits};
use crate::plugin::BoxFuture;
use crate::refusal;

/// The state that all connections of a server share.
#[derive(Debug)]
pub(crate) struct Exchange {
    pub(crate) expectations: Expectations,
    /// Responds to all requests. `None` for a mock server, which responds with its interactions.
    pub(crate) handler: Option<Arc<dyn Handler>>,
    pub(crate) journal: Journal,
    pub(crate) limits: Limits,
    pub(crate) keep_alive: bool,
    pub(crate) cors: bool,
    pub(crate) url: String,
    pub(crate) clock: Clock,
    pub(crate) seed: u64,
    /// Number of responses with generated values so far. It is added to the seed, so that the values of each response
    /// differ.
    pub(crate) generated: AtomicU64,
    /// Responds instead of this exchange, with its own expectations and journal. `None` unless interactions were
    /// substituted.
    pub(crate) substitute: RwLock<Option<Arc<Exchange>>>,
    pub(crate) header_case: SharedCase,
}

/// The response to a request. `Later` is boxed to keep the futures that hyper moves small, because most responses are
/// `Now`.
pub(crate) enum Answered {
    Now(Reply),
    /// The server must first read the body or call plugins.
    Later(BoxFuture<'static, Reply>),
}

impl Exchange {
    /// Responds to a request. The journal contains the request and its result before the response is returned.
    pub(crate) fn answer(self: &Arc<Self>, request: Request<Incoming>, decoder: &HeaderDecoder) -> Answered {
        if let Some(substitute) = self.substitute() {
            return substitute.answer_own(request, decoder);
        }
        self.answer_own(request, decoder)
    }

    pub(crate) fn substitute(&self) -> Option<Arc<Self>> {
        self.substitute.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Creates an exchange with the same settings, other expectations, and an empty journal.
    pub(crate) fn with_expectations(&self, expectations: Expectations) -> Self {
        Self {
            expectations,
            handler: None,
            journal: Journal::new(&self.limits),
            limits: self.limits.clone(),
            keep_alive: self.keep_alive,
            cors: self.cors,
            url: self.url.clone(),
            clock: self.clock.clone(),
            seed: self.seed,
            generated: AtomicU64::new(0),
            substitute: RwLock::default(),
            header_case: self.header_case.clone(),
        }
    }

    fn answer_own(self: &Arc<Self>, request: Request<Incoming>, decoder: &HeaderDecoder) -> Answered {
        let (parts, body) = request.into_parts();
        if let Err(reason) = intake::head(&parts, &self.limits) {
            return Answered::Now(self.exposed(&parts, self.refuse_head(&parts, &reason)));
        }
        if let Some(handler) = self.handler.clone() {
            let exchange = Arc::clone(self);
            return Answered::Later(Box::pin(async move {
                match intake::body(body, &parts.headers, exchange.limits.body).await {
                    Ok(body) => handler.handle(parts, body).await,
                    Err(problem) => exchange.exposed(&parts, exchange.refuse_body(&parts, &problem)),
                }
            }));
        }
        let headers = decoder.decode(&parts.headers);
        if body.is_end_stream() && !self.expectations.has_plugins() {
            let reply = self.decide(&parts, intake::request_with(&parts, headers, Bytes::new()));
            return Answered::Now(self.exposed(&parts, reply));
        }
        let exchange = Arc::clone(self);
        Answered::Later(Box::pin(async move {
            let reply = exchange.answer_body(&parts, headers, body).await;
            exchange.exposed(&parts, reply)
        }))
    }

    async fn answer_body(&self, parts: &Parts, headers: Arc<Headers>, body: Incoming) -> Reply {
        match intake::body(body, &parts.headers, self.limits.body).await {
            Ok(body) if self.expectations.has_plugins() => {
                Box::pin(self.decide_with_plugins(parts, intake::request_with(parts, headers, body))).await
            }
            Ok(body) => self.decide(parts, intake::request_with(parts, headers, body)),
            Err(problem) => self.refuse_body(parts, &problem),
        }
    }

    fn exposed(&self, parts: &Parts, mut reply: Reply) -> Reply {
        if self.cors {
            cors::expose(&parts.headers, reply.headers_mut());
        }
        reply
    }

    fn decide(&self, parts: &Parts, actual: ActualRequest) -> Reply {
        let judged = Judged::new();
        match self.claim(&actual, &judged) {
            Some(expectation) => {
                let produced = self.make(parts, expectation);
                self.reply(actual, expectation, produced)
            }
            None => self.unclaimed(parts, actual, &judged),
        }
    }

    async fn decide_with_plugins(&self, parts: &Parts, actual: ActualRequest) -> Reply {
        let judged = self.expectations.judged(&actual).await;
        let Some(expectation) = self.claim(&actual, &judged) else {
            return self.unclaimed(parts, actual, &judged);
        };
        let plugin = expectation.served.plugin.as_deref();
        let produced = match plugin.filter(|plugin| plugin.generates()) {
            None => self.make(parts, expectation),
            Some(plugin) => {
                let number = || self.generated.fetch_add(1, Relaxed);
                let sources = self.sources();
                let reply = expectation.answer.reply_of(plugin, parts, number, &sources);
                match reply.await {
                    Ok(produced) => produced,
                    Err(problem) => return self.refuse_unmade(actual, expectation, *problem),
                }
            }
        };
        self.reply(actual, expectation, produced)
    }

    fn claim(&self, actual: &ActualRequest, judged: &Judged) -> Option<&Expectation> {
        let expectation = self.expectations.claim(actual, judged)?;
        tracing::debug!(target: "contract::mock_server", server = self.url, "{} {} matched {:?}",
            actual.method, actual.path, expectation.served.interaction.description);
        Some(expectation)
    }

    fn unclaimed(&self, parts: &Parts, actual: ActualRequest, judged: &Judged) -> Reply {
        if self.cors && cors::is_preflight(&parts.method, &parts.headers) {
            tracing::debug!(target: "contract::mock_server", server = self.url, "{} {}: answered as a CORS preflight request",
                actual.method, actual.path);
            self.journal.preflight(actual);
            return cors::preflight(&parts.headers);
        }
        let explanation = Explanation::new(&self.expectations, &actual, judged);
        if let (true, Some(near)) = (explanation.on_target, &explanation.closest) {
            self.expectations.list[near.at].mismatched.fetch_add(1, Relaxed);
        }
        let length = actual.body.bytes().len() as u64;
        self.refuse(StatusCode::INTERNAL_SERVER_ERROR, actual, length, explanation, None)
    }

    fn sources(&self) -> Sources<'_> {
        Sources {
            base_url: &self.url,
            clock: &self.clock,
            seed: self.seed,
            most: self.limits.generated,
        }
    }

    /// Returns the response, and an error message for each value that could not be generated.
    fn make(&self, parts: &Parts, expectation: &Expectation) -> (Reply, Vec<String>) {
        let number = || self.generated.fetch_add(1, Relaxed);
        expectation.answer.reply(parts, number, &self.sources())
    }

    fn reply(&self, actual: ActualRequest, expectation: &Expectation, produced: (Reply, Vec<String>)) -> Reply {
        let (reply, problems) = produced;
        for problem in problems {
            let interaction = expectation.served.interaction.description.to_string();
            self.journal
                .trouble(ServerProblem::NotGenerated { interaction, problem });
        }
        self.journal.matched(actual, expectation.at);
        reply
    }

    /// Rejects a request that matched, because the plugin could not generate the response. Responding with the example
    /// would hide this error.
    fn refuse_unmade(&self, actual: ActualRequest, expectation: &Expectation, problem: Mismatch) -> Reply {
        expectation.matched.fetch_sub(1, Relaxed);
        expectation.mismatched.fetch_add(1, Relaxed);
        let length = actual.body.bytes().len() as u64;
        let explanation = Explanation::by_plugin(expectation.at, problem);
        self.refuse(StatusCode::INTERNAL_SERVER_ERROR, actual, length, explanation, None)
    }

    fn refuse_head(&self, parts: &Parts, reason: &ServerProblem) -> Reply {
        let actual = intake::request(parts, Bytes::new());
        let status = StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE;
        self.refuse(status, actual, 0, Explanation::none(), Some(reason.to_string()))
    }

    fn refuse_body(&self, parts: &Parts, problem: &BodyProblem) -> Reply {
        let (status, length) = match problem {
            BodyProblem::TooLarge { .. } => (StatusCode::PAYLOAD_TOO_LARGE, 0),
            BodyProblem::Broken { received, .. } => (StatusCode::BAD_REQUEST, *received as u64),
        };
        let actual = intake::request(parts, Bytes::new());
        self.refuse(status, actual, length, Explanation::none(), Some(problem.to_string()))
    }

    fn refuse(
        &self,
        status: StatusCode,
        actual: ActualRequest,
        length: u64,
        explanation: Explanation,
        reason: Option<String>,
    ) -> Reply {
        let request = RequestView::new(
            (&actual.method, &actual.path),
            &actual.query,
            &actual.headers,
            actual.body.bytes(),
            length,
        );
        let is_pending = explanation.on_target
            && explanation
                .closest
                .as_ref()
                .is_some_and(|near| self.expectations.list[near.at].is_pending());
        let failure = Failure {
            request,
            explanation,
            reason,
            is_pending,
        };
        tracing::warn!(target: "contract::mock_server", server = self.url, status = status.as_u16(),
            "{}", refusal::sentence(&self.expectations, &failure));
        let reply = refusal::reply(status, &self.expectations, &failure);
        self.journal.failed(actual, failure);
        reply
    }

    pub(crate) fn outcome(&self) -> Outcome {
        crate::outcome::outcome(&self.expectations, self.journal.summary())
    }

    /// Returns the stored requests, with [`Received::unexpected_fields`] set.
    pub(crate) fn received(&self) -> Vec<Received> {
        let list = &self.expectations.list;
        let mut received = self.journal.received(|at| list[at].listed);
        for request in &mut received {
            let RequestOutcome::Matched { interaction: listed } = request.outcome else {
                continue;
            };
            let expectation = list.binary_search_by_key(&listed, |expectation| expectation.listed);
            if let Some(strict) = expectation.ok().and_then(|at| list[at].strict()) {
                request.find_unexpected_fields(strict);
            }
        }
        received
    }
}
