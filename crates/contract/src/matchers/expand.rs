//! What a matcher becomes: matcher JSON.

use contract_model::{Json, NumberKind, Object};

use super::combine::{self, Combine};
use super::json::{GENERATOR, TYPE, beside, checked, fields, plain, refused, text};
use super::lists::{self, Sizes};
use super::matcher::Matcher;
use super::presets::{self, Preset};
use super::template::Template;
use super::value::{Numeric, Pattern};
use super::{moment, url, uuid};
use crate::error::ArgumentError;
use crate::message::{option, told};

impl Matcher {
    /// The matcher JSON, checked.
    pub fn template(&self) -> Result<Template, ArgumentError> {
        expanded(self)
    }
}

#[expect(clippy::too_many_lines, reason = "a flat table: one arm for each function")]
fn expanded(matcher: &Matcher) -> Result<Template, ArgumentError> {
    match matcher {
        Matcher::Int { example, min, max } => int(example.as_ref(), *min, *max),
        Matcher::Float { example, precision } => {
            let digits = precision.map(|size| size.0.into());
            match example {
                Some(example) => Ok(exact("decimal", decimal(example))),
                None => checked(generated("decimal", "RandomDecimal", [("digits", digits), ("", None)])),
            }
        }
        Matcher::Number {
            example,
            min,
            max,
            precision,
        } => number(
            example.as_ref(),
            min.as_ref(),
            max.as_ref(),
            precision.map(|size| size.0),
        ),
        Matcher::Str {
            example,
            size,
            generator,
        } => str(
            example.as_deref(),
            size.map(|size| size.0),
            generator.as_ref().map(|json| &json.0),
        ),
        Matcher::Bool { example } => match example {
            Some(example) => Ok(exact("boolean", (*example).into())),
            None => checked(generated("boolean", "RandomBoolean", [("", None), ("", None)])),
        },
        Matcher::Uuid { example, format } => {
            let pattern = format.map_or(uuid::EITHER_CASE, uuid::UuidForm::pattern);
            let generated = format.unwrap_or(uuid::UuidForm::Lowercase).generator_format();
            let is_generated = example.is_none();
            checked(fields([
                (TYPE, text("regex")),
                ("regex", text(pattern)),
                (GENERATOR, is_generated.then(|| "Uuid".into())),
                ("format", is_generated.then(|| generated.into())),
                ("value", example.as_deref().map(Json::from)),
            ]))
        }
        Matcher::Regex { example, pattern } => regex(example.as_deref(), pattern.as_ref()),
        Matcher::Date {
            example,
            format,
            format_style,
        }
        | Matcher::Time {
            example,
            format,
            format_style,
        }
        | Matcher::Datetime {
            example,
            format,
            format_style,
        } => {
            let kind = match matcher {
                Matcher::Date { .. } => moment::Kind::Date,
                Matcher::Time { .. } => moment::Kind::Time,
                _ => moment::Kind::DateTime,
            };
            moment::matcher(kind, example.as_ref(), format.as_deref(), *format_style)
        }
        Matcher::Like {
            template,
            min,
            max,
            generator,
        } => lists::like(
            template.as_ref(),
            min.map(|size| size.0),
            max.map(|size| size.0),
            generator.as_ref().map(|json| &json.0),
        ),
        Matcher::EachLike {
            template,
            min,
            max,
            examples,
            allow_empty,
            example_limit,
        } => lists::each_like(
            template.as_ref(),
            &Sizes {
                min: min.map(|size| size.0),
                max: max.map(|size| size.0),
                examples: examples.map(|size| size.0),
                allow_empty: allow_empty.unwrap_or(false),
                limit: example_limit.map(|size| size.0),
            },
        ),
        Matcher::AtLeastOneLike { template, count } => lists::each_like(
            template.as_ref(),
            &Sizes {
                min: Some(1),
                examples: count.map(|size| size.0),
                ..Sizes::default()
            },
        ),
        Matcher::AtLeastLike { template, min, count } => lists::each_like(
            template.as_ref(),
            &Sizes {
                min: Some(min.0),
                examples: count.map(|size| size.0),
                allow_empty: min.0 == 0,
                ..Sizes::default()
            },
        ),
        Matcher::AtMostLike { template, max, count } => lists::each_like(
            template.as_ref(),
            &Sizes {
                max: Some(max.0),
                examples: Some(count.map_or(1, |size| size.0)),
                allow_empty: true,
                ..Sizes::default()
            },
        ),
        Matcher::ConstrainedArrayLike {
            template,
            min,
            max,
            count,
        } => lists::each_like(
            template.as_ref(),
            &Sizes {
                min: Some(min.0),
                max: Some(max.0),
                examples: count.map(|size| size.0),
                allow_empty: min.0 == 0,
                limit: None,
            },
        ),
        Matcher::EmptyArray {} => Ok(plain("equality", "[]")),
        Matcher::Includes { text: part, generator } => {
            let mut made = fields([(TYPE, text("include")), ("value", text(part))]);
            beside(&mut made, generator.as_ref().map(|json| &json.0))?;
            checked(made)
        }
        Matcher::Null {} => Ok(plain("null", "null")),
        Matcher::Equal { value } => Ok(plain("equality", value.text())),
        Matcher::Json { text } => match Json::parse(text.as_bytes()) {
            Ok(_) => Ok(Template::written(text.clone())),
            Err(error) => Err(refused(format!("the text is no JSON: {error}")).about("text")),
        },
        Matcher::ArrayContaining { variants } => lists::array_containing(variants),
        Matcher::EachKeyLike { key, template } => Ok(lists::each_key_like(key, template)),
        Matcher::EachKeyMatches { template, rules } => lists::each_matches("eachKey", template, &rules.0),
        Matcher::EachValueMatches { template, rules } => lists::each_matches("eachValue", template, &rules.0),
        Matcher::Any { alternatives } => combine::combined(Combine::Or, alternatives.iter().map(|json| &json.0)),
        Matcher::All { matchers } => combine::combined(Combine::And, matchers.iter().map(|json| &json.0)),
        Matcher::Nullable { template } => combine::nullable(template),
        Matcher::ContentType { content_type, example } => {
            let Some(example) = example else {
                let problem = format!("give an example whose content is {content_type}: a text, or bytes in base64");
                return Err(refused(problem).about("example"));
            };
            let rule = fields([(TYPE, text("contentType")), ("value", text(content_type))]);
            checked(fields([
                (TYPE, Some(vec![Json::from(rule)].into())),
                ("value", text(example)),
            ]))
        }
        Matcher::NotEmpty { template } => {
            checked(fields([(TYPE, text("notEmpty")), ("value", Some(template.json()?))]))
        }
        Matcher::Semver { example } => checked(fields([
            (TYPE, text("semver")),
            ("value", text(example.as_deref().unwrap_or("1.0.0"))),
        ])),
        Matcher::Status { accepted, example } => checked(fields([
            (TYPE, text("statusCode")),
            ("status", Some(accepted.json())),
            ("value", example.map(|code| u64::from(code).into())),
        ])),
        Matcher::FromProviderState {
            expression,
            example,
            loose,
            r#type,
        } => {
            let Some(example) = example else {
                return Err(refused("give an example: it stands for the value in the test").about("example"));
            };
            super::generator::check_expression(expression)?;
            checked(fields([
                (TYPE, loose.unwrap_or(false).then(|| "type".into())),
                (GENERATOR, text("ProviderState")),
                ("expression", text(expression)),
                ("dataType", r#type.map(|kind| kind.name().into())),
                ("value", Some(example.0.clone())),
            ]))
        }
        Matcher::PathFromProviderState { expression, example } => {
            if !example.starts_with('/') {
                return Err(refused(format!("the example must be a path, got {example:?}")).about("example"));
            }
            super::generator::check_expression(expression)?;
            checked(fields([
                (GENERATOR, text("ProviderState")),
                ("expression", text(expression)),
                ("value", text(example)),
            ]))
        }
        Matcher::Email { example } => preset(presets::email(), example.as_deref()),
        Matcher::Ipv4Address { example } => preset(presets::ipv4_address(), example.as_deref()),
        Matcher::Ipv6Address { example } => preset(presets::ipv6_address(), example.as_deref()),
        Matcher::Iso8601Date { example } => preset(presets::iso8601_date(), example.as_deref()),
        Matcher::Iso8601DateTime { example } => preset(presets::iso8601_date_time(), example.as_deref()),
        Matcher::Iso8601DateTimeWithMillis { example } => {
            preset(presets::iso8601_date_time_with_millis(), example.as_deref())
        }
        Matcher::Iso8601Time { example } => preset(presets::iso8601_time(), example.as_deref()),
        Matcher::Rfc1123Timestamp { example } => preset(presets::rfc1123_timestamp(), example.as_deref()),
        Matcher::Hexadecimal { example } => preset(presets::hexadecimal(), example.as_deref()),
        Matcher::BearerToken { example } => checked(fields([
            (TYPE, text("regex")),
            ("regex", text(presets::BEARER)),
            ("value", Some(format!("Bearer {example}").into())),
        ])),
        Matcher::Url { path, base } => url::matcher(&path.0, base.as_deref()),
        Matcher::GraphqlDocument { query } => {
            let query = query.0.as_str();
            let query = query.ok_or_else(|| refused(crate::builder::NO_TEXT).about("query"))?;
            let pattern = crate::builder::graphql_pattern(query)?;
            let made = fields([
                (TYPE, text("regex")),
                ("regex", Some(pattern.into())),
                ("value", text(query)),
            ]);
            Ok(Json::from(made).into())
        }
    }
}

/// A rule of a kind with an example that is of that kind: there is nothing left to check.
fn exact(rule: &str, example: Json) -> Template {
    Json::from(fields([(TYPE, text(rule)), ("value", Some(example))])).into()
}

/// A rule whose example the generator makes.
fn generated(rule: &str, generator: &str, attributes: [(&str, Option<Json>); 2]) -> Object {
    let [first, second] = attributes;
    fields([(TYPE, text(rule)), (GENERATOR, text(generator)), first, second])
}

fn int(example: Option<&Numeric>, min: Option<i64>, max: Option<i64>) -> Result<Template, ArgumentError> {
    let Some(example) = example else {
        let bounds = [("min", min.map(Json::from)), ("max", max.map(Json::from))];
        return checked(generated("integer", "RandomInt", bounds));
    };
    if example.0.kind() != NumberKind::Integer {
        return Err(refused(format!("the example {} is no whole number", example.0)).about("example"));
    }
    within(
        example,
        min.map(Numeric::from).as_ref(),
        max.map(Numeric::from).as_ref(),
    )?;
    Ok(exact("integer", number_json(example)))
}

fn number(
    example: Option<&Numeric>,
    min: Option<&Numeric>,
    max: Option<&Numeric>,
    precision: Option<u64>,
) -> Result<Template, ArgumentError> {
    if let Some(example) = example {
        within(example, min, max)?;
        return Ok(exact("number", number_json(example)));
    }
    let Some(digits) = precision else {
        let bounds = [("min", min.map(number_json)), ("max", max.map(number_json))];
        return checked(generated("number", "RandomInt", bounds));
    };
    if min.is_some() || max.is_some() {
        let message = told![
            option("min"),
            " and ",
            option("max"),
            " bound whole numbers, ",
            option("precision"),
            " makes a fraction: use one of them, or give an example"
        ];
        return Err(refused(message).about("precision"));
    }
    checked(generated(
        "number",
        "RandomDecimal",
        [("digits", Some(digits.into())), ("", None)],
    ))
}

fn within(example: &Numeric, min: Option<&Numeric>, max: Option<&Numeric>) -> Result<(), ArgumentError> {
    if let Some(min) = min.filter(|min| example.is_below(min)) {
        return Err(refused(format!("the example {} is below min {}", example.0, min.0)).about("example"));
    }
    if let Some(max) = max.filter(|max| max.is_below(example)) {
        return Err(refused(format!("the example {} is above max {}", example.0, max.0)).about("example"));
    }
    Ok(())
}

fn number_json(number: &Numeric) -> Json {
    Json::Number(number.0.clone())
}

/// Languages with one kind of number cannot write `1.0`; contract files tell it from `1`.
fn decimal(example: &Numeric) -> Json {
    if example.0.kind() != NumberKind::Integer {
        return number_json(example);
    }
    contract_model::Number::from_text(&format!("{}.0", example.0)).map_or_else(|| number_json(example), Json::Number)
}

fn str(example: Option<&str>, size: Option<u64>, generator: Option<&Json>) -> Result<Template, ArgumentError> {
    if size.is_some() && generator.is_some() {
        let message = told!["use either ", option("size"), " or ", option("generator"), ", not both"];
        return Err(refused(message).about("size"));
    }
    if size.is_some() && example.is_some() {
        let problem = "size is that of a generated text; leave the example out, or the size";
        return Err(refused(problem).about("size"));
    }
    if example.is_none() && generator.is_none() {
        let size = [("size", size.map(Json::from)), ("", None)];
        return checked(generated("type", "RandomString", size));
    }
    if let (Some(example), None) = (example, generator) {
        return Ok(exact("type", example.into()));
    }
    let mut made = fields([(TYPE, text("type")), ("value", example.map(Json::from))]);
    beside(&mut made, generator)?;
    checked(made)
}

fn regex(example: Option<&str>, pattern: Option<&Pattern>) -> Result<Template, ArgumentError> {
    let Some(pattern) = pattern else {
        let message = told!["a pattern is missing: the example comes first, then the pattern"];
        return Err(refused(message).about("pattern"));
    };
    checked(fields([
        (TYPE, text("regex")),
        ("regex", Some(pattern.text()?.into())),
        (GENERATOR, example.is_none().then(|| "Regex".into())),
        ("value", example.map(Json::from)),
    ]))
}

fn preset(preset: Preset, example: Option<&str>) -> Result<Template, ArgumentError> {
    checked(fields([
        (TYPE, text("regex")),
        ("regex", Some(preset.pattern.into())),
        ("value", text(example.unwrap_or(preset.example))),
    ]))
}
