//! A value that serde hands over as it is.

use std::cell::Cell;
use std::fmt;

use contract_model::Json;
use serde::de::{self, Visitor};

/// A JSON value that is taken as it is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Document(pub Json);

impl From<Json> for Document {
    fn from(json: Json) -> Self {
        Self(json)
    }
}

impl From<Document> for Json {
    fn from(document: Document) -> Self {
        document.0
    }
}

/// The name by which [`Document`] asks for the value itself.
pub(super) const DOCUMENT: &str = "contract::Document";

thread_local! {
    /// Between a reader that gives a value away and the [`Document`] that takes it: serde has no way of its own.
    pub(super) static HANDED: Cell<Option<Json>> = const { Cell::new(None) };
}

impl<'de> de::Deserialize<'de> for Document {
    fn deserialize<D: de::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Taken;
        impl Visitor<'_> for Taken {
            type Value = Document;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON value")
            }

            fn visit_unit<E: de::Error>(self) -> Result<Document, E> {
                Ok(Document(HANDED.take().unwrap_or_default()))
            }
        }
        deserializer.deserialize_newtype_struct(DOCUMENT, Taken)
    }
}
