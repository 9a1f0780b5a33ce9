use napi::Either;
use napi_derive::napi;

use crate::convert::either;
use crate::failure::Failure;

/// Creates a matcher and returns its JSON text. `name` is a function such as `match.int`, and `arguments` is a JSON
/// object with its arguments. The `options` member of this object may contain some of the arguments as a nested object.
#[napi(catch_unwind)]
pub fn matcher(name: String, arguments: String) -> Either<String, Failure> {
    either(contract::matcher(&name, &arguments).map(contract::Template::into_text))
}

/// Returns the example value of a template. Both are JSON text.
#[napi(catch_unwind)]
pub fn example_of(template: String) -> Either<String, Failure> {
    either(contract::parse_json(&template).and_then(|template| contract::example_of(&template)))
}

/// Compares a value with a template. Both are JSON text. Returns the mismatches as a JSON array.
#[napi(catch_unwind)]
pub fn compare_with_template(template: String, value: String) -> Either<String, Failure> {
    let parsed = contract::parse_json(&template).and_then(|template| Ok((template, contract::parse_json(&value)?)));
    either(parsed.and_then(|(template, value)| contract::compare_with_template(&template, &value)))
}
