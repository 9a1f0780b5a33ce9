//! JSON values that serde passes through unchanged.

use std::cell::Cell;
use std::fmt;

use contract_model::Json;
use serde::de::{self, Visitor};

/// A JSON value that is read unchanged.
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

/// An argument that a call accepts in several forms. Rust code passes a typed value. Bindings pass JSON, which the call
/// parses.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument<T> {
    /// A typed value from Rust code.
    Value(T),
    /// JSON from a binding, in any form that the call accepts.
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

/// The type name by which the reader recognizes a [`Document`].
pub(super) const DOCUMENT: &str = "contract::Document";

thread_local! {
    /// Passes a value from the reader to [`Document`], because serde's data model cannot represent it.
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
