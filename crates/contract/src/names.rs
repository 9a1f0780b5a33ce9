//! Texts of bindings to values: JSON, patterns, kinds of moments.

use std::str::FromStr;

use contract_model::Json;

use crate::error::{ArgumentError, JSON, MATCHER};
use crate::moment::{FormatStyle, MomentExample, MomentKind};

impl FromStr for MomentKind {
    type Err = ArgumentError;

    fn from_str(name: &str) -> Result<Self, ArgumentError> {
        match name {
            "date" => Ok(Self::Date),
            "time" => Ok(Self::Time),
            "datetime" => Ok(Self::DateTime),
            other => Err(ArgumentError::new(
                MATCHER,
                format!("{other:?} is neither date, time nor datetime"),
            )),
        }
    }
}

impl FromStr for FormatStyle {
    type Err = ArgumentError;

    fn from_str(name: &str) -> Result<Self, ArgumentError> {
        match name {
            "strftime" => Ok(Self::Strftime),
            "java" => Ok(Self::Java),
            other => Err(ArgumentError::new(
                MATCHER,
                format!("there is no format style {other:?}; styles are strftime and java"),
            )),
        }
    }
}

impl<'a> MomentExample<'a> {
    /// From a text or milliseconds since 1970; none from neither.
    pub fn new(text: Option<&'a str>, milliseconds: Option<f64>) -> Result<Option<Self>, ArgumentError> {
        match (text, milliseconds) {
            (Some(text), _) => Ok(Some(Self::Text(text))),
            // The range of a JavaScript Date; NaN is that of an invalid one.
            #[expect(clippy::cast_possible_truncation, reason = "bounded by the guard")]
            (None, Some(value)) if value.abs() <= 8.64e15 => Ok(Some(Self::Milliseconds(value as i64))),
            (None, Some(_)) => Err(ArgumentError::new(MATCHER, "the example is an invalid Date")),
            (None, None) => Ok(None),
        }
    }
}

/// Reads a document that a binding has written.
pub fn parse_json(text: &str) -> Result<Json, ArgumentError> {
    Json::parse(text.as_bytes()).map_err(|error| ArgumentError::new(JSON, format!("this is no JSON: {error}")))
}

/// The pattern for contract files that means what the JavaScript regular expression means.
pub fn regex_from_javascript(source: &str, flags: &str) -> Result<String, ArgumentError> {
    contract_matching::from_javascript(source, flags).map_err(|error| ArgumentError::new(MATCHER, error.to_string()))
}
