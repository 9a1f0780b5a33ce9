//! Examples for matchers that were given none: their generator makes one.

use contract_generators::GenerateError;
use contract_model::{Generator, Generators, Json, Rule, RuleList};

use crate::error::{ArgumentError, MATCHER};

/// Every definition makes the same examples, so that a contract file does not change from run to run.
const SEED: u64 = 0;

/// An example that the generator makes.
pub(super) fn generated(generator: &Generator) -> Result<Json, ArgumentError> {
    crate::clock::example(generator, SEED).map_err(|problem| ArgumentError::new(MATCHER, problem))
}

/// Whether all these generators and those inside the rules mean something: beside an example none makes a value yet.
pub(super) fn check_generators<'a>(
    generators: impl IntoIterator<Item = &'a Generator>,
    rules: impl IntoIterator<Item = &'a RuleList>,
) -> Result<(), ArgumentError> {
    let mut generators = generators.into_iter().chain(rules.into_iter().flat_map(inside));
    generators
        .try_for_each(contract_generators::check)
        .map_err(|problem| ArgumentError::new(MATCHER, problem.to_string()))
}

/// The same for those of a part.
pub(super) fn check_all(generators: &Generators) -> Result<(), GenerateError> {
    [&generators.method, &generators.path, &generators.status]
        .into_iter()
        .flatten()
        .chain(generators.query.values())
        .chain(generators.header.values())
        .chain(generators.metadata.values())
        .chain(generators.body.values())
        .try_for_each(contract_generators::check)
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

    use super::super::check_matcher;
    use super::super::rules::read_generators;
    use super::super::value::Value;

    const BROKEN: &str = r#"{"contract:generator:type": "ProviderState", "expression": "${id", "value": 1}"#;

    fn problem(template: &str) -> String {
        let template = Json::parse(template.as_bytes()).unwrap();
        check_matcher("match", &template).unwrap_err().to_string()
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
                .contains("unclosed group")
        );
    }
}
