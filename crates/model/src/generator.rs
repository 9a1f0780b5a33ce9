//! Generators, which replace example values with generated values.

use crate::{ByPlace, Json, Object, Text};

/// A generator (Pact Specification V4, section "Generators").
#[derive(Clone, Debug, PartialEq)]
pub enum Generator {
    /// A random integer between `min` and `max`, inclusive.
    RandomInt {
        /// Minimum; default: 0.
        min: Option<i64>,
        /// Maximum; default: 10.
        max: Option<i64>,
    },
    /// A random decimal number.
    RandomDecimal {
        /// Total number of digits; default: 10.
        digits: Option<usize>,
    },
    /// A string of random hexadecimal digits.
    RandomHexadecimal {
        /// Number of digits; default: 10.
        digits: Option<usize>,
    },
    /// A random string of letters and digits.
    RandomString {
        /// Length in characters; default: 10.
        size: Option<usize>,
    },
    /// A random string that matches the pattern.
    Regex(Text),
    /// A random (version 4) UUID; default format: lower case with hyphens.
    Uuid(Option<UuidFormat>),
    /// The current date, shifted by the expression if there is one.
    Date(Moment),
    /// The current time, shifted by the expression if there is one.
    Time(Moment),
    /// The current date and time, shifted by the expression if there is one.
    DateTime(Moment),
    RandomBoolean,
    /// A value returned by a provider state handler.
    ProviderState {
        /// A template such as `/users/${id}`, or only the name of a value.
        expression: Text,
        data_type: Option<DataType>,
    },
    /// The example URL with the mock server's address in place of its own.
    MockServerUrl {
        example: Text,
        /// A pattern with one capturing group for the part of the example to keep, such as `.*(/orders)$`.
        regex: Text,
    },
    /// An unknown generator, from a plugin or a later specification. It is kept so that it can be written again.
    Custom {
        name: Text,
        /// All attributes except the name.
        attributes: Object,
    },
}

/// Format and expression of a date or time generator.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Moment {
    /// Pattern in the syntax of Java's `DateTimeFormatter`; default: ISO 8601.
    pub format: Option<Text>,
    /// An expression such as `today + 1 day`; default: the current date or time.
    pub expression: Option<Text>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UuidFormat {
    /// 32 hexadecimal digits without hyphens.
    Simple,
    /// 32 hexadecimal digits in lower case, with hyphens.
    LowerCaseHyphenated,
    /// 32 hexadecimal digits in upper case, with hyphens.
    UpperCaseHyphenated,
    /// 32 hexadecimal digits in lower case, with hyphens and the prefix `urn:uuid:`.
    Urn,
}

/// The type to which a provider state value is converted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataType {
    String,
    Integer,
    Decimal,
    /// Same as `Decimal`.
    Float,
    Boolean,
    /// The JSON value without conversion.
    Raw,
}

/// The generators of a request, a response, or a message.
pub type Generators = ByPlace<Generator>;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GeneratorError {
    /// The value is not an object with the `type` attribute.
    #[error("a generator must be an object with the attribute \"type\", found {0}")]
    Nameless(String),
    /// A required attribute is missing or has the wrong type.
    #[error("the generator {generator:?} requires the attribute {attribute:?} ({expected})")]
    Attribute {
        generator: String,
        attribute: &'static str,
        expected: &'static str,
    },
    #[error("RandomInt: min {min} is greater than max {max}")]
    Bounds { min: i64, max: i64 },
}

impl Generator {
    /// Returns the generator's name in contract files, such as `RandomInt`.
    pub fn name(&self) -> &str {
        match self {
            Self::RandomInt { .. } => "RandomInt",
            Self::RandomDecimal { .. } => "RandomDecimal",
            Self::RandomHexadecimal { .. } => "RandomHexadecimal",
            Self::RandomString { .. } => "RandomString",
            Self::Regex(_) => "Regex",
            Self::Uuid(_) => "Uuid",
            Self::Date(_) => "Date",
            Self::Time(_) => "Time",
            Self::DateTime(_) => "DateTime",
            Self::RandomBoolean => "RandomBoolean",
            Self::ProviderState { .. } => "ProviderState",
            Self::MockServerUrl { .. } => "MockServerURL",
            Self::Custom { name, .. } => name,
        }
    }

    /// Parses a generator such as `{"type": "RandomInt", …}`.
    pub fn from_json(json: &Json) -> Result<Self, GeneratorError> {
        let nameless = || GeneratorError::Nameless(json.to_text());
        let object = json.as_object().ok_or_else(nameless)?;
        let name = NAMES.iter().find_map(|key| object.get(key)?.as_str());
        Self::from_attributes(name.ok_or_else(nameless)?, object)
    }

    /// Creates a generator from its name and attributes. Ignores unknown attributes, except those of unknown
    /// generators.
    pub fn from_attributes(name: &str, attributes: &Object) -> Result<Self, GeneratorError> {
        let wrong = |attribute, expected| GeneratorError::Attribute {
            generator: name.to_owned(),
            attribute,
            expected,
        };
        let non_null = |attribute| attributes.get(attribute).filter(|value| !value.is_null());
        let text = |attribute| match non_null(attribute) {
            None => Ok(None),
            Some(value) => value
                .as_str()
                .map(|text| Some(Text::from(text)))
                .ok_or_else(|| wrong(attribute, "a string")),
        };
        let needed = |attribute| text(attribute)?.ok_or_else(|| wrong(attribute, "a string"));
        let whole = |attribute| match non_null(attribute) {
            None => Ok(None),
            Some(value) => whole_number(value)
                .map(Some)
                .ok_or_else(|| wrong(attribute, "a whole number")),
        };
        let count = |attribute| match whole(attribute)? {
            None => Ok(None),
            Some(value) => usize::try_from(value)
                .map(Some)
                .map_err(|_| wrong(attribute, "a non-negative integer")),
        };
        let moment = || {
            Ok(Moment {
                format: text("format")?,
                expression: text("expression")?,
            })
        };
        Ok(match name {
            "RandomInt" => {
                let (min, max) = (whole("min")?, whole("max")?);
                let (least, greatest) = (min.unwrap_or(0), max.unwrap_or(10));
                if min.is_some() && max.is_some() && least > greatest {
                    return Err(GeneratorError::Bounds {
                        min: least,
                        max: greatest,
                    });
                }
                Self::RandomInt { min, max }
            }
            "RandomDecimal" => Self::RandomDecimal {
                digits: count("digits")?,
            },
            "RandomHexadecimal" => Self::RandomHexadecimal {
                digits: count("digits")?,
            },
            "RandomString" => Self::RandomString { size: count("size")? },
            "Regex" => Self::Regex(needed("regex")?),
            "Uuid" => Self::Uuid(match text("format")?.as_deref() {
                None => None,
                Some("simple") => Some(UuidFormat::Simple),
                Some("lower-case-hyphenated") => Some(UuidFormat::LowerCaseHyphenated),
                Some("upper-case-hyphenated") => Some(UuidFormat::UpperCaseHyphenated),
                Some("URN" | "urn") => Some(UuidFormat::Urn),
                Some(_) => {
                    return Err(wrong(
                        "format",
                        "simple, lower-case-hyphenated, upper-case-hyphenated, or URN",
                    ));
                }
            }),
            "Date" => Self::Date(moment()?),
            "Time" => Self::Time(moment()?),
            "DateTime" | "Timestamp" => Self::DateTime(moment()?),
            "RandomBoolean" => Self::RandomBoolean,
            "ProviderState" => Self::ProviderState {
                expression: needed("expression")?,
                data_type: match text("dataType")?.as_deref() {
                    None => None,
                    Some(data_type) => Some(
                        DataType::from_name(data_type)
                            .ok_or_else(|| wrong("dataType", "STRING, INTEGER, DECIMAL, FLOAT, BOOLEAN, or RAW"))?,
                    ),
                },
            },
            "MockServerURL" => Self::MockServerUrl {
                example: needed("example")?,
                regex: needed("regex")?,
            },
            other => Self::Custom {
                name: other.into(),
                attributes: attributes.without(&NAMES),
            },
        })
    }

    /// Returns the names of the attributes that the generator defines, or `None` for an unknown generator, which keeps
    /// all attributes.
    pub(crate) fn attributes(&self) -> Option<&'static [&'static str]> {
        Some(match self {
            Self::RandomInt { .. } => &["min", "max"],
            Self::RandomDecimal { .. } | Self::RandomHexadecimal { .. } => &["digits"],
            Self::RandomString { .. } => &["size"],
            Self::Regex(_) => &["regex"],
            Self::Uuid(_) => &["format"],
            Self::Date(_) | Self::Time(_) | Self::DateTime(_) => &["format", "expression"],
            Self::ProviderState { .. } => &["expression", "dataType"],
            Self::MockServerUrl { .. } => &["example", "regex"],
            Self::RandomBoolean => &[],
            Self::Custom { .. } => return None,
        })
    }

    /// Converts the generator to JSON, such as `{"type": "RandomInt", …}`.
    pub fn to_json(&self) -> Json {
        let mut object = Object::new();
        object.insert("type", self.name());
        let mut set = |key: &str, value: Option<Json>| {
            if let Some(value) = value {
                object.insert(key, value);
            }
        };
        match self {
            Self::RandomInt { min, max } => {
                set("min", min.map(Json::from));
                set("max", max.map(Json::from));
            }
            Self::RandomDecimal { digits } | Self::RandomHexadecimal { digits } => {
                set("digits", digits.map(|d| (d as u64).into()));
            }
            Self::RandomString { size } => set("size", size.map(|s| (s as u64).into())),
            Self::Regex(regex) => set("regex", Some(regex.clone().into())),
            Self::Uuid(format) => set("format", format.map(|format| format.name().into())),
            Self::Date(moment) | Self::Time(moment) | Self::DateTime(moment) => {
                set("format", moment.format.clone().map(Json::from));
                set("expression", moment.expression.clone().map(Json::from));
            }
            Self::ProviderState { expression, data_type } => {
                set("expression", Some(expression.clone().into()));
                set("dataType", data_type.map(|data_type| data_type.name().into()));
            }
            Self::MockServerUrl { example, regex } => {
                set("example", Some(example.clone().into()));
                set("regex", Some(regex.clone().into()));
            }
            Self::Custom { attributes, .. } => attributes.iter().for_each(|(key, value)| set(key, Some(value.clone()))),
            Self::RandomBoolean => {}
        }
        object.into()
    }
}

pub(crate) const NAMES: [&str; 3] = ["type", "contract:generator:type", "pact:generator:type"];

/// Parses an integer. Also accepts `1.0` and `"1"`, which some tools write. Returns `None` for other values.
fn whole_number(value: &Json) -> Option<i64> {
    match value {
        Json::String(text) => text.parse().ok(),
        Json::Number(number) => number.as_i64().or_else(|| {
            let value = number.as_f64();
            #[expect(clippy::cast_possible_truncation, reason = "bounded by the filter")]
            Some(value)
                .filter(|value| value.fract() == 0.0 && value.abs() < 9e15)
                .map(|value| value as i64)
        }),
        _ => None,
    }
}

impl UuidFormat {
    /// Returns the name in contract files, such as `lower-case-hyphenated`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Simple => "simple",
            Self::LowerCaseHyphenated => "lower-case-hyphenated",
            Self::UpperCaseHyphenated => "upper-case-hyphenated",
            Self::Urn => "URN",
        }
    }
}

impl DataType {
    /// Returns the name in contract files, such as `INTEGER`.
    pub fn name(self) -> &'static str {
        match self {
            Self::String => "STRING",
            Self::Integer => "INTEGER",
            Self::Decimal => "DECIMAL",
            Self::Float => "FLOAT",
            Self::Boolean => "BOOLEAN",
            Self::Raw => "RAW",
        }
    }

    fn from_name(name: &str) -> Option<Self> {
        [
            Self::String,
            Self::Integer,
            Self::Decimal,
            Self::Float,
            Self::Boolean,
            Self::Raw,
        ]
        .into_iter()
        .find(|data_type| data_type.name().eq_ignore_ascii_case(name))
    }
}

#[cfg(test)]
mod tests {
    use super::{Generator, Json};

    fn read(text: &str) -> Result<Generator, super::GeneratorError> {
        Generator::from_json(&Json::parse(text.as_bytes()).unwrap())
    }

    #[test]
    fn generators_round_trip() {
        for text in [
            r#"{"type":"RandomInt","min":-5,"max":5}"#,
            r#"{"type":"RandomDecimal","digits":4}"#,
            r#"{"type":"RandomHexadecimal"}"#,
            r#"{"type":"RandomString","size":3}"#,
            r#"{"type":"Regex","regex":"a+"}"#,
            r#"{"type":"Uuid","format":"URN"}"#,
            r#"{"type":"Date","format":"yyyy","expression":"today + 1 day"}"#,
            r#"{"type":"RandomBoolean"}"#,
            r#"{"type":"ProviderState","expression":"${id}","dataType":"INTEGER"}"#,
            r#"{"type":"MockServerURL","example":"http://x/a","regex":".*(/a)"}"#,
            r#"{"type":"of-a-plugin","seed":1}"#,
        ] {
            assert_eq!(read(text).unwrap().to_json().to_text(), text);
        }
    }

    #[test]
    fn accepts_integers_written_as_decimals_or_strings() {
        for text in [
            r#"{"type":"RandomInt","min":-0.0,"max":1e1}"#,
            r#"{"type":"RandomInt","min":"0","max":10.0}"#,
        ] {
            let generator = read(text).unwrap();
            assert_eq!(
                generator.to_json().to_text(),
                r#"{"type":"RandomInt","min":0,"max":10}"#
            );
        }
        for odd in ["0.5", "1e300", "[]", "true", "\"x\""] {
            let text = format!(r#"{{"type":"RandomInt","min":{odd}}}"#);
            assert!(read(&text).is_err(), "{odd}");
        }
    }

    #[test]
    fn rejects_invalid_attributes() {
        for (text, want) in [
            (
                "{}",
                r#"a generator must be an object with the attribute "type", found {}"#,
            ),
            (
                r#"{"type":"Regex"}"#,
                r#"the generator "Regex" requires the attribute "regex" (a string)"#,
            ),
            (
                r#"{"type":"RandomInt","min":9,"max":1}"#,
                "RandomInt: min 9 is greater than max 1",
            ),
            (
                r#"{"type":"RandomString","size":-1}"#,
                r#"the generator "RandomString" requires the attribute "size" (a non-negative integer)"#,
            ),
        ] {
            assert_eq!(read(text).unwrap_err().to_string(), want);
        }
    }
}
