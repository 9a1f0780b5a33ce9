//! Makes paths readable for all Pact implementations. Other implementations do not support escapes in paths, so they
//! reject files with a path that contains a quote in a name or an empty name. If such a name is the only name in its
//! object, a wildcard is equivalent.

use std::collections::BTreeMap;

use contract_model::{Combine, Generator, Json, PathExpression, PathRules, PathToken, Rule, RuleList, Variant};

use super::places::examples_at;

/// Replaces unsupported names in paths with wildcards where a wildcard is equivalent.
pub(crate) fn use_wildcards(
    example: &Json,
    rules: &mut PathRules,
    generators: &mut BTreeMap<PathExpression, Generator>,
) {
    for (path, list) in rules.iter_mut() {
        for (example, variant) in variants(example, path, list) {
            use_wildcards(example, &mut variant.rules, &mut variant.generators);
        }
    }
    let all: Vec<PathExpression> = rules.keys().chain(generators.keys()).cloned().collect();
    let odd = all.iter().filter(|path| !path.is_portable());
    let written: BTreeMap<_, _> = odd
        .filter(|path| all.iter().all(|other| keeps_precedence(path, other)))
        .filter_map(|path| Some((path.clone(), with_wildcards(example, path)?)))
        .collect();
    rename(rules, &written);
    rename(generators, &written);
}

/// Returns the paths that other Pact implementations cannot read.
pub(crate) fn unsupported_paths<'a>(
    rules: &'a PathRules,
    generators: &'a BTreeMap<PathExpression, Generator>,
) -> Vec<&'a PathExpression> {
    let mut paths: Vec<_> = rules
        .keys()
        .chain(generators.keys())
        .filter(|path| !path.is_portable())
        .collect();
    paths.sort();
    paths.dedup();
    let inside = rules.values().flat_map(|list| &list.rules).flat_map(|rule| match rule {
        Rule::ArrayContains(variants) => variants.as_slice(),
        _ => &[],
    });
    paths.extend(inside.flat_map(|variant| unsupported_paths(&variant.rules, &variant.generators)));
    paths
}

/// Returns a warning about paths that other Pact implementations cannot read, or `None` if there are no such paths.
pub(crate) fn unsupported_paths_warning<'a>(paths: impl IntoIterator<Item = &'a PathExpression>) -> Option<String> {
    let listing = list_paths(paths)?;
    Some(format!(
        "other Pact implementations cannot read matchers or generators at {listing}, and most of them reject the whole \
         contract: their paths do not support single quotes, empty names, double backslashes, or numbers with leading \
         zeros. Use another name in the example, or a matcher for the whole object that contains it"
    ))
}

/// Returns a warning about objects and arrays that may be null. Other Pact implementations compare the type of an
/// object or array before they apply rules to it, so they report null as a mismatch.
pub(crate) fn nullable_warning(example: &Json, rules: &PathRules) -> Option<String> {
    let allows_null = |list: &RuleList| list.combine == Combine::Or && list.rules.contains(&Rule::Null);
    let is_container = |json: &&Json| matches!(json, Json::Object(_) | Json::Array(_));
    let paths = rules
        .iter()
        .filter(|(path, list)| allows_null(list) && examples_at(example, path.tokens()).iter().any(is_container));
    let listing = list_paths(paths.map(|(path, _)| path))?;
    Some(format!(
        "other Pact implementations do not accept null instead of an object or an array, so their verifiers report null at \
         {listing} as a mismatch. For them, define the null value in a separate interaction with a different provider state"
    ))
}

fn list_paths<'a>(paths: impl IntoIterator<Item = &'a PathExpression>) -> Option<String> {
    let paths: Vec<_> = paths.into_iter().map(ToString::to_string).collect();
    Some(match paths.get(..SHOWN) {
        _ if paths.is_empty() => return None,
        Some(first) if paths.len() > SHOWN => {
            format!("{} and {} more places", first.join(", "), paths.len() - SHOWN)
        }
        _ => paths.join(", "),
    })
}

/// Maximum number of paths to list in a warning.
const SHOWN: usize = 3;

/// Returns the variants of `arrayContains` rules with their examples.
fn variants<'a>(example: &'a Json, path: &PathExpression, list: &'a mut RuleList) -> Vec<(&'a Json, &'a mut Variant)> {
    let items = examples_at(example, path.tokens())
        .first()
        .and_then(|list| list.as_array());
    let variants = list.rules.iter_mut().filter_map(|rule| match rule {
        Rule::ArrayContains(variants) => Some(variants),
        _ => None,
    });
    variants
        .flatten()
        .filter_map(|variant| Some((items?.get(variant.index)?, variant)))
        .collect()
}

fn rename<T>(places: &mut BTreeMap<PathExpression, T>, written: &BTreeMap<PathExpression, PathExpression>) {
    for (path, portable) in written {
        if let Some(known) = places.remove(path) {
            places.insert(portable.clone(), known);
        }
    }
}

/// Returns the path with wildcards in place of unsupported names, if each of them is the only name in its object.
fn with_wildcards(example: &Json, path: &PathExpression) -> Option<PathExpression> {
    let tokens = path.tokens();
    let token = |(at, token): (usize, &PathToken)| {
        if token.is_portable() {
            return Some(token.clone());
        }
        let is_alone = |place: &&Json| place.as_object().is_none_or(|object| object.len() == 1);
        examples_at(example, tokens.get(..at)?)
            .iter()
            .all(is_alone)
            .then_some(PathToken::AnyKey)
    };
    let tokens = tokens.iter().enumerate().map(token).collect::<Option<Vec<_>>>()?;
    Some(tokens.into())
}

/// Returns true if replacing unsupported names by wildcards does not change which of the two paths takes precedence.
fn keeps_precedence(path: &PathExpression, other: &PathExpression) -> bool {
    for (token, other) in path.tokens().iter().zip(other.tokens()) {
        match (token, other) {
            (token, other) if token == other => {}
            (PathToken::Key(_), PathToken::Key(_)) | (PathToken::Index(_), PathToken::Index(_)) => {
                return token.is_portable();
            }
            _ => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use contract_model::{Json, PathExpression};

    /// Returns the paths of the rules after the replacement, and the paths that remain unsupported.
    fn resulting_paths(template: &str) -> (Vec<String>, Vec<String>) {
        let mut split = contract_model::split_body(&Json::parse(template.as_bytes()).unwrap()).unwrap();
        super::use_wildcards(&split.example, &mut split.rules, &mut split.generators);
        let unsupported_paths = super::unsupported_paths(&split.rules, &split.generators);
        let texts = |paths: Vec<&PathExpression>| paths.into_iter().map(ToString::to_string).collect();
        (texts(split.rules.keys().collect()), texts(unsupported_paths))
    }

    const LIKE: &str = r#"{"contract:matcher:type": "type", "value": 1}"#;

    #[track_caller]
    fn check(template: &str, rules: &[&str], unsupported_paths: &[&str]) {
        let (found, unreadable) = resulting_paths(&template.replace("LIKE", LIKE));
        assert_eq!(found, rules, "{template}");
        assert_eq!(unreadable, unsupported_paths, "{template}");
    }

    #[test]
    fn replaces_single_names_with_wildcards() {
        check(r#"{"a": {"it's": LIKE}, "b": LIKE}"#, &["$.a.*", "$.b"], &[]);
        check(r#"{"": {"": {"x": LIKE, "y": LIKE}}}"#, &["$.*.*.x", "$.*.*.y"], &[]);
        check(
            r#"{"a": {"contract:matcher:type": "type", "value": [{"it's": LIKE}]}}"#,
            &["$.a", "$.a[*].*"],
            &[],
        );
    }

    #[test]
    fn reports_unsupported_names_in_larger_objects() {
        check(r#"{"it's": LIKE, "b": 2}"#, &[r"$['it\'s']"], &[r"$['it\'s']"]);
        check(
            r#"{"": LIKE, "'": LIKE}"#,
            &["$['']", r"$['\'']"],
            &["$['']", r"$['\'']"],
        );
    }

    #[test]
    fn does_not_change_the_precedence_of_rules() {
        let map = r#"{"contract:matcher:type": "values", "value": {"a": {"it's": LIKE}}}"#;
        check(map, &["$", "$.*.*"], &[]);
        let rules = r#"{"a": {"contract:matcher:type": "eachValue", "rules": [{"contract:matcher:type": "type"}],
            "value": {"it's": {"b": 1}}}, "it's": LIKE}"#;
        check(rules, &["$.a", r"$['it\'s']"], &[r"$['it\'s']"]);
    }

    #[test]
    fn warns_about_nullable_objects_and_arrays() {
        let nullable = |value: &str| {
            format!(
                r#"{{"contract:matcher:type": [{{"contract:matcher:type": "type"}}, {{"contract:matcher:type": "null"}}],
                    "combine": "OR", "value": {value}}}"#
            )
        };
        let warning = |template: &str| {
            let split = contract_model::split_body(&Json::parse(template.as_bytes()).unwrap()).unwrap();
            super::nullable_warning(&split.example, &split.rules)
        };
        let found = warning(&format!(
            r#"{{"a": {}, "b": {}, "c": {}}}"#,
            nullable("1"),
            nullable(r#"{"x": 1}"#),
            nullable("[1]")
        ));
        assert!(found.unwrap().contains("report null at $.b, $.c as a mismatch"));
        assert_eq!(warning(&nullable("\"text\"")), None);
        assert_eq!(warning(LIKE), None);
    }

    #[test]
    fn reports_unsupported_names_in_variants() {
        let variants =
            r#"{"contract:matcher:type": "arrayContains", "variants": [{"it's": LIKE}, {"it's": LIKE, "b": 1}]}"#;
        assert_eq!(resulting_paths(&variants.replace("LIKE", LIKE)).1, [r"$['it\'s']"]);
    }

    #[test]
    fn keeps_supported_names() {
        check(
            r#"{"a b": LIKE, "a\\b": LIKE, "a\"b": LIKE, "": 1}"#,
            &["$['a b']", "$['a\"b']", r"$['a\b']"],
            &[],
        );
    }
}
