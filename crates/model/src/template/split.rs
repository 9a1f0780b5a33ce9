//! Splits templates into examples, matching rules, and generators.

use std::collections::BTreeMap;

use super::error::{TemplateError, TemplateErrorKind as Kind};
use crate::place::Place;
use crate::{Combine, Generator, Json, MAX_DEPTH, Object, PathExpression, PathRules, PathToken, RuleList};

const MATCHER: [&str; 2] = ["contract:matcher:type", "pact:matcher:type"];
const GENERATOR: [&str; 2] = ["contract:generator:type", "pact:generator:type"];
/// Reserved prefixes of keys. Unknown keys with these prefixes are rejected, so that misspelled keys do not become part
/// of a body.
const OURS: [&str; 4] = [
    "contract:matcher",
    "contract:generator",
    "pact:matcher",
    "pact:generator",
];

/// The result so far and the current path.
#[derive(Default)]
pub(super) struct Splitter {
    pub(super) rules: PathRules,
    pub(super) generators: BTreeMap<PathExpression, Generator>,
    pub(super) needs: Vec<(PathExpression, Generator)>,
    pub(super) path: PathExpression,
    pub(super) depth: usize,
}

/// Determines how paths refer to the items and members of a value. The value of a matcher may describe all items.
#[derive(Clone, Copy, Default)]
pub(super) struct Below {
    /// True if items are written as `[*]`.
    pub(super) any_index: bool,
    /// True if members are written as `.*`.
    pub(super) any_key: bool,
}

impl Splitter {
    /// Returns the example of a template. Collects its rules and generators.
    pub(super) fn value(&mut self, template: &Json, place: &Place, below: Below) -> Result<Json, TemplateError> {
        if self.depth >= MAX_DEPTH {
            return Err(error(place, Kind::TooDeep));
        }
        self.depth += 1;
        let example = match template {
            Json::Array(items) => self.items(items, place, below),
            Json::Object(object) => self.object(object, place, below),
            scalar => Ok(scalar.clone()),
        };
        self.depth -= 1;
        example
    }

    fn items(&mut self, items: &[Json], place: &Place, below: Below) -> Result<Json, TemplateError> {
        let mut examples = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            let token = if below.any_index {
                PathToken::AnyIndex
            } else {
                PathToken::Index(index)
            };
            examples.push(self.step(token, item, &place.index(index))?);
        }
        Ok(Json::Array(examples))
    }

    fn object(&mut self, object: &Object, place: &Place, below: Below) -> Result<Json, TemplateError> {
        let kinds = (member(object, &MATCHER), member(object, &GENERATOR));
        if let Some(name) = object.keys().find(|name| is_misspelt(name)) {
            return Err(error(&place.key(name), Kind::UnknownKey(name.to_string())));
        }
        if let (None, None) = kinds {
            let mut examples = Vec::with_capacity(object.len());
            for (name, value) in object {
                let token = if below.any_key {
                    PathToken::AnyKey
                } else {
                    PathToken::Key(name.clone())
                };
                examples.push((name.clone(), self.step(token, value, &place.key(name))?));
            }
            return Ok(Object::from_distinct(examples).into());
        }
        self.matcher(object, kinds.0, kinds.1, place)
    }

    fn step(&mut self, token: PathToken, template: &Json, place: &Place) -> Result<Json, TemplateError> {
        self.path.push(token);
        let example = self.value(template, place, Below::default());
        self.path.pop();
        example
    }

    /// Adds rules at the current path. All rules at one path must match. Duplicate lists, such as those of array items,
    /// are merged.
    pub(super) fn add_rules(&mut self, list: RuleList, place: &Place) -> Result<(), TemplateError> {
        join_rules(self.rules.entry(self.path.clone()).or_default(), list).map_err(|kind| error(place, kind))
    }
}

pub(super) fn join_rules(into: &mut RuleList, mut list: RuleList) -> Result<(), Kind> {
    if list.rules.len() == 1 {
        list.combine = Combine::And;
    }
    if into.rules.is_empty() {
        *into = list;
        return Ok(());
    }
    if *into == list {
        return Ok(());
    }
    if into.combine == Combine::Or || list.combine == Combine::Or {
        return Err(Kind::CombineConflict);
    }
    for rule in list.rules {
        if !into.rules.contains(&rule) {
            into.rules.push(rule);
        }
    }
    Ok(())
}

pub(super) fn error(place: &Place, kind: Kind) -> TemplateError {
    TemplateError {
        at: place.to_string(),
        kind,
    }
}

fn member<'a>(object: &'a Object, names: &[&str]) -> Option<&'a Json> {
    names.iter().find_map(|name| object.get(name))
}

pub(super) fn matcher_type(object: &Object) -> Option<&Json> {
    member(object, &MATCHER)
}

pub(super) fn generator_type(object: &Object) -> Option<&Json> {
    member(object, &GENERATOR)
}

fn is_misspelt(name: &str) -> bool {
    OURS.iter().any(|ours| name.starts_with(ours)) && !MATCHER.contains(&name) && !GENERATOR.contains(&name)
}
