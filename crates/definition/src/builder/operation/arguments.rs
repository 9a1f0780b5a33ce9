//! Argument types of operations.

use std::fmt;

use bytes::Bytes;
use contract_model::{Json, Text};
use serde::{Deserialize, Deserializer, de};

use super::read::present;
use contract_call::read::{Document, describe};

/// How the received bytes are compared with the expected ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BytesMatch {
    /// Every byte must be equal.
    #[default]
    Bytes,
    /// The content types that are detected from both must be equal.
    ContentType,
}

/// Arguments of the `with_request` operation.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RequestArguments {
    /// HTTP method. Default: GET, unless `defaults` sets another method.
    pub method: Option<String>,
    /// Path as a string or matcher, without a query string. Default: `/`.
    #[serde(deserialize_with = "present")]
    pub path: Option<Json>,
    /// Query parameters by name. A value is a string, matcher JSON, or an array of these; null adds the name without a
    /// value.
    pub query: Option<Pairs>,
    /// Headers by name. A value is a string, matcher JSON, or an array of these.
    pub headers: Option<Pairs>,
    /// Body: a string that is used unchanged, or a JSON template. Set at most one of the three body arguments.
    #[serde(deserialize_with = "present")]
    pub body: Option<Json>,
    /// Binary body, of which every byte is compared.
    pub binary_body: Option<Binary>,
    /// XML body: a document as a string, or an element `{ name, attributes, children, each }`.
    #[serde(deserialize_with = "present")]
    pub xml_body: Option<Json>,
    /// Content type of the body. The default is that of `with_body`, `with_binary_body`, or `with_xml_body`, depending
    /// on which body is set.
    pub content_type: Option<String>,
}

/// Arguments of the `will_respond_with` operation.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ResponseArguments {
    /// Status code from 100 to 599, as a number or matcher JSON. Default: 200, unless `defaults` sets another status.
    #[serde(deserialize_with = "present")]
    pub status: Option<Json>,
    /// Headers by name. A value is a string, matcher JSON, or an array of these.
    pub headers: Option<Pairs>,
    /// Body: a string that is used unchanged, or a JSON template. Set at most one of the three body arguments.
    #[serde(deserialize_with = "present")]
    pub body: Option<Json>,
    /// Binary body, of which every byte is compared.
    pub binary_body: Option<Binary>,
    /// XML body: a document as a string, or an element `{ name, attributes, children, each }`.
    #[serde(deserialize_with = "present")]
    pub xml_body: Option<Json>,
    /// Content type of the body. The default is that of `with_body`, `with_binary_body`, or `with_xml_body`, depending
    /// on which body is set.
    pub content_type: Option<String>,
}

/// Arguments of the `interaction` operation.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InteractionArguments {
    /// Description. No other interaction of the contract may have the same description and provider states.
    pub description: String,
    /// Provider states. In JSON, each is a name, or an object with `name` and `parameters`.
    #[serde(default)]
    pub states: Option<Vec<StateArguments>>,
    /// The request that the consumer sends.
    pub request: RequestArguments,
    /// The response that the provider must return.
    pub response: ResponseArguments,
    /// Comments by name (V4).
    pub comments: Option<Pairs>,
    /// Key that identifies the interaction when contracts are merged (V4).
    pub key: Option<String>,
    /// Whether the interaction is pending (V4): a failing verification does not fail the build. Default: false.
    pub pending: Option<bool>,
    /// Name of the test that defines the interaction (V4).
    pub test_name: Option<String>,
}

/// A provider state. In JSON, a name, or an object with `name` and `parameters`.
#[derive(Clone, Debug, PartialEq)]
pub struct StateArguments {
    pub name: String,
    /// Parameters of the state: an object, or a string that contains a JSON object. Any other JSON text becomes
    /// `{ value: parsed }`, and other text becomes `{ value: text }`.
    pub parameters: Option<Json>,
}

/// Arguments of the contract operation `defaults`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DefaultArguments {
    /// Defaults for requests: method, query parameters, and headers.
    pub request: Option<RequestDefaults>,
    /// Defaults for responses: status and headers.
    pub response: Option<ResponseDefaults>,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RequestDefaults {
    /// HTTP method of requests that do not set one. Default: GET.
    pub method: Option<String>,
    /// Query parameters. An interaction that sets a parameter with the same name replaces the default.
    pub query: Option<Pairs>,
    /// Headers. An interaction that sets a header with the same name replaces the default.
    pub headers: Option<Pairs>,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ResponseDefaults {
    /// Status code of responses that do not set one, as a number or matcher JSON. Default: 200.
    #[serde(deserialize_with = "present")]
    pub status: Option<Json>,
    /// Headers. An interaction that sets a header with the same name replaces the default.
    pub headers: Option<Pairs>,
}

/// A part of a multipart body. Set at most one of `json`, `text`, `file`, and `bytes`; without them, the part is empty.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PartArguments {
    /// Name of the form field.
    pub name: String,
    /// JSON contents, which may contain matchers.
    #[serde(default, deserialize_with = "present")]
    pub json: Option<Json>,
    /// Text contents: a string, or matcher JSON for the whole text.
    #[serde(default, deserialize_with = "present")]
    pub text: Option<Json>,
    /// Path of a file, which is read immediately. Its contents are compared by content type only.
    pub file: Option<String>,
    /// Binary contents, which are compared by content type only.
    pub bytes: Option<Binary>,
    /// Content type. Default: `application/json` for JSON, none for text, and the detected type for files and bytes.
    pub content_type: Option<String>,
    /// File name. Default: the last component of the path in `file`, otherwise none.
    pub filename: Option<String>,
}

/// Names and values in order. In JSON, an object, or an array of `[name, value]` pairs if a name occurs several times.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pairs(pub Vec<(Text, Json)>);

/// Bytes. In JSON: `{ "base64": … }`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Binary(pub Bytes);

impl Pairs {
    pub(in crate::builder) fn single(name: String, value: impl Into<Json>) -> Self {
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
            .ok_or_else(|| de::Error::custom(format!("must be bytes, received {}", describe(&json))))
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
