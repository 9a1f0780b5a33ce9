//! Gives plugins access to the core's content matchers and generators.

use std::collections::BTreeMap;

use bytes::Bytes;
use contract_generators::{Context, Mode, Random, apply};
use contract_matching::{ActualBody, ActualResponse, Mismatch, Options, ResponsePlan};
use contract_model::{Body, Content, Generator, Json, Object, PathExpression, Response, Rule, RuleList};
use contract_plugins::{Core, CoreComparison, CoreError, Difference};
use std::hash::{BuildHasher, RandomState};
use std::sync::{Mutex, PoisonError};

/// Log level for plugins that are started later.
static LOG_LEVEL: Mutex<&'static str> = Mutex::new("WARN");

/// Sets the log level for plugins that are started later. The level is that of the core's log, but at least `WARN`,
/// because the last log lines of a plugin explain why it failed.
pub fn set_log_level(level: &'static str) {
    *LOG_LEVEL.lock().unwrap_or_else(PoisonError::into_inner) = level;
}

#[derive(Debug)]
pub(super) struct Host;

/// Names of the core's content matchers that plugins can use.
const MATCHERS: [&str; 4] = ["json", "xml", "text", "multipart-form-data"];
const GENERATORS: [&str; 2] = ["json", "binary"];

impl Core for Host {
    fn log_level(&self) -> &'static str {
        *LOG_LEVEL.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn compare(&self, key: &str, comparison: CoreComparison<'_>) -> Option<Vec<Difference>> {
        if !MATCHERS.contains(&key) {
            return None;
        }
        let mut expected = Response {
            body: comparison.expected.clone(),
            ..Response::default()
        };
        expected.rules.body.clone_from(comparison.rules);
        Some(differences(&expected, comparison.actual, !comparison.allow_unexpected))
    }

    fn match_field(&self, rule: &Rule, path: &str, expected: &Json, actual: &Json) -> Option<Vec<Difference>> {
        if matches!(rule, Rule::Custom { .. }) {
            return None;
        }
        let mut response = Response {
            body: Body::Present(Content::json(expected.clone())),
            ..Response::default()
        };
        let list = RuleList::single(rule.clone());
        response.rules.body.insert(PathExpression::root(), list);
        let actual = Body::Present(Content::json(actual.clone()));
        let mut found = differences(&response, &actual, false);
        for difference in &mut found {
            path.clone_into(&mut difference.path);
        }
        Some(found)
    }

    fn generate(
        &self,
        key: &str,
        contents: &Body,
        generators: &BTreeMap<PathExpression, Generator>,
        known: &Object,
        is_provider: bool,
    ) -> Option<Result<Body, CoreError>> {
        if !GENERATORS.contains(&key) {
            return None;
        }
        let mut response = Response {
            body: contents.clone(),
            ..Response::default()
        };
        response.generators.body.clone_from(generators);
        let (own, rules) = (
            std::mem::take(&mut response.generators),
            std::mem::take(&mut response.rules),
        );
        let mut problems = apply::response_with(&mut response, &own, &rules, &mut new_context(known, is_provider));
        Some(if problems.is_empty() {
            Ok(response.body)
        } else {
            Err(problems.swap_remove(0).into())
        })
    }

    fn generate_field(
        &self,
        generator: &Generator,
        example: &Json,
        context: &Object,
        is_provider: bool,
    ) -> Option<Result<Json, CoreError>> {
        if matches!(generator, Generator::Custom { .. }) {
            return None;
        }
        let value = contract_generators::generate(generator, Some(example), &mut new_context(context, is_provider));
        Some(match value {
            Ok(value) => Ok(value.unwrap_or_else(|| example.clone())),
            Err(error) => Err(error.into()),
        })
    }
}

fn new_context(context: &Object, is_provider: bool) -> Context<'_> {
    let mode = if is_provider { Mode::Provider } else { Mode::Consumer };
    let seed = RandomState::new().hash_one(0);
    Context {
        state_values: context,
        variant_matches: &contract_matching::variant_matches,
        ..Context::new(mode, crate::clock::now(), Random::from_seed(seed))
    }
}

fn differences(expected: &Response, actual: &Body, strict: bool) -> Vec<Difference> {
    let options = Options {
        strict,
        ..Options::LENIENT
    };
    let plan = match ResponsePlan::new(expected, options) {
        Ok(plan) => plan,
        Err(error) => {
            return vec![Difference {
                message: error.to_string(),
                ..Difference::default()
            }];
        }
    };
    let actual = ActualResponse {
        status: expected.status,
        body: ActualBody::new(actual.bytes(), actual.content_type().cloned()),
        ..ActualResponse::default()
    };
    plan.compare(&actual).iter().map(to_difference).collect()
}

fn to_difference(mismatch: &Mismatch) -> Difference {
    let bytes = |json: &Json| Bytes::from(json.text_form().into_owned());
    Difference {
        path: mismatch
            .at
            .path()
            .map_or_else(|| "$".to_owned(), |path| path.to_string()),
        message: mismatch.to_string(),
        expected: mismatch.expected.as_ref().map(bytes),
        actual: mismatch.actual.as_ref().map(bytes),
        diff: String::new(),
        part: "body".to_owned(),
    }
}
