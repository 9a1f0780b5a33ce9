//! Finds the rules that apply to a place in the body.
//!
//! Each candidate is checked against the compiled rules later. Therefore, a wrong result here can cause missing
//! variants, but never an answer that the contract does not allow.

use contract_model::{Combine, PathExpression, PathRules, PathToken, Rule, RuleList};

use crate::settings::{is_prefix, step_matches};

#[derive(Debug)]
pub(crate) struct BodyRules(Vec<(PathExpression, RuleList)>);

/// The rules that apply to a place, and their path.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Governing<'a> {
    pub(crate) list: &'a RuleList,
    pub(crate) path: &'a PathExpression,
}

impl BodyRules {
    pub(crate) fn new(rules: &PathRules) -> Self {
        let mut all: Vec<_> = rules.iter().map(|(path, list)| (path.clone(), list.clone())).collect();
        for (path, list) in rules {
            let definitions = list.rules.iter().filter_map(|rule| match rule {
                Rule::EachValue(definition) => Some(definition),
                _ => None,
            });
            for definition in definitions {
                let list = RuleList {
                    rules: definition.rules.clone(),
                    combine: Combine::And,
                };
                for step in [PathToken::AnyKey, PathToken::AnyIndex] {
                    all.push((path.join(step), list.clone()));
                }
            }
        }
        Self(all)
    }

    /// Returns the rules with the longest path that matches the place, or that matches one of its ancestors and
    /// contains a `type` rule. Returns `None` if there are none.
    pub(crate) fn governing(&self, path: &[PathToken]) -> Option<Governing<'_>> {
        let applies = self.0.iter().filter(|(pattern, list)| {
            is_prefix(pattern.tokens(), path)
                && (pattern.tokens().len() == path.len()
                    || list.rules.iter().any(|rule| matches!(rule, Rule::Type { .. })))
        });
        let best = applies.max_by_key(|(pattern, _)| {
            let tokens = pattern.tokens();
            let named = tokens
                .iter()
                .filter(|step| matches!(step, PathToken::Key(_) | PathToken::Index(_)));
            (tokens.len(), named.count())
        });
        best.map(|(path, list)| Governing { list, path })
    }

    /// Returns true if there are rules for the place or for one of its ancestors. Otherwise, the value must be equal to
    /// the example.
    pub(crate) fn may_vary(&self, path: &[PathToken]) -> bool {
        self.0.iter().any(|(pattern, _)| is_prefix(pattern.tokens(), path))
    }

    /// Returns the longest rule path that matches an ancestor of the place, or `None` if there is none.
    pub(crate) fn above(&self, path: &[PathToken]) -> Option<&PathExpression> {
        let above = self.0.iter().map(|(pattern, _)| pattern).filter(|pattern| {
            let tokens = pattern.tokens();
            tokens.len() < path.len()
                && tokens
                    .iter()
                    .zip(path)
                    .all(|(pattern, step)| step_matches(pattern, step))
        });
        above.max_by_key(|pattern| pattern.tokens().len())
    }
}
