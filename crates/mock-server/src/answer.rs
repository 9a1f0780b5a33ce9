//! Responses of matched interactions. Fixed responses are prepared once; others are generated for each request.

use std::borrow::Cow;

use bytes::Bytes;
use contract_generators::{Budget, Context, Mode, Random, apply};
use contract_matching::Mismatch;
use contract_model::{Generators, Headers, Response, Rules, Text};
use contract_wire::{HeaderError, header_map};
use http_body_util::Full;
use hyper::header::{ACCESS_CONTROL_ALLOW_ORIGIN, CONTENT_LENGTH, HeaderMap, ORIGIN};
use hyper::http::request::Parts;
use hyper::{Method, StatusCode};
use thiserror::Error;

use crate::cors;
use crate::handler::Reply;
use crate::options::Clock;
use crate::plugin::PluginWork;

#[derive(Debug, Error)]
pub(crate) enum ResponseError {
    #[error("the status {0} is not supported; use a status from 200 to 999")]
    Status(u16),
    #[error(transparent)]
    Header(#[from] HeaderError),
}

#[derive(Debug)]
pub(crate) struct Answer {
    /// The response with the example values. Sent if nothing is generated, or if the generated response is invalid.
    ready: Ready,
    generated: Option<Box<Generated>>,
    cors: bool,
}

#[derive(Clone, Debug)]
struct Ready {
    status: StatusCode,
    headers: HeaderMap,
    /// True if [`Self::allow_any_origin`] has added the header that allows all origins to read the response.
    allows_any_origin: bool,
    body: Bytes,
}

/// The parts of a response for which values are generated.
#[derive(Debug)]
struct Generated {
    /// Status, headers, and body. The rules and generators are stored in the other fields.
    response: Response,
    generators: Generators,
    rules: Rules,
}

pub(crate) struct Sources<'a> {
    pub(crate) base_url: &'a str,
    pub(crate) clock: &'a Clock,
    pub(crate) seed: u64,
    /// Maximum total size of the generated values of a response, in bytes.
    pub(crate) most: usize,
}

impl Answer {
    /// Prepares the response. Returns an error if it cannot be sent over HTTP. If `by_plugin` is true, a plugin
    /// generates the response body or values in it.
    pub(crate) fn new(response: &Response, by_plugin: bool) -> Result<Self, ResponseError> {
        let generators = &response.generators;
        let generated = (by_plugin || !apply::is_fixed(generators, &response.rules)).then(|| {
            Box::new(Generated {
                response: Response {
                    status: response.status,
                    headers: response.headers.clone(),
                    body: response.body.clone(),
                    ..Response::default()
                },
                generators: generators.clone(),
                rules: response.rules.clone(),
            })
        });
        Ok(Self {
            ready: Ready::new(response)?,
            generated,
            cors: false,
        })
    }

    /// Makes responses to requests without an `Origin` header allow all origins. For the others, [`cors::expose`] must be
    /// called.
    pub(crate) fn with_cors(mut self) -> Self {
        self.cors = true;
        self.ready.allow_any_origin();
        self
    }

    /// Returns the response, and an error message for each value that could not be generated. The response contains the
    /// examples of these values. `number` returns a number that is added to the seed, so that the values of each
    /// response differ. It is called only if the response contains generated values.
    pub(crate) fn reply(
        &self,
        request: &Parts,
        number: impl FnOnce() -> u64,
        sources: &Sources<'_>,
    ) -> (Reply, Vec<String>) {
        let Some(generated) = &self.generated else {
            return (self.ready.clone().reply(request), Vec::new());
        };
        let (response, problems) = generated.fill(sources.seed.wrapping_add(number()), sources);
        self.ready(request, &response, problems)
    }

    /// Like [`Self::reply`], but `plugin` generates the response body or values in it.
    pub(crate) async fn reply_of(
        &self,
        plugin: &dyn PluginWork,
        request: &Parts,
        number: impl FnOnce() -> u64,
        sources: &Sources<'_>,
    ) -> Result<(Reply, Vec<String>), Box<Mismatch>> {
        let Some(generated) = &self.generated else {
            return Ok((self.ready.clone().reply(request), Vec::new()));
        };
        let (mut response, problems) = generated.fill(sources.seed.wrapping_add(number()), sources);
        response.body = plugin.generate(response.body.clone(), sources.base_url).await?;
        Ok(self.ready(request, &response, problems))
    }

    fn ready(&self, request: &Parts, response: &Response, mut problems: Vec<String>) -> (Reply, Vec<String>) {
        let ready = match Ready::new(response) {
            Ok(mut ready) => {
                if self.cors {
                    ready.allow_any_origin();
                }
                ready
            }
            Err(problem) => {
                problems.push(format!("the generated response cannot be sent: {problem}"));
                self.ready.clone()
            }
        };
        (ready.reply(request), problems)
    }
}

impl Generated {
    fn fill(&self, seed: u64, sources: &Sources<'_>) -> (Response, Vec<String>) {
        let mut context = Context {
            base_url: Some(sources.base_url),
            budget: Budget::new(sources.most),
            variant_matches: &contract_matching::variant_matches,
            ..Context::new(Mode::Consumer, sources.clock.now(), Random::from_seed(seed))
        };
        let mut response = self.response.clone();
        let problems = apply::response_with(&mut response, &self.generators, &self.rules, &mut context);
        (response, problems.iter().map(ToString::to_string).collect())
    }
}

impl Ready {
    fn new(response: &Response) -> Result<Self, ResponseError> {
        let body = response.body.bytes();
        Ok(Self {
            status: status(response.status)?,
            headers: headers(&response.headers, body.is_empty())?,
            allows_any_origin: false,
            body,
        })
    }

    /// Adds the CORS header that most requests need, because adding it to each response would allocate memory.
    fn allow_any_origin(&mut self) {
        self.allows_any_origin = cors::allow_any_origin(&mut self.headers);
    }

    fn reply(self, request: &Parts) -> Reply {
        let mut headers = self.headers;
        let mut body = self.body;
        if self.allows_any_origin && request.headers.contains_key(ORIGIN) {
            headers.remove(ACCESS_CONTROL_ALLOW_ORIGIN);
        }
        if request.method == Method::HEAD && !body.is_empty() {
            // The response to HEAD has the same `Content-Length` as the response to GET (RFC 9110 section 9.3.2).
            headers.insert(CONTENT_LENGTH, body.len().into());
            body = Bytes::new();
        }
        let mut reply = hyper::Response::new(Full::new(body));
        *reply.status_mut() = self.status;
        *reply.headers_mut() = headers;
        reply
    }
}

fn status(code: u16) -> Result<StatusCode, ResponseError> {
    StatusCode::from_u16(code)
        .ok()
        .filter(|status| !status.is_informational())
        .ok_or(ResponseError::Status(code))
}

/// Converts the headers. Omits those that determine the body length, because a client would wait for missing bytes if
/// the length were wrong.
fn headers(headers: &Headers, body_is_empty: bool) -> Result<HeaderMap, HeaderError> {
    let is_chunked = |values: &[Text]| values.iter().all(|value| value.eq_ignore_ascii_case("chunked"));
    let unwanted = [
        ("content-length", !body_is_empty),
        (
            "transfer-encoding",
            body_is_empty || !headers.get("transfer-encoding").is_some_and(is_chunked),
        ),
    ];
    let mut kept = Cow::Borrowed(headers);
    for (name, is_unwanted) in unwanted {
        if is_unwanted && headers.get(name).is_some() {
            kept.to_mut().remove(name);
        }
    }
    header_map(&kept)
}
