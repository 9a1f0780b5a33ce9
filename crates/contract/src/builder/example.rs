//! Examples for matchers that were given none: their generator makes one.

use contract_model::{Generator, Generators, Json, PathExpression, Rule, RuleList, Template, split_body};

use crate::error::{ArgumentError, MATCHER};

/// Every definition makes the same examples, so that a contract file does not change from run to run.
const SEED: u64 = 0;

/// An example that the generator makes.
pub(crate) fn generated(generator: &Generator) -> Result<Json, ArgumentError> {
    crate::clock::example(generator, SEED).map_err(|problem| ArgumentError::new(MATCHER, problem))
}

/// Most bytes of all examples that generators make for one template.
const MAX_GENERATED: usize = 64 << 20;

/// Makes examples as [`generated`] does, of one template and no larger than anyone needs.
pub(super) fn maker() -> impl FnMut(&Generator) -> Result<Json, ArgumentError> {
    let mut left = MAX_GENERATED;
    move |generator| {
        let made = generated(generator)?;
        let bytes = match &made {
            Json::String(text) => text.len(),
            _ => 24,
        };
        left = left.checked_sub(bytes).ok_or_else(|| {
            let problem = format!(
                "generated examples of more than {} MiB in one value; give examples, or ask for fewer",
                MAX_GENERATED >> 20
            );
            ArgumentError::new(MATCHER, problem)
        })?;
        Ok(made)
    }
}

/// Takes a template of a body apart, makes the examples that it lacks, and checks its generators. `call` names who was
/// given it.
pub(super) fn body(template: &Json, call: &str) -> Result<Template, ArgumentError> {
    let mut split = split_body(template).map_err(|error| ArgumentError::new(MATCHER, format!("{call}: {error}")))?;
    complete(&mut split).map_err(|error| error.within(call))?;
    Ok(split)
}

/// Makes the examples that a body lacks, and checks its generators.
pub(crate) fn complete(split: &mut Template) -> Result<(), ArgumentError> {
    split.fill(maker())?;
    let own = split.generators.iter();
    let inside_rules = split
        .rules
        .iter()
        .flat_map(|(path, list)| inside(list).into_iter().map(move |generator| (path, generator)));
    own.chain(inside_rules)
        .try_for_each(|(path, generator)| check(generator, &below_root(path)))
}

/// Whether all these generators and those inside the rules mean something: beside an example none makes a value yet.
pub(super) fn check_generators<'a>(
    generators: impl IntoIterator<Item = &'a Generator>,
    rules: impl IntoIterator<Item = &'a RuleList>,
) -> Result<(), ArgumentError> {
    let mut generators = generators.into_iter().chain(rules.into_iter().flat_map(inside));
    generators.try_for_each(|generator| check(generator, ""))
}

/// The same for those of a part.
pub(super) fn check_all(generators: &Generators) -> Result<(), ArgumentError> {
    let Generators {
        method,
        path,
        status,
        query,
        header,
        metadata,
        body,
        ..
    } = generators;
    for (category, generator) in [("method", method), ("path", path), ("status", status)] {
        if let Some(generator) = generator {
            check(generator, category)?;
        }
    }
    for (category, named) in [("query", query), ("header", header), ("metadata", metadata)] {
        for (name, generator) in named {
            check(generator, &format!("{category} {name}"))?;
        }
    }
    body.iter()
        .try_for_each(|(path, generator)| check(generator, &format!("body {path}")))
}

/// Whether the generator means something; `place` is told unless it is empty.
fn check(generator: &Generator, place: &str) -> Result<(), ArgumentError> {
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
        super::body(&template, "match").unwrap_err().to_string()
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
        let nested = super::body(
            &Json::parse(format!(r#"{{"a": [{BROKEN}]}}"#).as_bytes()).unwrap(),
            "withBody",
        );
        let problem = nested.unwrap_err().to_string();
        assert!(problem.starts_with("withBody: $.a[0]: "), "{problem}");
    }

    #[test]
    fn generators_of_headers_and_of_whole_parts_are_checked_too() {
        let broken = Json::parse(BROKEN.as_bytes()).unwrap();
        assert!(Value::new(&broken).is_err());
        let generators = Json::parse(br#"{"body": {"$.a": {"type": "Regex", "regex": "("}}}"#).unwrap();
        assert!(
            read_generators(&generators)
                .unwrap_err()
                .to_string()
                .starts_with("withGenerators: body $.a: ")
        );
    }
}
