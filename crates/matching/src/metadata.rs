//! Comparison of message metadata. All expected entries must be present. Additional entries are ignored.

use contract_model::{ContentType, Json, Message, Object, PathExpression, Rules, Text};

use crate::at::At;
use crate::body::json::Walk;
use crate::error::PlanError;
use crate::mismatch::{Location, Mismatch, MismatchKind};
use crate::names::{Case, NamedChecks, NamedRules};
use crate::rule::{Check, CheckedRule, Scopes, Verdict};
use crate::sink::Sink;

#[derive(Debug)]
pub(crate) struct MetadataPlan(Vec<EntryPlan>);

#[derive(Debug)]
struct EntryPlan {
    key: Text,
    expected: Json,
    checks: NamedChecks,
    /// The rules for values inside an object or array. `None` if the entry has no rules or a single value.
    inside: Option<Scopes>,
}

impl MetadataPlan {
    pub(crate) fn new(metadata: &Object, rules: &Rules) -> Result<Self, PlanError> {
        let rules = NamedRules::new(&rules.metadata, Case::Matters);
        metadata
            .iter()
            .map(|(key, expected)| {
                let invalid = |key: &str, problem| PlanError::new(format!("metadata {key}"), problem);
                let checks = rules.checks(key).map_err(|(key, problem)| invalid(&key, problem))?;
                let is_container = matches!(expected, Json::Object(_) | Json::Array(_));
                let own = checks.all.as_ref().filter(|_| is_container);
                let inside = own.map(|checks| Scopes::of_value(checks)).transpose();
                Ok(EntryPlan {
                    key: key.clone(),
                    expected: expected.clone(),
                    inside: inside.map_err(|problem| invalid(key, problem))?,
                    checks,
                })
            })
            .collect::<Result<_, _>>()
            .map(Self)
    }

    /// Returns true if a rule applies to the content type in the metadata and accepts the actual value.
    pub(crate) fn accepts_content_type(&self, actual: &Object) -> bool {
        self.0.iter().any(|entry| {
            let mut sink = Sink::collecting();
            let value = actual
                .get(&entry.key)
                .filter(|_| entry.is_content_type() && entry.checks.all.is_some());
            value.is_some_and(|value| {
                entry.compare(value, &mut sink);
                sink.mismatches.is_empty()
            })
        })
    }

    pub(crate) fn compare(&self, actual: &Object, sink: &mut Sink) {
        for entry in &self.0 {
            match actual.get(&entry.key) {
                Some(actual) => entry.compare(actual, sink),
                None => sink.add(|| {
                    let at = entry.at(PathExpression::default());
                    Mismatch::new(at, MismatchKind::Missing).expected(entry.expected.clone())
                }),
            }
        }
    }
}

impl EntryPlan {
    fn at(&self, path: PathExpression) -> Location {
        let key = self.key.clone();
        Location::Metadata { key, path }
    }

    fn compare(&self, actual: &Json, sink: &mut Sink) {
        if let Some(rules) = &self.inside {
            return self.compare_inside(rules, actual, sink);
        }
        let difference = |kind| {
            Mismatch::new(self.at(PathExpression::default()), kind)
                .expected(self.expected.clone())
                .actual(actual.clone())
        };
        let Some(checks) = &self.checks.all else {
            if !self.same(actual) {
                sink.add(|| difference(MismatchKind::NotEqual));
            }
            return;
        };
        for (checked, kind) in checks.failures(false, |checked| self.check(checked, actual)) {
            sink.add(|| difference(kind).rule(&checked.rule));
        }
    }

    /// Compares the value of an entry like a JSON body. Additional members are allowed.
    fn compare_inside(&self, rules: &Scopes, actual: &Json, sink: &mut Sink) {
        let mut found = sink.new_like();
        Walk { strict: false }.compare(rules.root(), &self.expected, actual, &At::ROOT, &mut found);
        for mismatch in &mut found.mismatches {
            let path = mismatch.at.path().map(std::borrow::Cow::into_owned);
            mismatch.at = self.at(path.unwrap_or_default());
        }
        sink.append(found);
    }

    /// Checks a value. Strings are interpreted as in a header, so `"12"` is an integer. Other values are interpreted as
    /// JSON.
    fn check(&self, checked: &CheckedRule, actual: &Json) -> Verdict {
        match (&self.expected, actual) {
            (Json::String(expected), Json::String(actual)) if !matches!(checked.check, Check::Values) => {
                checked.text(expected, actual)
            }
            (expected, actual) => checked.scalar(expected, actual),
        }
    }

    fn is_content_type(&self) -> bool {
        Message::is_content_type(&self.key)
    }

    fn same(&self, actual: &Json) -> bool {
        match (&self.expected, actual) {
            (Json::String(expected), Json::String(actual)) if self.is_content_type() => {
                match (expected.parse::<ContentType>(), actual.parse::<ContentType>()) {
                    (Ok(expected), Ok(actual)) => expected.essence() == actual.essence() && expected.accepts(&actual),
                    _ => expected == actual,
                }
            }
            (expected, actual) => expected == actual,
        }
    }
}

#[cfg(test)]
mod tests {
    use contract_model::{Json, Message, SpecificationVersion};

    use crate::{ActualBody, ActualMessage, MessagePlan, Options};

    /// Checks the mismatches between an expected message and contents of this type with this metadata.
    #[track_caller]
    fn check(expected: &str, content_type: &str, metadata: &str, want: &[&str]) {
        let json = |text: &str| Json::parse(text.as_bytes()).unwrap();
        let (expected, _) = Message::read(&json(expected), SpecificationVersion::V4).unwrap();
        let actual = ActualMessage {
            contents: ActualBody::new(r#"{"a":1}"#, content_type.parse().ok()),
            metadata: json(metadata).as_object().unwrap().clone(),
        };
        let mismatches = MessagePlan::new(&expected, Options::LENIENT).unwrap().compare(&actual);
        let texts: Vec<_> = mismatches.iter().map(ToString::to_string).collect();
        assert_eq!(texts, want);
    }

    const JSON: &str = r#"{"contents": {"content": {"a": 1}, "contentType": "application/json"}}"#;

    #[test]
    fn message_types_are_compared_exactly() {
        check(JSON, "application/json; charset=utf-8", "{}", &[]);
        for other in ["application/vnd.a+json", "text/plain", "*/*"] {
            let text = format!("Expected a body of 'application/json' but the actual content type was '{other}'");
            check(JSON, other, "{}", &[&text]);
        }
        // No type is declared, and the contents look like JSON.
        check(JSON, "", "{}", &[]);
    }

    #[test]
    fn a_rule_for_the_type_takes_precedence() {
        let expected = r#"{"contents": {"content": {"a": 1}, "contentType": "application/json"},
            "metadata": {"contentType": "application/json"},
            "matchingRules": {"metadata": {"contentType": {"matchers": [{"match": "regex", "regex": "application/.*json"}]}}}}"#;
        let (vendor, text) = (
            r#"{"contentType": "application/vnd.a+json"}"#,
            r#"{"contentType": "text/plain"}"#,
        );
        check(expected, "application/vnd.a+json", vendor, &[]);
        check(
            expected,
            "text/plain",
            text,
            &[
                "Expected a body of 'application/json' but the actual content type was 'text/plain'",
                "Expected 'text/plain' to match 'application/.*json'",
            ],
        );
    }

    #[test]
    fn rules_apply_inside_objects_and_arrays() {
        let expected = r#"{"metadata": {"position": {"lat": 1.5, "tags": ["a"]}, "items": [1], "codes": {"a": 1}},
            "matchingRules": {"metadata": {"position": {"matchers": [{"match": "type"}]},
                "items": {"matchers": [{"match": "type", "min": 2}]},
                "codes": {"matchers": [{"match": "eachValue", "rules": [{"match": "integer"}]}]}}}}"#;
        check(
            expected,
            "",
            r#"{"position": {"lat": 2.5, "tags": ["b", "c"], "more": 1}, "items": [3, 4], "codes": {"b": 5}}"#,
            &[],
        );
        check(
            expected,
            "",
            r#"{"position": {"tags": [7]}, "items": [3], "codes": {"b": "c"}}"#,
            &[
                "Actual map is missing the following keys: lat",
                "Expected 7 (Integer) to be the same type as 'a' (String)",
                "Expected [3] (size 1) to have minimum size of 2",
                "Expected 'c' (String) to be an integer",
            ],
        );
        check(
            expected,
            "",
            r#"{"position": [], "items": [3, 4], "codes": {}}"#,
            &["Type mismatch: Expected [] (Array) to be the same type as {\"lat\":1.5,\"tags\":[\"a\"]} (Object)"],
        );
    }

    #[test]
    fn ignores_unexpected_metadata() {
        let expected = r#"{"metadata": {"topic": "orders", "nothing": null, "list": [1]}}"#;
        check(
            expected,
            "",
            r#"{"topic": "orders", "nothing": null, "list": [1], "more": 1}"#,
            &[],
        );
        check(
            expected,
            "",
            r#"{"topic": "Orders", "nothing": "", "Topic": 1}"#,
            &[
                "Expected metadata key 'topic' to have value 'orders' but was 'Orders'",
                "Expected metadata key 'nothing' to have value null but was ''",
                "Expected message metadata 'list' with value [1] but was missing",
            ],
        );
    }
}
