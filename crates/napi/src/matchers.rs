use contract::{FormatStyle, MomentExample, MomentKind};
use napi::Either;
use napi_derive::napi;

use crate::convert::{done, either, json};
use crate::failure::Failure;

/// Checks a matcher where it is written: the function that makes it, such as `match.int`, and JSON text.
#[napi(catch_unwind)]
pub fn check_matcher(call: String, matcher: String) -> Option<Failure> {
    done(json(&matcher).and_then(|matcher| contract::check_matcher(&call, &matcher)))
}

/// The pattern for contract files that means what the JavaScript `RegExp` means.
#[napi(catch_unwind)]
pub fn regex_from_javascript(source: String, flags: String) -> Either<String, Failure> {
    either(contract::regex_from_javascript(&source, &flags))
}

/// The example of a template, as JSON text.
#[napi(catch_unwind)]
pub fn example_of(template: String) -> Either<String, Failure> {
    either(json(&template).and_then(|template| contract::example_of(&template)))
}

/// The pattern of a GraphQL document.
#[napi(catch_unwind)]
pub fn graphql_pattern(query: String) -> Either<String, Failure> {
    either(contract::graphql_pattern(&query))
}

/// A date or time format for contract files, and the example in it.
#[napi(object)]
pub struct NativeMoment {
    pub format: String,
    pub example: Option<String>,
}

/// Settles format and example of a date or time matcher. The example is a text or milliseconds since 1970.
#[napi(catch_unwind)]
pub fn moment(
    call: String,
    kind: String,
    example: Option<String>,
    milliseconds: Option<f64>,
    format: Option<String>,
    style: Option<String>,
) -> Either<NativeMoment, Failure> {
    either((|| {
        let kind: MomentKind = kind.parse()?;
        let style = style.as_deref().map(str::parse::<FormatStyle>).transpose()?;
        let example = MomentExample::new(example.as_deref(), milliseconds)?;
        let made = contract::moment(&call, kind, example, format.as_deref(), style)?;
        Ok::<_, contract::ArgumentError>(NativeMoment {
            format: made.format,
            example: made.example,
        })
    })())
}
