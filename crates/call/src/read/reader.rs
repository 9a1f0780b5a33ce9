//! A serde deserializer for JSON values.
//!
//! The compiler instantiates the generic functions for every type that is read. Code that does not depend on the type
//! is in separate functions, so that it is compiled only once.

use std::fmt;

use contract_model::{Json, Object, Text};
use serde::de::{self, IntoDeserializer, Visitor};

use super::describe::describe;
use super::document::{DOCUMENT, PASSED_VALUE};
use super::error::{ReadError, separator};
use super::names::{snake, word};
use crate::message::{listed, message};

pub(super) struct Reader(pub(super) Json);

impl Reader {
    #[cold]
    #[inline(never)]
    fn type_error(&self, expected: &dyn fmt::Display) -> ReadError {
        ReadError::predicate(format!("must be {expected}, received {}", describe(&self.0)))
    }

    #[cold]
    #[inline(never)]
    fn variant_error(&self, variants: &'static [&'static str]) -> ReadError {
        ReadError::predicate(message![
            "must be ",
            listed(variants, ", ", " or "),
            format!("{} received {}", separator(variants.len()), describe(&self.0))
        ])
    }

    #[inline(never)]
    fn integer(&self) -> Option<i128> {
        self.0.as_i64().map(i128::from).or(self.0.as_u64().map(i128::from))
    }

    #[inline(never)]
    fn members(self, fields: Option<&'static [&'static str]>) -> Result<Members, ReadError> {
        match self.0 {
            Json::Object(members) if crate::value::is_plain(&members) => Ok(Members {
                rest: members.into_iter(),
                fields,
                value: None,
            }),
            _ => Err(self.type_error(&"an object")),
        }
    }

    #[inline(never)]
    fn items(self) -> Result<Items, ReadError> {
        match self.0 {
            Json::Array(items) => Ok(Items(items.into_iter().enumerate())),
            _ => Err(self.type_error(&"an array")),
        }
    }

    /// Reads an enum variant: a string with its name, or an object whose only member has its name and contains its
    /// content.
    #[inline(never)]
    fn variant(self, variants: &'static [&'static str]) -> Result<EnumVariant, ReadError> {
        let (name, content) = match self.0 {
            Json::String(name) => (name, Json::Null),
            Json::Object(members) if is_choice(&members, variants) => members.into_iter().next().unwrap_or_default(),
            _ => return Err(self.variant_error(variants)),
        };
        let canonical = word(&name);
        let name = if variants.contains(&canonical.as_str()) {
            canonical
        } else {
            name.into()
        };
        Ok(EnumVariant { name, content })
    }
}

/// Returns true if the object has one member whose name is a known variant or whose value is an object. In the latter
/// case, an unknown name is reported as an unknown variant.
#[inline(never)]
fn is_choice(members: &Object, variants: &[&str]) -> bool {
    let mut each = members.iter();
    match (each.next(), each.next()) {
        (Some((name, content)), None) => content.as_object().is_some() || variants.contains(&word(name).as_str()),
        _ => false,
    }
}

macro_rules! numbers {
    ($($method:ident $visit:ident $type:ty),+ $(,)?) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
            match self.integer().and_then(|number| <$type>::try_from(number).ok()) {
                Some(number) => visitor.$visit(number),
                None => Err(self.type_error(&format_args!("a whole number from {} to {}", <$type>::MIN, <$type>::MAX))),
            }
        }
    )+};
}

impl<'de> de::Deserializer<'de> for Reader {
    type Error = ReadError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match self.0 {
            Json::Null => visitor.visit_unit(),
            Json::Bool(value) => visitor.visit_bool(value),
            Json::Number(number) => visitor.visit_f64(number.as_f64()),
            Json::String(_) => self.deserialize_string(visitor),
            Json::Array(_) => self.deserialize_seq(visitor),
            Json::Object(_) => self.deserialize_map(visitor),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match self.0 {
            Json::Bool(value) => visitor.visit_bool(value),
            _ => Err(self.type_error(&"true or false")),
        }
    }

    numbers! {
        deserialize_u16 visit_u16 u16, deserialize_u32 visit_u32 u32, deserialize_u64 visit_u64 u64, deserialize_i64 visit_i64 i64,
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        self.deserialize_string(visitor)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match self.0 {
            Json::String(text) => visitor.visit_string(text.into()),
            _ => Err(self.type_error(&"a string")),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match self.0 {
            Json::Null => visitor.visit_none(),
            ref undefined if crate::value::is_undefined(undefined) => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        if name != DOCUMENT {
            return visitor.visit_newtype_struct(self);
        }
        PASSED_VALUE.set(Some(self.0));
        visitor.visit_unit()
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        visitor.visit_seq(self.items()?)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        visitor.visit_map(self.members(None)?)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        visitor.visit_map(self.members(Some(fields))?)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        visitor.visit_enum(self.variant(variants)?)
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        self.deserialize_string(visitor)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        visitor.visit_unit()
    }

    // No type that is read here needs these methods.
    serde::forward_to_deserialize_any! {
        i8 i16 i32 u8 f32 f64 char bytes byte_buf unit unit_struct tuple tuple_struct
    }
}

struct Items(std::iter::Enumerate<std::vec::IntoIter<Json>>);

impl<'de> de::SeqAccess<'de> for Items {
    type Error = ReadError;

    fn next_element_seed<T: de::DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, ReadError> {
        let Some((index, item)) = self.0.next() else {
            return Ok(None);
        };
        seed.deserialize(Reader(item))
            .map(Some)
            .map_err(|error| error.item(index))
    }
}

struct Members {
    rest: <Object as IntoIterator>::IntoIter,
    /// The field names of a struct. `None` for a map, whose keys are read unchanged.
    fields: Option<&'static [&'static str]>,
    value: Option<(String, Json)>,
}

impl Members {
    /// Returns the next name, in snake case if it is a field name, and stores its value for
    /// [`MapAccess::next_value_seed`](de::MapAccess::next_value_seed).
    #[inline(never)]
    fn next_name(&mut self) -> Option<String> {
        let is_struct = self.fields.is_some();
        let is_present = |(_, value): &(Text, Json)| !(is_struct && crate::value::is_undefined(value));
        let (name, value) = self.rest.find(is_present)?;
        let canonical = match self.fields {
            Some(fields) => Some(snake(&name)).filter(|canonical| fields.contains(&canonical.as_str())),
            None => None,
        };
        let canonical = canonical.unwrap_or_else(|| name.to_string());
        self.value = Some((name.into(), value));
        Some(canonical)
    }
}

impl<'de> de::MapAccess<'de> for Members {
    type Error = ReadError;

    fn next_key_seed<K: de::DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, ReadError> {
        match self.next_name() {
            Some(name) => seed.deserialize(name.into_deserializer()).map(Some),
            None => Ok(None),
        }
    }

    fn next_value_seed<T: de::DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, ReadError> {
        let (name, value) = self.value.take().unwrap_or_default();
        seed.deserialize(Reader(value)).map_err(|error| error.below(&name))
    }
}

struct EnumVariant {
    name: String,
    content: Json,
}

impl<'de> de::EnumAccess<'de> for EnumVariant {
    type Error = ReadError;
    type Variant = Reader;

    fn variant_seed<T: de::DeserializeSeed<'de>>(self, seed: T) -> Result<(T::Value, Reader), ReadError> {
        let variant: Result<_, ReadError> = seed.deserialize(self.name.into_deserializer());
        Ok((variant?, Reader(self.content)))
    }
}

impl<'de> de::VariantAccess<'de> for Reader {
    type Error = ReadError;

    fn unit_variant(self) -> Result<(), ReadError> {
        match self.0 {
            Json::Null => Ok(()),
            _ => Err(self.type_error(&"a string")),
        }
    }

    fn newtype_variant_seed<T: de::DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, ReadError> {
        seed.deserialize(self)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, ReadError> {
        visitor.visit_seq(self.items()?)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        visitor.visit_map(self.members(Some(fields))?)
    }
}
