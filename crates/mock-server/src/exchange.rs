//! One request and its answer.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use contract_matching::{ActualRequest, Mismatch};
use contract_report::{Outcome, ShownRequest, Trouble};
use hyper::body::Incoming;
use hyper::http::request::Parts;
use hyper::{Request, StatusCode};

use crate::answer::{Reply, Sources};
use crate::cors;
use crate::expectations::{Expectation, Expectations};
use crate::explain::Explanation;
use crate::intake::{self, BodyProblem};
use crate::journal::{Failure, Journal, Received, RequestOutcome};
use crate::options::{Clock, Limits};
use crate::refusal;

/// Everything that the connections of one server share.
#[derive(Debug)]
pub(crate) struct Exchange {
    pub(crate) expectations: Expectations,
    pub(crate) journal: Journal,
    pub(crate) limits: Limits,
    pub(crate) keep_alive: bool,
    pub(crate) cors: bool,
    pub(crate) url: String,
    pub(crate) clock: Clock,
    pub(crate) seed: u64,
    /// Answers that were generated, so that each gets values of its own.
    pub(crate) generated: AtomicU64,
}

impl Exchange {
    /// Answers a request. What it was and what became of it is written down before the answer is handed back.
    pub(crate) async fn answer(&self, request: Request<Incoming>) -> Reply {
        let (parts, body) = request.into_parts();
        let mut reply = match intake::head(&parts, &self.limits) {
            Err(reason) => self.refuse_head(&parts, &reason),
            Ok(()) => match intake::body(body, &parts.headers, self.limits.body).await {
                Ok(body) => self.decide(&parts, intake::request(&parts, body)).await,
                Err(problem) => self.refuse_body(&parts, &problem),
            },
        };
        if self.cors {
            cors::expose(&parts.headers, reply.headers_mut());
        }
        reply
    }

    async fn decide(&self, parts: &Parts, actual: ActualRequest) -> Reply {
        let judged = self.expectations.judged(&actual).await;
        if let Some(expectation) = self.expectations.claim(&actual, &judged) {
            tracing::debug!(target: "contract::mock_server", server = self.url, "{} {} matched {:?}",
                actual.method, actual.path, expectation.served.interaction.description);
            return self.reply(parts, actual, expectation).await;
        }
        if self.cors && cors::is_preflight(&parts.method, &parts.headers) {
            tracing::debug!(target: "contract::mock_server", server = self.url, "{} {} was answered as a pre-flight request",
                actual.method, actual.path);
            self.journal.preflight(actual);
            return cors::preflight(&parts.headers);
        }
        let explanation = Explanation::new(&self.expectations, &actual, &judged);
        if let (true, Some(near)) = (explanation.on_target, &explanation.closest) {
            self.expectations.list[near.at].mismatched.fetch_add(1, Relaxed);
        }
        let length = actual.body.bytes().len() as u64;
        self.refuse(StatusCode::INTERNAL_SERVER_ERROR, actual, length, explanation, None)
    }

    async fn reply(&self, parts: &Parts, actual: ActualRequest, expectation: &Expectation) -> Reply {
        let sources = Sources {
            base_url: &self.url,
            clock: &self.clock,
            seed: self.seed,
            most: self.limits.generated,
        };
        let number = || self.generated.fetch_add(1, Relaxed);
        let plugin = expectation.served.plugin.as_deref();
        let generated = match plugin.filter(|plugin| plugin.generates()) {
            None => Ok(expectation.answer.reply(&parts.method, number, &sources)),
            Some(plugin) => {
                let reply = expectation.answer.reply_of(plugin, &parts.method, number, &sources);
                reply.await
            }
        };
        let (reply, problems) = match generated {
            Ok(generated) => generated,
            Err(problem) => return self.refuse_unmade(actual, expectation, *problem),
        };
        for problem in problems {
            let interaction = expectation.served.interaction.description.to_string();
            self.journal.trouble(Trouble::NotGenerated { interaction, problem });
        }
        self.journal.matched(actual, expectation.at);
        reply
    }

    /// The request is as the contract has it, and the plugin did not make the response: an example in its place would hide that.
    fn refuse_unmade(&self, actual: ActualRequest, expectation: &Expectation, problem: Mismatch) -> Reply {
        expectation.matched.fetch_sub(1, Relaxed);
        expectation.mismatched.fetch_add(1, Relaxed);
        let length = actual.body.bytes().len() as u64;
        let explanation = Explanation::by_plugin(expectation.at, problem);
        self.refuse(StatusCode::INTERNAL_SERVER_ERROR, actual, length, explanation, None)
    }

    fn refuse_head(&self, parts: &Parts, reason: &Trouble) -> Reply {
        let actual = intake::request(parts, bytes::Bytes::new());
        let status = StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE;
        self.refuse(status, actual, 0, Explanation::none(), Some(reason.to_string()))
    }

    fn refuse_body(&self, parts: &Parts, problem: &BodyProblem) -> Reply {
        let (status, length) = match problem {
            BodyProblem::TooLarge { .. } => (StatusCode::PAYLOAD_TOO_LARGE, 0),
            BodyProblem::Broken { received, .. } => (StatusCode::BAD_REQUEST, *received as u64),
        };
        let actual = intake::request(parts, bytes::Bytes::new());
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
        let request = ShownRequest::new(
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

    /// What is known so far.
    pub(crate) fn outcome(&self) -> Outcome {
        crate::outcome::outcome(&self.expectations, self.journal.summary())
    }

    /// The journal with the fields that the contract does not name.
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
