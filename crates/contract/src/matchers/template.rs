//! JSON text in which matchers stand.

use std::fmt::Write as _;

use contract_model::{Json, write_string};
use serde::de;

use crate::error::ArgumentError;
use crate::json::parse_json;
use crate::read::Document;

/// A value in which any part may be a matcher, as JSON text.
///
/// It stays text on its way through the matchers around it: what is deep inside was checked when it was made, and is read
/// once, by the operation that takes the whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template(String);

impl Template {
    /// From text that a binding has written.
    pub fn from_text(text: &str) -> Result<Self, ArgumentError> {
        parse_json(text).map(|_| Self(text.to_owned()))
    }

    /// An object of templates.
    pub fn object<'a>(members: impl IntoIterator<Item = (&'a str, Self)>) -> Self {
        let mut text = String::from("{");
        for (at, (name, value)) in members.into_iter().enumerate() {
            if at > 0 {
                text.push(',');
            }
            write_string(name, &mut text);
            let _ = write!(text, ":{}", value.0);
        }
        text.push('}');
        Self(text)
    }

    /// A list of templates.
    pub fn list(items: impl IntoIterator<Item = Self>) -> Self {
        let items: Vec<_> = items.into_iter().map(|item| item.0).collect();
        Self(format!("[{}]", items.join(",")))
    }

    /// The JSON text.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// The JSON text.
    pub fn into_text(self) -> String {
        self.0
    }

    /// The document, for operations.
    pub fn json(&self) -> Result<Json, ArgumentError> {
        parse_json(&self.0)
    }

    /// Text that is known to be JSON.
    pub(super) fn written(text: String) -> Self {
        Self(text)
    }
}

impl From<Json> for Template {
    fn from(json: Json) -> Self {
        Self(json.to_text())
    }
}

impl From<&Json> for Template {
    fn from(json: &Json) -> Self {
        Self(json.to_text())
    }
}

impl From<&str> for Template {
    fn from(text: &str) -> Self {
        Json::from(text).into()
    }
}

/// As `arguments` hands it over: in a text.
impl<'de> de::Deserialize<'de> for Template {
    fn deserialize<D: de::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Document::deserialize(deserializer)?.0 {
            Json::String(text) => Ok(Self(text.into())),
            other => Ok(other.into()),
        }
    }
}
