//! Comparison of object keys.

use std::collections::HashMap;

use contract_model::{Json, Object, Text};

use crate::at::At;
use crate::at::Step;
use crate::mismatch::{Explanation, MismatchKind};
use crate::rule::CheckedRule;
use crate::rule::each_key::EachKey;
use crate::sink::Sink;

/// Maximum size of an object that is scanned linearly. Larger objects are indexed.
const SCANNED: usize = 16;

/// Looks up members. Each search continues after the previous match, because expected and actual objects usually have
/// the same order.
pub(super) struct Lookup<'a> {
    members: &'a [(Text, Json)],
    next: usize,
    index: Option<HashMap<&'a str, &'a Json>>,
}

impl<'a> Lookup<'a> {
    pub(super) fn new(object: &'a Object) -> Self {
        Self {
            members: object.members(),
            next: 0,
            index: None,
        }
    }

    pub(super) fn get(&mut self, key: &str) -> Option<&'a Json> {
        if let Some((name, value)) = self.members.get(self.next)
            && name == key
        {
            self.next += 1;
            return Some(value);
        }
        if self.members.len() <= SCANNED {
            let at = self.members.iter().position(|(name, _)| name == key)?;
            self.next = at + 1;
            return Some(&self.members[at].1);
        }
        let members = self.members;
        let index = self
            .index
            .get_or_insert_with(|| members.iter().map(|(name, value)| (name.as_str(), value)).collect());
        index.get(key).copied()
    }
}

/// Compares the keys of two objects. In strict mode, additional keys in the actual object are mismatches.
pub(super) fn keys(
    expected: &Object,
    actual: &Object,
    strict: bool,
    rule: Option<&CheckedRule>,
    at: &At<'_>,
    sink: &mut Sink,
) {
    let absent = |from: &Object, reference: &Object| {
        let mut lookup = Lookup::new(reference);
        from.keys()
            .filter(|key| lookup.get(key).is_none())
            .cloned()
            .collect::<Vec<_>>()
    };
    let missing = absent(expected, actual);
    let surplus = strict && actual.len() + missing.len() != expected.len();
    if missing.is_empty() && !surplus {
        return;
    }
    let mismatch = || {
        let unexpected = if surplus { absent(actual, expected) } else { Vec::new() };
        let kind = MismatchKind::Keys {
            missing,
            unexpected,
            exact: strict,
        };
        let mismatch = at.mismatch(kind).expected(expected.clone()).actual(actual.clone());
        match rule {
            Some(checked) if strict => mismatch.rule(&checked.rule),
            _ => mismatch,
        }
    };
    sink.add_explained(mismatch, || Some(Explanation::Keys));
}

pub(super) fn each_key(rule: &EachKey, actual: &Object, at: &At<'_>, sink: &mut Sink) {
    for key in actual.keys() {
        if sink.is_done() {
            return;
        }
        for (checked, kind) in rule.failures(key) {
            sink.add(|| {
                let mismatch = at.then(Step::Key(key)).mismatch(kind).rule(&checked.rule);
                let mismatch = mismatch.actual(Json::String(key.clone()));
                let mismatch = mismatch.explain(Explanation::Key);
                match &rule.example {
                    Some(example) => mismatch.expected(example.clone()),
                    None => mismatch,
                }
            });
        }
    }
}
