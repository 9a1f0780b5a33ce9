//! Collects unknown members of known values: matching rules, generators, bodies, and provider states.
//!
//! Unknown members are stored with those of the enclosing part, under the name of the value and in its written format.
//! The writer then only has to merge them.

use crate::generator;
use crate::rule::NAMES;
use crate::{Definition, Generator, Json, Object, PathExpression, Rule, RuleList, Variant};

/// Converts an object to JSON. An empty object becomes null.
pub(super) fn or_null(object: Object) -> Json {
    if object.is_empty() { Json::Null } else { object.into() }
}

/// Returns the items as an array with null for items without unknown members, or `None` if all of them are null.
pub(super) fn list(items: Vec<Json>) -> Option<Json> {
    items.iter().any(|item| !item.is_null()).then_some(Json::Array(items))
}

fn insert(object: &mut Object, name: &'static str, value: Option<Json>) {
    if let Some(value) = value {
        object.insert(name, value);
    }
}

/// Returns the unknown members of an array of rules, or of a single rule.
pub(super) fn in_list(source: &Json, list: &RuleList) -> Object {
    let Some(object) = source.as_object() else {
        return Object::new();
    };
    let mut unknown = Object::new();
    let rules = match object.get("matchers").and_then(Json::as_array) {
        Some(matchers) => {
            unknown = object.without(&["matchers", "combine"]);
            in_rules(matchers, &list.rules)
        }
        None => in_rules(std::slice::from_ref(source), &list.rules),
    };
    insert(&mut unknown, "matchers", rules);
    unknown
}

fn in_rules(sources: &[Json], rules: &[Rule]) -> Option<Json> {
    let each = sources.iter().zip(rules).map(|(source, rule)| match source {
        Json::Object(source) => or_null(in_rule(source, rule)),
        _ => Json::Null,
    });
    list(each.collect())
}

fn in_rule(source: &Object, rule: &Rule) -> Object {
    let Some(known) = rule.attributes() else {
        return Object::new();
    };
    let mut unknown = source.without(&[&NAMES[..], &["combine"], known].concat());
    match rule {
        Rule::ArrayContains(variants) => insert(&mut unknown, "variants", in_variants(source, variants)),
        Rule::EachKey(definition) | Rule::EachValue(definition) => in_definition(source, definition, &mut unknown),
        _ => {}
    }
    unknown
}

fn in_definition(source: &Object, definition: &Definition, unknown: &mut Object) {
    let rules = match source.get("rules") {
        Some(Json::Array(rules)) => in_rules(rules, &definition.rules),
        Some(single) => in_rules(std::slice::from_ref(single), &definition.rules),
        None => None,
    };
    insert(unknown, "rules", rules);
    if let (Some(source), Some(generator)) = (source.get("generator"), &definition.generator) {
        let inner = in_generator(source, generator);
        insert(unknown, "generator", (!inner.is_empty()).then(|| inner.into()));
    }
}

fn in_variants(source: &Object, variants: &[Variant]) -> Option<Json> {
    let sources = source.get("variants")?.as_array()?;
    let each = sources.iter().zip(variants).map(|(source, variant)| match source {
        Json::Object(source) => or_null(in_variant(source, variant)),
        _ => Json::Null,
    });
    list(each.collect())
}

fn in_variant(source: &Object, variant: &Variant) -> Object {
    let mut unknown = source.without(&["index", "rules", "generators"]);
    let rules = below_paths(source.get("rules"), |path, source| {
        Some(in_list(source, variant.rules.get(path)?))
    });
    let generators = below_paths(source.get("generators"), |path, source| {
        Some(in_generator(source, variant.generators.get(path)?))
    });
    insert(&mut unknown, "rules", rules);
    insert(&mut unknown, "generators", generators);
    unknown
}

fn below_paths(source: Option<&Json>, find: impl Fn(&PathExpression, &Json) -> Option<Object>) -> Option<Json> {
    let mut unknown = Object::new();
    for (name, value) in source?.as_object()? {
        let path: PathExpression = name.parse().ok()?;
        if let Some(inner) = find(&path, value).filter(|inner| !inner.is_empty()) {
            unknown.insert(path.to_string(), inner);
        }
    }
    (!unknown.is_empty()).then(|| unknown.into())
}

pub(super) fn in_generator(source: &Json, generator: &Generator) -> Object {
    match (source, generator.attributes()) {
        (Json::Object(source), Some(known)) => source.without(&[&generator::NAMES, known].concat()),
        _ => Object::new(),
    }
}
