//! Builds matcher JSON.

use contract_model::{Json, Object};

use super::check;
use super::template::Template;
use contract_call::error::{ArgumentError, Done, MATCHER};
use contract_call::message::{Message, message, operation};
use contract_call::read::Document;

pub(super) const TYPE: &str = "contract:matcher:type";
pub(super) const GENERATOR: &str = "contract:generator:type";

pub(super) fn invalid(message: impl Into<Message>) -> ArgumentError {
    ArgumentError::new(MATCHER, message)
}

/// Builds an object from the members that are `Some`.
pub(super) fn fields<'a>(members: impl IntoIterator<Item = (&'a str, Option<Json>)>) -> Object {
    let present = members.into_iter().filter_map(|(name, value)| Some((name, value?)));
    present.collect()
}

/// Converts the fields to matcher JSON, or returns an error if a rule is invalid or rejects its example.
pub(super) fn checked(fields: Object) -> Result<Template, ArgumentError> {
    let json = Json::from(fields);
    check::check(&json)?;
    Ok(json.into())
}

/// Returns a `regex` matcher for a pattern in the syntax of contract files. Without an example, adds a generator.
pub(super) fn matching(
    pattern: &str,
    generator: &str,
    format: Option<&str>,
    example: Option<&str>,
) -> Result<Template, ArgumentError> {
    let is_generated = example.is_none();
    checked(fields([
        (TYPE, text("regex")),
        ("regex", text(pattern)),
        (GENERATOR, is_generated.then(|| generator.into())),
        ("format", format.filter(|_| is_generated).map(Json::from)),
        ("value", example.map(Json::from)),
    ]))
}

/// Returns a string as the value of a member for [`fields`] that is always present.
#[expect(clippy::unnecessary_wraps, reason = "callers put it in a list with optional members")]
pub(super) fn text(text: &str) -> Option<Json> {
    Some(text.into())
}

/// Returns matcher JSON for a rule without attributes. `example` is JSON text.
pub(super) fn plain(rule: &str, example: &str) -> Template {
    Template::from_valid_text(format!(r#"{{"{TYPE}":"{rule}","value":{example}}}"#))
}

/// Adds the generator and its attributes to a matcher.
pub(super) fn add_generator(matcher: &mut Object, generator: Option<&Document>) -> Done {
    let Some(Document(generator)) = generator else {
        return Ok(());
    };
    let attributes = generator
        .as_object()
        .filter(|members| members.contains_key(GENERATOR) && !members.contains_key(TYPE));
    let Some(attributes) = attributes else {
        let message = message!["generator must be a generator, such as ", operation("generate.uuid")];
        return Err(invalid(message).for_argument("generator"));
    };
    for (name, value) in attributes.iter().filter(|(name, _)| name != "value") {
        matcher.insert(name.clone(), value.clone());
    }
    Ok(())
}
