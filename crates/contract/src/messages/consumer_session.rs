//! Runs a consumer's message tests: reserves messages, passes them to the handler, evaluates the results, and writes
//! the contract file.

use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use contract_generators::{Budget, Context, Mode, Random, apply};
use contract_matching::{ActualBody, Mismatch};
use contract_model::{Body, Interaction, InteractionKind, Json, Message, Object};
use contract_report::Finding;
use contract_variants::Answer;
use contract_verifier::{InteractionError, compare_messages};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::failure::Failure;
use crate::message_handler::result::{ResultError, read as read_result};
use crate::message_handler::{states, to_handler_form};
use crate::options::{CallSite, MessageOptions};
use crate::serve::{works, writing_at_the_end};
use crate::variants::{NextRun, RunEnd, ServedAnswer, VariantEnd, VariantReport, VariantRun, VariantSettings, resolve};
use contract_call::error::{ArgumentError, KIND, OPTIONS};
use contract_call::message::{Spelling, message, operation, setting};
use contract_call::read::Document;
use contract_definition::plugins::{PLUGIN, try_wait};
use contract_definition::{ClaimedInteraction, ContractBuilder, Kind, Selection};
use contract_file::Writing;
use contract_plugin_work::Work;

/// The messages of a message test, with generated values. They are reserved until [`MessageSession::finish`] is called.
#[derive(Debug)]
pub struct MessageSession {
    contract: ContractBuilder,
    claimed: Vec<ClaimedInteraction>,
    prepared: Vec<PreparedMessage>,
    writing: Option<Writing>,
    /// True if the results of handlers are compared with the responses in the contract.
    compares: bool,
    raises: bool,
    timeout: Duration,
    /// The failure of each message, or `None` if the message passed. A message fails until its result is reported.
    failures: Mutex<Vec<Option<MessageFailure>>>,
    finished: AtomicBool,
    variants: Option<VariantSettings>,
    seed: u64,
    budget: Budget,
    started: Instant,
    /// The index and the variants of the message whose variants are being passed to the handler. `None` if there is
    /// none.
    varying: Mutex<Option<(usize, VariantRun)>>,
}

/// A message with generated values and its responses.
#[derive(Debug)]
struct PreparedMessage {
    message: Message,
    responses: Vec<Message>,
    /// The reason why the message fails without a handler call. `None` if the handler can be called.
    problem: Option<ArgumentError>,
    /// The parts of the message that plugins process. `None` if the message needs no plugin.
    work: Option<Work>,
}

/// How a message handler call ended.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Handled {
    /// The handler returned a value to compare with the response.
    Returned(Document),
    /// The handler threw an error with this message.
    Threw(String),
    /// The handler did not finish before the timeout.
    TimedOut,
    /// The handler returned nothing to compare, or it was not called because the message is invalid. An invalid message
    /// fails anyway.
    Passed,
}

/// The failure of a message.
#[derive(Clone, Debug, Serialize)]
pub struct MessageFailure {
    /// Index of the message among the tested messages, starting with 0.
    pub index: usize,
    /// The stable error code, such as `ERR_CONTRACT_MESSAGE_HANDLER` or `ERR_CONTRACT_MESSAGE_RESPONSE`.
    pub code: &'static str,
    /// Description of the message.
    pub description: String,
    /// The error message, which does not contain the description.
    pub text: String,
    /// Mismatches between the handler's result and the responses in the contract. Empty if the message failed for
    /// another reason.
    pub mismatches: Vec<Finding>,
}

/// The result of a message test with `Contract.verify`.
#[derive(Debug, Serialize)]
pub struct MessageVerdict {
    /// True if the binding must throw the failures as one error. False if it must return them.
    pub raises: bool,
    /// The failures, in the order of the messages. Empty if all messages passed.
    pub failures: Vec<MessageFailure>,
    /// The failures as text for an error message. Empty if all messages passed.
    pub text: String,
}

/// What a binding must do next after a message handler call: call the handler with another variant, or report the
/// failures.
#[derive(Clone, Debug, Default, Serialize)]
pub struct MessageVariant {
    /// The variant for the next handler call, or `null` if no variant is left.
    pub next: Option<ServedAnswer>,
    /// The message for the next handler call, with this variant, in the form that handlers receive. `null` if no
    /// variant is left.
    pub message: Option<Json>,
    /// The failures, or `null` if a variant is left or no variant failed.
    pub report: Option<VariantReport>,
    /// A note to print about variants that were not tried. `null` if a variant is left, a variant failed, or all were
    /// tried.
    pub print: Option<String>,
}

impl Handled {
    /// Reads the result from JSON text, such as `"passed"` or `{"threw": "the error message"}`.
    pub fn from_text(text: &str) -> Result<Self, ArgumentError> {
        let json = contract_call::json::parse_json(text)?;
        contract_call::read::value(json).map_err(|error| error.into_error("ERR_CONTRACT_MESSAGE_RESULT"))
    }
}

/// Runs message tests of a contract.
pub trait TakeMessages {
    /// Reserves the messages of one kind: those defined since the last call or, with the `all` option, all of them.
    /// Fails if there are none, because a test without messages must not pass.
    fn take_messages(&self, options: &MessageOptions, call_site: &CallSite) -> Result<MessageSession, ArgumentError>;

    /// Like [`Self::take_messages`], but reads the options and the call site from JSON text. If they are invalid, new
    /// messages are retired, so that the next test does not receive them.
    fn take_messages_text(&self, options: &str, call_site: &str) -> Result<MessageSession, ArgumentError>;
}

impl TakeMessages for ContractBuilder {
    fn take_messages(&self, options: &MessageOptions, call_site: &CallSite) -> Result<MessageSession, ArgumentError> {
        let kind = options.kind;
        if kind == Kind::Http {
            let message = message![
                "HTTP interactions require ",
                operation("serve"),
                "; pass Async or Sync as the kind"
            ];
            return Err(ArgumentError::new(KIND, message)
                .in_operation("verify")
                .for_argument("kind"));
        }
        let is_all = options.all.unwrap_or(false);
        let selection = if is_all {
            Selection::All(kind)
        } else {
            Selection::New(kind)
        };
        let claimed = self
            .claim_and_build(selection)
            .map_err(|error| error.in_operation("verify"))?;
        let general = self.options();
        let seed = options.seed.or(general.seed);
        let seed = seed.map_or_else(|| RandomState::new().hash_one(0), |seed| seed.0);
        let allow_empty = options.allow_empty.unwrap_or(false);
        let size = options.generated_size.or(general.generated_size);
        let budget = size.map_or_else(Budget::default, |size| Budget::new(size.size()));
        let works = works(self, &claimed, None);
        let works = works.inspect_err(|_| self.finish(&claimed, |_| false))?;
        let variants = variants_of(self, options, call_site);
        let variants = variants.inspect_err(|_| self.finish(&claimed, |_| false))?;
        let prepared = (0_u64..)
            .zip(claimed.iter().zip(works))
            .map(|(number, (claimed, work))| {
                let random = Random::from_seed(seed.wrapping_add(number));
                let interaction = &claimed.interaction;
                PreparedMessage::new(interaction, random, budget.clone(), allow_empty, work)
            })
            .collect();
        let timeout = options
            .timeout
            .map(|time| time.0)
            .or(general.timeout.map(|time| time.0));
        Ok(MessageSession {
            contract: self.clone(),
            compares: kind == Kind::Sync && options.check_response.unwrap_or(true),
            raises: options.raises.unwrap_or(true),
            timeout: timeout.unwrap_or_else(|| call_site.timeout()),
            writing: writing_at_the_end(self, call_site)?,
            failures: Mutex::new(claimed.iter().enumerate().map(missing_result).map(Some).collect()),
            claimed,
            prepared,
            finished: AtomicBool::new(false),
            variants,
            seed,
            budget,
            started: Instant::now(),
            varying: Mutex::default(),
        })
    }

    fn take_messages_text(&self, options: &str, call_site: &str) -> Result<MessageSession, ArgumentError> {
        let read = MessageOptions::from_text(options);
        let read = read.and_then(|options| Ok((options, CallSite::from_text(call_site)?)));
        let (options, call_site) = read.inspect_err(|_| {
            self.retire(Kind::Async);
            self.retire(Kind::Sync);
        })?;
        self.take_messages(&options, &call_site)
    }
}

/// Returns the variant settings, or `None` without variants. Synchronous messages have no variants, because their
/// handler's result depends on the message.
fn variants_of(
    contract: &ContractBuilder,
    options: &MessageOptions,
    call_site: &CallSite,
) -> Result<Option<VariantSettings>, ArgumentError> {
    let resolved = resolve(options.variants.as_ref(), contract, call_site);
    let mut settings = resolved.map_err(|error| error.in_operation("verify"))?;
    if let Some(settings) = &mut settings {
        // A handler of asynchronous messages returns no result.
        settings.unread = None;
    }
    if options
        .variants
        .as_ref()
        .is_some_and(|choice| choice.0.unread.is_some())
    {
        let message =
            "variants: \"unread\" is not supported, because handlers of asynchronous messages return no result";
        let error = ArgumentError::new(OPTIONS, message).for_argument("variants");
        return Err(error.in_operation("verify"));
    }
    if options.kind != Kind::Sync || settings.is_none() {
        return Ok(settings);
    }
    if options.variants.is_some() {
        let error = ArgumentError::new(OPTIONS, "variants requires asynchronous messages").for_argument("variants");
        return Err(error.in_operation("verify"));
    }
    Ok(None)
}

impl PreparedMessage {
    fn new(interaction: &Interaction, random: Random, budget: Budget, allow_empty: bool, work: Option<Work>) -> Self {
        let (message, responses): (Message, &[Message]) = match &interaction.kind {
            InteractionKind::AsyncMessage(message) => (Message::clone(message), &[]),
            InteractionKind::SyncMessage(exchange) => (exchange.request.clone(), &exchange.responses),
            InteractionKind::Http(_) | InteractionKind::Unknown { .. } | InteractionKind::Unreadable(_) => {
                (Message::default(), &[])
            }
        };
        let mut prepared = Self {
            message,
            responses: responses.to_vec(),
            problem: None,
            work: None,
        };
        if let Some(work) = &work {
            // The core does not apply plugin generators.
            let messages = std::iter::once(&mut prepared.message).chain(&mut prepared.responses);
            for (part, message) in messages.enumerate() {
                message.generators = work.generators(part).cloned().unwrap_or_default();
            }
        }
        let mut context = Context::new(Mode::Consumer, contract_definition::clock::now(), random);
        context.budget = budget;
        context.variant_matches = &contract_matching::variant_matches;
        let mut problems = apply::message(&mut prepared.message, &mut context);
        for response in &mut prepared.responses {
            problems.append(&mut apply::message(response, &mut context));
        }
        let is_empty = matches!(prepared.message.contents, Body::Missing | Body::Empty);
        prepared.problem = if let Some(problem) = problems.first() {
            Some(ArgumentError::new("ERR_CONTRACT_GENERATOR", problem.to_string()))
        } else if is_empty && !allow_empty {
            let message = message![
                "the message has no contents; set them with ",
                operation("with_body"),
                ", or allow empty messages with ",
                setting("allow_empty", "true")
            ];
            Some(ArgumentError::new("ERR_CONTRACT_MESSAGE_EMPTY", message))
        } else {
            None
        };
        match work {
            Some(work) => prepared.by_plugins(work),
            None => prepared,
        }
    }

    /// Replaces contents with those that plugins generate.
    fn by_plugins(mut self, work: Work) -> Self {
        let messages = std::iter::once(&mut self.message).chain(&mut self.responses);
        for (part, message) in messages.enumerate() {
            if !work.generates(part) {
                continue;
            }
            let contents = std::mem::take(&mut message.contents);
            match try_wait(work.generate(part, contents.clone(), &Object::new())) {
                Ok(generated) => message.contents = generated,
                Err(error) => {
                    message.contents = contents;
                    self.problem = Some(ArgumentError::new(PLUGIN, error.to_string()));
                }
            }
        }
        self.work = Some(work);
        self
    }
}

/// The handler's result could not be compared with the expected responses.
#[derive(Debug, Error)]
enum ComparisonError {
    #[error(transparent)]
    Result(#[from] ResultError),
    #[error(transparent)]
    Comparison(#[from] InteractionError),
}

impl MessageSession {
    /// Returns the messages, in the order of their definition, as a JSON array of `{ description, key, providerStates,
    /// form, raw, contentType, metadata, responses, isReady, isCompared }`.
    pub fn messages_text(&self) -> String {
        let messages = self.claimed.iter().zip(&self.prepared).map(|(claimed, prepared)| {
            let interaction = &claimed.interaction;
            let mut object = to_handler_form(&prepared.message);
            object.insert("description", interaction.description.as_str());
            object.insert("key", interaction.key.as_deref().map_or(Json::Null, Json::from));
            object.insert("providerStates", states(&interaction.states));
            let responses: Vec<Json> = prepared
                .responses
                .iter()
                .map(|response| to_handler_form(response).into())
                .collect();
            object.insert("responses", responses);
            object.insert("isReady", prepared.problem.is_none());
            object.insert("isCompared", self.compares && !prepared.responses.is_empty());
            Json::from(object)
        });
        Json::Array(messages.collect()).to_text()
    }

    /// Returns the next variant of a message. Call this method after the handler has passed with the example (`ended`
    /// is `None`), and again with the end of each handler call, until no variant is left. If a variant fails, the
    /// message fails.
    pub fn next_variant(&self, index: usize, ended: Option<VariantEnd>) -> Result<MessageVariant, Failure> {
        let nothing = MessageVariant::default();
        let (Some(settings), Some(claimed)) = (&self.variants, self.claimed.get(index)) else {
            return Ok(nothing);
        };
        let InteractionKind::AsyncMessage(message) = &claimed.interaction.kind else {
            return Ok(nothing);
        };
        // Plugins generate contents themselves.
        if self.prepared.get(index).is_none_or(|prepared| prepared.work.is_some()) {
            return Ok(nothing);
        }
        if ended.is_none() && !self.has_passed(index) {
            return Ok(nothing);
        }
        let mut place = self.varying.lock().unwrap_or_else(PoisonError::into_inner);
        let run = match (&mut *place, ended) {
            (Some((varying, run)), Some(ended)) if *varying == index => {
                run.record(RunEnd::without_requests(ended, run.timeout()));
                run
            }
            (place, _) => {
                let answer = Answer::Message(Message::clone(message));
                let description = claimed.interaction.description.to_string();
                let left = (!self.timeout.is_zero()).then(|| self.timeout.saturating_sub(self.started.elapsed()));
                // The time of a single handler is not known.
                let example = self.started.elapsed().min(self.timeout / 8);
                let run = VariantRun::new([(index, description, answer)], settings, example, left)?;
                &mut place.insert((index, run)).1
            }
        };
        if let Some(NextRun {
            answer: Answer::Message(changed),
            served: described,
            ..
        }) = run.next()
        {
            let mut interaction = Interaction::clone(&claimed.interaction);
            interaction.kind = InteractionKind::AsyncMessage(Box::new(changed));
            let random = Random::from_seed(self.seed);
            let prepared = PreparedMessage::new(&interaction, random, self.budget.clone(), true, None);
            return Ok(MessageVariant {
                next: Some(described),
                message: Some(to_handler_form(&prepared.message).into()),
                ..nothing
            });
        }
        let report = crate::variants::report(run);
        if let Some(report) = &report {
            self.fail(failure(index, claimed, report.code, report.text.clone()));
        }
        let print = if report.is_none() {
            crate::variants::untried(run)
        } else {
            None
        };
        Ok(MessageVariant {
            report,
            print,
            ..nothing
        })
    }

    fn has_passed(&self, index: usize) -> bool {
        let failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        failures.get(index).is_some_and(Option::is_none)
    }

    fn fail(&self, failure: MessageFailure) {
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(place) = failures.get_mut(failure.index) {
            *place = Some(failure);
        }
    }

    /// Returns the number of reserved messages.
    pub fn count(&self) -> usize {
        self.claimed.len()
    }

    /// Returns the timeout for one handler call. Zero means that there is no timeout.
    pub fn timeout(&self) -> Duration {
        self.timeout
    }

    /// Records how the handler call for the message with this index ended.
    pub fn handled(&self, index: usize, outcome: Handled, spelling: &dyn Spelling) {
        let (Some(claimed), Some(prepared)) = (self.claimed.get(index), self.prepared.get(index)) else {
            return;
        };
        let failure = match &prepared.problem {
            Some(problem) => Some(failure(index, claimed, problem.code, problem.text(spelling))),
            None => self.evaluate((index, claimed), prepared.work.as_ref(), outcome, spelling),
        };
        if let Some(place) = self
            .failures
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get_mut(index)
        {
            *place = failure;
        }
    }

    fn evaluate(
        &self,
        (index, claimed): (usize, &ClaimedInteraction),
        work: Option<&Work>,
        outcome: Handled,
        spelling: &dyn Spelling,
    ) -> Option<MessageFailure> {
        let failed = |code, text| Some(failure(index, claimed, code, text));
        match outcome {
            Handled::Threw(text) => failed("ERR_CONTRACT_MESSAGE_HANDLER", format!("the handler failed: {text}")),
            Handled::TimedOut => {
                let limit = self.timeout.as_millis();
                let advice = message![
                    format!("the handler did not finish within {limit} ms; to allow more time, set "),
                    setting("timeout", "10000")
                ];
                failed("ERR_CONTRACT_MESSAGE_TIMEOUT", advice.text(spelling))
            }
            Handled::Returned(Document(answer)) => match self.compared(claimed, work, &answer) {
                Ok(mismatches) if mismatches.is_empty() => None,
                Ok(mismatches) => {
                    let lines = lines(&mismatches);
                    let text = format!("the handler's result does not match the response:\n{lines}");
                    let failure = failure(index, claimed, "ERR_CONTRACT_MESSAGE_RESPONSE", text);
                    Some(MessageFailure { mismatches, ..failure })
                }
                Err(error) => failed("ERR_CONTRACT_MESSAGE_RESULT", error.to_string()),
            },
            Handled::Passed => None,
        }
    }

    /// Returns the number of responses with which the handler's result for this message is compared, or 0 if it is not
    /// compared.
    pub fn compared_with(&self, index: usize) -> usize {
        let responses = self.prepared.get(index).map_or(0, |prepared| prepared.responses.len());
        if self.compares { responses } else { 0 }
    }

    fn compared(
        &self,
        claimed: &ClaimedInteraction,
        work: Option<&Work>,
        answer: &Json,
    ) -> Result<Vec<Finding>, ComparisonError> {
        let InteractionKind::SyncMessage(exchange) = &claimed.interaction.kind else {
            return Ok(Vec::new());
        };
        let several = exchange.responses.len() > 1;
        let received = read_result(answer, "the result of the handler", several)?;
        let expected = match work.map(Work::core) {
            Some(InteractionKind::SyncMessage(core)) => &core.responses,
            _ => &exchange.responses,
        };
        let nothing = Object::new();
        let judge = |at: usize, actual: &ActualBody, found: Vec<Mismatch>| match work {
            Some(work) => Ok(try_wait(work.judge_response(at, actual, found, &nothing))?),
            None => Ok(found),
        };
        let found = compare_messages(expected, received, self.contract.specification(), judge)?;
        Ok(found)
    }

    /// Releases the messages, and writes those that passed to the contract file. A write error is returned only if all
    /// messages passed.
    pub fn finish(&self) -> Result<MessageVerdict, Failure> {
        let failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let has_passed = |index: usize| failures.get(index).is_some_and(Option::is_none);
        let mut written = Ok(());
        if !self.finished.swap(true, Ordering::Relaxed) {
            self.contract.finish(&self.claimed, has_passed);
            let passed = self.claimed.iter().enumerate().filter(|(index, _)| has_passed(*index));
            let to_write: Vec<ClaimedInteraction> = passed.map(|(_, claimed)| claimed.clone()).collect();
            if let Some(writing) = self.writing.as_ref().filter(|_| !to_write.is_empty()) {
                written = crate::serve::write(writing, &to_write).map(drop);
            }
        }
        let failures: Vec<MessageFailure> = failures.into_iter().flatten().collect();
        if failures.is_empty() {
            written?;
        }
        let text = self.failure_text(&failures);
        Ok(MessageVerdict {
            raises: self.raises,
            failures,
            text,
        })
    }

    fn failure_text(&self, failures: &[MessageFailure]) -> String {
        if failures.is_empty() {
            return String::new();
        }
        let count = match self.claimed.len() {
            1 => "The message".to_owned(),
            total => format!("{} of {total} messages", failures.len()),
        };
        let entries = failures.iter().enumerate().map(|(number, failure)| {
            let text = format!("{:?}: {}", failure.description, failure.text);
            format!("{}) {}", number + 1, text.replace('\n', "\n   "))
        });
        let entries = entries.collect::<Vec<_>>().join("\n\n");
        format!("{count} failed:\n\n{entries}")
    }
}

impl Drop for MessageSession {
    /// Retires the messages if [`Self::finish`] was not called.
    fn drop(&mut self) {
        if !self.finished.load(Ordering::Relaxed) {
            self.contract.finish(&self.claimed, |_| false);
        }
    }
}

/// Returns the failure of a message for which no result was recorded.
fn missing_result((index, claimed): (usize, &ClaimedInteraction)) -> MessageFailure {
    let text = "no result was reported".to_owned();
    failure(index, claimed, "ERR_CONTRACT_MESSAGE_UNTOLD", text)
}

fn failure(index: usize, claimed: &ClaimedInteraction, code: &'static str, text: String) -> MessageFailure {
    MessageFailure {
        index,
        code,
        description: claimed.interaction.description.to_string(),
        text,
        mismatches: Vec::new(),
    }
}

fn lines(mismatches: &[Finding]) -> String {
    let lines = mismatches.iter().map(|mismatch| match &mismatch.explanation {
        Some(explanation) => format!("  {}: {mismatch}\n    {explanation}", mismatch.place),
        None => format!("  {}: {mismatch}", mismatch.place),
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use contract_model::Json;

    use super::Handled;
    use super::TakeMessages as _;
    use crate::options::{CallSite, MessageOptions};
    use contract_call::message::Canonical;
    use contract_definition::{ContractBuilder, Kind};

    #[track_caller]
    fn check_form(operation: &str, want: &str) {
        let contract = ContractBuilder::new("web", "orders").unwrap();
        let message = contract.upon_receiving("an event", Kind::Async, "").unwrap();
        message.apply_text(operation).unwrap();
        let options = MessageOptions::from_text(r#"{"kind": "Async", "allowEmpty": true}"#).unwrap();
        let session = contract.take_messages(&options, &CallSite::default()).unwrap();
        let messages = Json::parse(session.messages_text().as_bytes()).unwrap();
        let first = &messages.as_array().unwrap()[0];
        let displayed = format!("{} {}", first.get("form").unwrap(), first.get("raw").unwrap());
        assert_eq!(displayed, want);
    }

    #[test]
    fn messages_without_a_result_fail() {
        let contract = ContractBuilder::new("web", "orders").unwrap();
        for description in ["one", "two"] {
            let message = contract.upon_receiving(description, Kind::Async, "").unwrap();
            message.apply_text(r#"{"with_body":{"body":7}}"#).unwrap();
        }
        let options = MessageOptions::from_text(r#"{"kind": "Async"}"#).unwrap();
        let session = contract.take_messages(&options, &CallSite::default()).unwrap();
        assert_eq!(session.count(), 2);
        session.handled(1, Handled::Passed, &Canonical);
        let verdict = session.finish().unwrap();
        assert_eq!(
            verdict.text,
            "1 of 2 messages failed:\n\n1) \"one\": no result was reported"
        );
    }

    #[test]
    fn the_form_depends_on_the_content_type() {
        check_form(r#"{"with_body":{"body":{"a":1.0}}}"#, r#""json" "{\"a\":1.0}""#);
        check_form(r#"{"with_body":{"body":null}}"#, r#""json" "null""#);
        check_form(r#"{"with_body":{"body":"hello"}}"#, r#""text" "hello""#);
        check_form(
            r#"{"with_binary_body":{"body":{"base64":"aGVsbG8="}}}"#,
            r#""bytes" "hello""#,
        );
        check_form(
            r#"{"with_binary_body":{"body":{"base64":"Af8="},"content_type":"application/x-label"}}"#,
            r#""bytes" {"base64":"Af8="}"#,
        );
        check_form(
            r#"{"with_binary_body":{"body":{"base64":"/w=="},"content_type":"text/plain"}}"#,
            r#""bytes" {"base64":"/w=="}"#,
        );
        check_form(r#"{"with_binary_body":{"body":null}}"#, r#""none" """#);
    }
}
