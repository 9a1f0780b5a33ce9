//! Targets for documents: contract files, templates, generators.

use contract_datetime::DateTime;
use contract_generators::{Context, Mode, Random, apply};
use contract_matching::{
    ActualMessage, ActualRequest, ActualResponse, MessagePlan, Options, RequestPlan, ResponsePlan,
};
use contract_model::{
    Body, Content, ContentType, Contract, Generators, InteractionKind, Json, Message, Object, Request, Rules,
    SpecificationVersion, split_body, split_value,
};

use crate::pieces::pieces;

/// Checks that a contract round-trips through V4, that merging it with itself changes nothing, and that its examples
/// can be compared.
pub(crate) fn contract(input: &[u8]) {
    let reading = match Contract::read(input) {
        Ok(reading) => reading,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    for warning in &reading.warnings {
        assert!(!warning.to_string().is_empty());
    }
    let contract = reading.contract;
    for version in [
        SpecificationVersion::V2,
        SpecificationVersion::V3,
        SpecificationVersion::V4,
    ] {
        let Ok(written) = contract.write(version) else { continue };
        let reread = Contract::read(written.text.as_bytes());
        let reread = reread.unwrap_or_else(|error| panic_at(&written.text, &error)).contract;
        if version == SpecificationVersion::V4 {
            let twice = reread.write(version).map(|written| written.text);
            assert_eq!(twice.ok().as_ref(), Some(&written.text));
        }
    }
    let mut once = contract.clone();
    if once.merge(contract.clone()).is_ok() {
        let mut twice = once.clone();
        assert!(twice.merge(contract.clone()).is_ok());
        assert_eq!(twice, once, "merging twice changes nothing");
    }
    for interaction in &contract.interactions {
        compare(&interaction.kind);
    }
}

fn compare(kind: &InteractionKind) {
    let message = |message: &Message| {
        if let Ok(plan) = MessagePlan::new(message, Options::LENIENT) {
            plan.compare(&ActualMessage::from(message));
        }
    };
    match kind {
        InteractionKind::Http(http) => {
            if let Ok(plan) = RequestPlan::new(&http.request, Options::STRICT) {
                plan.compare(&ActualRequest::from(&http.request));
            }
            if let Ok(plan) = ResponsePlan::new(&http.response, Options::LENIENT) {
                plan.compare(&ActualResponse::from(&http.response));
            }
        }
        InteractionKind::AsyncMessage(single) => message(single),
        InteractionKind::SyncMessage(messages) => {
            message(&messages.request);
            messages.responses.iter().for_each(message);
        }
        InteractionKind::Unknown { .. } | InteractionKind::Unreadable(_) => {}
    }
}

/// Splits a template into its example, rules, and generators. Checks that all three can be used and written.
pub(crate) fn template(input: &[u8]) {
    let Ok(template) = Json::parse(input) else { return };
    if let Err(error) = split_value(&template) {
        assert!(!error.to_string().is_empty());
    }
    let split = match split_body(&template) {
        Ok(split) => split,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    let mut message = Message {
        contents: Body::Present(Content::json(split.example.clone())),
        ..Message::default()
    };
    message.rules.body = split.rules;
    message.generators.body = split.generators;
    compare(&InteractionKind::AsyncMessage(Box::new(message.clone())));
    filled(message.clone(), &Object::new());
}

/// Input: rules, generators, and a body. Checks that generator errors are reported and that the example remains
/// readable.
pub(crate) fn generators(input: &[u8]) {
    let [rules, generators, content_type, body, state] = pieces(input);
    let json = |bytes: &[u8]| Json::parse(bytes).unwrap_or_default();
    let content_type = std::str::from_utf8(content_type)
        .unwrap_or_default()
        .parse::<ContentType>();
    let state = json(state).as_object().cloned().unwrap_or_default();
    let mut message = Message {
        contents: Body::from_bytes(body.to_vec(), content_type.ok()),
        ..Message::default()
    };
    message.rules = Rules::read(&json(rules)).map(|(rules, _)| rules).unwrap_or_default();
    message.generators = Generators::read(&json(generators))
        .map(|(all, _)| all)
        .unwrap_or_default();
    let request = Request {
        body: message.contents.clone(),
        rules: message.rules.clone(),
        generators: message.generators.clone(),
        ..Request::default()
    };
    for problem in apply::request(&mut request.clone(), &mut context(&state)) {
        assert!(!problem.to_string().is_empty());
    }
    filled(message, &state);
}

fn filled(mut message: Message, state: &Object) {
    let was_json = message.contents.content_type().is_some_and(ContentType::is_json) && is_json(&message.contents);
    apply::message(&mut message, &mut context(state));
    assert!(!was_json || is_json(&message.contents), "{:?}", message.contents);
}

fn is_json(body: &Body) -> bool {
    Json::parse(&body.bytes()).is_ok()
}

fn context(state: &Object) -> Context<'_> {
    let now = DateTime::from_unix(1_782_907_200, 0, 0).unwrap_or_else(|error| panic_at("now", &error));
    Context {
        state_values: state,
        base_url: Some("http://127.0.0.1:8080"),
        ..Context::new(Mode::Provider, now, Random::from_seed(1))
    }
}

#[expect(clippy::panic, reason = "a fuzz target reports a violation by panicking")]
fn panic_at(property: &str, error: &dyn std::fmt::Display) -> ! {
    panic!("{property}: {error}")
}
