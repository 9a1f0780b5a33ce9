//! Reads matching rules and generators in the format of contract files. A matcher can be used in place of a rule.

use std::collections::BTreeMap;

use contract_matching::{Options, RequestPlan};
use contract_model::{Body, ByPlace, Content, Generators, Json, Object, PathExpression, ReadWarning, Request, Rules};
use contract_plugins::EntryKind;

use crate::plugins::PluginSet;
use contract_call::error::{ArgumentError, RULES};

/// Reads the rules of a part in the format of contract files. A single rule or matcher JSON can replace
/// `{"matchers": […]}`.
pub(super) fn read_rules(rules: Json, plugins: &PluginSet) -> Result<Rules, ArgumentError> {
    // Compiling detects invalid patterns and formats. The examples are checked later, with the whole interaction.
    let mut request = Request {
        rules: require_known(Rules::read(&map_places(rules, wrap_single_rule)), plugins)?,
        body: Body::Present(Content::json(Json::object())),
        ..Request::default()
    };
    RequestPlan::new(&request, Options::LENIENT).map_err(|error| invalid_rules(&error))?;
    request.rules.body = rooted(request.rules.body);
    Ok(request.rules)
}

/// Reads the generators of a part.
pub(super) fn read_generators(generators: Json, plugins: &PluginSet) -> Result<Generators, ArgumentError> {
    let mut read = require_known(
        Generators::read(&map_places(generators, |generator| generator)),
        plugins,
    )?;
    crate::examples::check_all(&read).map_err(|problem| invalid_rules(&problem))?;
    read.body = rooted(read.body);
    Ok(read)
}

fn invalid_rules(problem: &impl ToString) -> ArgumentError {
    ArgumentError::new(RULES, problem.to_string())
}

/// Returns the rules or generators that were read, or an error if a category or type is unknown.
fn require_known<V>(
    read: Result<(ByPlace<V>, Vec<ReadWarning>), impl ToString>,
    plugins: &PluginSet,
) -> Result<ByPlace<V>, ArgumentError> {
    let (read, warnings) = read.map_err(|error| invalid_rules(&error))?;
    if let Some(category) = read.other.keys().next() {
        return Err(invalid_rules(&format!(
            "unknown category {category:?}; the categories are method, path, status, query, header, body, and metadata"
        )));
    }
    let is_from_plugin = |warning: &&ReadWarning| match warning {
        ReadWarning::UnknownRule { name, .. } => plugins.has(EntryKind::Matcher, name),
        ReadWarning::UnknownGenerator { name, .. } => plugins.has(EntryKind::Generator, name),
        _ => false,
    };
    match warnings.iter().find(|warning| !is_from_plugin(warning)) {
        Some(warning) => Err(invalid_rules(warning)),
        None => Ok(read),
    }
}

/// Prefixes paths with `$` if they do not start with it.
fn rooted<T>(by_path: BTreeMap<PathExpression, T>) -> BTreeMap<PathExpression, T> {
    by_path
        .into_iter()
        .map(|(path, value)| (path.rooted(), value))
        .collect()
}

fn map_places(document: Json, change: impl Fn(Json) -> Json) -> Json {
    let Json::Object(categories) = document else {
        return document;
    };
    let changed = categories.into_iter().map(|(name, value)| {
        let value = match value {
            // The V2 format, or a category without names.
            value if name.starts_with('$') || matches!(name.as_str(), "path" | "method" | "status") => change(value),
            Json::Object(places) => {
                let places = places.into_iter().map(|(place, value)| (place, change(value)));
                places.collect::<Object>().into()
            }
            other => other,
        };
        (name, value)
    });
    changed.collect::<Object>().into()
}

/// Wraps a single rule in a list of rules.
fn wrap_single_rule(mut value: Json) -> Json {
    let Some(object) = value.as_object_mut().filter(|object| !object.contains_key("matchers")) else {
        return value;
    };
    let key = ["contract:matcher:type", "pact:matcher:type"]
        .into_iter()
        .find(|key| object.contains_key(key));
    if key.is_none() && !object.contains_key("match") {
        return value;
    }
    let mut combine = Json::from("AND");
    let rules = match key.and_then(|key| object.get_mut(key)) {
        Some(Json::Array(several)) => {
            let several = std::mem::take(several);
            combine = object.remove("combine").unwrap_or(combine);
            several
        }
        _ => vec![value],
    };
    [("combine", combine), ("matchers", rules.into())]
        .into_iter()
        .collect::<Object>()
        .into()
}

#[cfg(test)]
mod tests {
    use contract_model::Json;

    use super::read_generators;
    use crate::builder::value::Value;
    use crate::plugins::PluginSet;

    const BROKEN: &str = r#"{"contract:generator:type": "ProviderState", "expression": "${id", "value": 1}"#;

    #[test]
    fn generators_of_headers_and_of_whole_parts_are_checked_too() {
        let broken = Json::parse(BROKEN.as_bytes()).unwrap();
        assert!(Value::new(&broken).is_err());
        let generators = Json::parse(br#"{"body": {"$.a": {"type": "Regex", "regex": "("}}}"#).unwrap();
        assert!(
            read_generators(generators, &PluginSet::default())
                .unwrap_err()
                .to_string()
                .starts_with("body $.a: ")
        );
    }
}
