//! Types of operation arguments.

use std::fmt;

use bytes::Bytes;
use contract_model::{Json, Text};
use serde::{Deserialize, Deserializer, de};

use super::read::present;
use contract_call::read::{Document, describe};

/// How bytes are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BytesMatch {
    /// Byte by byte.
    #[default]
    Bytes,
    /// By the content type that is detected from the bytes.
    ContentType,
}

/// A request as one object.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RequestArguments {
    /// HTTP method. Default: GET, unless `defaults` sets another.
    pub method: Option<String>,
    /// A string or a matcher, without a query string. Default: `/`.
    #[serde(deserialize_with = "present")]
    pub path: Option<Json>,
    /// Same as in `with_query_parameters`.
    pub query: Option<Pairs>,
    /// Same as in `with_headers`.
    pub headers: Option<Pairs>,
    /// Same as in `with_body`.
    #[serde(deserialize_with = "present")]
    pub body: Option<Json>,
    /// Same as in `with_binary_body`.
    pub binary_body: Option<Binary>,
    /// Same as in `with_xml_body`.
    #[serde(deserialize_with = "present")]
    pub xml_body: Option<Json>,
    /// Content type of the body.
    pub content_type: Option<String>,
}

/// A response as one object.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ResponseArguments {
    /// Status code or matcher. Default: 200, unless `defaults` sets another.
    #[serde(deserialize_with = "present")]
    pub status: Option<Json>,
    /// Same as in `with_headers`.
    pub headers: Option<Pairs>,
    /// Same as in `with_body`.
    #[serde(deserialize_with = "present")]
    pub body: Option<Json>,
    /// Same as in `with_binary_body`.
    pub binary_body: Option<Binary>,
    /// Same as in `with_xml_body`.
    #[serde(deserialize_with = "present")]
    pub xml_body: Option<Json>,
    /// Content type of the body.
    pub content_type: Option<String>,
}

/// An HTTP interaction as one object.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InteractionArguments {
    /// The description. Together with the provider states it must be unique in the contract.
    pub description: String,
    /// Provider states: names, or states with parameters.
    #[serde(default)]
    pub states: Option<Vec<StateArguments>>,
    /// The request.
    pub request: RequestArguments,
    /// The response.
    pub response: ResponseArguments,
    /// Comments (V4).
    pub comments: Option<Pairs>,
    /// The key of the interaction (V4).
    pub key: Option<String>,
    /// Whether the interaction is pending (V4).
    pub pending: Option<bool>,
    /// The name of the test that defines the interaction (V4).
    pub test_name: Option<String>,
}

/// A provider state: its name, or its name with parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct StateArguments {
    /// The name.
    pub name: String,
    /// Parameters, as with `given`.
    pub parameters: Option<Json>,
}

/// Defaults for interactions.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DefaultArguments {
    /// Defaults for requests.
    pub request: Option<RequestDefaults>,
    /// Defaults for responses.
    pub response: Option<ResponseDefaults>,
}

/// Defaults for requests.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RequestDefaults {
    /// The method.
    pub method: Option<String>,
    /// Query parameters.
    pub query: Option<Pairs>,
    /// Headers.
    pub headers: Option<Pairs>,
}

/// Defaults for responses.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ResponseDefaults {
    /// A status code or a matcher.
    #[serde(deserialize_with = "present")]
    pub status: Option<Json>,
    /// Headers.
    pub headers: Option<Pairs>,
}

/// A part of a multipart body: a name and one of `json`, `text`, `file`, and `bytes`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PartArguments {
    /// The name of the form field.
    pub name: String,
    /// JSON, which may contain matchers.
    #[serde(default, deserialize_with = "present")]
    pub json: Option<Json>,
    /// A string, or a matcher.
    #[serde(default, deserialize_with = "present")]
    pub text: Option<Json>,
    /// Path of a file, which is read immediately. It is compared by type.
    pub file: Option<String>,
    /// Bytes, which are compared by type.
    pub bytes: Option<Binary>,
    /// Content type. Default: `application/json` for JSON, detected for files and bytes, none for text.
    pub content_type: Option<String>,
    /// File name. Default: the name of `file`.
    pub filename: Option<String>,
}

/// Names and values in order: an object, or an array of pairs if a name occurs several times.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pairs(pub Vec<(Text, Json)>);

/// Bytes; in JSON `{ "base64": … }`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Binary(pub Bytes);

impl Pairs {
    pub(in crate::builder) fn one(name: String, value: impl Into<Json>) -> Self {
        Self(vec![(name.into(), value.into())])
    }
}

impl<N: Into<Text>, V: Into<Json>> FromIterator<(N, V)> for Pairs {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(pairs: I) -> Self {
        Self(
            pairs
                .into_iter()
                .map(|(name, value)| (name.into(), value.into()))
                .collect(),
        )
    }
}

impl<'de> Deserialize<'de> for Pairs {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let pair = |item: Json| match item {
            Json::Array(pair) => match <[Json; 2]>::try_from(pair) {
                Ok([Json::String(name), value]) => Some((name, value)),
                _ => None,
            },
            _ => None,
        };
        let pairs: Option<Vec<_>> = match Document::deserialize(deserializer)?.0 {
            Json::Object(members) => Some(members.into_iter().collect()),
            Json::Array(items) => items.into_iter().map(pair).collect(),
            _ => None,
        };
        pairs
            .map(Self)
            .ok_or_else(|| de::Error::custom("must be an object, or an array of [name, value] pairs"))
    }
}

impl<'de> Deserialize<'de> for Binary {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Document(json) = Document::deserialize(deserializer)?;
        let bytes = json
            .get("base64")
            .and_then(|_| contract_call::binary::from_json(&json).ok());
        bytes
            .map(Self)
            .ok_or_else(|| de::Error::custom(format!("must be bytes, got {}", describe(&json))))
    }
}

impl<'de> Deserialize<'de> for StateArguments {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Full {
            name: String,
            #[serde(default, deserialize_with = "present")]
            parameters: Option<Json>,
        }
        struct Either;
        impl<'de> de::Visitor<'de> for Either {
            type Value = StateArguments;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of a state, or an object with name and parameters")
            }

            fn visit_str<E: de::Error>(self, name: &str) -> Result<StateArguments, E> {
                self.visit_string(name.to_owned())
            }

            fn visit_string<E: de::Error>(self, name: String) -> Result<StateArguments, E> {
                Ok(StateArguments { name, parameters: None })
            }

            fn visit_map<A: de::MapAccess<'de>>(self, map: A) -> Result<StateArguments, A::Error> {
                let Full { name, parameters } = Full::deserialize(de::value::MapAccessDeserializer::new(map))?;
                Ok(StateArguments { name, parameters })
            }
        }
        deserializer.deserialize_any(Either)
    }
}
