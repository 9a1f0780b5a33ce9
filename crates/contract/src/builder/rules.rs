//! Matching rules and generators in the form of contract files, with matchers in place of rules.

use std::collections::BTreeMap;

use contract_matching::{Options, RequestPlan};
use contract_model::{Body, Content, Generator, Generators, Json, Object, PathExpression, ReadWarning, Request, Rules};
use contract_plugins::EntryKind;

use crate::error::{ArgumentError, RULES};
use crate::plugins::PluginSet;

/// Reads rules of a part. Where the file has `{"matchers": […]}`, one rule or one matcher will do.
pub(super) fn read_rules(rules: &Json, plugins: &PluginSet) -> Result<Rules, ArgumentError> {
    let refused = |message: String| ArgumentError::new(RULES, message);
    let (read, warnings) = Rules::read(&completed(rules)).map_err(|error| refused(error.to_string()))?;
    if let Some(category) = read.other.keys().next() {
        return Err(refused(format!(
            "there is no category {category:?}; categories are method, path, status, query, header, body and metadata"
        )));
    }
    let of_plugin = |warning: &&ReadWarning| matches!(warning, ReadWarning::UnknownRule { name, .. } if plugins.has(EntryKind::Matcher, name));
    if let Some(warning) = warnings.iter().find(|warning| !of_plugin(warning)) {
        return Err(refused(warning.to_string()));
    }
    // Compiling says what is wrong with patterns and formats; the examples are checked when the interaction is whole.
    let mut request = Request {
        rules: read,
        ..Request::default()
    };
    request.body = Body::Present(Content::json(Json::object()));
    RequestPlan::new(&request, Options::LENIENT).map_err(|error| refused(error.to_string()))?;
    request.rules.body = rooted(request.rules.body);
    Ok(request.rules)
}

/// Reads generators of a part.
pub(super) fn read_generators(generators: &Json, plugins: &PluginSet) -> Result<Generators, ArgumentError> {
    let refused = |message: String| ArgumentError::new(RULES, message);
    let (mut read, warnings) = Generators::read(&bare(generators)).map_err(|error| refused(error.to_string()))?;
    if let Some(category) = read.other.keys().next() {
        return Err(refused(format!(
            "there is no category {category:?}; categories are method, path, status, query, header, body and metadata"
        )));
    }
    let of_plugin = |warning: &&ReadWarning| matches!(warning, ReadWarning::UnknownGenerator { name, .. } if plugins.has(EntryKind::Generator, name));
    let mut own = read.clone();
    own.body.retain(
        |_, generator| !matches!(generator, Generator::Custom { name, .. } if plugins.has(EntryKind::Generator, name)),
    );
    match warnings.iter().find(|warning| !of_plugin(warning)) {
        Some(warning) => Err(refused(warning.to_string())),
        None => match super::example::check_all(&own) {
            Ok(()) => {
                read.body = rooted(read.body);
                Ok(read)
            }
            Err(problem) => Err(refused(problem.to_string())),
        },
    }
}

/// Paths as all tools write them, however they were given.
fn rooted<T>(by_path: BTreeMap<PathExpression, T>) -> BTreeMap<PathExpression, T> {
    by_path
        .into_iter()
        .map(|(path, value)| (path.rooted(), value))
        .collect()
}

fn completed(rules: &Json) -> Json {
    each_place(rules, complete)
}

fn bare(generators: &Json) -> Json {
    each_place(generators, Json::clone)
}

fn each_place(document: &Json, change: impl Fn(&Json) -> Json) -> Json {
    let Json::Object(categories) = document else {
        return document.clone();
    };
    let changed = categories.iter().map(|(name, value)| {
        let value = match value {
            // The form of V2, and the parts that are one place.
            value if name.starts_with('$') || matches!(name.as_str(), "path" | "method" | "status") => change(value),
            Json::Object(places) => {
                let places = places.iter().map(|(place, value)| (place.clone(), change(value)));
                places.collect::<Object>().into()
            }
            other => other.clone(),
        };
        (name.clone(), value)
    });
    changed.collect::<Object>().into()
}

/// Wraps a rule that stands alone into a list of rules.
fn complete(value: &Json) -> Json {
    let Some(object) = value.as_object().filter(|object| !object.contains_key("matchers")) else {
        return value.clone();
    };
    let kind = ["contract:matcher:type", "pact:matcher:type"]
        .iter()
        .find_map(|key| object.get(key));
    let (rules, combine) = match kind {
        Some(Json::Array(several)) => (several.clone(), object.get("combine").cloned().unwrap_or("AND".into())),
        None if !object.contains_key("match") => return value.clone(),
        _ => (vec![value.clone()], "AND".into()),
    };
    [("combine", combine), ("matchers", rules.into())]
        .into_iter()
        .collect::<Object>()
        .into()
}
