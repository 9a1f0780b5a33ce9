//! Regular expressions in filters.

use contract_call::read::{Document, wrong};
use contract_call::value::{Foreign, foreign};
use contract_model::Json;
use serde::de::{self, Deserialize, Deserializer};

/// A regular expression in Rust syntax. It can also be read from a JavaScript pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilterPattern(pub String);

impl<'de> Deserialize<'de> for FilterPattern {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Document(json) = Document::deserialize(deserializer)?;
        match foreign(&json) {
            Some(Foreign::Pattern { source, flags }) => contract_matching::from_javascript(source, flags)
                .map(Self)
                .map_err(|error| de::Error::custom(format!("is invalid: {error}"))),
            _ => match json {
                Json::String(text) => Ok(Self(text.into())),
                other => Err(wrong("a string or a regular expression", &other)),
            },
        }
    }
}
