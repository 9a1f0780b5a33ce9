use napi::Either;
use napi_derive::napi;

use crate::convert::either;
use crate::failure::Failure;

/// The matcher JSON of a call, such as `match.int`, with its arguments as the JSON text of an object. The member `options`
/// may hold some of them in an object of its own.
#[napi(catch_unwind)]
pub fn matcher(name: String, arguments: String) -> Either<String, Failure> {
    either(contract::matcher(&name, &arguments).map(contract::Template::into_text))
}

/// The example of a template, as JSON text.
#[napi(catch_unwind)]
pub fn example_of(template: String) -> Either<String, Failure> {
    either(contract::parse_json(&template).and_then(|template| contract::example_of(&template)))
}
