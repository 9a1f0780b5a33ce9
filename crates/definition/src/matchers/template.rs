//! JSON templates with matchers.

use std::fmt::Write as _;

use contract_model::{Json, write_string};
use serde::de;

use contract_call::error::ArgumentError;
use contract_call::json::parse_json;
use contract_call::read::Document;

/// A JSON value, stored as text, in which any part may be a matcher.
///
/// Nesting matchers does not parse the text, because the inner parts were checked when they were created. The operation
/// that uses the whole template parses it once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template(String);

impl Template {
    /// Creates a template from the JSON text that a binding passes.
    pub fn from_text(text: &str) -> Result<Self, ArgumentError> {
        parse_json(text).map(|_| Self(text.to_owned()))
    }

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

    pub fn list(items: impl IntoIterator<Item = Self>) -> Self {
        let items: Vec<_> = items.into_iter().map(|item| item.0).collect();
        Self(format!("[{}]", items.join(",")))
    }

    pub fn text(&self) -> &str {
        &self.0
    }

    pub fn into_text(self) -> String {
        self.0
    }

    /// Parses the text of the template.
    pub fn json(&self) -> Result<Json, ArgumentError> {
        parse_json(&self.0)
    }

    /// Creates a template from text that is known to be valid JSON.
    pub(super) fn from_valid_text(text: String) -> Self {
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

/// Reads a template from a JSON string, because the arguments of matchers contain templates as text.
impl<'de> de::Deserialize<'de> for Template {
    fn deserialize<D: de::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Document::deserialize(deserializer)?.0 {
            Json::String(text) => Ok(Self(text.into())),
            other => Ok(other.into()),
        }
    }
}
