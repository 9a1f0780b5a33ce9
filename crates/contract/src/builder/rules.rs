//! Matching rules and generators in the form of contract files, with matchers in place of rules.

use std::collections::BTreeMap;

use contract_matching::{Options, RequestPlan};
use contract_model::{Body, ByPlace, Content, Generators, Json, Object, PathExpression, ReadWarning, Request, Rules};
use contract_plugins::EntryKind;

use crate::error::{ArgumentError, RULES};
use crate::plugins::PluginSet;

/// Reads rules of a part. Where the file has `{"matchers": […]}`, one rule or one matcher will do.
pub(super) fn read_rules(rules: Json, plugins: &PluginSet) -> Result<Rules, ArgumentError> {
    // Compiling says what is wrong with patterns and formats; the examples are checked when the interaction is whole.
    let mut request = Request {
        rules: whole(Rules::read(&each_place(rules, complete)), plugins)?,
        body: Body::Present(Content::json(Json::object())),
        ..Request::default()
    };
    RequestPlan::new(&request, Options::LENIENT).map_err(|error| refused(&error))?;
    request.rules.body = rooted(request.rules.body);
    Ok(request.rules)
}

/// Reads generators of a part.
pub(super) fn read_generators(generators: Json, plugins: &PluginSet) -> Result<Generators, ArgumentError> {
    let mut read = whole(
        Generators::read(&each_place(generators, |generator| generator)),
        plugins,
    )?;
    super::example::check_all(&read).map_err(|problem| refused(&problem))?;
    read.body = rooted(read.body);
    Ok(read)
}

fn refused(problem: &impl ToString) -> ArgumentError {
    ArgumentError::new(RULES, problem.to_string())
}

/// What was read, if all of it was understood.
fn whole<V>(
    read: Result<(ByPlace<V>, Vec<ReadWarning>), impl ToString>,
    plugins: &PluginSet,
) -> Result<ByPlace<V>, ArgumentError> {
    let (read, warnings) = read.map_err(|error| refused(&error))?;
    if let Some(category) = read.other.keys().next() {
        return Err(refused(&format!(
            "unknown category {category:?}; the categories are method, path, status, query, header, body, and metadata"
        )));
    }
    let of_plugin = |warning: &&ReadWarning| match warning {
        ReadWarning::UnknownRule { name, .. } => plugins.has(EntryKind::Matcher, name),
        ReadWarning::UnknownGenerator { name, .. } => plugins.has(EntryKind::Generator, name),
        _ => false,
    };
    match warnings.iter().find(|warning| !of_plugin(warning)) {
        Some(warning) => Err(refused(warning)),
        None => Ok(read),
    }
}

/// Paths as all tools write them, however they were given.
fn rooted<T>(by_path: BTreeMap<PathExpression, T>) -> BTreeMap<PathExpression, T> {
    by_path
        .into_iter()
        .map(|(path, value)| (path.rooted(), value))
        .collect()
}

fn each_place(document: Json, change: impl Fn(Json) -> Json) -> Json {
    let Json::Object(categories) = document else {
        return document;
    };
    let changed = categories.into_iter().map(|(name, value)| {
        let value = match value {
            // The form of V2, and the parts that are one place.
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

/// Wraps a rule that stands alone into a list of rules.
fn complete(mut value: Json) -> Json {
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
