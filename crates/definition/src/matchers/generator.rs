//! The functions of the `generate` namespace.

use contract_model::{Json, Object};
use serde::Deserialize;

use super::json::{GENERATOR, TYPE, checked, fields, invalid, text};
use super::moment::{self, MomentGenerator};
use super::template::Template;
use super::uuid::UuidForm;
use super::value::{Length, Pattern, not_null};
use contract_call::error::ArgumentError;
use contract_call::read::Document;

/// A generator, which produces a new value each time the contract is used. Each variant is a function of the `generate`
/// namespace, and its fields are the arguments of the function.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Generator {
    /// Generates a whole number from `min` to `max`, inclusive.
    Int {
        /// Minimum, inclusive. Default: 0.
        min: Option<i64>,
        /// Maximum, inclusive. Default: 10.
        max: Option<i64>,
    },
    /// Generates a decimal number such as `3.14`.
    Float {
        /// Total number of digits. Default: 10.
        precision: Option<Length>,
    },
    /// Generates hexadecimal digits.
    Hex {
        /// Number of digits. Default: 10.
        digits: Option<Length>,
    },
    /// Generates a string of letters and digits.
    Str {
        /// Number of characters. Default: 10.
        size: Option<Length>,
    },
    /// Generates a string that matches a pattern.
    Regex { pattern: Pattern },
    /// Generates a random UUID.
    Uuid {
        /// Format of the UUID. Default: lowercase with hyphens.
        format: Option<UuidForm>,
    },
    /// Generates the current date, or a date relative to it.
    Date(MomentGenerator),
    /// Generates the current time of day, or a time relative to it.
    Time(MomentGenerator),
    /// Generates the current date and time, or a date and time relative to it.
    Datetime(MomentGenerator),
    /// Generates true or false.
    Bool {},
    /// Inserts a value that a provider state handler returns.
    ProviderState {
        /// Expression that contains the name of the value: a template such as `/users/${id}`, or only the name.
        expression: String,
        /// The value to use in the consumer test. Required unless the generator is combined with a matcher.
        #[serde(default, deserialize_with = "not_null")]
        example: Option<Document>,
        /// Type to which the value is converted. Default: the type that the state handler returned.
        r#type: Option<StateType>,
    },
    /// Inserts the mock server's address into a URL.
    MockServerUrl {
        /// The URL to use in the consumer test.
        example: String,
        /// A pattern with one capturing group for the part of the example to keep, such as `.*(/orders)$`. The rest of
        /// the match is replaced by the mock server's address.
        regex: Pattern,
    },
}

/// The type to which a value from a provider state is converted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StateType {
    String,
    Integer,
    Decimal,
    Boolean,
    /// The value is not converted.
    Raw,
}

impl StateType {
    /// Returns the name in contract files, such as `STRING`.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::String => "STRING",
            Self::Integer => "INTEGER",
            Self::Decimal => "DECIMAL",
            Self::Boolean => "BOOLEAN",
            Self::Raw => "RAW",
        }
    }
}

/// Returns a matcher or generator for a value from a provider state.
pub(super) fn from_provider_state(
    rule: Option<Json>,
    expression: &str,
    kind: Option<StateType>,
    example: Option<Json>,
) -> Result<Object, ArgumentError> {
    if expression.is_empty() {
        let problem = "an expression is required, such as \"${id}\"";
        return Err(invalid(problem).for_argument("expression"));
    }
    Ok(fields([
        (TYPE, rule),
        (GENERATOR, text("ProviderState")),
        ("expression", text(expression)),
        ("dataType", kind.map(|kind| kind.name().into())),
        ("value", example),
    ]))
}

impl Generator {
    /// Returns the matcher JSON, or an error if an argument is invalid.
    pub fn template(&self) -> Result<Template, ArgumentError> {
        let matcher = match self {
            Self::Int { min, max } => fields([
                (GENERATOR, text("RandomInt")),
                ("min", min.map(Json::from)),
                ("max", max.map(Json::from)),
            ]),
            Self::Float { precision } => sized("RandomDecimal", "digits", *precision),
            Self::Hex { digits } => sized("RandomHexadecimal", "digits", *digits),
            Self::Str { size } => sized("RandomString", "size", *size),
            Self::Regex { pattern } => fields([(GENERATOR, text("Regex")), ("regex", Some(pattern.text()?.into()))]),
            Self::Uuid { format } => {
                let format = format.unwrap_or(UuidForm::Lowercase).generator_format();
                fields([(GENERATOR, text("Uuid")), ("format", text(format))])
            }
            Self::Date(arguments) => return moment::generator(&moment::DATE, arguments),
            Self::Time(arguments) => return moment::generator(&moment::TIME, arguments),
            Self::Datetime(arguments) => return moment::generator(&moment::DATE_TIME, arguments),
            Self::Bool {} => fields([(GENERATOR, text("RandomBoolean"))]),
            Self::ProviderState {
                expression,
                example,
                r#type,
            } => {
                let matcher =
                    from_provider_state(None, expression, *r#type, example.as_ref().map(|json| json.0.clone()))?;
                if example.is_none() {
                    // The generator may be combined with a matcher that provides the example. If it is used alone, the
                    // operation that uses it reports the missing example.
                    return Ok(Json::from(matcher).into());
                }
                matcher
            }
            Self::MockServerUrl { example, regex } => fields([
                (GENERATOR, text("MockServerURL")),
                ("example", text(example)),
                ("regex", Some(regex.text()?.into())),
                ("value", text(example)),
            ]),
        };
        checked(matcher)
    }
}

fn sized(name: &str, attribute: &str, size: Option<Length>) -> Object {
    fields([(GENERATOR, text(name)), (attribute, size.map(Json::from))])
}
