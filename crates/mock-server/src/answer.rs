//! What is sent when an interaction matches: made ready once, or filled in each time.

use std::borrow::Cow;

use bytes::Bytes;
use contract_generators::{Budget, Context, Mode, Random, apply};
use contract_matching::Mismatch;
use contract_model::{Generators, Headers, Response, Rules, Text};
use contract_wire::{HeaderError, header_map};
use http_body_util::Full;
use hyper::header::{CONTENT_LENGTH, HeaderMap};
use hyper::{Method, StatusCode};

use crate::options::Clock;
use crate::plugin::PluginWork;

/// An answer over HTTP.
pub(crate) type Reply = hyper::Response<Full<Bytes>>;

/// The response of an interaction.
#[derive(Debug)]
pub(crate) struct Answer {
    /// The example.
    ready: Ready,
    generated: Option<Box<Generated>>,
}

/// Head and body as they go out.
#[derive(Clone, Debug)]
struct Ready {
    status: StatusCode,
    headers: HeaderMap,
    body: Bytes,
}

/// A response with values that are made for each request.
#[derive(Debug)]
struct Generated {
    /// Without its rules and generators, which need no copy.
    response: Response,
    generators: Generators,
    rules: Rules,
}

/// Where generated values come from.
pub(crate) struct Sources<'a> {
    pub(crate) base_url: &'a str,
    pub(crate) clock: &'a Clock,
    pub(crate) seed: u64,
    /// Bytes that may be generated.
    pub(crate) most: usize,
}

impl Answer {
    /// Fails, with the reason, when HTTP cannot carry the response. `by_plugin` says that a plugin makes values of it, too.
    pub(crate) fn new(response: &Response, by_plugin: bool) -> Result<Self, String> {
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
        })
    }

    /// The answer to one request, and what could not be generated: there the example stands. `number` tells apart the
    /// requests that get generated values; it is only asked for such.
    pub(crate) fn reply(
        &self,
        method: &Method,
        number: impl FnOnce() -> u64,
        sources: &Sources<'_>,
    ) -> (Reply, Vec<String>) {
        let Some(generated) = &self.generated else {
            return (self.ready.clone().reply(method), Vec::new());
        };
        let (response, problems) = generated.fill(sources.seed.wrapping_add(number()), sources);
        self.ready(method, &response, problems)
    }

    /// The same with a body of which a plugin makes something; fails, with the reason, when it does not.
    pub(crate) async fn reply_of(
        &self,
        plugin: &dyn PluginWork,
        method: &Method,
        number: impl FnOnce() -> u64,
        sources: &Sources<'_>,
    ) -> Result<(Reply, Vec<String>), Box<Mismatch>> {
        let Some(generated) = &self.generated else {
            return Ok((self.ready.clone().reply(method), Vec::new()));
        };
        let (mut response, problems) = generated.fill(sources.seed.wrapping_add(number()), sources);
        response.body = plugin.generate(response.body.clone(), sources.base_url).await?;
        Ok(self.ready(method, &response, problems))
    }

    fn ready(&self, method: &Method, response: &Response, mut problems: Vec<String>) -> (Reply, Vec<String>) {
        let ready = Ready::new(response).unwrap_or_else(|problem| {
            problems.push(format!("the generated response cannot be sent: {problem}"));
            self.ready.clone()
        });
        (ready.reply(method), problems)
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
    fn new(response: &Response) -> Result<Self, String> {
        let body = response.body.bytes();
        Ok(Self {
            status: status(response.status)?,
            headers: headers(&response.headers, body.is_empty()).map_err(|error| error.to_string())?,
            body,
        })
    }

    fn reply(self, method: &Method) -> Reply {
        let mut headers = self.headers;
        let mut body = self.body;
        if *method == Method::HEAD && !body.is_empty() {
            // A GET would say how long its body is, and so does HEAD (RFC 9110 section 9.3.2).
            headers.insert(CONTENT_LENGTH, body.len().into());
            body = Bytes::new();
        }
        let mut reply = hyper::Response::new(Full::new(body));
        *reply.status_mut() = self.status;
        *reply.headers_mut() = headers;
        reply
    }
}

fn status(code: u16) -> Result<StatusCode, String> {
    StatusCode::from_u16(code)
        .ok()
        .filter(|status| !status.is_informational())
        .ok_or_else(|| format!("{code} is no status of a final response (200 to 999)"))
}

/// What frames the body is up to the connection, not to the contract: a length that differs from the body's would leave the
/// client waiting.
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
