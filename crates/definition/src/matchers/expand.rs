//! Converts matchers to matcher JSON.

use contract_model::{Json, Number, NumberKind};

use super::combine::{self, Combine};
use super::generator::from_provider_state;
use super::json::{GENERATOR, TYPE, add_generator, checked, fields, invalid, matching, plain, text};
use super::lists::{self, Sizes, bounded};
use super::matcher::{Example, Matcher};
use super::presets::{
    BEARER, DAY, HEXADECIMAL, email, ipv4_address, ipv6_address, iso8601_date_time, iso8601_date_time_with_millis,
    iso8601_time, rfc1123_timestamp,
};
use super::template::Template;
use super::value::{Length, Numeric};
use super::{moment, url, uuid};
use contract_call::error::ArgumentError;
use contract_call::message::{message, option};
use contract_call::read::Document;

impl Matcher {
    /// Returns the matcher JSON, or an error if an argument is invalid.
    #[expect(clippy::too_many_lines, reason = "a flat table: one arm for each function")]
    pub fn template(&self) -> Result<Template, ArgumentError> {
        match self {
            Self::Int { example, min, max } => {
                if let Some(Numeric(example)) = example
                    && example.kind() != NumberKind::Integer
                {
                    return Err(invalid(format!("the example {example} is not a whole number")).for_argument("example"));
                }
                let bounds = [min, max].map(|bound| bound.map(Numeric::from));
                number("integer", example.as_ref(), bounds.each_ref().map(Option::as_ref))
            }
            Self::Float { example, precision } => match example {
                Some(example) => Ok(exact("decimal", decimal(example))),
                None => generated("decimal", "RandomDecimal", [("digits", precision.map(Json::from))]),
            },
            Self::Number {
                example,
                min,
                max,
                precision,
            } => {
                let bounds = [min.as_ref(), max.as_ref()];
                match precision {
                    Some(digits) if example.is_none() => fraction(*digits, bounds),
                    _ => number("number", example.as_ref(), bounds),
                }
            }
            Self::Str {
                example,
                size,
                generator,
            } => str(example.as_deref(), *size, generator.as_ref()),
            Self::Bool { example } => match example {
                Some(example) => Ok(exact("boolean", (*example).into())),
                None => generated("boolean", "RandomBoolean", []),
            },
            Self::Uuid { example, format } => {
                let pattern = format.map_or(contract_matching::UUID_PATTERN, uuid::UuidForm::pattern);
                let generated = format.unwrap_or(uuid::UuidForm::Lowercase).generator_format();
                matching(pattern, "Uuid", Some(generated), example.as_deref())
            }
            Self::Regex { pattern: None, .. } => {
                let problem = "the pattern is missing; pass the example first, then the pattern";
                Err(invalid(problem).for_argument("pattern"))
            }
            Self::Regex {
                example,
                pattern: Some(pattern),
            } => matching(&pattern.text()?, "Regex", None, example.as_deref()),
            Self::Date(arguments) => moment::matcher(&moment::DATE, arguments),
            Self::Time(arguments) => moment::matcher(&moment::TIME, arguments),
            Self::Datetime(arguments) => moment::matcher(&moment::DATE_TIME, arguments),
            Self::Like {
                template,
                min,
                max,
                generator,
            } => lists::like(template.as_ref(), [*min, *max], generator.as_ref()),
            Self::EachLike {
                template,
                min,
                max,
                examples,
                allow_empty,
                example_limit,
            } => {
                let sizes = Sizes {
                    min: min.map(|size| size.0),
                    max: max.map(|size| size.0),
                    examples: examples.map(|size| size.0),
                    allow_empty: allow_empty.unwrap_or(false),
                    limit: example_limit.map(|size| size.0),
                };
                lists::each_like(template.as_ref(), &sizes)
            }
            Self::AtLeastOneLike { template, count } => bounded(template.as_ref(), 1, None, *count),
            Self::AtLeastLike { template, min, count } => bounded(template.as_ref(), min.0, None, *count),
            Self::AtMostLike { template, max, count } => bounded(template.as_ref(), 0, Some(max.0), *count),
            Self::ConstrainedArrayLike {
                template,
                min,
                max,
                count,
            } => bounded(template.as_ref(), min.0, Some(max.0), *count),
            Self::EmptyArray {} => Ok(plain("equality", "[]")),
            Self::Includes { text: part, generator } => {
                let mut matcher = fields([(TYPE, text("include")), ("value", text(part))]);
                add_generator(&mut matcher, generator.as_ref())?;
                checked(matcher)
            }
            Self::Null {} => Ok(plain("null", "null")),
            Self::Equal { value } => Ok(plain("equality", value.text())),
            Self::Json { text } => match Json::parse(text.as_bytes()) {
                Ok(_) => Ok(Template::from_valid_text(text.clone())),
                Err(error) => Err(invalid(format!("the text is not valid JSON: {error}")).for_argument("text")),
            },
            Self::ArrayContaining { variants } => lists::array_containing(variants),
            Self::EachKeyLike { key, template } => Ok(lists::each_key_like(key, template)),
            Self::EachKeyMatches { template, rules } => lists::each_matches("eachKey", template, &rules.0),
            Self::EachValueMatches { template, rules } => lists::each_matches("eachValue", template, &rules.0),
            Self::Any { alternatives } => combine::combined(Combine::Or, alternatives.iter().map(|json| &json.0)),
            Self::All { matchers } => combine::combined(Combine::And, matchers.iter().map(|json| &json.0)),
            Self::Nullable { template } => combine::nullable(template),
            Self::ContentType { content_type, example } => {
                let Some(example) = example else {
                    let problem = format!(
                        "an example of the content type {content_type} is required: a string, or bytes in base64"
                    );
                    return Err(invalid(problem).for_argument("example"));
                };
                let rule = fields([(TYPE, text("contentType")), ("value", text(content_type))]);
                checked(fields([
                    (TYPE, Some(vec![Json::from(rule)].into())),
                    ("value", text(example)),
                ]))
            }
            Self::NotEmpty { template } => {
                checked(fields([(TYPE, text("notEmpty")), ("value", Some(template.json()?))]))
            }
            Self::Semver(arguments) => checked(fields([
                (TYPE, text("semver")),
                ("value", text(arguments.example.as_deref().unwrap_or("1.0.0"))),
            ])),
            Self::Status { accepted, example } => checked(fields([
                (TYPE, text("statusCode")),
                ("status", Some(accepted.0.to_json())),
                ("value", example.map(|code| u64::from(code).into())),
            ])),
            Self::FromProviderState {
                expression,
                example,
                loose,
                r#type,
            } => {
                let Some(Document(example)) = example else {
                    return Err(
                        invalid("an example is required; the consumer test receives it as the value")
                            .for_argument("example"),
                    );
                };
                let rule = loose.unwrap_or(false).then(|| "type".into());
                checked(from_provider_state(rule, expression, *r#type, Some(example.clone()))?)
            }
            Self::PathFromProviderState { expression, example } => {
                if !example.starts_with('/') {
                    return Err(
                        invalid(format!("the example must start with a slash, received {example:?}"))
                            .for_argument("example"),
                    );
                }
                checked(from_provider_state(None, expression, None, text(example))?)
            }
            Self::Email(arguments) => preset(email(), "alice@example.com", arguments),
            Self::Ipv4Address(arguments) => preset(ipv4_address(), "127.0.0.1", arguments),
            Self::Ipv6Address(arguments) => preset(ipv6_address(), "2001:db8::1", arguments),
            Self::Iso8601Date(arguments) => preset(DAY, "2024-02-29", arguments),
            Self::Iso8601DateTime(arguments) => preset(iso8601_date_time(), "2024-02-29T13:45:00Z", arguments),
            Self::Iso8601DateTimeWithMillis(arguments) => {
                preset(iso8601_date_time_with_millis(), "2024-02-29T13:45:00.123Z", arguments)
            }
            Self::Iso8601Time(arguments) => preset(iso8601_time(), "13:45:00", arguments),
            Self::Rfc1123Timestamp(arguments) => {
                preset(rfc1123_timestamp(), "Thu, 29 Feb 2024 13:45:00 GMT", arguments)
            }
            Self::Hexadecimal(arguments) => preset(HEXADECIMAL, "3f", arguments),
            Self::BearerToken { example } => matching(BEARER, "", None, Some(&format!("Bearer {example}"))),
            Self::Url { path, base } => url::matcher(&path.0, base.as_deref()),
            Self::GraphqlDocument { query } => {
                let query = query.0.as_str();
                let query = query.ok_or_else(|| invalid(crate::graphql::NO_TEXT).for_argument("query"))?;
                let pattern = crate::graphql::graphql_pattern(query)?;
                let matcher = fields([
                    (TYPE, text("regex")),
                    ("regex", Some(pattern.into())),
                    ("value", text(query)),
                ]);
                Ok(Json::from(matcher).into())
            }
        }
    }
}

/// Returns matcher JSON for a rule and an example that is known to satisfy it.
fn exact(rule: &str, example: Json) -> Template {
    Json::from(fields([(TYPE, text(rule)), ("value", Some(example))])).into()
}

/// Returns matcher JSON for a rule and the generator that produces its example.
fn generated<const N: usize>(
    rule: &str,
    generator: &str,
    attributes: [(&str, Option<Json>); N],
) -> Result<Template, ArgumentError> {
    let names = [(TYPE, text(rule)), (GENERATOR, text(generator))];
    checked(fields(names.into_iter().chain(attributes)))
}

fn number(rule: &str, example: Option<&Numeric>, [min, max]: [Option<&Numeric>; 2]) -> Result<Template, ArgumentError> {
    let Some(example) = example else {
        let bounds = [("min", min.map(Numeric::json)), ("max", max.map(Numeric::json))];
        return generated(rule, "RandomInt", bounds);
    };
    let out_of_bounds = |bound: &Numeric, relation: &str| {
        Err(invalid(format!("the example {} is {relation} {}", example.0, bound.0)).for_argument("example"))
    };
    match (min, max) {
        (Some(min), _) if example.is_below(min) => out_of_bounds(min, "less than min"),
        (_, Some(max)) if max.is_below(example) => out_of_bounds(max, "greater than max"),
        _ => Ok(exact(rule, example.json())),
    }
}

fn fraction(digits: Length, bounds: [Option<&Numeric>; 2]) -> Result<Template, ArgumentError> {
    if bounds == [None, None] {
        return generated("number", "RandomDecimal", [("digits", Some(digits.into()))]);
    }
    let message = message![
        option("min"),
        " and ",
        option("max"),
        " apply to whole numbers, ",
        option("precision"),
        " to decimal numbers; use one of them, or pass an example"
    ];
    Err(invalid(message).for_argument("precision"))
}

/// Converts `1` to `1.0`, because contract files distinguish them and languages with a single number type cannot write
/// `1.0`.
fn decimal(example: &Numeric) -> Json {
    if example.0.kind() != NumberKind::Integer {
        return example.json();
    }
    Number::from_text(&format!("{}.0", example.0)).map_or_else(|| example.json(), Json::Number)
}

fn str(example: Option<&str>, size: Option<Length>, generator: Option<&Document>) -> Result<Template, ArgumentError> {
    if size.is_some() && generator.is_some() {
        let message = message!["use either ", option("size"), " or ", option("generator"), ", not both"];
        return Err(invalid(message).for_argument("size"));
    }
    if size.is_some() && example.is_some() {
        let problem = "size applies to generated strings only; omit the example or the size";
        return Err(invalid(problem).for_argument("size"));
    }
    match (example, generator) {
        (None, None) => generated("type", "RandomString", [("size", size.map(Json::from))]),
        (Some(example), None) => Ok(exact("type", example.into())),
        (example, generator) => {
            let mut matcher = fields([(TYPE, text("type")), ("value", example.map(Json::from))]);
            add_generator(&mut matcher, generator)?;
            checked(matcher)
        }
    }
}

/// Returns a matcher for a string in a well-known format. `usual` is the default example.
fn preset(pattern: impl Into<Json>, usual: &str, arguments: &Example) -> Result<Template, ArgumentError> {
    checked(fields([
        (TYPE, text("regex")),
        ("regex", Some(pattern.into())),
        ("value", text(arguments.example.as_deref().unwrap_or(usual))),
    ]))
}
