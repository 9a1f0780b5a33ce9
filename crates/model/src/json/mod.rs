//! JSON documents that preserve the notation of numbers.
//!
//! This crate does not use `serde_json::Value`, because contracts distinguish `1` from `1.0`, and amounts of money may
//! exceed the precision of `f64`. `serde_json` keeps the notation of numbers only with a feature that Cargo would
//! enable for the whole workspace; see `docs/decisions/0002-json-reader.md`.

mod lines;
mod number;
mod object;
mod parse;
mod text;
mod write;

pub use lines::lines_of_items;
pub use number::{Number, NumberKind};
pub use object::Object;
pub use parse::{JsonError, JsonErrorKind, MAX_DEPTH};
pub use text::Text;
pub use write::{Layout, write_string};

/// A JSON value. Objects keep the order of their members; equality ignores it.
///
/// ```
/// use contract_model::Json;
/// let value = Json::parse(br#"{"id": 1, "price": 1.50}"#)?;
/// assert_eq!(value.to_text(), r#"{"id":1,"price":1.50}"#);
/// # Ok::<(), contract_model::JsonError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum Json {
    #[default]
    Null,
    Bool(bool),
    /// A number with its original notation.
    Number(Number),
    /// A string with escapes resolved.
    String(Text),
    Array(Vec<Json>),
    Object(Object),
}

/// The type of a JSON value, as named in RFC 8259.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonKind {
    Null,
    Boolean,
    Number,
    String,
    Array,
    Object,
}

impl Json {
    pub fn object() -> Self {
        Self::Object(Object::new())
    }

    pub fn kind(&self) -> JsonKind {
        match self {
            Self::Null => JsonKind::Null,
            Self::Bool(_) => JsonKind::Boolean,
            Self::Number(_) => JsonKind::Number,
            Self::String(_) => JsonKind::String,
            Self::Array(_) => JsonKind::Array,
            Self::Object(_) => JsonKind::Object,
        }
    }

    pub fn as_str(&self) -> Option<&str> {
        if let Self::String(text) = self {
            Some(text)
        } else {
            None
        }
    }

    pub fn as_bool(&self) -> Option<bool> {
        if let Self::Bool(value) = self {
            Some(*value)
        } else {
            None
        }
    }

    /// Returns the value of an integer from 0 to `u64::MAX`, or `None` for all other values, including decimals such as
    /// `1.0`.
    pub fn as_u64(&self) -> Option<u64> {
        if let Self::Number(number) = self {
            number.as_u64()
        } else {
            None
        }
    }

    /// Returns the value of an integer in the range of `i64`, or `None` for all other values, including decimals such
    /// as `1.0`.
    pub fn as_i64(&self) -> Option<i64> {
        if let Self::Number(number) = self {
            number.as_i64()
        } else {
            None
        }
    }

    /// Returns the object, or `None` for values of other types.
    pub fn as_object(&self) -> Option<&Object> {
        if let Self::Object(object) = self {
            Some(object)
        } else {
            None
        }
    }

    /// Returns mutable access to the object, or `None` for values of other types.
    pub fn as_object_mut(&mut self) -> Option<&mut Object> {
        if let Self::Object(object) = self {
            Some(object)
        } else {
            None
        }
    }

    pub fn as_array(&self) -> Option<&[Json]> {
        if let Self::Array(items) = self {
            Some(items)
        } else {
            None
        }
    }

    /// Returns a member of an object, or `None` if the member does not exist or the value is not an object.
    pub fn get(&self, key: &str) -> Option<&Json> {
        self.as_object().and_then(|object| object.get(key))
    }

    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// Returns the value at a JSON pointer (RFC 6901), or `None` if there is none. The empty pointer denotes the value
    /// itself.
    pub fn pointer(&self, pointer: &str) -> Option<&Json> {
        if pointer.is_empty() {
            return Some(self);
        }
        let mut at = self;
        for token in pointer.strip_prefix('/')?.split('/') {
            let token = token.replace("~1", "/").replace("~0", "~");
            at = match at {
                Self::Object(object) => object.get(&token)?,
                Self::Array(items) => items.get(token.parse::<usize>().ok()?)?,
                _ => return None,
            };
        }
        Some(at)
    }
}

impl JsonKind {
    /// Returns the name with an indefinite article, such as `an array`. Returns `null` without an article.
    pub fn with_article(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Boolean => "a boolean",
            Self::Number => "a number",
            Self::String => "a string",
            Self::Array => "an array",
            Self::Object => "an object",
        }
    }
}

impl std::fmt::Display for JsonKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Null => "null",
            Self::Boolean => "boolean",
            Self::Number => "number",
            Self::String => "string",
            Self::Array => "array",
            Self::Object => "object",
        })
    }
}

impl From<bool> for Json {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<&str> for Json {
    fn from(value: &str) -> Self {
        Self::String(value.into())
    }
}

impl From<String> for Json {
    fn from(value: String) -> Self {
        Self::String(value.into())
    }
}

impl From<Text> for Json {
    fn from(value: Text) -> Self {
        Self::String(value)
    }
}

impl From<u64> for Json {
    fn from(value: u64) -> Self {
        Self::Number(value.into())
    }
}

impl From<i64> for Json {
    fn from(value: i64) -> Self {
        Self::Number(value.into())
    }
}

impl From<Vec<Json>> for Json {
    fn from(items: Vec<Json>) -> Self {
        Self::Array(items)
    }
}

impl From<Object> for Json {
    fn from(object: Object) -> Self {
        Self::Object(object)
    }
}

impl serde::Serialize for Json {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::{SerializeMap, SerializeSeq};
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Number(number) => number.serialize(serializer),
            Self::String(text) => serializer.serialize_str(text),
            Self::Array(items) => {
                let mut sequence = serializer.serialize_seq(Some(items.len()))?;
                for item in items {
                    sequence.serialize_element(item)?;
                }
                sequence.end()
            }
            Self::Object(object) => {
                let mut map = serializer.serialize_map(Some(object.len()))?;
                for (key, value) in object {
                    map.serialize_entry(key.as_str(), value)?;
                }
                map.end()
            }
        }
    }
}
