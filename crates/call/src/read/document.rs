//! Arguments that keep the JSON that a binding passed.

use std::cell::Cell;
use std::fmt;

use contract_model::Json;
use serde::de::{self, Visitor};

/// A JSON value that is read unchanged, including the names of its members and the notation of its numbers.
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

/// An argument that a call accepts in several forms.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument<T> {
    Value(T),
    /// JSON from a binding, which the call converts.
    Json(Json),
}

impl<T> Default for Argument<T> {
    fn default() -> Self {
        Self::Json(Json::Null)
    }
}

impl<'de, T> de::Deserialize<'de> for Argument<T> {
    fn deserialize<D: de::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Document::deserialize(deserializer).map(|document| Self::Json(document.0))
    }
}

/// The type name by which the deserializer recognizes a [`Document`].
pub(super) const DOCUMENT: &str = "contract::Document";

thread_local! {
    /// Passes a value from the deserializer to [`Document`], because serde's data model would lose the text of numbers.
    pub(super) static PASSED_VALUE: Cell<Option<Json>> = const { Cell::new(None) };
}

impl<'de> de::Deserialize<'de> for Document {
    fn deserialize<D: de::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct DocumentVisitor;
        impl Visitor<'_> for DocumentVisitor {
            type Value = Document;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON value")
            }

            fn visit_unit<E: de::Error>(self) -> Result<Document, E> {
                Ok(Document(PASSED_VALUE.take().unwrap_or_default()))
            }
        }
        deserializer.deserialize_newtype_struct(DOCUMENT, DocumentVisitor)
    }
}
