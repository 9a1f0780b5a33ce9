//! Every function of the namespace `generate`.

use contract_model::{Json, Object};
use serde::Deserialize;

use super::json::{GENERATOR, TYPE, checked, fields, refused, text};
use super::moment::{self, MomentGenerator};
use super::template::Template;
use super::uuid::UuidForm;
use super::value::{Length, Pattern, given};
use crate::error::ArgumentError;
use crate::read::Document;

/// Makes a value afresh each time the contract is exercised. A variant is a function of the namespace `generate`, its
/// fields are the arguments.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Generator {
    /// A whole number from `min` to `max`, both included.
    Int {
        /// Least value. Default: 0.
        min: Option<i64>,
        /// Greatest value. Default: 10.
        max: Option<i64>,
    },
    /// A number with a fraction.
    Float {
        /// Digits in all. Default: 10.
        precision: Option<Length>,
    },
    /// Hexadecimal digits.
    Hex {
        /// How many. Default: 10.
        digits: Option<Length>,
    },
    /// Letters and digits.
    Str {
        /// How many. Default: 10.
        size: Option<Length>,
    },
    /// A text that matches the pattern.
    Regex {
        /// The pattern.
        pattern: Pattern,
    },
    /// A random UUID.
    Uuid {
        /// How it is written. Default: with hyphens, in lower case.
        format: Option<UuidForm>,
    },
    /// Today's date, or that of the expression.
    Date(MomentGenerator),
    /// The time of day.
    Time(MomentGenerator),
    /// Date and time.
    Datetime(MomentGenerator),
    /// True or false.
    Bool {},
    /// A value that the provider's state handler returns.
    ProviderState {
        /// Names the value, as in `${id}`.
        expression: String,
        /// What stands for it in the consumer's test; needed where the generator stands alone.
        #[serde(default, deserialize_with = "given")]
        example: Option<Document>,
        /// What the value is turned into. Default: what the state handler returned.
        r#type: Option<StateType>,
    },
    /// A URL with the address of the mock server in place of its own.
    MockServerUrl {
        /// The URL in the consumer test.
        example: String,
        /// A pattern with one group: the part of the example that is kept.
        regex: Pattern,
    },
}

/// Type of a value from a provider state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StateType {
    /// A text.
    String,
    /// A whole number.
    Integer,
    /// A number with a fraction.
    Decimal,
    /// True or false.
    Boolean,
    /// The value as it is.
    Raw,
}

impl StateType {
    /// As contract files have it.
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

/// A value that a provider state gives, beside a rule or alone.
pub(super) fn of_state(
    rule: Option<Json>,
    expression: &str,
    kind: Option<StateType>,
    example: Option<Json>,
) -> Result<Object, ArgumentError> {
    if expression.is_empty() {
        let problem = "an expression is required, such as ${id}";
        return Err(refused(problem).about("expression"));
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
    /// The matcher JSON, checked.
    pub fn template(&self) -> Result<Template, ArgumentError> {
        let made = match self {
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
                let made = of_state(None, expression, *r#type, example.as_ref().map(|json| json.0.clone()))?;
                if example.is_none() {
                    // Beside a matcher it needs no example; alone it is refused where it is used.
                    return Ok(Json::from(made).into());
                }
                made
            }
            Self::MockServerUrl { example, regex } => fields([
                (GENERATOR, text("MockServerURL")),
                ("example", text(example)),
                ("regex", Some(regex.text()?.into())),
                ("value", text(example)),
            ]),
        };
        checked(made)
    }
}

fn sized(name: &str, attribute: &str, size: Option<Length>) -> Object {
    fields([(GENERATOR, text(name)), (attribute, size.map(Json::from))])
}
