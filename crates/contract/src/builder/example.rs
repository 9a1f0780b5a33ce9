//! Examples for matchers that were given none: their generator makes one. And what generators learn from examples.

use std::cell::Cell;
use std::collections::BTreeMap;

use contract_generators::Budget;
use contract_model::{
    DataType, Generator, Generators, Json, NumberKind, PathExpression, PathRules, Rule, RuleList, Template, split_body,
};

use super::places::examples_at;
use crate::error::{ArgumentError, Done, MATCHER};

/// Every definition makes the same examples, so that a contract file does not change from run to run.
const SEED: u64 = 0;

thread_local! {
    /// What the contract of the interaction at hand on this thread allows to be generated for one value, if it says.
    static GENERATED_SIZE: Cell<Option<usize>> = const { Cell::new(None) };
}

/// From now on, this is allowed on this thread.
pub(super) fn allow(generated_size: Option<usize>) {
    GENERATED_SIZE.set(generated_size);
}

/// Examples that generators make for one template, in all no more than the contract of the interaction at hand allows.
pub(crate) fn maker() -> impl FnMut(&Generator) -> Result<Json, ArgumentError> {
    let mut budget = GENERATED_SIZE.get().map_or_else(Budget::default, Budget::new);
    move |generator| {
        crate::clock::example(generator, SEED, &mut budget).map_err(|none| {
            let error = ArgumentError::new(MATCHER, none.problem);
            if none.is_too_large {
                error.about(TOO_LARGE)
            } else {
                error
            }
        })
    }
}

/// The option that an example is too large for.
const TOO_LARGE: &str = "generated_size";

/// Whether an example is larger than allowed. Where a matcher is made nobody knows yet which contract it is for; the call that
/// takes it does.
pub(crate) fn is_too_large(error: &ArgumentError) -> bool {
    error.argument.as_deref() == Some(TOO_LARGE)
}

/// Takes a template of a body apart, makes the examples that it lacks, and checks its generators.
pub(super) fn body(template: &Json) -> Result<Template, ArgumentError> {
    let mut split = split_body(template).map_err(|error| ArgumentError::new(MATCHER, error.to_string()))?;
    complete(&mut split)?;
    super::portable::make(&split.example, &mut split.rules, &mut split.generators);
    Ok(split)
}

/// Makes the examples that a body lacks, and checks its generators.
pub(crate) fn complete(split: &mut Template) -> Done {
    split.fill(maker())?;
    declare_types(&split.example, &mut split.generators, &mut split.rules);
    let own = split.generators.iter();
    let inside_rules = split
        .rules
        .iter()
        .flat_map(|(path, list)| inside(list).into_iter().map(move |generator| (path, generator)));
    own.chain(inside_rules)
        .try_for_each(|(path, generator)| check(generator, &below_root(path)))
}

/// Values of provider states become what their examples are: other tools make texts of them unless the contract says what.
fn declare_types(example: &Json, generators: &mut BTreeMap<PathExpression, Generator>, rules: &mut PathRules) {
    for (path, generator) in generators {
        declare_type(generator, &examples_at(example, path.tokens()));
    }
    for (path, list) in rules {
        let examples = examples_at(example, path.tokens());
        for rule in &mut list.rules {
            let Rule::ArrayContains(variants) = rule else { continue };
            for variant in variants {
                let item = examples
                    .first()
                    .and_then(|list| list.as_array()?.get(variant.index))
                    .unwrap_or(&Json::Null);
                declare_types(item, &mut variant.generators, &mut variant.rules);
            }
        }
    }
}

fn declare_type(generator: &mut Generator, examples: &[&Json]) {
    if let Generator::ProviderState {
        data_type: data_type @ None,
        ..
    } = generator
    {
        let mut kinds = examples.iter().map(|example| data_type_of(example));
        let first = kinds.next().flatten();
        *data_type = first.filter(|_| kinds.all(|kind| kind == first));
    }
}

/// Of places that hold texts only: headers, paths, forms.
pub(super) fn declare_texts<'a>(generators: impl IntoIterator<Item = &'a mut Generator>) {
    let text = Json::from("");
    generators
        .into_iter()
        .for_each(|generator| declare_type(generator, &[&text]));
}

/// Of a single value.
pub(super) fn declared(generator: &Generator, example: &Json) -> Generator {
    let mut generator = generator.clone();
    declare_type(&mut generator, &[example]);
    generator
}

/// What the value of a provider state has to become; null, lists and objects are what they are.
fn data_type_of(example: &Json) -> Option<DataType> {
    match example {
        Json::String(_) => Some(DataType::String),
        Json::Bool(_) => Some(DataType::Boolean),
        Json::Number(number) => Some(match number.kind() {
            NumberKind::Integer => DataType::Integer,
            NumberKind::Decimal => DataType::Decimal,
        }),
        Json::Null | Json::Array(_) | Json::Object(_) => None,
    }
}

/// Whether all these generators and those inside the rules mean something: beside an example none makes a value yet.
pub(super) fn check_generators<'a>(
    generators: impl IntoIterator<Item = &'a Generator>,
    rules: impl IntoIterator<Item = &'a RuleList>,
) -> Done {
    let mut generators = generators.into_iter().chain(rules.into_iter().flat_map(inside));
    generators.try_for_each(|generator| check(generator, ""))
}

/// The same for those of a part, but for those of plugins in its body.
pub(super) fn check_all(all: &Generators) -> Done {
    for (category, generator) in [("method", &all.method), ("path", &all.path), ("status", &all.status)] {
        if let Some(generator) = generator {
            check(generator, category)?;
        }
    }
    for (category, named) in [
        ("query", &all.query),
        ("header", &all.header),
        ("metadata", &all.metadata),
    ] {
        for (name, generator) in named {
            check(generator, &format!("{category} {name}"))?;
        }
    }
    all.body
        .iter()
        .filter(|(_, generator)| !matches!(generator, Generator::Custom { .. }))
        .try_for_each(|(path, generator)| check(generator, &format!("body {path}")))
}

/// Whether the generator means something; `place` is told unless it is empty.
fn check(generator: &Generator, place: &str) -> Done {
    contract_generators::check(generator).map_err(|problem| {
        let separator = if place.is_empty() { "" } else { ": " };
        ArgumentError::new(MATCHER, format!("{place}{separator}{problem}"))
    })
}

/// The path, or nothing for the root.
fn below_root(path: &PathExpression) -> String {
    if path.tokens().is_empty() {
        String::new()
    } else {
        path.to_string()
    }
}

/// The generators of `eachKey`, `eachValue` and the variants of `arrayContains`, however deep.
fn inside(list: &RuleList) -> Vec<&Generator> {
    list.rules.iter().flat_map(inside_rule).collect()
}

fn inside_rule(rule: &Rule) -> Vec<&Generator> {
    match rule {
        Rule::EachKey(definition) | Rule::EachValue(definition) => {
            let deeper = definition.rules.iter().flat_map(inside_rule);
            definition.generator.iter().chain(deeper).collect()
        }
        Rule::ArrayContains(variants) => variants
            .iter()
            .flat_map(|variant| {
                let deeper = variant.rules.values().flat_map(inside);
                variant.generators.values().chain(deeper)
            })
            .collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use contract_model::Json;

    use super::super::rules::read_generators;
    use super::super::value::Value;

    const BROKEN: &str = r#"{"contract:generator:type": "ProviderState", "expression": "${id", "value": 1}"#;

    fn problem(template: &str) -> String {
        let template = Json::parse(template.as_bytes()).unwrap();
        super::body(&template).unwrap_err().to_string()
    }

    #[test]
    fn a_generator_beside_an_example_is_checked_where_it_is_written() {
        for template in [
            BROKEN.to_owned(),
            format!(r#"{{"contract:matcher:type": "arrayContains", "variants": [{{"a": {BROKEN}}}]}}"#),
            r#"{"contract:matcher:type": "eachKey", "value": {"a": 1}, "rules": [
                {"contract:matcher:type": "type"}],
                "generator": {"type": "ProviderState", "expression": "${id"}}"#
                .to_owned(),
        ] {
            assert!(problem(&template).contains("broken at column 1"), "{template}");
        }
        let date = r#"{"contract:matcher:type": "date", "contract:generator:type": "Date", "expression": "tomorow",
            "value": "2026-01-01"}"#;
        assert!(problem(date).contains(r#"the expression "tomorow" cannot be used"#));
        let nested = super::body(&Json::parse(format!(r#"{{"a": [{BROKEN}]}}"#).as_bytes()).unwrap());
        let problem = nested.unwrap_err().to_string();
        assert!(problem.starts_with("$.a[0]: "), "{problem}");
    }

    /// The data types of the generators in a body, by their paths.
    fn data_types(template: &str) -> Vec<String> {
        let template = template.replace(
            "STATE",
            r#""contract:generator:type": "ProviderState", "expression": "${id}", "value""#,
        );
        let split = super::body(&Json::parse(template.as_bytes()).unwrap()).unwrap();
        let own = split.generators.iter();
        own.map(|(path, generator)| {
            let json = generator.to_json();
            format!("{path} {}", json.get("dataType").and_then(Json::as_str).unwrap_or("-"))
        })
        .collect()
    }

    #[test]
    fn values_of_states_become_what_their_examples_are() {
        let template = r#"{"a": {STATE: "x"}, "b": {STATE: 7}, "c": {STATE: 7.0}, "d": {STATE: true}, "e": {STATE: null},
            "f": {STATE: [1]}, "g": {STATE: 7, "dataType": "STRING"}}"#;
        assert_eq!(
            data_types(template),
            [
                "$.a STRING",
                "$.b INTEGER",
                "$.c DECIMAL",
                "$.d BOOLEAN",
                "$.e -",
                "$.f -",
                "$.g STRING"
            ]
        );
        let list = r#"{"contract:matcher:type": "type", "min": 2, "value": [{"id": {STATE: 7}}]}"#;
        assert_eq!(data_types(list), ["$[*].id INTEGER"]);
    }

    #[test]
    fn generators_in_variants_learn_their_kinds_too() {
        let template = r#"{"a": {"contract:matcher:type": "arrayContains", "variants": ["x", {"id":
            {"contract:generator:type": "ProviderState", "expression": "${id}", "value": 7}}]}}"#;
        let split = super::body(&Json::parse(template.as_bytes()).unwrap()).unwrap();
        let rules = split.rules.values().next().unwrap().to_json().to_text();
        assert!(rules.contains(r#""dataType":"INTEGER""#), "{rules}");
    }

    #[test]
    fn generators_of_headers_and_of_whole_parts_are_checked_too() {
        let broken = Json::parse(BROKEN.as_bytes()).unwrap();
        assert!(Value::new(&broken).is_err());
        let generators = Json::parse(br#"{"body": {"$.a": {"type": "Regex", "regex": "("}}}"#).unwrap();
        assert!(
            read_generators(generators, &crate::plugins::PluginSet::default())
                .unwrap_err()
                .to_string()
                .starts_with("body $.a: ")
        );
    }
}
