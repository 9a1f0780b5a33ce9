//! Verifies an HTTP interaction: sends the request and compares the response.

use std::sync::Arc;
use std::time::{Duration, Instant};

use contract_generators::apply;
use contract_matching::{ActualBody, ActualResponse, ResponsePlan};
use contract_model::{
    Body, ContentType, Headers, HttpInteraction, InteractionKind, Object, REDACTED, Request, Response, is_secret,
};
use contract_report::{Expectation, Finding, ReportedRequest, ReportedResponse, body_diff, redact};
use contract_wire::{Answer, BaseUrl, Outgoing, Redirects, decode_headers, encode_path, encode_query, header_map};
use http::{HeaderName, Method, Uri};

use crate::error::request_failed;
use crate::outcome::Outcome;
use crate::run_state::Run;
use crate::{
    CustomHeader, ErrorCode, HeaderValue, InteractionError, InteractionInfo, OutgoingRequest, PluginWork,
    RequestContext, Transport,
};

/// The request as it was sent.
struct Sent {
    request: OutgoingRequest,
    uri: Uri,
}

pub(crate) async fn http(
    run: &Run,
    info: &Arc<InteractionInfo>,
    interaction: &HttpInteraction,
    transport: Option<&str>,
    plan: &ResponsePlan,
    plugin: Option<&dyn PluginWork>,
    values: Object,
) -> Outcome {
    let mut outcome = Outcome {
        expected: Some(Expectation::of_response(&interaction.response)),
        ..Outcome::default()
    };
    let mut sent = None;
    let request = match plugin.map(PluginWork::core) {
        Some(InteractionKind::Http(core)) => &core.request,
        _ => &interaction.request,
    };
    let attempted = Attempt {
        request,
        expects_redirect: (300..400).contains(&interaction.response.status),
        transport,
        plugin,
        values: &values,
    };
    match attempt(run, info, attempted, &mut sent, &mut outcome.waiting).await {
        Ok(answer) => {
            let expected = &interaction.response;
            compare(run, plan, expected, answer, (plugin, &values), &mut outcome).await;
        }
        Err(error) => outcome.error = Some(error),
    }
    let in_full = run.options.report_passed || outcome.error.is_some() || !outcome.mismatches.is_empty();
    outcome.request = sent.map(|sent: Sent| {
        let reported = ReportedRequest::brief(&sent.request.method, redact::url(&sent.uri));
        if in_full {
            let headers = without_custom_values(run, &sent.request.headers);
            reported.with_details(&headers, sent.request.body, run.options.report_body_limit)
        } else {
            reported
        }
    });
    outcome
}

/// Returns the headers for the report, with the values of custom headers redacted, because any of them may be secret.
/// Headers with sensitive names are left to the report, which redacts them but keeps the scheme of an Authorization
/// header.
pub(crate) fn without_custom_values(run: &Run, headers: &Headers) -> Headers {
    let mut headers = headers.clone();
    for CustomHeader { name, .. } in &run.options.headers {
        let lower = name.to_ascii_lowercase();
        let describes_content = lower.starts_with("accept") || lower.starts_with("content-");
        if headers.get(name).is_some() && !describes_content && !is_secret(name) {
            headers.set(name.as_str(), vec![REDACTED.into()]);
        }
    }
    headers
}

struct Attempt<'a> {
    request: &'a Request,
    /// True if the expected status is 3xx. In this case, redirects are not followed.
    expects_redirect: bool,
    transport: Option<&'a str>,
    plugin: Option<&'a dyn PluginWork>,
    values: &'a Object,
}

async fn attempt(
    run: &Run,
    info: &Arc<InteractionInfo>,
    attempted: Attempt<'_>,
    sent: &mut Option<Sent>,
    waiting: &mut Duration,
) -> Result<Answer, InteractionError> {
    let values = attempted.values;
    let base = http_transport(&run.options.transports, attempted.transport)?;
    let mut request = generated(run, info, attempted.request, values)?;
    if let Some(plugin) = attempted.plugin {
        let body = plugin.generate(std::mem::take(&mut request.body), values).await;
        request.body = body.map_err(crate::plugin::failed)?;
    }
    let mut request = outgoing(request);
    let mut confidential = custom_headers(run, &mut request.headers).await?;
    let before = run.options.request_filter.as_ref().map(|_| request.headers.clone());
    let request = filtered(run, info, request, values.clone()).await?;
    if let Some(before) = before {
        confidential.extend(changed(&before, &request.headers));
    }
    let outgoing = ready(base, &request, confidential)?;
    *sent = Some(Sent {
        request,
        uri: outgoing.uri.clone(),
    });
    let redirects = if attempted.expects_redirect {
        Redirects::up_to(0)
    } else {
        run.options.follow()
    };
    let started = Instant::now();
    let answer = run
        .options
        .client
        .send(outgoing, redirects, run.options.request_timeout)
        .await;
    *waiting = started.elapsed();
    answer.map_err(|error| request_failed(&error))
}

fn http_transport<'a>(transports: &'a [Transport], requested: Option<&str>) -> Result<&'a BaseUrl, InteractionError> {
    let named = |name: &str| transports.iter().find(|transport| transport.name == name);
    let is_http = matches!(requested, None | Some("http" | "https"));
    let found = match requested {
        Some(name) => named(name).or_else(|| named("http").filter(|_| is_http)),
        None => named("http"),
    };
    // A transport called "https" is also used for HTTP interactions if there is no transport "http".
    let found = found.or_else(|| named("https").filter(|_| is_http));
    found.map_or_else(
        || {
            let configured: Vec<_> = transports.iter().map(|transport| transport.name.as_str()).collect();
            let configured = if configured.is_empty() {
                "none".to_owned()
            } else {
                configured.join(", ")
            };
            Err(InteractionError::new(
                ErrorCode::Transport,
                format!(
                    "the interaction requires the transport {:?}. Add it with its base URL (configured: {configured})",
                    requested.unwrap_or("http")
                ),
            ))
        },
        Transport::http_base,
    )
}

/// Returns the request with generated values. Does not copy the rules, because they are not needed afterwards.
fn generated(
    run: &Run,
    info: &InteractionInfo,
    request: &Request,
    values: &Object,
) -> Result<Request, InteractionError> {
    let mut fresh = Request {
        method: request.method.clone(),
        path: request.path.clone(),
        query: request.query.clone(),
        headers: request.headers.clone(),
        body: request.body.clone(),
        ..Request::default()
    };
    let problems = run.generate(info, values, |context| {
        apply::request_with(&mut fresh, &request.generators, &request.rules, context)
    });
    generator_error(&problems).map_or(Ok(fresh), Err)
}

pub(crate) fn generator_error(problems: &[apply::GenerateProblem]) -> Option<InteractionError> {
    if problems.is_empty() {
        return None;
    }
    let texts: Vec<_> = problems.iter().map(ToString::to_string).collect();
    Some(InteractionError::new(ErrorCode::Generator, texts.join("\n")))
}

/// Converts a request, so that filters can change it before it is sent.
fn outgoing(request: Request) -> OutgoingRequest {
    let mut headers = request.headers;
    // hyper sets these headers based on the final body.
    headers.remove("content-length");
    headers.remove("transfer-encoding");
    if headers.get("content-type").is_none()
        && let Some(content_type) = content_type_of(&request.body)
    {
        headers.set("Content-Type", vec![content_type.to_string().into()]);
    }
    OutgoingRequest {
        method: request.method,
        path: request.path.to_string(),
        query: request.query,
        headers,
        body: request.body.bytes(),
    }
}

fn content_type_of(body: &Body) -> Option<ContentType> {
    match body {
        Body::Missing | Body::Empty => None,
        Body::Null => Some(ContentType::json()),
        Body::Present(content) => content.content_type.clone(),
    }
}

/// Adds the custom headers to `headers`, and returns their names.
pub(crate) async fn custom_headers(run: &Run, headers: &mut Headers) -> Result<Vec<HeaderName>, InteractionError> {
    let mut names = Vec::with_capacity(run.options.headers.len());
    let mut seen = Vec::with_capacity(run.options.headers.len());
    for header in &run.options.headers {
        let value = match &header.value {
            HeaderValue::Fixed(value) => value.clone(),
            HeaderValue::Made(source) => {
                let subject = format!("the custom header {:?}", header.name);
                run.callback(ErrorCode::CustomHeader, &subject, source.value()).await?
            }
        };
        // The first custom header with a name replaces the header of the contract. Further custom headers with this
        // name are added.
        if seen.iter().any(|name: &String| name.eq_ignore_ascii_case(&header.name)) {
            headers.append(header.name.as_str(), value);
        } else {
            headers.set(header.name.as_str(), vec![value.into()]);
            seen.push(header.name.clone());
        }
        names.extend(HeaderName::from_bytes(header.name.as_bytes()));
    }
    Ok(names)
}

pub(crate) async fn filtered(
    run: &Run,
    info: &Arc<InteractionInfo>,
    request: OutgoingRequest,
    state_values: Object,
) -> Result<OutgoingRequest, InteractionError> {
    let Some(filter) = &run.options.request_filter else {
        return Ok(request);
    };
    let context = RequestContext {
        interaction: Arc::clone(info),
        state_values,
    };
    run.callback(
        ErrorCode::RequestFilter,
        "the request filter",
        filter.filter(request, context),
    )
    .await
}

/// Returns the names of the headers that the request filter added or changed. Their values may be credentials.
fn changed<'h>(before: &'h Headers, now: &'h Headers) -> impl Iterator<Item = HeaderName> + 'h {
    now.iter()
        .filter(|(name, values)| before.get(name) != Some(values))
        .filter_map(|(name, _)| HeaderName::from_bytes(name.as_bytes()).ok())
}

fn ready(
    base: &BaseUrl,
    request: &OutgoingRequest,
    confidential: Vec<HeaderName>,
) -> Result<Outgoing, InteractionError> {
    let refuse = |problem: String| {
        InteractionError::new(ErrorCode::RequestInvalid, format!("cannot send the request: {problem}"))
    };
    let uri = base
        .join(&encode_path(&request.path), &encode_query(&request.query))
        .map_err(|error| refuse(format!("the path or the query is not valid in a URL ({error})")))?;
    let method = Method::from_bytes(request.method.as_bytes())
        .map_err(|_| refuse(format!("{:?} is not a valid HTTP method", request.method)))?;
    let mut headers = header_map(&request.headers).map_err(|error| refuse(error.to_string()))?;
    if let Some(credentials) = base.credentials() {
        headers
            .entry(http::header::AUTHORIZATION)
            .or_insert(credentials.clone());
    }
    Ok(Outgoing {
        method,
        uri,
        headers,
        body: request.body.clone(),
        confidential,
    })
}

async fn compare(
    run: &Run,
    plan: &ResponsePlan,
    expected: &Response,
    answer: Answer,
    (plugin, values): (Option<&dyn PluginWork>, &Object),
    outcome: &mut Outcome,
) {
    let headers = decode_headers(&answer.headers);
    let declared: Option<ContentType> = headers.content_type();
    let actual = ActualResponse {
        status: answer.status,
        body: ActualBody::new(answer.body, declared),
        headers,
    };
    let mut mismatches = plan.compare(&actual);
    if let Some(plugin) = plugin {
        mismatches = match plugin.judge(0, &actual.body, mismatches, values).await {
            Ok(mismatches) => mismatches,
            Err(problem) => {
                outcome.error = Some(crate::plugin::failed(problem));
                Vec::new()
            }
        };
    }
    if mismatches.is_empty() && outcome.error.is_none() && !run.options.report_passed {
        outcome.response = Some(ReportedResponse::brief(answer.status));
        return;
    }
    outcome.diff = body_diff(&expected.body, &actual.body, &mismatches);
    outcome.response = Some(ReportedResponse::full(&actual, run.options.report_body_limit));
    outcome.mismatches = Finding::all(mismatches);
}
