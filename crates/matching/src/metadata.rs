//! Message metadata: what the consumer named must be there, the rest is ignored.

use contract_model::{ContentType, Json, Message, Object, Rules, Text};

use crate::check::{Check, CheckedRule};
use crate::mismatch::{Location, Mismatch, MismatchKind};
use crate::names::{Case, NamedChecks};
use crate::plan::PlanError;
use crate::sink::Sink;

/// The metadata that a contract names, ready to compare.
#[derive(Debug)]
pub(crate) struct MetadataPlan(Vec<EntryPlan>);

#[derive(Debug)]
struct EntryPlan {
    key: Text,
    expected: Json,
    checks: NamedChecks,
}

impl MetadataPlan {
    pub(crate) fn new(metadata: &Object, rules: &Rules) -> Result<Self, PlanError> {
        metadata
            .iter()
            .map(|(key, expected)| {
                let checks = NamedChecks::new(&rules.metadata, key, Case::Matters)
                    .map_err(|(key, problem)| PlanError::new(format!("metadata {key}"), problem))?;
                Ok(EntryPlan {
                    key: key.clone(),
                    expected: expected.clone(),
                    checks,
                })
            })
            .collect::<Result<_, _>>()
            .map(Self)
    }

    /// Whether a rule on the content type accepts the one that came.
    pub(crate) fn accepts_content_type(&self, actual: &Object) -> bool {
        self.0.iter().any(|entry| {
            let mut sink = Sink::collecting();
            let value = actual
                .get(&entry.key)
                .filter(|_| entry.is_content_type() && entry.checks.all.is_some());
            value.is_some_and(|value| {
                entry.compare(value, &|| Location::Metadata(entry.key.clone()), &mut sink);
                sink.mismatches.is_empty()
            })
        })
    }

    pub(crate) fn compare(&self, actual: &Object, sink: &mut Sink) {
        for entry in &self.0 {
            let at = || Location::Metadata(entry.key.clone());
            match actual.get(&entry.key) {
                Some(actual) => entry.compare(actual, &at, sink),
                None => sink.add(|| Mismatch::new(at(), MismatchKind::Missing).expected(entry.expected.clone())),
            }
        }
    }
}

impl EntryPlan {
    fn compare(&self, actual: &Json, at: &impl Fn() -> Location, sink: &mut Sink) {
        let difference = |kind| {
            Mismatch::new(at(), kind)
                .expected(self.expected.clone())
                .actual(actual.clone())
        };
        let Some(checks) = &self.checks.all else {
            if !self.same(actual) {
                sink.add(|| difference(MismatchKind::NotEqual));
            }
            return;
        };
        let failures: Vec<_> = checks
            .list
            .iter()
            .filter_map(|checked| self.check(checked, actual).err().map(|kind| (checked, kind)))
            .collect();
        if checks.combine == contract_model::Combine::Or && failures.len() < checks.list.len() {
            return;
        }
        for (checked, kind) in failures {
            sink.add(|| difference(kind).rule(&checked.rule));
        }
    }

    /// A text stands for what it says, as in a header: `"12"` is an integer. Other values are JSON.
    fn check(&self, checked: &CheckedRule, actual: &Json) -> Result<(), MismatchKind> {
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
