//! A right answer with one thing changed fails, unless the rules allow the change: asked of a comparison that is written to
//! be obviously right, of thousands of random parts. The same in every run; `CONTRACT_CASES` asks for more of them.

#[path = "support/naive.rs"]
mod naive;
#[path = "support/naive_parts.rs"]
mod naive_parts;
#[path = "support/random_parts.rs"]
mod random_parts;

use contract_matching::{ActualRequest, ActualResponse, Options, RequestPlan, ResponsePlan};
use contract_model::{
    Body, ContentValue, HttpInteraction, Interaction, InteractionKind, PathExpression, PathRules, Request, Response,
};
use random_parts::Random;

/// How many changes are tried on the way to a right answer that is not the example.
const STEPS: usize = 12;

fn cases() -> u64 {
    let asked = std::env::var("CONTRACT_CASES").ok().and_then(|text| text.parse().ok());
    asked.unwrap_or(1_500)
}

/// How often each verdict was given: a test that never sees one of them tests nothing.
#[derive(Default)]
struct Verdicts {
    allowed: usize,
    refused: usize,
}

/// Walks from the example to a right answer, one change after the other, and one change further. Both comparisons have to
/// give the same verdict each time.
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
    let (wanted, got) = (expected.text().expect("a text"), actual.text().expect("a text"));
    match rules.get(&PathExpression::root()) {
        Some(list) => naive_parts::accepts(list, &wanted, &got),
        None => wanted == got,
    }
}

fn shown(request: Option<&Request>, response: Option<&Response>) -> String {
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
        .expect("V4 says everything");
    let part = if request.is_some() { "request" } else { "response" };
    json.get(part).map(contract_model::Json::to_text).unwrap_or_default()
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
            |request| shown(Some(request), None),
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
            |response| shown(None, Some(response)),
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
