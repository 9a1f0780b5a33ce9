//! Headers, query parameters, and metadata: values by name, in insertion order.

use std::collections::BTreeMap;

use contract_model::{Generator, RuleList, Text};

use super::value::Value;
use contract_call::error::ArgumentError;

/// Values by name. With `ignore_case`, names that differ only in case are equal, as for header names (RFC 9110).
/// Repeated calls add further values.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct ValuesByName {
    entries: Vec<(Text, Vec<Value>)>,
    ignore_case: bool,
}

impl ValuesByName {
    pub(super) fn case_insensitive() -> Self {
        Self {
            entries: Vec::new(),
            ignore_case: true,
        }
    }

    fn find(&self, name: &str) -> Option<usize> {
        let is_same = |key: &Text| key == name || (self.ignore_case && key.eq_ignore_ascii_case(name));
        self.entries.iter().position(|(key, _)| is_same(key))
    }

    pub(super) fn append(&mut self, name: &str, values: Vec<Value>) {
        match self.find(name) {
            Some(at) => self.entries[at].1.extend(values),
            None => self.entries.push((name.into(), values)),
        }
    }

    pub(super) fn append_all(&mut self, all: Vec<(Text, Vec<Value>)>) {
        for (name, values) in all {
            self.append(&name, values);
        }
    }

    pub(super) fn set(&mut self, name: &str, values: Vec<Value>) {
        match self.find(name) {
            Some(at) => self.entries[at].1 = values,
            None => self.entries.push((name.into(), values)),
        }
    }

    pub(super) fn remove(&mut self, name: &str) {
        self.entries.retain(|(key, _)| key != name);
    }

    pub(super) fn get(&self, name: &str) -> Option<&[Value]> {
        self.find(name).map(|at| self.entries[at].1.as_slice())
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&Text, &[Value])> {
        self.entries.iter().map(|(name, values)| (name, values.as_slice()))
    }

    /// Returns rules and generators by name. A rule that all values of a name share is stored under `name`; any other
    /// rule is stored under `name[0]`, `name[1]`, and so on.
    pub(super) fn rules(&self) -> (BTreeMap<Text, RuleList>, BTreeMap<Text, Generator>) {
        self.rules_by_key(|name, index| match index {
            Some(index) => format!("{name}[{index}]").into(),
            None => name.clone(),
        })
    }

    /// Like [`Self::rules`], but calls `key` with the name and the index to create each key.
    pub(super) fn rules_by_key<K: Ord>(
        &self,
        key: impl Fn(&Text, Option<usize>) -> K,
    ) -> (BTreeMap<K, RuleList>, BTreeMap<K, Generator>) {
        let (mut rules, mut generators) = (BTreeMap::new(), BTreeMap::new());
        for (name, values) in &self.entries {
            let key = |index| key(name, index);
            collect_shared(key, values.iter().map(|value| value.rules.as_ref()), &mut rules);
            collect_shared(
                key,
                values.iter().map(|value| value.generator.as_ref()),
                &mut generators,
            );
        }
        (rules, generators)
    }

    /// Returns true if the values of this name have different rules.
    pub(super) fn has_different_rules(&self, name: &str) -> bool {
        let values = self.get(name).unwrap_or_default();
        values.iter().any(|value| value.rules != values[0].rules)
    }

    /// Adds the values of all names that do not exist yet.
    pub(super) fn add_missing(&mut self, more: &Self) {
        for (name, values) in &more.entries {
            if self.find(name).is_none() {
                self.entries.push((name.clone(), values.clone()));
            }
        }
    }

    pub(super) fn texts(&self, code: &'static str) -> Result<Vec<(Text, Vec<Text>)>, ArgumentError> {
        self.iter()
            .map(|(name, values)| {
                let texts = values.iter().map(|value| value.text(code)).collect::<Result<_, _>>();
                texts
                    .map(|texts| (name.clone(), texts))
                    .map_err(|error| error.within(name))
            })
            .collect()
    }
}

fn collect_shared<'a, K: Ord, T: Clone + PartialEq + 'a>(
    key: impl Fn(Option<usize>) -> K,
    values: impl Iterator<Item = Option<&'a T>>,
    into: &mut BTreeMap<K, T>,
) {
    let all: Vec<_> = values.collect();
    if let Some(Some(first)) = all.first()
        && all.iter().all(|other| *other == Some(first))
    {
        into.insert(key(None), (*first).clone());
        return;
    }
    for (index, value) in all.into_iter().enumerate() {
        if let Some(value) = value {
            into.insert(key(Some(index)), value.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Value, ValuesByName};
    use contract_model::{Rule, RuleList};

    fn ruled(rule: Rule) -> Value {
        Value {
            rules: Some(RuleList::single(rule)),
            ..Value::literal("a")
        }
    }

    fn keys(values: Vec<Value>) -> Vec<String> {
        let mut named = ValuesByName::case_insensitive();
        named.append("X", values);
        named.rules().0.keys().map(ToString::to_string).collect()
    }

    #[test]
    fn shared_rules_have_the_name_as_key() {
        assert_eq!(keys(vec![ruled(Rule::Integer)]), ["X"]);
        assert_eq!(keys(vec![ruled(Rule::Integer), ruled(Rule::Integer)]), ["X"]);
        assert_eq!(keys(vec![ruled(Rule::Integer), Value::literal("b")]), ["X[0]"]);
        assert_eq!(
            keys(vec![Value::literal("b"), ruled(Rule::Integer), ruled(Rule::Number)]),
            ["X[1]", "X[2]"]
        );
    }

    #[test]
    fn header_names_are_case_insensitive() {
        let mut named = ValuesByName::case_insensitive();
        for name in ["X-A", "x-a", "X-A"] {
            named.append(name, vec![Value::literal("1")]);
        }
        let lengths = |named: &ValuesByName| named.iter().map(|(_, values)| values.len()).collect::<Vec<_>>();
        assert_eq!(lengths(&named), [3]);
        named.set("x-A", vec![Value::literal("2")]);
        assert_eq!(lengths(&named), [1]);
    }
}
