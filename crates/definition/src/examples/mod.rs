//! Generates examples for matchers without an example, and sets the types of generated values.

mod places;
pub(crate) mod portable;

use std::cell::Cell;
use std::collections::BTreeMap;

use contract_generators::Budget;
use contract_model::{
    DataType, Generator, Generators, Json, NumberKind, PathExpression, PathRules, Rule, RuleList, Template, split_body,
};

use contract_call::error::{ArgumentError, Done, MATCHER};
pub(crate) use places::examples_at;

/// A fixed seed, so that contract files do not change from run to run.
const SEED: u64 = 0;

thread_local! {
    /// The limit of the operation that runs on this thread: the maximum number of bytes for the examples of one value.
    /// It is not a parameter because operations read values in many places.
    static GENERATED_SIZE: Cell<Option<usize>> = const { Cell::new(None) };
}

/// Runs an operation with its contract's limit for generated values; `None` means the default limit. The default limit
/// also applies outside of operations.
pub(crate) fn with_limit<T>(generated_size: Option<usize>, operation: impl FnOnce() -> T) -> T {
    struct Restore(Option<usize>);
    impl Drop for Restore {
        fn drop(&mut self) {
            GENERATED_SIZE.set(self.0);
        }
    }
    let _restore = Restore(GENERATED_SIZE.replace(generated_size));
    operation()
}

/// Returns a function that generates examples. Together, its examples must not exceed the limit of the current
/// operation.
pub(crate) fn example_generator() -> impl FnMut(&Generator) -> Result<Json, ArgumentError> {
    let mut budget = GENERATED_SIZE.get().map_or_else(Budget::default, Budget::new);
    move |generator| {
        crate::clock::example(generator, SEED, &mut budget).map_err(|none| {
            let error = ArgumentError::new(MATCHER, none.problem);
            if none.is_too_large {
                error.for_argument(TOO_LARGE)
            } else {
                error
            }
        })
    }
}

/// The argument named in errors about examples that exceed the limit: the option that sets the limit.
const TOO_LARGE: &str = "generated_size";

/// Returns true if the error reports an example that exceeds the limit. Creating a matcher ignores this error, because
/// the matcher has no contract yet. The operation that uses the matcher reports it.
pub(crate) fn is_too_large(error: &ArgumentError) -> bool {
    error.argument.as_deref() == Some(TOO_LARGE)
}

/// Splits a body template, generates missing examples, and checks the generators.
pub(crate) fn body(template: &Json) -> Result<Template, ArgumentError> {
    let mut split = split_body(template).map_err(|error| ArgumentError::new(MATCHER, error.to_string()))?;
    complete(&mut split)?;
    portable::use_wildcards(&split.example, &mut split.rules, &mut split.generators);
    Ok(split)
}

/// Generates the missing examples of a body, and checks its generators.
pub(crate) fn complete(split: &mut Template) -> Done {
    split.fill(example_generator())?;
    declare_types(&split.example, &mut split.generators, &mut split.rules);
    let own = split.generators.iter();
    let inside_rules = split
        .rules
        .iter()
        .flat_map(|(path, list)| inside(list).into_iter().map(move |generator| (path, generator)));
    own.chain(inside_rules)
        .try_for_each(|(path, generator)| check(generator, &below_root(path)))
}

/// Sets the data types of values from provider states to the types of their examples. Otherwise, other Pact
/// implementations convert the values to strings.
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

/// Sets the type to string for generators in places that contain only strings, such as headers, paths, and forms.
pub(crate) fn declare_texts<'a>(generators: impl IntoIterator<Item = &'a mut Generator>) {
    let text = Json::from("");
    generators
        .into_iter()
        .for_each(|generator| declare_type(generator, &[&text]));
}

/// Returns the generator with the data type of this example.
pub(crate) fn declared(generator: &Generator, example: &Json) -> Generator {
    let mut generator = generator.clone();
    declare_type(&mut generator, &[example]);
    generator
}

/// Returns the data type of a value from a provider state, or `None` for null, arrays, and objects, which are not
/// converted.
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

/// Checks generators, including those inside rules. A generator may be invalid even if it is not needed because there
/// is an example.
pub(crate) fn check_generators<'a>(
    generators: impl IntoIterator<Item = &'a Generator>,
    rules: impl IntoIterator<Item = &'a RuleList>,
) -> Done {
    let mut generators = generators.into_iter().chain(rules.into_iter().flat_map(inside));
    generators.try_for_each(|generator| check(generator, ""))
}

/// Checks all generators of a part, except plugin generators in the body.
pub(crate) fn check_all(all: &Generators) -> Done {
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

/// Checks a generator. The error message starts with `place` unless `place` is empty.
fn check(generator: &Generator, place: &str) -> Done {
    contract_generators::check(generator).map_err(|problem| {
        let separator = if place.is_empty() { "" } else { ": " };
        ArgumentError::new(MATCHER, format!("{place}{separator}{problem}"))
    })
}

/// Returns the path as text, or an empty string for the root.
fn below_root(path: &PathExpression) -> String {
    if path.tokens().is_empty() {
        String::new()
    } else {
        path.to_string()
    }
}

/// Returns the generators inside `eachKey`, `eachValue`, and `arrayContains` rules at any depth.
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

    const BROKEN: &str = r#"{"contract:generator:type": "ProviderState", "expression": "${id", "value": 1}"#;

    fn problem(template: &str) -> String {
        let template = Json::parse(template.as_bytes()).unwrap();
        super::body(&template).unwrap_err().to_string()
    }

    #[test]
    fn checks_generators_with_an_example() {
        for template in [
            BROKEN.to_owned(),
            format!(r#"{{"contract:matcher:type": "arrayContains", "variants": [{{"a": {BROKEN}}}]}}"#),
            r#"{"contract:matcher:type": "eachKey", "value": {"a": 1}, "rules": [
                {"contract:matcher:type": "type"}],
                "generator": {"type": "ProviderState", "expression": "${id"}}"#
                .to_owned(),
        ] {
            assert!(problem(&template).contains("is invalid at column 1"), "{template}");
        }
        let date = r#"{"contract:matcher:type": "date", "contract:generator:type": "Date", "expression": "tomorow",
            "value": "2026-01-01"}"#;
        assert!(problem(date).contains(r#"the expression "tomorow" is invalid"#));
        let nested = super::body(&Json::parse(format!(r#"{{"a": [{BROKEN}]}}"#).as_bytes()).unwrap());
        let problem = nested.unwrap_err().to_string();
        assert!(problem.starts_with("$.a[0]: "), "{problem}");
    }

    /// Returns the paths and data types of the generators in a body.
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
    fn declares_types_of_provider_state_values() {
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
    fn declares_types_in_array_contains_variants() {
        let template = r#"{"a": {"contract:matcher:type": "arrayContains", "variants": ["x", {"id":
            {"contract:generator:type": "ProviderState", "expression": "${id}", "value": 7}}]}}"#;
        let split = super::body(&Json::parse(template.as_bytes()).unwrap()).unwrap();
        let rules = split.rules.values().next().unwrap().to_json().to_text();
        assert!(rules.contains(r#""dataType":"INTEGER""#), "{rules}");
    }
}
