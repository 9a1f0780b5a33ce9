//! The consumer's side of messages: what a test's handler is handed, and what becomes of it. Also how messages cross to a
//! binding and back, which providers' handlers share.

use std::hash::{BuildHasher, RandomState};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use bytes::Bytes;
use contract_generators::{Context, Mode, Random, apply};
use contract_matching::Mismatch;
use contract_model::{Body, ContentType, Interaction, InteractionKind, Json, Message, Object};
use contract_verifier::{InteractionInfo, MessageRequest, ProducedMessage, compare_messages};
use serde::{Deserialize, Serialize};

use crate::builder::{ContractBuilder, Kind, Taken};
use crate::error::{ArgumentError, OPTIONS, PART};
use crate::file::{WriteMode, WriteProblem, Writer, Writing};
use crate::read::Seed;

/// Which messages are handed over, and what becomes of them.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MessageOptions {
    /// `Async` or `Sync`.
    pub kind: String,
    /// Whether messages of earlier calls are handed over again; false when absent.
    pub all: Option<bool>,
    /// Whether a message without contents is handed over; else it fails.
    pub allow_empty: Option<bool>,
    /// Determines generated values.
    pub seed: Option<Seed>,
    /// Where the contract file goes at the end; it is not written when absent.
    pub directory: Option<PathBuf>,
    /// Whether the file is begun anew, once for each run of the tests.
    pub overwrite: Option<bool>,
    /// Who writes the file.
    #[serde(skip)]
    pub writer: Writer,
}

/// Messages that a test has taken, their generators applied. They belong to it until [`MessageSession::finish`].
#[derive(Debug)]
pub struct MessageSession {
    contract: ContractBuilder,
    taken: Vec<Taken>,
    ready: Vec<Ready>,
    writing: Option<Writing>,
    finished: AtomicBool,
}

/// A message as the handler sees it.
#[derive(Debug)]
struct Ready {
    message: Message,
    responses: Vec<Message>,
    problem: Option<Problem>,
}

/// Why a message fails before its handler is called.
#[derive(Clone, Debug, Serialize)]
struct Problem {
    code: &'static str,
    message: String,
}

/// What a handler's answer was worth.
#[derive(Serialize)]
struct Compared {
    mismatches: Vec<Mismatch>,
    text: String,
}

impl MessageOptions {
    /// Reads options from JSON text.
    pub fn from_text(text: &str) -> Result<Self, ArgumentError> {
        let read = crate::names::parse_json(text).and_then(|json| crate::read::options(OPTIONS, json));
        read.map_err(|error: ArgumentError| error.of("verify"))
    }
}

impl ContractBuilder {
    /// Takes the messages of one kind that were defined since the last time. None at all is an error: a test that checks
    /// nothing should not pass.
    pub fn take_messages(&self, options: MessageOptions) -> Result<MessageSession, ArgumentError> {
        let kind: Kind = options.kind.parse()?;
        if kind == Kind::Http {
            let message = "verify: HTTP interactions are for serve; kinds of messages are Async and Sync";
            return Err(ArgumentError::new("ERR_CONTRACT_KIND", message));
        }
        let taken = self.take(kind, options.all.unwrap_or(false))?;
        if taken.is_empty() {
            let message = format!(
                "verify: there is no message of the kind {0} that was not verified before; define one with \
                 uponReceiving(description, '{0}')",
                options.kind
            );
            return Err(ArgumentError::new("ERR_CONTRACT_NO_MESSAGES", message));
        }
        let seed = options
            .seed
            .map_or_else(|| RandomState::new().hash_one(0), |seed| seed.0);
        let mode = if options.overwrite.unwrap_or(false) {
            WriteMode::Overwrite
        } else {
            WriteMode::Merge
        };
        let ready = (0_u64..)
            .zip(&taken)
            .map(|(number, taken)| {
                Ready::new(
                    &taken.interaction,
                    seed.wrapping_add(number),
                    options.allow_empty.unwrap_or(false),
                )
            })
            .collect();
        Ok(MessageSession {
            contract: self.clone(),
            taken,
            ready,
            writing: options
                .directory
                .map(|directory| self.writing(directory, mode, options.writer)),
            finished: AtomicBool::new(false),
        })
    }
}

impl Ready {
    fn new(interaction: &Interaction, seed: u64, allow_empty: bool) -> Self {
        let (message, responses): (Message, &[Message]) = match &interaction.kind {
            InteractionKind::AsyncMessage(message) => (Message::clone(message), &[]),
            InteractionKind::SyncMessage(exchange) => (exchange.request.clone(), &exchange.responses),
            InteractionKind::Http(_) | InteractionKind::Unknown { .. } | InteractionKind::Unreadable(_) => {
                (Message::default(), &[])
            }
        };
        let mut ready = Self {
            message,
            responses: responses.to_vec(),
            problem: None,
        };
        let mut context = Context::new(Mode::Consumer, crate::clock::now(), Random::from_seed(seed));
        context.variant_matches = &contract_matching::variant_matches;
        let mut problems = apply::message(&mut ready.message, &mut context);
        for response in &mut ready.responses {
            problems.append(&mut apply::message(response, &mut context));
        }
        let is_empty = matches!(ready.message.contents, Body::Missing | Body::Empty);
        ready.problem = if let Some(problem) = problems.first() {
            Some(Problem {
                code: "ERR_CONTRACT_GENERATOR",
                message: problem.to_string(),
            })
        } else if is_empty && !allow_empty {
            Some(Problem {
                code: "ERR_CONTRACT_MESSAGE_EMPTY",
                message:
                    "the message has no contents; give it some with withBody, or allow that with { allowEmpty: true }"
                        .to_owned(),
            })
        } else {
            None
        };
        ready
    }
}

impl MessageSession {
    /// The messages in the order in which they were defined, as JSON text: a list of `{ description, kind, key,
    /// providerStates, form, raw, contentType, metadata, responses, problem }`.
    pub fn messages_text(&self) -> String {
        let messages = self.taken.iter().zip(&self.ready).map(|(taken, ready)| {
            let interaction = &taken.interaction;
            let mut object = handed(&ready.message);
            object.insert("description", interaction.description.clone());
            object.insert("key", interaction.key.clone().map_or(Json::Null, Json::String));
            object.insert("providerStates", states(&interaction.states));
            let responses: Vec<Json> = ready.responses.iter().map(|response| handed(response).into()).collect();
            object.insert("responses", responses);
            if let Some(problem) = &ready.problem {
                let mut told = Object::new();
                told.insert("code", problem.code);
                told.insert("message", problem.message.as_str());
                object.insert("problem", told);
            }
            Json::from(object)
        });
        Json::Array(messages.collect()).to_text()
    }

    /// Compares what the handler of a synchronous message returned with the responses that the contract defines: JSON text
    /// of `{ mismatches, text }`, the text empty when nothing differs.
    pub fn compare(&self, index: usize, answer: &Json) -> Result<String, ArgumentError> {
        let Some(taken) = self.taken.get(index) else {
            return Err(ArgumentError::new(PART, format!("there is no message {index}")));
        };
        let InteractionKind::SyncMessage(exchange) = &taken.interaction.kind else {
            return Err(ArgumentError::new(PART, "only synchronous messages have responses"));
        };
        let several = exchange.responses.len() > 1;
        let came = crate::message_result::read(answer, "the result of the handler", several)
            .map_err(|problem| result_error(&problem))?;
        let mismatches = compare_messages(&exchange.responses, came, self.contract.specification())
            .map_err(|error| result_error(&error))?;
        let lines = mismatches.iter().map(|mismatch| match &mismatch.explanation {
            Some(explanation) => format!("  {}: {mismatch}\n    {explanation}", mismatch.at),
            None => format!("  {}: {mismatch}", mismatch.at),
        });
        let text = lines.collect::<Vec<_>>().join("\n");
        Ok(crate::serve::to_text(&Compared { mismatches, text }))
    }

    /// Gives the messages back and writes those that passed; gives the file's path if one was written. `passed` holds one
    /// entry for each message; the second call does nothing.
    pub fn finish(&self, passed: &[bool]) -> Result<Option<PathBuf>, WriteProblem> {
        if self.finished.swap(true, Ordering::Relaxed) {
            return Ok(None);
        }
        let has_passed = |index: usize| passed.get(index).copied().unwrap_or(false);
        self.contract.finish(&self.taken, has_passed);
        let to_write: Vec<Taken> = self
            .taken
            .iter()
            .enumerate()
            .filter(|(index, _)| has_passed(*index))
            .map(|(_, taken)| taken.clone())
            .collect();
        match &self.writing {
            Some(writing) if !to_write.is_empty() => crate::serve::write(writing, &to_write).map(Some),
            _ => Ok(None),
        }
    }
}

impl Drop for MessageSession {
    /// Messages of a session that nobody finished have failed.
    fn drop(&mut self) {
        if !self.finished.load(Ordering::Relaxed) {
            self.contract.finish(&self.taken, |_| false);
        }
    }
}

/// A message as bindings hand it to handlers: `{ form, raw, contentType, metadata }`. The form is `none`, `json`, `text` or
/// `bytes`; raw is text, or `{ base64 }`.
pub(crate) fn handed(message: &Message) -> Object {
    let (form, content_type) = match &message.contents {
        Body::Missing | Body::Empty => ("none", None),
        Body::Null => ("json", Some(ContentType::json())),
        Body::Present(content) => {
            let bytes = content.bytes();
            (
                form_of(&bytes, content.content_type.as_ref()),
                content.content_type.clone(),
            )
        }
    };
    let mut object = Object::new();
    object.insert("form", form);
    object.insert("raw", crate::binary::to_json(&message.contents.bytes()));
    let content_type = content_type.map_or(Json::Null, |known| known.to_string().into());
    object.insert("contentType", content_type);
    object.insert("metadata", message.metadata.clone());
    object
}

fn form_of(bytes: &Bytes, content_type: Option<&ContentType>) -> &'static str {
    if bytes.is_empty() {
        "none"
    } else if content_type.is_some_and(ContentType::is_json) && Json::parse(bytes).is_ok() {
        "json"
    } else if content_type.is_some_and(ContentType::is_binary) || std::str::from_utf8(bytes).is_err() {
        "bytes"
    } else {
        "text"
    }
}

fn states(states: &[contract_model::ProviderState]) -> Vec<Json> {
    let state = |state: &contract_model::ProviderState| {
        let mut object = Object::new();
        object.insert("name", state.name.clone());
        object.insert("parameters", state.parameters.clone());
        Json::from(object)
    };
    states.iter().map(state).collect()
}

/// What a provider's message handler is asked: `{ description, kind, providerStates, request, metadata, answers,
/// stateValues }`, the request as [`handed`] writes it, or null.
pub(crate) fn question(request: MessageRequest) -> Json {
    let info: &InteractionInfo = &request.interaction;
    let mut object = Object::new();
    object.insert("description", info.description.clone());
    object.insert("kind", info.kind.clone());
    object.insert("providerStates", states(&info.states));
    object.insert(
        "request",
        request.request.map_or(Json::Null, |message| asked(message).into()),
    );
    object.insert("metadata", request.metadata);
    object.insert("answers", u64::try_from(request.answers).unwrap_or(u64::MAX));
    object.insert("stateValues", request.state_values);
    object.into()
}

fn asked(message: ProducedMessage) -> Object {
    let content_type = message.content_type.and_then(|text| text.parse().ok());
    handed(&Message {
        contents: Body::from_bytes(message.contents, content_type),
        metadata: message.metadata,
        ..Message::default()
    })
}

fn result_error(problem: &impl ToString) -> ArgumentError {
    ArgumentError::new("ERR_CONTRACT_MESSAGE_RESULT", problem.to_string())
}

#[cfg(test)]
mod tests {
    use contract_model::Json;

    use super::MessageOptions;
    use crate::builder::{BodyValue, ContractBuilder, Kind};

    fn json(text: &str) -> Json {
        Json::parse(text.as_bytes()).unwrap()
    }

    #[track_caller]
    fn check_form(content_type: Option<&str>, body: BodyValue, want: &str) {
        let contract = ContractBuilder::new("web", "orders").unwrap();
        let message = contract.upon_receiving("an event", Kind::Async, "").unwrap();
        message.with_body(Some(body), content_type, None).unwrap();
        let options = MessageOptions::from_text(r#"{"kind": "Async", "allowEmpty": true}"#).unwrap();
        let messages = json(&contract.take_messages(options).unwrap().messages_text());
        let first = &messages.as_array().unwrap()[0];
        let shown = format!("{} {}", first.get("form").unwrap(), first.get("raw").unwrap());
        assert_eq!(shown, want);
    }

    #[test]
    fn contents_by_their_type() {
        let text = |text: &str| BodyValue::Text(text.to_owned());
        let bytes = |bytes: &'static [u8]| BodyValue::Bytes(Some(bytes.into()), crate::BytesMatch::Bytes);
        check_form(
            None,
            BodyValue::Template(json(r#"{"a":1.0}"#)),
            r#""json" "{\"a\":1.0}""#,
        );
        check_form(None, BodyValue::Template(Json::Null), r#""json" "null""#);
        check_form(None, text("hello"), r#""text" "hello""#);
        check_form(None, bytes(b"hello"), r#""bytes" "hello""#);
        check_form(
            Some("application/x-label"),
            bytes(b"\x01\xff"),
            r#""bytes" {"base64":"Af8="}"#,
        );
        check_form(Some("text/plain"), bytes(b"\xff"), r#""bytes" {"base64":"/w=="}"#);
        check_form(None, BodyValue::Bytes(None, crate::BytesMatch::Bytes), r#""none" """#);
    }
}
