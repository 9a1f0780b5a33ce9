//! Obtains the names of fields and variants from a type's `Deserialize` implementation. Bindings compare these names
//! with their own.

use std::fmt;

use serde::de::{self, DeserializeOwned, IntoDeserializer, Visitor};

/// Returns the variants of an enum, each with the names of its fields.
pub fn variants<T: DeserializeOwned>() -> Vec<(&'static str, &'static [&'static str])> {
    let names = read_names::<T>(NamesOf::Names);
    names.iter().map(|name| (*name, fields::<T>(name))).collect()
}

/// Returns the field names of one variant of an enum. Empty if there is no such variant.
pub fn fields<T: DeserializeOwned>(variant: &'static str) -> &'static [&'static str] {
    read_names::<T>(NamesOf::Fields(variant))
}

/// Returns the field names of a struct, or the variant names of an enum. Empty for other types.
pub fn names<T: DeserializeOwned>() -> &'static [&'static str] {
    read_names::<T>(NamesOf::Names)
}

fn read_names<T: DeserializeOwned>(query: NamesOf) -> &'static [&'static str] {
    T::deserialize(query).err().map_or(&[], |names| names.0)
}

/// A deserializer that reads no value. It returns the names that the type passes to it as an error.
#[derive(Clone, Copy)]
enum NamesOf {
    Names,
    Fields(&'static str),
}

#[derive(Debug)]
struct FieldNames(&'static [&'static str]);

impl fmt::Display for FieldNames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not read")
    }
}

impl std::error::Error for FieldNames {}

impl de::Error for FieldNames {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self(&[])
    }
}

impl<'de> de::Deserializer<'de> for NamesOf {
    type Error = FieldNames;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, FieldNames> {
        Err(FieldNames(&[]))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, FieldNames> {
        Err(FieldNames(fields))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, FieldNames> {
        match self {
            Self::Names => Err(FieldNames(variants)),
            Self::Fields(_) => visitor.visit_enum(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, FieldNames> {
        visitor.visit_newtype_struct(self)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct seq tuple
        tuple_struct map identifier ignored_any
    }
}

impl<'de> de::EnumAccess<'de> for NamesOf {
    type Error = FieldNames;
    type Variant = Self;

    fn variant_seed<T: de::DeserializeSeed<'de>>(self, seed: T) -> Result<(T::Value, Self), FieldNames> {
        let Self::Fields(name) = self else {
            return Err(FieldNames(&[]));
        };
        let variant: Result<_, FieldNames> = seed.deserialize(name.into_deserializer());
        Ok((variant?, Self::Names))
    }
}

impl<'de> de::VariantAccess<'de> for NamesOf {
    type Error = FieldNames;

    fn unit_variant(self) -> Result<(), FieldNames> {
        Err(FieldNames(&[]))
    }

    fn newtype_variant_seed<T: de::DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, FieldNames> {
        seed.deserialize(self)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, _: V) -> Result<V::Value, FieldNames> {
        Err(FieldNames(&[]))
    }

    fn struct_variant<V: Visitor<'de>>(self, fields: &'static [&'static str], _: V) -> Result<V::Value, FieldNames> {
        Err(FieldNames(fields))
    }
}
