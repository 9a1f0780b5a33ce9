//! Verifies message interactions. The messages come from functions in this process or from an HTTP endpoint.

use std::sync::Arc;
use std::time::Instant;

use base64::prelude::BASE64_STANDARD;
use base64::{DecodeError, Engine as _};
use contract_generators::apply;
use contract_matching::{ActualBody, ActualMessage, Explanation, MessagePlan, Mismatch, Options};
use contract_model::{
    ContentType, Headers, Interaction, InteractionKind, Json, JsonError, JsonKind, Message, Object, ReadError,
    SpecificationVersion, SyncMessage, Text,
};
use contract_report::{Expectation, Finding, ReportedRequest, ReportedResponse, body_diff, redact};
use contract_wire::{Answer, BaseUrl, Outgoing, header_map};
use http::Method;
use thiserror::Error;

use crate::Transport;
use crate::error::request_failed;
use crate::exchange::{custom_headers, generator_error};
use crate::outcome::Outcome;
use crate::run_state::Run;
use crate::states::suggest;
use crate::{ErrorCode, InteractionError, InteractionInfo, MessageRequest, PluginFailure, PluginWork, ProducedMessage};

/// Response headers with the message metadata: a JSON object encoded as base64. The first header that is present is
/// used.
const METADATA_HEADERS: [&str; 2] = ["Pact-Message-Metadata", "Contract-Message-Metadata"];

/// Media type of an HTTP response with several messages: `{"messages": [{"contents": …, "metadata": …}]}`. The messages
/// have the format of V4 files. The verifier accepts this type only if the contract expects several responses, because
/// the Pact format for messages over HTTP supports only one.
pub const MESSAGE_LIST: &str = "application/vnd.contract.messages+json";

/// Verifies an asynchronous message: requests it from the provider and compares it.
pub(crate) async fn asynchronous(
    run: &Run,
    info: &Arc<InteractionInfo>,
    message: &Message,
    transport: Option<&str>,
    plan: &MessagePlan,
    plugin: Option<&dyn PluginWork>,
    values: Object,
) -> Outcome {
    let plans = std::slice::from_ref(plan);
    let expected = std::slice::from_ref(message);
    exchange(run, info, None, expected, (transport, plugin), plans, values).await
}

/// Verifies a synchronous message: sends it to the provider and compares the responses.
pub(crate) async fn synchronous(
    run: &Run,
    info: &Arc<InteractionInfo>,
    exchange_of: &SyncMessage,
    transport: Option<&str>,
    plans: &[MessagePlan],
    plugin: Option<&dyn PluginWork>,
    values: Object,
) -> Outcome {
    let request = match plugin.map(PluginWork::core) {
        Some(InteractionKind::SyncMessage(core)) => &core.request,
        _ => &exchange_of.request,
    };
    let ways = (transport, plugin);
    exchange(run, info, Some(request), &exchange_of.responses, ways, plans, values).await
}

async fn exchange(
    run: &Run,
    info: &Arc<InteractionInfo>,
    request: Option<&Message>,
    expected: &[Message],
    (transport, plugin): (Option<&str>, Option<&dyn PluginWork>),
    plans: &[MessagePlan],
    values: Object,
) -> Outcome {
    let mut outcome = Outcome {
        expected: expected.first().map(Expectation::of_message),
        ..Outcome::default()
    };
    let started = Instant::now();
    let ways = (transport, plugin);
    let produced = produce(run, info, request, expected, ways, &values, &mut outcome).await;
    outcome.waiting = started.elapsed();
    match produced {
        Ok(produced) => compare(run, expected, plans, produced, (plugin, &values), &mut outcome).await,
        Err(error) => outcome.error = Some(error),
    }
    outcome
}

async fn produce(
    run: &Run,
    info: &Arc<InteractionInfo>,
    request: Option<&Message>,
    expected: &[Message],
    (transport, plugin): (Option<&str>, Option<&dyn PluginWork>),
    values: &Object,
    outcome: &mut Outcome,
) -> Result<Vec<ProducedMessage>, InteractionError> {
    let mut request = request
        .map(|request| generated(run, info, request, values))
        .transpose()?;
    if let (Some(request), Some(plugin)) = (&mut request, plugin) {
        let contents = plugin.generate(std::mem::take(&mut request.contents), values).await;
        request.contents = contents.map_err(crate::plugin::failed)?;
    }
    let Some(source) = &run.options.messages else {
        let base = message_transport(run, transport, request.is_some())?;
        return over_http(run, info, request, expected.len(), base, outcome).await;
    };
    if source.knows(&info.description) == Some(false) {
        let suggestion = suggest(&info.description, &source.known_names());
        return Err(InteractionError::new(
            ErrorCode::MessageUnknown,
            format!("no message handler for {:?}{suggestion}", info.description),
        ));
    }
    let request = MessageRequest {
        interaction: Arc::clone(info),
        request: request.map(|message| ProducedMessage {
            contents: message.contents.bytes(),
            content_type: message.contents.content_type().map(ToString::to_string),
            metadata: message.metadata,
        }),
        metadata: expected
            .first()
            .map(|message| message.metadata.clone())
            .unwrap_or_default(),
        answers: expected.len(),
        state_values: values.clone(),
    };
    let subject = format!("the message handler for {:?}", info.description);
    let limit = source.timeout().unwrap_or(run.options.callback_timeout);
    run.callback_within(limit, ErrorCode::MessageHandler, &subject, source.produce(request))
        .await
}

fn generated(
    run: &Run,
    info: &InteractionInfo,
    message: &Message,
    values: &Object,
) -> Result<Message, InteractionError> {
    let mut fresh = Message {
        contents: message.contents.clone(),
        metadata: message.metadata.clone(),
        ..Message::default()
    };
    let problems = run.generate(info, values, |context| {
        apply::message_with(&mut fresh, &message.generators, &message.rules, context)
    });
    generator_error(&problems).map_or(Ok(fresh), Err)
}

fn message_transport<'a>(
    run: &'a Run,
    requested: Option<&str>,
    is_sync: bool,
) -> Result<&'a BaseUrl, InteractionError> {
    let kind = if is_sync { "sync-message" } else { "async-message" };
    let mut names = requested.into_iter().chain([kind, "message"]);
    let found = names.find_map(|name| run.options.transports.iter().find(|transport| transport.name == name));
    found.map_or_else(
        || {
            Err(InteractionError::new(
                ErrorCode::Transport,
                "the interaction is a message, but no message handlers are configured. Add message handlers, or a transport \
                 \"message\" with the URL of an endpoint that returns messages",
            ))
        },
        Transport::http_base,
    )
}

/// Requests messages over HTTP. In the Pact format, a POST request contains the description and the states, and the
/// body of the response is the message.
async fn over_http(
    run: &Run,
    info: &InteractionInfo,
    request: Option<Message>,
    answers: usize,
    base: &BaseUrl,
    outcome: &mut Outcome,
) -> Result<Vec<ProducedMessage>, InteractionError> {
    let outgoing = question(run, info, request, answers, base).await?;
    outcome.request = Some(ReportedRequest::brief("POST", redact::url(&outgoing.uri)));
    let uri = redact::url(&outgoing.uri);
    let answer = run
        .options
        .client
        .send(outgoing, run.options.follow(), run.options.request_timeout)
        .await
        .map_err(|error| request_failed(&error))?;
    if !(200..300).contains(&answer.status) {
        return Err(InteractionError::new(
            ErrorCode::MessageHandler,
            format!(
                "{uri} returned status {} for the message {:?}: {}",
                answer.status,
                info.description,
                beginning(&answer.body)
            ),
        ));
    }
    let invalid = |error: ResponseError| {
        let message = format!(
            "the response of {uri} for the message {:?} is invalid: {error}",
            info.description
        );
        InteractionError::new(ErrorCode::ResponseInvalid, message)
    };
    if answers > 1 {
        return if is_list(&answer) {
            read_list(&answer.body).map_err(invalid)
        } else {
            Err(invalid(ResponseError::OnlyOne(answers)))
        };
    }
    read(answer).map(|message| vec![message]).map_err(invalid)
}

async fn question(
    run: &Run,
    info: &InteractionInfo,
    request: Option<Message>,
    answers: usize,
    base: &BaseUrl,
) -> Result<Outgoing, InteractionError> {
    let mut document = Object::new();
    document.insert("description", info.description.as_str());
    if !info.states.is_empty() {
        document.insert("providerStates", states(info));
    }
    if let Some(request) = request {
        document.insert("request", sync_request(request));
    }
    let mut headers: Headers = [("Content-Type", "application/json")].into_iter().collect();
    if answers > 1 {
        headers.append("Accept", MESSAGE_LIST);
    }
    let confidential = custom_headers(run, &mut headers).await?;
    let invalid = |problem: String| {
        InteractionError::new(
            ErrorCode::RequestInvalid,
            format!("cannot request the message: {problem}"),
        )
    };
    let mut lines = header_map(&headers).map_err(|error| invalid(error.to_string()))?;
    if let Some(credentials) = base.credentials() {
        lines.entry(http::header::AUTHORIZATION).or_insert(credentials.clone());
    }
    Ok(Outgoing {
        method: Method::POST,
        uri: base.join("", "").map_err(|error| invalid(error.to_string()))?,
        headers: lines,
        body: Json::from(document).to_text().into(),
        confidential,
    })
}

/// Reason why a response is not a valid message. The error message continues "the response is invalid:".
#[derive(Debug, Error)]
enum ResponseError {
    #[error(
        "the contract expects {0} responses, but the endpoint returned only one response. Use message handlers, or an endpoint that \
         supports {MESSAGE_LIST}"
    )]
    OnlyOne(usize),
    #[error("it is not JSON: {0}")]
    Json(#[source] JsonError),
    #[error("it has no \"messages\" array")]
    NoMessages,
    #[error(transparent)]
    Message(#[from] ReadError),
    #[error("the {name} header {error}")]
    Metadata {
        name: &'static str,
        #[source]
        error: MetadataError,
    },
}

/// Reason why a metadata header is invalid. The error message continues "the header …".
#[derive(Debug, Error)]
enum MetadataError {
    #[error("does not contain a base64-encoded JSON object ({})", .0.to_string().trim_end_matches('.'))]
    Base64(#[from] DecodeError),
    #[error("contains a base64-encoded JSON {0} instead of an object")]
    NotAnObject(JsonKind),
    #[error("is valid base64, but does not contain a JSON object: {0}")]
    Json(#[from] JsonError),
}

fn is_list(answer: &Answer) -> bool {
    answer
        .headers
        .get(http::header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .and_then(|text| text.parse::<ContentType>().ok())
        .is_some_and(|content_type| content_type.essence() == MESSAGE_LIST)
}

/// Parses a response of type [`MESSAGE_LIST`].
fn read_list(body: &[u8]) -> Result<Vec<ProducedMessage>, ResponseError> {
    let document = Json::parse(body).map_err(ResponseError::Json)?;
    let Some(Json::Array(messages)) = document.get("messages") else {
        return Err(ResponseError::NoMessages);
    };
    let read = |json: &Json| {
        let (message, _) = Message::read(json, SpecificationVersion::V4)?;
        Ok(ProducedMessage {
            contents: message.contents.bytes(),
            content_type: message.contents.content_type().map(ToString::to_string),
            metadata: message.metadata,
        })
    };
    messages.iter().map(read).collect()
}

fn read(answer: Answer) -> Result<ProducedMessage, ResponseError> {
    let metadata = METADATA_HEADERS
        .iter()
        .find_map(|name| answer.headers.get(*name).map(|value| (name, value)));
    let metadata = match metadata {
        None => Object::new(),
        Some((name, value)) => {
            read_metadata(value.as_bytes()).map_err(|error| ResponseError::Metadata { name, error })?
        }
    };
    let content_type = answer.headers.get(http::header::CONTENT_TYPE);
    Ok(ProducedMessage {
        content_type: content_type.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned()),
        contents: answer.body,
        metadata,
    })
}

fn read_metadata(header: &[u8]) -> Result<Object, MetadataError> {
    match Json::parse(&BASE64_STANDARD.decode(header.trim_ascii())?)? {
        Json::Object(metadata) => Ok(metadata),
        other => Err(MetadataError::NotAnObject(other.kind())),
    }
}

fn states(info: &InteractionInfo) -> Vec<Json> {
    let state = |state: &contract_model::ProviderState| {
        let mut object = Object::new();
        object.insert("name", state.name.as_str());
        if !state.parameters.is_empty() {
            object.insert("params", state.parameters.clone());
        }
        Json::from(object)
    };
    info.states.iter().map(state).collect()
}

/// Converts the consumer's message to JSON in the format of V4 files.
fn sync_request(request: Message) -> Json {
    let interaction = Interaction {
        kind: InteractionKind::SyncMessage(Box::new(SyncMessage {
            request,
            responses: Vec::new(),
        })),
        ..Interaction::default()
    };
    interaction
        .to_json(SpecificationVersion::V4)
        .ok()
        .and_then(|(json, _)| json.get("request").cloned())
        .unwrap_or_default()
}

async fn compare(
    run: &Run,
    expected: &[Message],
    plans: &[MessagePlan],
    produced: Vec<ProducedMessage>,
    (plugin, values): (Option<&dyn PluginWork>, &Object),
    outcome: &mut Outcome,
) {
    if let Some(error) = wrong_count(plans.len(), produced.len()) {
        outcome.error = Some(error);
    }
    for (at, ((expected, plan), message)) in expected.iter().zip(plans).zip(produced).enumerate() {
        let actual = actual(expected, message);
        let mut mismatches = plan.compare(&actual);
        if let Some(plugin) = plugin {
            mismatches = match plugin.judge(at, &actual.contents, mismatches, values).await {
                Ok(mismatches) => mismatches,
                Err(problem) => {
                    outcome.error = Some(crate::plugin::failed(problem));
                    Vec::new()
                }
            };
        }
        let mismatches = with_message_number(mismatches, at, plans.len());
        if (!mismatches.is_empty() || run.options.report_passed) && outcome.response.is_none() {
            outcome.diff = body_diff(&expected.contents, &actual.contents, &mismatches);
            outcome.response = Some(ReportedResponse::message(&actual, run.options.report_body_limit));
        }
        outcome.mismatches.append(&mut Finding::all(mismatches));
    }
}

/// Compares messages in order. `judge` receives the index of a message, its contents, and its mismatches, and returns
/// the final mismatches, so that plugins can add or remove some. Secrets in the result are redacted. Returns an error
/// if the number of messages is wrong, a rule is invalid, or `judge` fails.
pub fn compare_messages(
    expected: &[Message],
    received: Vec<ProducedMessage>,
    specification: SpecificationVersion,
    judge: impl Fn(usize, &ActualBody, Vec<Mismatch>) -> Result<Vec<Mismatch>, PluginFailure>,
) -> Result<Vec<Finding>, InteractionError> {
    if let Some(error) = wrong_count(expected.len(), received.len()) {
        return Err(error);
    }
    let options = Options {
        specification,
        ..Options::LENIENT
    };
    let mut all = Vec::new();
    for (at, (message, received)) in expected.iter().zip(received).enumerate() {
        let plan = MessagePlan::new(message, options)
            .map_err(|error| InteractionError::new(ErrorCode::Rule, error.to_string()))?;
        let actual = actual(message, received);
        let found = judge(at, &actual.contents, plan.compare(&actual)).map_err(crate::plugin::failed)?;
        all.append(&mut with_message_number(found, at, expected.len()));
    }
    Ok(Finding::all(all))
}

/// Returns an error if the number of messages is wrong. If no messages are expected, any number is accepted.
fn wrong_count(expected: usize, received: usize) -> Option<InteractionError> {
    let answers = |count| match count {
        1 => "1 message".to_owned(),
        count => format!("{count} messages"),
    };
    (expected > 0 && received != expected).then(|| {
        let message = format!(
            "expected {}, but received {}",
            answers(expected),
            if received == 0 {
                "none".to_owned()
            } else {
                answers(received)
            }
        );
        InteractionError::new(ErrorCode::MessageHandler, message)
    })
}

/// If there are several messages, adds the number of the message to each mismatch. `at` is its index, and `of` the
/// number of messages.
fn with_message_number(mut mismatches: Vec<Mismatch>, at: usize, count: usize) -> Vec<Mismatch> {
    if count > 1 {
        for mismatch in &mut mismatches {
            mismatch.explanation = Some(Explanation::InMessage {
                number: at + 1,
                count,
                more: mismatch.explanation.take().map(Box::new),
            });
        }
    }
    mismatches
}

fn actual(expected: &Message, message: ProducedMessage) -> ActualMessage {
    let mut metadata = message.metadata;
    let in_metadata = || {
        metadata
            .iter()
            .find(|(name, _)| Message::is_content_type(name))
            .and_then(|(_, value)| value.as_str().map(str::to_owned))
    };
    let content_type = message
        .content_type
        .or_else(in_metadata)
        .filter(|text| !text.is_empty());
    if let Some(content_type) = &content_type {
        // Implementations spell this key differently. Use the spelling of the contract.
        let key = expected
            .metadata
            .keys()
            .find(|name| Message::is_content_type(name))
            .cloned()
            .unwrap_or_else(|| Text::const_new("contentType"));
        if !metadata.contains_key(&key) {
            metadata.insert(key, content_type.as_str());
        }
    }
    ActualMessage {
        contents: ActualBody::new(message.contents, content_type.and_then(|text| text.parse().ok())),
        metadata,
    }
}

fn beginning(body: &[u8]) -> String {
    const SHOWN: usize = 300;
    let text = String::from_utf8_lossy(&body[..body.len().min(SHOWN)]);
    if text.is_empty() {
        "no body".to_owned()
    } else {
        text.trim().to_owned()
    }
}
