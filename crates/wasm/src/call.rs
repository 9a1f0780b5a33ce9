//! Calls from JavaScript. A call is a JSON object whose only member is named after the call and contains its arguments.

use contract_datetime::DateTime;
use contract_matching::{
    ActualBody, ActualMessage, ActualRequest, ActualResponse, MessagePlan, Mismatch, Options, RequestPlan, ResponsePlan,
};
use contract_model::{Headers, Json, Message, Query, Request, Response, SpecificationVersion};
use contract_report::{Finding, InteractionRef};
use serde::{Deserialize, Serialize};

use crate::engine::{Engine, OpenOptions, Opened, Source};
use crate::explain::Unmatched;
use crate::states::{SelectedState, Selection};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
enum Call {
    /// Loads contracts. They replace the contracts of an earlier call.
    Open {
        contracts: Vec<Source>,
        #[serde(default)]
        options: OpenOptions,
    },
    Answer(Box<Received>),
    /// Restarts the sequence of generated values, so that the same values are generated again.
    Restart {},
    /// Compares the members `expected` and `actual` of the JSON document `text`. Both are requests or responses in the
    /// format of contract files, or messages if `part` is `message`.
    Compare {
        part: Part,
        version: String,
        text: String,
    },
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Received {
    method: String,
    path: String,
    /// The query string, either empty or starting with a question mark.
    query: String,
    /// Names and values. Each character of a value is one byte, as in the Fetch API.
    headers: Vec<(String, String)>,
    states: Option<Vec<SelectedState>>,
    /// The current time, in milliseconds since 1970-01-01 UTC.
    now: i64,
    base_url: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
enum Part {
    Request,
    Response,
    Message,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
enum Outcome<'a> {
    Opened(Opened),
    Matched(Matched<'a>),
    Unmatched(Box<Unmatched>),
    Restarted {},
    Compared { mismatches: Vec<Finding> },
    Failed { code: &'static str, message: String },
}

#[derive(Serialize)]
struct Matched<'a> {
    contract: &'a str,
    interaction: InteractionRef,
    status: u16,
    headers: Vec<(String, String)>,
    problems: Vec<String>,
}

/// Performs a call. Receives and returns a JSON document and a body. `engine` is `None` until the `open` call has
/// succeeded.
pub fn call(engine: &mut Option<Engine>, document: &[u8], body: Vec<u8>) -> (Vec<u8>, Vec<u8>) {
    let mut sent = Vec::new();
    let outcome = match serde_json::from_slice(document) {
        Ok(call) => perform(engine, call, body, &mut sent),
        Err(error) => failed("ERR_CONTRACT_ARGUMENTS", &error),
    };
    // The values in an outcome are valid JSON, so this cannot fail unless memory runs out.
    let text = serde_json::to_vec(&outcome).unwrap_or_default();
    (text, sent)
}

fn perform<'a>(engine: &'a mut Option<Engine>, call: Call, body: Vec<u8>, sent: &mut Vec<u8>) -> Outcome<'a> {
    match (call, engine) {
        (Call::Open { contracts, options }, engine) => match Engine::open(contracts, &options) {
            Ok((opened, outcome)) => {
                *engine = Some(opened);
                Outcome::Opened(outcome)
            }
            Err(error) => failed(error.code(), &error),
        },
        (Call::Compare { part, version, text }, _) => match compare(&part, &version, &text) {
            Ok(mismatches) => Outcome::Compared {
                mismatches: Finding::all(mismatches),
            },
            Err(error) => failed("ERR_CONTRACT_ARGUMENTS", &error),
        },
        (Call::Answer(received), Some(engine)) => answer(engine, *received, body, sent),
        (Call::Restart {}, Some(engine)) => {
            engine.restart();
            Outcome::Restarted {}
        }
        (Call::Answer(_) | Call::Restart {}, None) => failed("ERR_CONTRACT_ARGUMENTS", &"no contracts are open"),
    }
}

fn answer<'a>(engine: &'a mut Engine, received: Received, body: Vec<u8>, sent: &mut Vec<u8>) -> Outcome<'a> {
    let Ok(now) = DateTime::from_unix(
        received.now.div_euclid(1000),
        u32::try_from(received.now.rem_euclid(1000)).unwrap_or(0) * 1_000_000,
        0,
    ) else {
        return failed("ERR_CONTRACT_ARGUMENTS", &"the current time is out of range");
    };
    let selection = Selection::new(received.states);
    let mut headers = Headers::new();
    for (name, value) in &received.headers {
        headers.append_line(name, &decode(value));
    }
    let actual = ActualRequest {
        method: received.method.to_ascii_uppercase().into(),
        path: received.path.into(),
        query: Query::parse(&received.query),
        body: ActualBody::new(body, headers.content_type()),
        headers: headers.into(),
    };
    match engine.answer(&actual, &selection, now, &received.base_url) {
        Ok(matched) => {
            *sent = matched.reply.body;
            Outcome::Matched(Matched {
                contract: &matched.expectation.contract,
                interaction: matched.expectation.reference(),
                status: matched.reply.status,
                headers: matched.reply.headers,
                problems: matched.reply.problems,
            })
        }
        Err(unmatched) => Outcome::Unmatched(unmatched),
    }
}

/// Decodes a header value in which each character is one byte. Returns all other values unchanged.
fn decode(value: &str) -> String {
    let bytes: Option<Vec<u8>> = value.chars().map(|c| u8::try_from(u32::from(c)).ok()).collect();
    bytes.map_or_else(|| value.to_owned(), |bytes| Headers::decode_value(&bytes).into_owned())
}

/// Compares two requests or responses by the rules of the Pact Specification's published test cases, in which
/// unexpected fields of a request are mismatches.
fn compare(part: &Part, version: &str, text: &str) -> Result<Vec<Mismatch>, String> {
    let version = SpecificationVersion::parse(version).ok_or_else(|| format!("unknown version {version:?}"))?;
    let document = text_error(Json::parse(text.as_bytes()))?;
    let member = |name| {
        document
            .get(name)
            .ok_or_else(|| format!("the member {name:?} is missing"))
    };
    let (expected, actual) = (member("expected")?, member("actual")?);
    let options = |strict| Options {
        strict,
        specification: version,
        ..Options::LENIENT
    };
    match part {
        Part::Request => {
            let read = |json| text_error(Request::read(json, version)).map(|(part, _)| part);
            let plan = text_error(RequestPlan::new(&read(expected)?, options(true)))?;
            Ok(plan.compare(&ActualRequest::from(&read(actual)?)))
        }
        Part::Response => {
            let read = |json| text_error(Response::read(json, version)).map(|(part, _)| part);
            let plan = text_error(ResponsePlan::new(&read(expected)?, options(false)))?;
            Ok(plan.compare(&ActualResponse::from(&read(actual)?)))
        }
        Part::Message => {
            let read = |json| text_error(Message::read(json, version)).map(|(part, _)| part);
            let plan = text_error(MessagePlan::new(&read(expected)?, options(false)))?;
            Ok(plan.compare(&ActualMessage::from(&read(actual)?)))
        }
    }
}

fn text_error<T, E: std::fmt::Display>(result: Result<T, E>) -> Result<T, String> {
    result.map_err(|error| error.to_string())
}

fn failed(code: &'static str, message: &impl std::fmt::Display) -> Outcome<'static> {
    Outcome::Failed {
        code,
        message: message.to_string(),
    }
}
