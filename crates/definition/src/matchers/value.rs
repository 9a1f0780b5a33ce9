//! Types of matcher arguments.

use contract_model::{Json, Number};
use serde::de::{Deserialize, Deserializer, Error as _};

use contract_call::read::{Document, Size, describe};

/// A number with its original text, because `1.0` and `1` are different examples.
#[derive(Clone, Debug, PartialEq)]
pub struct Numeric(pub Number);

impl From<u64> for Numeric {
    fn from(value: u64) -> Self {
        Self(value.into())
    }
}

impl From<i64> for Numeric {
    fn from(value: i64) -> Self {
        Self(value.into())
    }
}

impl From<f64> for Numeric {
    /// Converts NaN and infinities to zero, because JSON cannot represent them.
    fn from(value: f64) -> Self {
        Number::from_text(&format!("{value:?}")).map_or_else(|| 0_u64.into(), Self)
    }
}

impl Numeric {
    pub(super) fn json(&self) -> Json {
        Json::Number(self.0.clone())
    }

    /// Returns true if the number is less than `other`. Integers are compared exactly.
    pub(super) fn is_below(&self, other: &Self) -> bool {
        match (self.0.as_i64(), other.0.as_i64()) {
            (Some(own), Some(other)) => own < other,
            _ => self.0.as_f64() < other.0.as_f64(),
        }
    }
}

impl<'de> Deserialize<'de> for Numeric {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Document::deserialize(deserializer)?.0 {
            Json::Number(number) => Ok(Self(number)),
            other => Err(D::Error::custom(format!(
                "must be a number, received {}",
                describe(&other)
            ))),
        }
    }
}

/// A regular expression as the argument of a matcher.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// Rust syntax, as in contract files.
    Text(String),
    /// JavaScript syntax, such as `{"source": "\\d+", "flags": "i"}`.
    Javascript {
        /// The pattern without its delimiters.
        source: String,
        /// The flags. `i`, `m`, `s`, and `u` are supported.
        flags: String,
    },
}

impl Pattern {
    /// Returns the pattern in the syntax of contract files.
    pub(super) fn text(&self) -> Result<String, contract_call::error::ArgumentError> {
        match self {
            Self::Text(text) => Ok(text.clone()),
            Self::Javascript { source, flags } => {
                crate::patterns::regex_from_javascript(source, flags).map_err(|error| error.for_argument("pattern"))
            }
        }
    }
}

impl From<&str> for Pattern {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl<'de> Deserialize<'de> for Pattern {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Document(json) = Document::deserialize(deserializer)?;
        if let Json::String(text) = &json {
            return Ok(Self::Text(text.to_string()));
        }
        let part = |name| json.get(name).and_then(Json::as_str).map(str::to_owned);
        match (part("source"), part("flags")) {
            (Some(source), Some(flags)) => Ok(Self::Javascript { source, flags }),
            _ => Err(D::Error::custom(format!(
                "must be a regular expression or a string, received {}",
                describe(&json)
            ))),
        }
    }
}

/// Number of characters or digits of a generated value.
pub type Length = Size<0>;

/// One value, or an array of values.
#[derive(Clone, Debug, PartialEq)]
pub struct OneOrMore(pub Vec<Json>);

impl<'de> Deserialize<'de> for OneOrMore {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self(match Document::deserialize(deserializer)?.0 {
            Json::Array(items) => items,
            single => vec![single],
        }))
    }
}

/// Deserializes an optional argument that may be absent. Null is an error.
pub(super) fn not_null<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}
