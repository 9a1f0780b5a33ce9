//! Infers matching rules for JSON bodies from samples.

use std::collections::BTreeSet;

use contract_model::{Json, NumberKind, Object, PathExpression, PathRules, PathToken, Rule, RuleList, Text, is_secret};

use crate::head::{has_credential, regex};
use crate::text::TextKind;

/// The example value that replaces a credential.
const PLACEHOLDER: &str = "redacted";

/// Maximum number of samples that are compared for one value.
const SAMPLES: usize = 1000;

/// The rules that were inferred for a body.
#[derive(Default)]
pub(crate) struct Inferred {
    pub(crate) rules: PathRules,
    /// Pairs of a location, such as `$.id`, and the description of what was inferred there.
    pub(crate) guesses: Vec<(String, String)>,
    /// Names of the members whose values were replaced, because they may be credentials.
    pub(crate) omitted: BTreeSet<String>,
}

/// Why a value is left out: the samples do not show what the provider guarantees.
struct Unclear(&'static str);

/// Infers the example and the rules of a body. `keeps_everything` is true for request bodies: optional members are
/// kept, because the verifier sends the body to the provider.
pub(crate) fn infer_body(samples: &[&Json], keeps_everything: bool) -> (Json, Inferred) {
    let mut walk = Walk {
        inferred: Inferred::default(),
        keeps_everything,
    };
    let samples = &samples[..samples.len().min(SAMPLES)];
    let example = match walk.value(samples, &PathExpression::root(), false) {
        Ok(example) => example,
        Err(Unclear(reason)) => {
            walk.guess(&PathExpression::root(), reason);
            samples.first().copied().cloned().unwrap_or_default()
        }
    };
    (example, walk.inferred)
}

struct Walk {
    inferred: Inferred,
    keeps_everything: bool,
}

impl Walk {
    fn guess(&mut self, at: &PathExpression, rule: impl Into<String>) {
        self.inferred.guesses.push((at.to_string(), rule.into()));
    }

    fn rule(&mut self, at: &PathExpression, list: RuleList, description: &str) {
        self.inferred.rules.insert(at.clone(), list);
        self.guess(at, description);
    }

    /// Infers the rules for the value at the path `at`, and returns the example. `is_secret` is true if the name of the
    /// member suggests that its value is a secret.
    fn value(&mut self, samples: &[&Json], at: &PathExpression, is_secret: bool) -> Result<Json, Unclear> {
        let nulls = samples.iter().filter(|sample| sample.is_null()).count();
        if nulls > 0 {
            return match self.keeps_everything {
                true if nulls == samples.len() => Ok(Json::Null),
                _ if nulls == samples.len() => Err(Unclear("left out, because it is null")),
                _ => Err(Unclear("left out, because it is sometimes null")),
            };
        }
        let objects: Vec<&Object> = samples.iter().filter_map(|sample| sample.as_object()).collect();
        if objects.len() == samples.len() {
            return Ok(self.object(&objects, at, is_secret));
        }
        let arrays: Vec<&[Json]> = samples.iter().filter_map(|sample| sample.as_array()).collect();
        if arrays.len() == samples.len() {
            return Ok(self.array(&arrays, at, is_secret));
        }
        let kind = samples.first().map(|sample| sample.kind());
        if !samples.iter().all(|sample| Some(sample.kind()) == kind) {
            return Err(Unclear("left out, because its type varies"));
        }
        Ok(self.scalar(samples, at, is_secret))
    }

    fn object(&mut self, samples: &[&Object], at: &PathExpression, in_secret: bool) -> Json {
        let mut example = Object::new();
        if has_variable_names(samples) {
            self.map(samples, at, in_secret, &mut example);
            return example.into();
        }
        let mut names: Vec<&Text> = Vec::new();
        let mut seen = BTreeSet::new();
        for name in samples.iter().flat_map(|sample| sample.keys()) {
            if seen.insert(name.as_str()) {
                names.push(name);
            }
        }
        for name in names {
            let below = at.join(PathToken::Key(name.clone()));
            let values: Vec<&Json> = samples.iter().filter_map(|sample| sample.get(name)).collect();
            if values.len() < samples.len() && !self.keeps_everything {
                self.guess(&below, "left out, because it is sometimes missing");
                continue;
            }
            let secret = in_secret || is_secret(name);
            if secret {
                self.inferred.omitted.insert(name.to_string());
            }
            match self.value(&values, &below, secret) {
                Ok(value) => {
                    example.insert(name.clone(), value);
                }
                Err(Unclear(reason)) => self.guess(&below, reason),
            }
        }
        example.into()
    }

    /// Infers the rules for an object whose member names are IDs. The values of all members are samples of one
    /// structure.
    fn map(&mut self, samples: &[&Object], at: &PathExpression, in_secret: bool, example: &mut Object) {
        let values: Vec<&Json> = samples
            .iter()
            .flat_map(|sample| sample.iter().map(|(_, value)| value))
            .take(SAMPLES)
            .collect();
        self.rule(at, RuleList::single(Rule::Values), "any names, values like the example");
        let first = samples.iter().find_map(|sample| sample.keys().next().cloned());
        if let (Some(name), Ok(value)) = (first, self.value(&values, &at.join(PathToken::AnyKey), in_secret)) {
            example.insert(name, value);
        }
    }

    fn array(&mut self, samples: &[&[Json]], at: &PathExpression, in_secret: bool) -> Json {
        let items: Vec<&Json> = samples.iter().flat_map(|sample| sample.iter()).take(SAMPLES).collect();
        let is_sometimes_empty = samples.iter().any(|sample| sample.is_empty());
        let list = |min| RuleList::single(Rule::Type { min, max: None });
        if items.is_empty() {
            self.rule(at, list(None), "any array");
            return Json::Array(Vec::new());
        }
        let before = self.inferred.guesses.len();
        let rules_before = self.inferred.rules.clone();
        let Ok(item) = self.value(&items, &at.join(PathToken::AnyIndex), in_secret) else {
            self.inferred.rules = rules_before;
            self.inferred.guesses.truncate(before);
            self.rule(at, list(None), "any array, because its items differ");
            return Json::Array(Vec::new());
        };
        let (min, description) = if is_sometimes_empty {
            (None, "an array of items like the example")
        } else {
            (Some(1), "an array of at least one item like the example")
        };
        self.inferred.rules.insert(at.clone(), list(min));
        let guess = (at.to_string(), description.to_owned());
        self.inferred.guesses.insert(before, guess);
        vec![item].into()
    }

    fn scalar(&mut self, samples: &[&Json], at: &PathExpression, is_secret: bool) -> Json {
        let example = samples.first().copied().cloned().unwrap_or_default();
        let any = RuleList::single(Rule::Type { min: None, max: None });
        match &example {
            Json::Number(_) => {
                let is_integer =
                    |sample: &&&Json| matches!(sample, Json::Number(number) if number.kind() == NumberKind::Integer);
                let integers = samples.iter().filter(is_integer).count();
                if integers == samples.len() {
                    self.rule(at, RuleList::single(Rule::Integer), "an integer");
                } else {
                    // JavaScript writes 10.0 as 10, so a decimal number may look like an integer.
                    self.rule(at, RuleList::single(Rule::Number), "a number");
                }
                if is_secret { Json::from(1_u64) } else { example }
            }
            Json::Bool(_) => {
                self.rule(at, any, "true or false");
                example
            }
            Json::String(_) => {
                let mut texts = samples.iter().filter_map(|sample| sample.as_str());
                if is_secret || texts.clone().any(has_credential) {
                    if let Some(PathToken::Key(name)) = at.tokens().last() {
                        self.inferred.omitted.insert(name.to_string());
                    }
                    self.rule(at, any, "a string (the value was removed)");
                    return PLACEHOLDER.into();
                }
                let kind = texts.next().and_then(TextKind::detect);
                match kind.filter(|kind| texts.all(|text| TextKind::detect(text) == Some(*kind))) {
                    Some(kind) => {
                        let name = match kind {
                            TextKind::Uuid => "a UUID",
                            TextKind::Date => "a date",
                            TextKind::DateTime(_) => "a date and time",
                            _ => "a time of day",
                        };
                        self.rule(at, regex(kind.pattern()), name);
                    }
                    None => self.rule(at, any, "a string"),
                }
                example
            }
            _ => example,
        }
    }
}

/// Returns true if the objects have members and all of their names are numbers or UUIDs.
fn has_variable_names(samples: &[&Object]) -> bool {
    let mut names = samples.iter().flat_map(|sample| sample.keys()).peekable();
    names.peek().is_some()
        && names.all(|name| matches!(TextKind::of_segment(name), Some(TextKind::Digits | TextKind::Uuid)))
}

/// Describes the structure of a value. Requests whose bodies have different structures become different interactions.
pub(crate) fn shape(value: &Json) -> String {
    match value {
        Json::Null => "null".to_owned(),
        Json::Bool(_) => "bool".to_owned(),
        Json::Number(_) => "number".to_owned(),
        Json::String(_) => "string".to_owned(),
        Json::Array(items) => {
            let shapes: BTreeSet<String> = items.iter().map(shape).collect();
            format!("[{}]", shapes.into_iter().collect::<Vec<_>>().join("|"))
        }
        Json::Object(members) => {
            let mut shapes: Vec<String> = members
                .iter()
                .map(|(name, value)| format!("{name:?}:{}", shape(value)))
                .collect();
            shapes.sort_unstable();
            format!("{{{}}}", shapes.join(","))
        }
    }
}

#[cfg(test)]
mod tests {
    use contract_model::Json;

    use super::{infer_body, shape};

    fn json(text: &str) -> Json {
        Json::parse(text.as_bytes()).unwrap()
    }

    #[track_caller]
    fn check(samples: &[&str], example: &str, guesses: &[(&str, &str)]) {
        let samples: Vec<Json> = samples.iter().map(|text| json(text)).collect();
        let (found, inferred) = infer_body(&samples.iter().collect::<Vec<_>>(), false);
        assert_eq!(found.to_text(), json(example).to_text());
        let found: Vec<_> = inferred
            .guesses
            .iter()
            .map(|(at, rule)| (at.as_str(), rule.as_str()))
            .collect();
        assert_eq!(found, guesses);
    }

    #[test]
    fn scalars_have_rules_for_their_kinds() {
        check(
            &[
                r#"{"id": 7, "price": 1.5, "open": true, "name": "tea", "at": "2026-11-24T17:00:00Z", "day": "2026-11-24",
                "key": "7d44b1f9-6f0f-4b3e-9f0a-2f7f3c6a9d10"}"#,
            ],
            r#"{"id": 7, "price": 1.5, "open": true, "name": "tea", "at": "2026-11-24T17:00:00Z", "day": "2026-11-24",
                "key": "7d44b1f9-6f0f-4b3e-9f0a-2f7f3c6a9d10"}"#,
            &[
                ("$.id", "an integer"),
                ("$.price", "a number"),
                ("$.open", "true or false"),
                ("$.name", "a string"),
                ("$.at", "a date and time"),
                ("$.day", "a date"),
                ("$.key", "a UUID"),
            ],
        );
    }

    #[test]
    fn arrays_are_merged_into_one_item() {
        check(
            &[r#"[{"id": 1, "note": "x"}, {"id": 2.5}]"#],
            r#"[{"id": 1}]"#,
            &[
                ("$", "an array of at least one item like the example"),
                ("$[*].id", "a number"),
                ("$[*].note", "left out, because it is sometimes missing"),
            ],
        );
        check(
            &["[]", "[1]"],
            "[1]",
            &[("$", "an array of items like the example"), ("$[*]", "an integer")],
        );
        check(&["[]"], "[]", &[("$", "any array")]);
        check(&[r#"[1, "a"]"#], "[]", &[("$", "any array, because its items differ")]);
    }

    #[test]
    fn what_samples_do_not_show_is_left_out() {
        check(
            &[
                r#"{"a": 1, "b": null, "c": 1, "d": 2}"#,
                r#"{"a": 2, "b": null, "c": "x"}"#,
            ],
            r#"{"a": 1}"#,
            &[
                ("$.a", "an integer"),
                ("$.b", "left out, because it is null"),
                ("$.c", "left out, because its type varies"),
                ("$.d", "left out, because it is sometimes missing"),
            ],
        );
    }

    #[test]
    fn credentials_are_replaced() {
        let secret = json(
            r#"{"password": "hunter2", "nested": {"access_token": "abcdef"}, "pin": {"secret": [1234]},
            "note": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl"}"#,
        );
        for keeps_everything in [true, false] {
            let (example, inferred) = infer_body(&[&secret], keeps_everything);
            let text = example.to_text();
            for value in ["hunter2", "abcdef", "1234", "eyJ"] {
                assert!(!text.contains(value), "{text}");
            }
            assert!(inferred.omitted.contains("password") && inferred.omitted.contains("note"));
        }
    }

    #[test]
    fn objects_with_identifiers_as_names_are_maps() {
        check(
            &[r#"{"7": {"n": 1}, "8": {"n": 2}}"#],
            r#"{"7": {"n": 1}}"#,
            &[("$", "any names, values like the example"), ("$.*.n", "an integer")],
        );
    }

    #[test]
    fn shapes_ignore_values_and_the_order_of_members() {
        assert_eq!(
            shape(&json(r#"{"a": 1, "b": [1, 2]}"#)),
            shape(&json(r#"{"b": [3], "a": 2}"#))
        );
        assert_ne!(shape(&json(r#"{"a": 1}"#)), shape(&json(r#"{"a": "1"}"#)));
    }
}
