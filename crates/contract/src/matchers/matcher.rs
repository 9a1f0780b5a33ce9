//! Every function of the namespace `match`.

use contract_model::{Json, StatusClass};
use serde::Deserialize;
use serde::de::{self, Error as _};

use super::StateType;
use super::moment::MomentArguments;
use super::template::Template;
use super::uuid::UuidForm;
use super::value::{Length, Numeric, OneOrMore, Pattern, given};
use crate::read::{Document, Size, shown, snake};

/// Says how a value may differ from its example. A variant is a function of the namespace `match`, its fields are the
/// arguments.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Matcher {
    /// A whole number; without an example one is generated between `min` and `max`, with one it must lie between them.
    Int {
        /// The example.
        #[serde(default, deserialize_with = "given")]
        example: Option<Numeric>,
        /// Minimum. Default for generated examples: 0.
        min: Option<i64>,
        /// Maximum. Default for generated examples: 10.
        max: Option<i64>,
    },
    /// A number with a fraction: `1.0`, and not `1`. Without an example one with `precision` digits is generated.
    Float {
        /// The example; `1` is written `1.0`.
        #[serde(default, deserialize_with = "given")]
        example: Option<Numeric>,
        /// Total number of digits of a generated example. Default: 10.
        precision: Option<Length>,
    },
    /// A number with or without fraction; without an example one is generated: whole by `min` and `max`, with a fraction by
    /// `precision`.
    Number {
        /// The example.
        #[serde(default, deserialize_with = "given")]
        example: Option<Numeric>,
        /// Least value.
        min: Option<Numeric>,
        /// Greatest value.
        max: Option<Numeric>,
        /// Digits in all of a generated example.
        precision: Option<Length>,
    },
    /// Any text; without an example one is generated: by `generator`, or of `size` characters.
    Str {
        /// The example.
        #[serde(default, deserialize_with = "given")]
        example: Option<String>,
        /// Number of characters of a generated example. Default: 10.
        size: Option<Length>,
        /// Generates the value when the contract is replayed.
        generator: Option<Document>,
    },
    /// True or false; without an example one is generated.
    Bool {
        /// The example.
        #[serde(default, deserialize_with = "given")]
        example: Option<bool>,
    },
    /// A UUID. Without a format: with hyphens, all in lower or all in upper case.
    Uuid {
        /// The example.
        #[serde(default, deserialize_with = "given")]
        example: Option<String>,
        /// Format. Default: with hyphens, all lower case or all upper case; examples are lower case.
        format: Option<UuidForm>,
    },
    /// A text that matches a regular expression as a whole; without an example one is generated.
    Regex {
        /// The example.
        #[serde(default, deserialize_with = "given")]
        example: Option<String>,
        /// The pattern.
        pattern: Option<Pattern>,
    },
    /// A date such as `2024-02-29`; without an example one is generated.
    Date(MomentArguments),
    /// A time of day such as `13:45:00`. Without a format: ISO 8601 with or without fractions of a second, with an offset
    /// where the example has one.
    Time(MomentArguments),
    /// A date and time such as `2024-02-29T13:45:00Z`. Without a format: ISO 8601 with or without fractions of a second, with
    /// `Z` or an offset unless the example has neither.
    Datetime(MomentArguments),
    /// The same kind of value as the example; holds for everything inside it.
    Like {
        /// The example; it may be left to a generator.
        template: Option<Template>,
        /// Minimum number of items.
        min: Option<Size<0>>,
        /// Maximum number of items.
        max: Option<Size<0>>,
        /// Generates the value when the contract is replayed.
        generator: Option<Document>,
    },
    /// A list of which each item is like the template.
    EachLike {
        /// An item.
        template: Option<Template>,
        /// Minimum number of items. Default: 1.
        min: Option<Size<0>>,
        /// Maximum number of items. Default: unlimited.
        max: Option<Size<0>>,
        /// Number of items in the example. Default: `min`, at least 1.
        examples: Option<Size<1>>,
        /// Whether the list may be empty.
        allow_empty: Option<bool>,
        /// Maximum size of the example of this list in bytes, including nested lists. It guards against mistakes such
        /// as `min: 1e9`. Default: 4 MiB.
        example_limit: Option<Size<1>>,
    },
    /// A list of at least one item like the template.
    AtLeastOneLike {
        /// An item.
        template: Option<Template>,
        /// Items of the example. Default: 1.
        count: Option<Size<1>>,
    },
    /// A list of at least `min` items like the template.
    AtLeastLike {
        /// An item.
        template: Option<Template>,
        /// Fewest items.
        min: Size<0>,
        /// Items of the example. Default: `min`.
        count: Option<Size<1>>,
    },
    /// A list of at most `max` items like the template, none included.
    AtMostLike {
        /// An item.
        template: Option<Template>,
        /// Most items.
        max: Size<0>,
        /// Items of the example. Default: 1.
        count: Option<Size<1>>,
    },
    /// A list of `min` to `max` items like the template.
    ConstrainedArrayLike {
        /// An item.
        template: Option<Template>,
        /// Fewest items.
        min: Size<0>,
        /// Most items.
        max: Size<0>,
        /// Items of the example. Default: `min`, at least one.
        count: Option<Size<1>>,
    },
    /// A list without items.
    EmptyArray {},
    /// A text that contains this one.
    Includes {
        /// The text.
        text: String,
        /// A generator, as matcher JSON.
        generator: Option<Document>,
    },
    /// Null.
    Null {},
    /// Exactly this value, also inside `like` and `each_like`.
    Equal {
        /// The value.
        value: Template,
    },
    /// A JSON document as its text has it: `1.0` stays `1.0`.
    Json {
        /// The text.
        text: String,
    },
    /// A list in which each of these items stands somewhere.
    ArrayContaining {
        /// The list of items.
        variants: Template,
    },
    /// A map with any keys whose values are all like the template.
    EachKeyLike {
        /// The key of the example.
        key: String,
        /// The value under it.
        template: Template,
    },
    /// A map whose keys match all of the matchers.
    EachKeyMatches {
        /// The map.
        template: Template,
        /// One matcher or several.
        rules: OneOrMore,
    },
    /// A map or list whose values match all of the matchers.
    EachValueMatches {
        /// The map or list.
        template: Template,
        /// One matcher or several.
        rules: OneOrMore,
    },
    /// A value that one of these accepts. The first gives the example.
    Any {
        /// Matchers, exact texts, and null.
        alternatives: Vec<Document>,
    },
    /// A value that all of these accept. The first gives the example.
    All {
        /// Matchers.
        matchers: Vec<Document>,
    },
    /// A value like the template, or null. A matcher is kept as it is.
    Nullable {
        /// The value.
        template: Template,
    },
    /// Text or bytes in base64 that are of this content type, told by their first bytes.
    ContentType {
        /// The content type.
        content_type: String,
        /// A text, or bytes in base64.
        #[serde(default, deserialize_with = "given")]
        example: Option<String>,
    },
    /// Neither null nor empty.
    NotEmpty {
        /// The example.
        template: Template,
    },
    /// A semantic version; `1.0.0` by default.
    Semver(Example),
    /// A status code of a class, or one of a list.
    Status {
        /// The class or the codes.
        accepted: Accepted,
        /// The example. Default: the first code of the class or list.
        #[serde(default, deserialize_with = "given")]
        example: Option<u16>,
    },
    /// A value that the provider's state handler returns.
    FromProviderState {
        /// Names the value, as in `${id}`.
        expression: String,
        /// What stands for it in the consumer's test.
        #[serde(default, deserialize_with = "given")]
        example: Option<Document>,
        /// Whether the consumer may send any value of the example's type. Default: false; it must send the example.
        loose: Option<bool>,
        /// Type of the value. Default: the type of the example; null, lists and objects are not converted.
        r#type: Option<StateType>,
    },
    /// A path with values of the provider state in it.
    PathFromProviderState {
        /// The path with `${name}` where a value stands.
        expression: String,
        /// What stands for it in the consumer's test.
        example: String,
    },
    /// An e-mail address; `alice@example.com` by default.
    Email(Example),
    /// An IPv4 address; `127.0.0.1` by default.
    #[serde(rename = "ipv4_address")]
    Ipv4Address(Example),
    /// An IPv6 address; `2001:db8::1` by default.
    #[serde(rename = "ipv6_address")]
    Ipv6Address(Example),
    /// A date as in ISO 8601; `2024-02-29` by default.
    #[serde(rename = "iso8601_date")]
    Iso8601Date(Example),
    /// A date and time as in ISO 8601, with a zone, with or without fractions of a second;
    /// `2024-02-29T13:45:00Z` by default.
    #[serde(rename = "iso8601_date_time")]
    Iso8601DateTime(Example),
    /// A date and time as in ISO 8601, with a zone and with milliseconds or finer;
    /// `2024-02-29T13:45:00.123Z` by default.
    #[serde(rename = "iso8601_date_time_with_millis")]
    Iso8601DateTimeWithMillis(Example),
    /// A time of day as in ISO 8601, with or without fractions and zone; `13:45:00` by default.
    #[serde(rename = "iso8601_time")]
    Iso8601Time(Example),
    /// A date and time as in HTTP headers and e-mails; `Thu, 29 Feb 2024 13:45:00 GMT` by default.
    #[serde(rename = "rfc1123_timestamp")]
    Rfc1123Timestamp(Example),
    /// Hexadecimal digits; `3f` by default.
    Hexadecimal(Example),
    /// The value of an Authorization header with a bearer token.
    BearerToken {
        /// The token of the example, without `Bearer`.
        example: String,
    },
    /// A URL with this path, whatever its host. The mock server puts its own address in front.
    Url {
        /// Pieces of the path: texts, or `regex` matchers with an example, as matcher JSON.
        path: OneOrMore,
        /// What stands before the path in the example. Default: `http://localhost`.
        base: Option<String>,
    },
    /// A text that is the same GraphQL document, wherever it may stand.
    GraphqlDocument {
        /// The query.
        query: Document,
    },
}

/// The example of a text in a well-known form.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Example {
    /// The example.
    #[serde(default, deserialize_with = "given")]
    pub example: Option<String>,
}

/// Status codes that are accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accepted(pub StatusClass);

impl<'de> Deserialize<'de> for Accepted {
    fn deserialize<D: de::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Document(json) = Document::deserialize(deserializer)?;
        let class = match &json {
            Json::String(name) => StatusClass::from_json(&snake(name).replace('_', "-").into()),
            codes => StatusClass::from_json(codes),
        };
        let is_possible = |class: &StatusClass| match class {
            StatusClass::Codes(codes) => !codes.is_empty() && codes.iter().all(|code| (100..=599).contains(code)),
            _ => true,
        };
        class.filter(is_possible).map(Self).ok_or_else(|| {
            D::Error::custom(format!(
                "must be a class of status codes (info, success, redirect, clientError, serverError, nonError, or error) or an \
                 array of codes such as [200, 201], got {}",
                shown(&json)
            ))
        })
    }
}

impl Matcher {
    /// A whole number like this one.
    pub fn int(example: impl Into<Numeric>) -> Self {
        Self::Int {
            example: Some(example.into()),
            min: None,
            max: None,
        }
    }

    /// A number with a fraction.
    pub fn float(example: f64) -> Self {
        Self::Float {
            example: Some(example.into()),
            precision: None,
        }
    }

    /// A number with or without fraction.
    pub fn number(example: impl Into<Numeric>) -> Self {
        Self::Number {
            example: Some(example.into()),
            min: None,
            max: None,
            precision: None,
        }
    }

    /// Any text.
    pub fn str(example: &str) -> Self {
        Self::Str {
            example: Some(example.to_owned()),
            size: None,
            generator: None,
        }
    }

    /// True or false.
    pub fn bool(example: bool) -> Self {
        Self::Bool { example: Some(example) }
    }

    /// A text that matches the pattern as a whole.
    pub fn regex(example: &str, pattern: impl Into<Pattern>) -> Self {
        Self::Regex {
            example: Some(example.to_owned()),
            pattern: Some(pattern.into()),
        }
    }

    /// The same kind of value as the example, and of everything inside it.
    pub fn like(template: impl Into<Template>) -> Self {
        Self::Like {
            template: Some(template.into()),
            min: None,
            max: None,
            generator: None,
        }
    }

    /// A list of at least one item like the template.
    pub fn each_like(template: impl Into<Template>) -> Self {
        Self::EachLike {
            template: Some(template.into()),
            min: None,
            max: None,
            examples: None,
            allow_empty: None,
            example_limit: None,
        }
    }

    /// A value like the template, or null.
    pub fn nullable(template: impl Into<Template>) -> Self {
        Self::Nullable {
            template: template.into(),
        }
    }

    /// Exactly this value.
    pub fn equal(value: impl Into<Template>) -> Self {
        Self::Equal { value: value.into() }
    }
}
