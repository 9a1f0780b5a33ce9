//! A correct response with one change must not pass unless the rules allow the change. The test compares the results
//! with those of a naive implementation for thousands of random parts. Runs are deterministic. `CONTRACT_CASES` sets
//! the number of cases.

#[path = "support/naive.rs"]
mod naive;
#[path = "support/naive_documents.rs"]
mod naive_documents;
#[path = "support/naive_parts.rs"]
mod naive_parts;
#[path = "support/random_documents.rs"]
mod random_documents;
#[path = "support/random_parts.rs"]
mod random_parts;

use contract_matching::{
    ActualMessage, ActualRequest, ActualResponse, MessagePlan, Options, RequestPlan, ResponsePlan,
};
use contract_model::{
    Body, ContentValue, HttpInteraction, Interaction, InteractionKind, Json, Message, PathExpression, PathRules,
    Request, Response,
};
use random_parts::Random;

/// Maximum number of changes to get from the example to another correct response.
const STEPS: usize = 12;

fn cases() -> u64 {
    let asked = std::env::var("CONTRACT_CASES").ok().and_then(|text| text.parse().ok());
    asked.unwrap_or(1_500)
}

/// Number of occurrences of each verdict. All verdicts must occur in the test.
#[derive(Default)]
struct Verdicts {
    allowed: usize,
    refused: usize,
}

/// Changes the example step by step into another correct response, and then applies one more change. Both
/// implementations must return the same verdict after each step.
fn walk<T>(
    seed: u64,
    example: &T,
    change: impl Fn(&mut Random, &T) -> T,
    verdict: impl Fn(&T) -> (bool, Vec<String>),
    naive: impl Fn(&T) -> bool,
    shown: impl Fn(&T) -> String,
    verdicts: &mut Verdicts,
) where
    T: Clone,
{
    let mut random = Random::new(seed ^ 0x5eed);
    let mut right = example.clone();
    for _ in 0..STEPS {
        let next = change(&mut random, &right);
        let wanted = naive(&next);
        let (found, mismatches) = verdict(&next);
        assert_eq!(
            found,
            wanted,
            "seed {seed}: expected {}\nafter {}\ncame {}\nmismatches {mismatches:#?}",
            shown(example),
            shown(&right),
            shown(&next)
        );
        if wanted {
            verdicts.allowed += 1;
            right = next;
        } else {
            verdicts.refused += 1;
        }
    }
}

fn bodies_agree(rules: &PathRules, strict: bool, expected: &Body, actual: &Body) -> bool {
    let (Some(expected), Some(actual)) = (expected.content(), actual.content()) else {
        return expected == actual;
    };
    if let (ContentValue::Json(wanted), ContentValue::Json(got)) = (&expected.value, &actual.value) {
        return naive::matches(rules, strict, wanted, got);
    }
    let (wanted, got) = (expected.text().expect("a string"), actual.text().expect("a string"));
    match rules.get(&PathExpression::root()) {
        Some(list) => naive_parts::accepts(list, &wanted, &got),
        None => wanted == got,
    }
}

fn format_parts(request: Option<&Request>, response: Option<&Response>) -> String {
    let http = HttpInteraction {
        request: request.cloned().unwrap_or_default(),
        response: response.cloned().unwrap_or_default(),
    };
    let interaction = Interaction {
        kind: InteractionKind::Http(Box::new(http)),
        ..Interaction::default()
    };
    let (json, _) = interaction
        .to_json(contract_model::SpecificationVersion::V4)
        .expect("V4 can represent everything");
    let part = if request.is_some() { "request" } else { "response" };
    json.get(part).map(Json::to_text).unwrap_or_default()
}

#[test]
fn one_change_in_a_request() {
    let mut verdicts = Verdicts::default();
    for seed in 0..cases() {
        let expected = random_parts::request(&mut Random::new(seed));
        let options = if seed % 2 == 0 {
            Options::STRICT
        } else {
            Options::LENIENT
        };
        let Ok(plan) = RequestPlan::new(&expected, options) else {
            panic!("seed {seed}: the rules can be used")
        };
        walk(
            seed,
            &expected,
            random_parts::changed_request,
            |actual| {
                let mismatches = plan.compare(&ActualRequest::from(actual));
                assert_eq!(
                    mismatches.is_empty(),
                    plan.matches(&ActualRequest::from(actual)),
                    "seed {seed}"
                );
                (
                    mismatches.is_empty(),
                    mismatches.iter().map(ToString::to_string).collect(),
                )
            },
            |actual| {
                naive_parts::request(&expected, actual)
                    && bodies_agree(&expected.rules.body, options.strict, &expected.body, &actual.body)
            },
            |request| format_parts(Some(request), None),
            &mut verdicts,
        );
    }
    assert!(
        verdicts.allowed > 500 && verdicts.refused > 500,
        "{} and {}",
        verdicts.allowed,
        verdicts.refused
    );
}

#[test]
fn one_change_in_a_response() {
    let mut verdicts = Verdicts::default();
    for seed in 0..cases() {
        let expected = random_parts::response(&mut Random::new(seed ^ 0xa5));
        let Ok(plan) = ResponsePlan::new(&expected, Options::LENIENT) else {
            panic!("seed {seed}: the rules can be used")
        };
        walk(
            seed,
            &expected,
            random_parts::changed_response,
            |actual| {
                let mismatches = plan.compare(&ActualResponse::from(actual));
                (
                    mismatches.is_empty(),
                    mismatches.iter().map(ToString::to_string).collect(),
                )
            },
            |actual| {
                naive_parts::response(&expected, actual)
                    && bodies_agree(&expected.rules.body, false, &expected.body, &actual.body)
            },
            |response| format_parts(None, Some(response)),
            &mut verdicts,
        );
    }
    assert!(
        verdicts.allowed > 500 && verdicts.refused > 500,
        "{} and {}",
        verdicts.allowed,
        verdicts.refused
    );
}

/// Runs the test for bodies of one kind, in strict and in lenient mode.
fn one_change_in_a_body<T: Clone>(
    made: impl Fn(&mut Random, &mut PathRules) -> T,
    change: impl Fn(&mut Random, &T) -> T,
    naive: impl Fn(&PathRules, bool, &T, &T) -> bool,
    body: impl Fn(&T) -> Body,
) {
    let mut verdicts = Verdicts::default();
    for seed in 0..cases() {
        let mut rules = PathRules::new();
        let expected = made(&mut Random::new(seed ^ 0xb0d7), &mut rules);
        let options = if seed % 2 == 0 {
            Options::STRICT
        } else {
            Options::LENIENT
        };
        let request = |document: &T| {
            let mut request = Request {
                body: body(document),
                ..Request::default()
            };
            request.rules.body.clone_from(&rules);
            request
        };
        let plan = RequestPlan::new(&request(&expected), options).expect("valid rules");
        walk(
            seed,
            &expected,
            &change,
            |actual| {
                let mismatches = plan.compare(&ActualRequest::from(&request(actual)));
                (
                    mismatches.is_empty(),
                    mismatches.iter().map(ToString::to_string).collect(),
                )
            },
            |actual| naive(&rules, options.strict, &expected, actual),
            |document| format_parts(Some(&request(document)), None),
            &mut verdicts,
        );
    }
    assert!(
        verdicts.allowed > 500 && verdicts.refused > 500,
        "{} and {}",
        verdicts.allowed,
        verdicts.refused
    );
}

#[test]
fn one_change_in_xml() {
    one_change_in_a_body(
        random_documents::xml,
        random_documents::changed_xml,
        naive_documents::xml,
        random_documents::Xml::body,
    );
}

#[test]
fn one_change_in_a_form() {
    one_change_in_a_body(
        random_documents::form,
        random_parts::changed_query,
        |rules, _, expected, actual| naive_documents::form(rules, expected, actual),
        random_documents::form_body,
    );
}

#[test]
fn one_change_in_a_multipart_body() {
    one_change_in_a_body(
        random_documents::parts,
        |random, parts| random_documents::changed_parts(random, parts),
        |rules, strict, expected, actual| naive_documents::parts(rules, strict, expected, actual),
        |parts| random_documents::multipart_body(parts),
    );
}

#[test]
fn one_change_in_metadata() {
    let mut verdicts = Verdicts::default();
    for seed in 0..cases() {
        let expected = random_documents::message(&mut Random::new(seed ^ 0x3e7a));
        let plan = MessagePlan::new(&expected, Options::LENIENT).expect("valid rules");
        walk(
            seed,
            &expected,
            |random, message: &Message| Message {
                metadata: random_documents::changed_metadata(random, &message.metadata),
                ..message.clone()
            },
            |actual| {
                let mismatches = plan.compare(&ActualMessage::from(actual));
                (
                    mismatches.is_empty(),
                    mismatches.iter().map(ToString::to_string).collect(),
                )
            },
            |actual| naive_documents::metadata(&expected, &actual.metadata),
            |message| {
                let rules = message
                    .rules
                    .metadata
                    .iter()
                    .map(|(name, list)| format!("{name}: {list:?}"));
                format!(
                    "{}\n{}",
                    Json::from(message.metadata.clone()),
                    rules.collect::<Vec<_>>().join("\n")
                )
            },
            &mut verdicts,
        );
    }
    assert!(
        verdicts.allowed > 500 && verdicts.refused > 500,
        "{} and {}",
        verdicts.allowed,
        verdicts.refused
    );
}
