//! Generates values in JSON bodies.

use std::sync::Arc;

use contract_model::{Generator, Json, Object, PathExpression, PathRules, PathToken, Rule, Text, Variant};

use super::placed::{Placed, applicable};
use super::run::Run;
use crate::{Context, GenerateError, applies, generate};

/// Generates values in a document. Copies a shared document only if the path of at least one generator exists in it.
pub(super) fn fill(document: &mut Arc<Json>, applicable: &[Placed<'_>], rules: &PathRules, run: &mut Run<'_, '_>) {
    let below = |path: &PathExpression| exists(document, path.tokens());
    let reached = applicable.iter().any(|(path, _)| below(path))
        || lists_of_variants(rules).any(|(path, _)| below(path))
        || definitions(rules).any(|(path, ..)| below(path));
    if reached {
        fill_value(
            Arc::make_mut(document),
            applicable,
            rules,
            &mut PathExpression::root(),
            run,
        );
    }
}

/// Generates values at all paths. Variants are processed first, while the items still equal the variants' examples.
fn fill_value(
    value: &mut Json,
    applicable: &[Placed<'_>],
    rules: &PathRules,
    at: &mut PathExpression,
    run: &mut Run<'_, '_>,
) {
    for (path, variants) in lists_of_variants(rules) {
        visit(value, path.tokens(), at, &mut |list, at| {
            fill_items(list, variants, at, run);
        });
    }
    // Generators at a specific path override those of `eachValue` and `eachKey`.
    let mode = run.context.mode;
    for (path, applies_to, generator) in definitions(rules).filter(|(.., generator)| applies(generator, mode)) {
        let before = run.problems.len();
        visit(value, path.tokens(), at, &mut |container, at| {
            let outcome = match applies_to {
                Of::Keys => fill_keys(container, generator, run.context),
                Of::Values => fill_values(container, generator, run.context),
            };
            if let Err(error) = outcome {
                run.body_problem(before, at, error);
            }
        });
    }
    for (path, generator) in applicable {
        let before = run.problems.len();
        visit(
            value,
            path.tokens(),
            at,
            &mut |value, at| match generate(generator, Some(value), run.context) {
                Ok(Some(fresh)) => *value = fresh,
                Ok(None) => {}
                Err(error) => run.body_problem(before, at, error),
            },
        );
    }
}

fn fill_items(list: &mut Json, variants: &[Variant], at: &mut PathExpression, run: &mut Run<'_, '_>) {
    let Json::Array(items) = list else { return };
    let chosen: Vec<_> = (0..items.len())
        .map(|index| variant_of(index, items, variants, run.context))
        .collect();
    for (index, (item, variant)) in items.iter_mut().zip(chosen).enumerate() {
        let Some(variant) = variant else { continue };
        let applicable = applicable(&variant.generators, run.context.mode);
        at.push(PathToken::Index(index));
        fill_value(item, &applicable, &variant.rules, at, run);
        at.pop();
    }
}

/// Returns the variant that the item at `index` matches, or `None`. Tries the variant whose example has the same index
/// first.
fn variant_of<'v>(index: usize, items: &[Json], variants: &'v [Variant], context: &Context<'_>) -> Option<&'v Variant> {
    let candidates = variants.iter().filter(|variant| variant.index == index);
    let elsewhere = variants.iter().filter(|variant| variant.index != index);
    let item = items.get(index)?;
    candidates.chain(elsewhere).find(|variant| {
        items
            .get(variant.index)
            .is_some_and(|example| (context.variant_matches)(item, variant, example))
    })
}

/// The values of an object or array that a generator replaces.
#[derive(Clone, Copy, PartialEq)]
enum Of {
    Keys,
    Values,
}

/// Returns the generators in `eachKey` and `eachValue` rules, with the paths of the rules. Generators for values come
/// first, because rules for specific keys do not match generated keys.
fn definitions(rules: &PathRules) -> impl Iterator<Item = (&PathExpression, Of, &Generator)> {
    [Of::Values, Of::Keys].into_iter().flat_map(move |target| {
        rules.iter().flat_map(move |(path, list)| {
            list.rules.iter().filter_map(move |rule| {
                let (applies_to, definition) = match rule {
                    Rule::EachKey(definition) => (Of::Keys, definition),
                    Rule::EachValue(definition) => (Of::Values, definition),
                    _ => return None,
                };
                let generator = definition.generator.as_ref().filter(|_| applies_to == target)?;
                Some((path, applies_to, generator))
            })
        })
    })
}

fn fill_values(container: &mut Json, generator: &Generator, context: &mut Context<'_>) -> Result<(), GenerateError> {
    let mut fill = |value: &mut Json| {
        if let Some(fresh) = generate(generator, Some(value), context)? {
            *value = fresh;
        }
        Ok(())
    };
    match container {
        Json::Object(object) => object.iter_mut().try_for_each(|(_, value)| fill(value)),
        Json::Array(items) => items.iter_mut().try_for_each(fill),
        _ => Ok(()),
    }
}

/// Generates a new name for each member. A member keeps its name if another member already has the generated one.
fn fill_keys(container: &mut Json, generator: &Generator, context: &mut Context<'_>) -> Result<(), GenerateError> {
    let Json::Object(object) = container else {
        return Ok(());
    };
    let mut fresh = Object::new();
    for (key, value) in object.iter() {
        let generated = generate(generator, Some(&Json::String(key.clone())), context)?;
        let generated = generated.map(|generated| Text::from(generated.text_form()));
        let is_free = |name: &Text| !object.contains_key(name) && !fresh.contains_key(name);
        let key = generated.filter(is_free).unwrap_or_else(|| key.clone());
        fresh.insert(key, value.clone());
    }
    *object = fresh;
    Ok(())
}

/// Returns the `arrayContains` rules whose variants contain generators, with the paths of the rules.
fn lists_of_variants(rules: &PathRules) -> impl Iterator<Item = (&PathExpression, &[Variant])> {
    rules.iter().flat_map(|(path, list)| {
        list.rules.iter().filter_map(move |rule| match rule {
            Rule::ArrayContains(variants) if variants.iter().any(has_generators) => Some((path, variants.as_slice())),
            _ => None,
        })
    })
}

fn has_generators(variant: &Variant) -> bool {
    !variant.generators.is_empty() || rules_have_generators(&variant.rules)
}

pub(super) fn rules_have_generators(rules: &PathRules) -> bool {
    lists_of_variants(rules).next().is_some() || definitions(rules).next().is_some()
}

/// Calls `found` for every value that matches the path. `at` is the path of `value`; `found` receives the path of the
/// matching value.
fn visit(
    value: &mut Json,
    path: &[PathToken],
    at: &mut PathExpression,
    found: &mut dyn FnMut(&mut Json, &mut PathExpression),
) {
    let Some((token, rest)) = path.split_first() else {
        return found(value, at);
    };
    let mut enter = |step: PathToken, inner: &mut Json| {
        at.push(step);
        visit(inner, rest, at, found);
        at.pop();
    };
    match (token, value) {
        (PathToken::Key(key), Json::Object(object)) => {
            if let Some(inner) = object.get_mut(key) {
                enter(PathToken::Key(key.clone()), inner);
            }
        }
        (PathToken::AnyKey, Json::Object(object)) => {
            object
                .iter_mut()
                .for_each(|(key, inner)| enter(PathToken::Key(key.clone()), inner));
        }
        (PathToken::Index(index), Json::Array(items)) => {
            if let Some(inner) = items.get_mut(*index) {
                enter(PathToken::Index(*index), inner);
            }
        }
        (PathToken::AnyKey | PathToken::AnyIndex, Json::Array(items)) => {
            items
                .iter_mut()
                .enumerate()
                .for_each(|(index, inner)| enter(PathToken::Index(index), inner));
        }
        _ => {}
    }
}

fn exists(value: &Json, path: &[PathToken]) -> bool {
    let Some((token, rest)) = path.split_first() else {
        return true;
    };
    match (token, value) {
        (PathToken::Key(key), Json::Object(object)) => object.get(key).is_some_and(|inner| exists(inner, rest)),
        (PathToken::AnyKey, Json::Object(object)) => object.iter().any(|(_, inner)| exists(inner, rest)),
        (PathToken::Index(index), Json::Array(items)) => items.get(*index).is_some_and(|inner| exists(inner, rest)),
        (PathToken::AnyKey | PathToken::AnyIndex, Json::Array(items)) => items.iter().any(|inner| exists(inner, rest)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use contract_model::{Body, Content, ContentValue, Generator, Json, Object, PathRules, Response, Rule, RuleList};

    use super::Arc;
    use crate::{Context, Mode, Random, apply};

    fn parse(text: &str) -> Json {
        Json::parse(text.as_bytes()).unwrap()
    }

    /// Returns the body after applying generators such as `{"$.path": "pattern"}`, followed by the problems, one per
    /// line. Patterns without repetitions always generate the same text.
    #[track_caller]
    fn filled(generators: &str, rules: PathRules, body: &str) -> String {
        let patterns = parse(generators);
        let mut response = Response {
            body: Body::Present(Content::json(parse(body))),
            ..Response::default()
        };
        response.rules.body = rules;
        response.generators.body = patterns
            .as_object()
            .unwrap()
            .iter()
            .map(|(path, pattern)| {
                (
                    path.parse().unwrap(),
                    Generator::Regex(pattern.as_str().unwrap().into()),
                )
            })
            .collect();
        let now = contract_datetime::DateTime::new(2026, 7, 1).unwrap();
        let looks_alike = |item: &Json, _: &contract_model::Variant, example: &Json| item.get("t") == example.get("t");
        let mut context = Context {
            variant_matches: &looks_alike,
            ..Context::new(Mode::Consumer, now, Random::from_seed(1))
        };
        let problems = apply::response(&mut response, &mut context);
        let problems = problems.iter().map(|problem| format!("\n{problem}"));
        String::from_utf8(response.body.bytes().to_vec()).unwrap() + &problems.collect::<String>()
    }

    #[track_caller]
    fn check(generators: &str, body: &str, want: &str) {
        assert_eq!(filled(generators, PathRules::new(), body), want);
    }

    #[test]
    fn definitions_have_generators() {
        let rules = |name: &str| {
            let rule = format!(
                r#"{{"match": "{name}", "rules": [{{"match": "type"}}], "generator": {{"type": "Regex", "regex": "x"}}}}"#
            );
            PathRules::from([(
                "$.a".parse().unwrap(),
                RuleList::single(Rule::from_json(&parse(&rule)).unwrap()),
            )])
        };
        let body = r#"{"a":{"k":1,"l":2},"b":1}"#;
        assert_eq!(
            filled("{}", rules("eachValue"), body),
            r#"{"a":{"k":"x","l":"x"},"b":1}"#
        );
        assert_eq!(
            filled(r#"{"$.a.l": "y"}"#, rules("eachValue"), body),
            r#"{"a":{"k":"x","l":"y"},"b":1}"#
        );
        assert_eq!(filled("{}", rules("eachValue"), r#"{"a":[1,2]}"#), r#"{"a":["x","x"]}"#);
        // Member names remain unique.
        assert_eq!(filled("{}", rules("eachKey"), body), r#"{"a":{"x":1,"l":2},"b":1}"#);
        assert_eq!(filled("{}", rules("eachKey"), r#"{"a":"k"}"#), r#"{"a":"k"}"#);
    }

    #[test]
    fn paths_select_values() {
        check(r#"{"$.a": "x"}"#, r#"{"a":1,"b":2}"#, r#"{"a":"x","b":2}"#);
        check(
            r#"{"$.a[1].b": "x"}"#,
            r#"{"a":[{"b":1},{"b":2}]}"#,
            r#"{"a":[{"b":1},{"b":"x"}]}"#,
        );
        check(r#"{"$": "x"}"#, "[1]", r#""x""#);
        check(r#"{"$['a b'][0]": "x"}"#, r#"{"a b":[1]}"#, r#"{"a b":["x"]}"#);
    }

    #[test]
    fn wildcards_match_all_existing_values() {
        check(
            r#"{"$.a[*].b": "x"}"#,
            r#"{"a":[{"b":1},{"c":2},3,{"b":4}]}"#,
            r#"{"a":[{"b":"x"},{"c":2},3,{"b":"x"}]}"#,
        );
        check(r#"{"$.*": "x"}"#, r#"{"a":1,"b":{}}"#, r#"{"a":"x","b":"x"}"#);
        check(
            r#"{"$.*.*": "x"}"#,
            r#"{"a":[1,2],"b":{"c":3},"d":4}"#,
            r#"{"a":["x","x"],"b":{"c":"x"},"d":4}"#,
        );
        check(r#"{"$[*]": "x"}"#, r#"{"0":1}"#, r#"{"0":1}"#);
    }

    #[test]
    fn ignores_missing_paths() {
        for path in ["$.b", "$.a.b", "$[0]", "$.list[3]", "$.list.x", "$.a[*]"] {
            check(
                &format!(r#"{{"{path}": "x"}}"#),
                r#"{"a":1,"list":[1]}"#,
                r#"{"a":1,"list":[1]}"#,
            );
        }
    }

    #[test]
    fn the_most_exact_path_wins() {
        check(
            r#"{"$.a": "x", "$.*": "y", "$.b[*]": "no", "$.b[0]": "no"}"#,
            r#"{"a":1,"b":[1]}"#,
            r#"{"a":"x","b":"y"}"#,
        );
        check(r#"{"$[0]": "x", "$[*]": "y"}"#, "[1,2]", r#"["x","y"]"#);
    }

    #[test]
    fn reports_a_problem_of_all_items_once() {
        check(
            r#"{"$[*].a": "(?!x)y", "$[0].b": "("}"#,
            r#"[{"a":"no","b":1},{"a":"no"},{"a":"y"}]"#,
            "[{\"a\":\"no\",\"b\":1},{\"a\":\"no\"},{\"a\":\"y\"}]\n\
             no value was generated for the body at $[0].a: no string can be generated for the regular expression \"(?!x)y\" \
             (look-around, including look-ahead and look-behind, is not supported), and the example \"no\" does not match \
             it; correct the example\n\
             no value was generated for the body at $[0].b: \"(\" is not a valid regular expression: unclosed group",
        );
    }

    fn variants(path: &str, json: &str) -> PathRules {
        let list = RuleList::single(Rule::from_json(&parse(json)).unwrap());
        BTreeMap::from([(path.parse().unwrap(), list)])
    }

    const VARIANTS: &str = r#"{"match": "arrayContains", "variants": [
        {"index": 0, "rules": {}, "generators": {"$.v": {"type": "Regex", "regex": "x"}}},
        {"index": 1, "rules": {}},
        {"index": 2, "rules": {}, "generators": {"$.v": {"type": "Regex", "regex": "z"}}}]}"#;

    #[test]
    fn variants_fill_their_items() {
        let body = r#"{"l":[{"t":1,"v":0},{"t":2,"v":0},{"t":3,"v":0},{"t":1,"v":0},{"t":4,"v":0},5]}"#;
        let want = r#"{"l":[{"t":1,"v":"x"},{"t":2,"v":0},{"t":3,"v":"z"},{"t":1,"v":"x"},{"t":4,"v":0},5]}"#;
        assert_eq!(filled("{}", variants("$.l", VARIANTS), body), want);
    }

    #[test]
    fn generators_of_the_body_come_after_those_of_variants() {
        let want = r#"[{"t":1,"v":"top"},{"t":2,"v":"top"}]"#;
        assert_eq!(
            filled(
                r#"{"$[*].v": "top"}"#,
                variants("$", VARIANTS),
                r#"[{"t":1,"v":0},{"t":2,"v":0}]"#
            ),
            want
        );
    }

    #[test]
    fn supports_nested_variants() {
        let rule = format!(
            r#"{{"match": "arrayContains", "variants": [{{"index": 0, "rules": {{"$.l": {{"matchers": [{VARIANTS}]}}}}}}]}}"#
        );
        let want = r#"[{"t":0,"l":[{"t":1,"v":"x"},{"t":2,"v":0}]},{"t":1,"l":[{"v":0}]}]"#;
        assert_eq!(filled("{}", variants("$", &rule), &want.replace(r#""x""#, "0")), want);
    }

    #[test]
    fn missing_lists_and_indexes_change_nothing() {
        for body in ["{}", "[]", r#"{"l":{"v":1}}"#, "[1]"] {
            assert_eq!(filled("{}", variants("$.l", VARIANTS), body), body);
            assert_eq!(filled("{}", variants("$", VARIANTS), body), body);
        }
    }

    #[test]
    fn copies_a_document_only_if_a_generator_applies() {
        let document = Arc::new(parse(r#"{"a":1}"#));
        let shared = Content {
            value: ContentValue::Json(Arc::clone(&document)),
            content_type: None,
            hint: None,
        };
        let mut response = Response {
            body: Body::Present(shared),
            ..Response::default()
        };
        let state = Generator::ProviderState {
            expression: "x".into(),
            data_type: None,
        };
        response.generators.body.insert("$.a".parse().unwrap(), state);
        response
            .generators
            .body
            .insert("$.b".parse().unwrap(), Generator::RandomBoolean);
        let now = contract_datetime::DateTime::new(2026, 7, 1).unwrap();
        let mut context = Context::new(Mode::Consumer, now, Random::from_seed(1));
        assert_eq!(apply::response(&mut response, &mut context), []);
        let Body::Present(Content {
            value: ContentValue::Json(after),
            ..
        }) = &response.body
        else {
            panic!()
        };
        assert!(Arc::ptr_eq(&document, after));

        let state: Object = [("x", true)].into_iter().collect();
        context = Context {
            mode: Mode::Provider,
            state_values: &state,
            ..context
        };
        apply::response(&mut response, &mut context);
        assert_eq!(
            response.body,
            Body::Present(Content {
                content_type: None,
                ..Content::json(parse(r#"{"a":true}"#))
            })
        );
        assert_eq!(document.to_text(), r#"{"a":1}"#);
    }
}
