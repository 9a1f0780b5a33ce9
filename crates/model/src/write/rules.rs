//! Writes matching rules and generators.

use std::collections::BTreeMap;

use super::{Loss, Writer, merge_unknown};
use crate::by_place::{Category, Slot};
use crate::{
    ByPlace, Combine, Generator, Generators, Json, Object, PathExpression, Rule, RuleList, Rules, SpecificationVersion,
    Text,
};

const NAME: &str = "matchingRules";

impl Writer<'_> {
    pub(super) fn rules(&mut self, rules: &Rules, object: &mut Object) {
        self.foreign_paths(rules.body.keys());
        let members = if rules.is_empty() {
            Object::new()
        } else if self.version < SpecificationVersion::V3 {
            self.flat(rules)
        } else {
            let version = self.version;
            // A name that starts with `$` would mark the whole object as the V2 format.
            self.categories(rules, |list| list.to_json_in(version), |name| name.starts_with('$'))
        };
        if members.is_empty() {
            return self.add_inside(NAME, None, overlay(&rules.unknown));
        }
        let mut members = Json::Object(members);
        if self.version >= SpecificationVersion::V3 {
            self.add_inside(NAME, Some(&mut members), overlay(&rules.unknown));
        }
        object.insert(NAME, members);
    }

    fn foreign_paths<'p>(&mut self, paths: impl Iterator<Item = &'p PathExpression>) {
        for path in paths.filter(|path| !path.is_portable()) {
            self.lost(Loss::ForeignPath {
                part: self.part,
                path: path.to_string(),
            });
        }
    }

    fn categories<V>(
        &mut self,
        all: &ByPlace<V>,
        to_json: impl Fn(&V) -> Json,
        is_taken: impl Fn(&str) -> bool,
    ) -> Object {
        let mut categories = Object::new();
        for category in Category::ALL {
            let name = category.name();
            match category.slot(all) {
                Slot::One(value) => {
                    if let Some(value) = value {
                        categories.insert(name, to_json(value));
                    }
                }
                Slot::Names(values) => insert_map(&mut categories, name, values, Clone::clone, &to_json),
                Slot::Paths(values) => {
                    insert_map(&mut categories, name, values, |path| path.to_string().into(), &to_json);
                }
            }
        }
        self.other_categories(&mut categories, &all.other, is_taken);
        categories
    }

    fn other_categories(&mut self, categories: &mut Object, other: &Object, is_taken: impl Fn(&str) -> bool) {
        for (name, value) in other {
            if is_taken(name) || Category::from_name(name).is_some() || value.is_null() {
                self.lost(Loss::Unknown { name: name.clone() });
            } else {
                categories.insert(name.clone(), value.clone());
            }
        }
    }

    /// Writes the V2 format, which supports one rule at each path.
    fn flat(&mut self, rules: &Rules) -> Object {
        let mut members = Vec::new();
        for category in Category::ALL {
            let unknown = rules.unknown.get(category.name());
            let place = match category {
                Category::Header => "$.headers".to_owned(),
                _ => format!("$.{}", category.name()),
            };
            match category.slot(rules) {
                Slot::One(list) => {
                    if let Some(list) = list {
                        self.flat_rule(place, list, unknown, &mut members);
                    }
                }
                Slot::Names(lists) => {
                    for (name, list) in lists {
                        let unknown = unknown.and_then(|unknown| unknown.get(name));
                        if !is_flat_name(name) {
                            self.lost(Loss::ForeignPath {
                                part: self.part,
                                path: named_place(&place, name),
                            });
                        }
                        self.flat_rule(named_place(&place, name), list, unknown, &mut members);
                    }
                }
                Slot::Paths(lists) => {
                    for (path, list) in lists {
                        let path = path.to_string();
                        let unknown = unknown.and_then(|unknown| unknown.get(&path));
                        self.flat_rule(format!("{place}{}", &path[1..]), list, unknown, &mut members);
                    }
                }
            }
        }
        let mut object = Object::from_distinct(members);
        for (name, value) in &rules.other {
            if name.starts_with('$') && !object.contains_key(name) && !value.is_null() {
                object.insert(name.clone(), value.clone());
            } else {
                self.lost(Loss::Unknown { name: name.clone() });
            }
        }
        object
    }

    /// Writes the first rule of a list. Merges its unknown members into it.
    fn flat_rule(&mut self, place: String, list: &RuleList, unknown: Option<&Json>, members: &mut Vec<(Text, Json)>) {
        let part = self.part;
        let Some(first) = list.rules.first() else {
            self.lost(Loss::NoRules { part, place });
            return;
        };
        if !matches!(first, Rule::Type { .. } | Rule::Regex(_)) {
            self.lost(Loss::NewerRule {
                part,
                rule: first.name().into(),
            });
        }
        let mut rule = first.to_json_in(self.version);
        if !unknown.is_none_or(|unknown| merge_unknown_flat(&mut rule, unknown)) {
            self.lost(Loss::Inside { part, name: NAME });
        }
        members.push((place.as_str().into(), rule));
        if list.rules.len() > 1 || list.combine == Combine::Or {
            self.lost(Loss::FurtherRules { part, place });
        }
    }

    pub(super) fn generators(&mut self, generators: &Generators, object: &mut Object) {
        let unknown = overlay(&generators.unknown);
        if generators.is_empty() {
            return self.add_inside("generators", None, unknown);
        }
        if self.version < SpecificationVersion::V3 {
            self.lost(Loss::Generators { part: self.part });
            return;
        }
        self.foreign_paths(generators.body.keys());
        let categories = self.categories(generators, Generator::to_json, |_| false);
        if categories.is_empty() {
            return self.add_inside("generators", None, unknown);
        }
        let mut categories = Json::Object(categories);
        self.add_inside("generators", Some(&mut categories), unknown);
        object.insert("generators", categories);
    }
}

/// Converts unknown members to JSON. Returns `None` if there are none.
fn overlay(unknown: &Object) -> Option<Json> {
    (!unknown.is_empty()).then(|| unknown.clone().into())
}

/// Merges the unknown members of a list with a single rule into that rule. Returns false if some of them cannot be
/// merged.
fn merge_unknown_flat(rule: &mut Json, unknown: &Json) -> bool {
    let mut of_list = unknown.as_object().cloned().unwrap_or_default();
    let mut of_rule = match of_list.remove("matchers") {
        Some(Json::Array(rules)) => rules.into_iter().next().unwrap_or_default(),
        _ => Json::Null,
    };
    // Readers would treat this member as an array of rules.
    let is_list = of_rule.as_object_mut().and_then(|of_rule| of_rule.remove("matchers"));
    let is_whole = merge_unknown(rule, &of_rule) && is_list.is_none();
    merge_unknown(rule, &of_list.into()) && is_whole
}

fn insert_map<K, V>(
    categories: &mut Object,
    name: &'static str,
    map: &BTreeMap<K, V>,
    key: impl Fn(&K) -> Text,
    value: impl Fn(&V) -> Json,
) {
    if !map.is_empty() {
        let members = map.iter().map(|(k, v)| (key(k), value(v)));
        categories.insert(name, Object::from_distinct(members.collect()));
    }
}

/// Returns true if all V2 readers accept rules for a query parameter or a header with this name. They parse it as a
/// path.
pub fn is_flat_name(name: &str) -> bool {
    let path = format!("$.{name}").parse::<PathExpression>();
    path.is_ok_and(|path| path.is_portable())
}

/// Returns a path such as `$.headers.Accept`. Quotes the name if it contains characters other than letters, digits,
/// `_`, and `-`. The name may end with an index.
fn named_place(category: &str, name: &str) -> String {
    let word = name.trim_end_matches(']');
    let word = word.split_once('[').map_or(name, |(word, index)| {
        if !index.is_empty() && index.bytes().all(|b| b.is_ascii_digit()) {
            word
        } else {
            name
        }
    });
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if !word.is_empty() && word.chars().all(is_plain) {
        format!("{category}.{name}")
    } else {
        format!("{category}['{}']", name.replace('\\', "\\\\").replace('\'', "\\'"))
    }
}
