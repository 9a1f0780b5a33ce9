//! Names of fields and variants, obtained from the `Deserialize` implementation of a type. Bindings compare them with
//! their own names.

use std::fmt;

use serde::de::{self, DeserializeOwned, IntoDeserializer, Visitor};

/// Returns the variants of an enum with their fields.
pub fn variants<T: DeserializeOwned>() -> Vec<(&'static str, &'static [&'static str])> {
    let names = told::<T>(Asked::Names);
    names.iter().map(|name| (*name, fields::<T>(name))).collect()
}

/// Returns the fields of one variant.
pub fn fields<T: DeserializeOwned>(variant: &'static str) -> &'static [&'static str] {
    told::<T>(Asked::Fields(variant))
}

/// Returns the fields of a struct, or the variants of an enum.
pub fn names<T: DeserializeOwned>() -> &'static [&'static str] {
    told::<T>(Asked::Names)
}

/// Returns the name of a variant in snake case. `Debug` prints the variant name first.
pub fn name_of<T: DeserializeOwned + fmt::Debug>(value: &T) -> &'static str {
    let mut first = First(String::new());
    // Fails as soon as more than the name is written.
    let _ = fmt::write(&mut first, format_args!("{value:?}"));
    let name = super::snake(&first.0);
    let known = names::<T>().iter().find(|known| **known == name);
    known.copied().unwrap_or_default()
}

/// Keeps the first word that is written.
struct First(String);

impl fmt::Write for First {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.0.is_empty() {
            text.clone_into(&mut self.0);
            return Ok(());
        }
        Err(fmt::Error)
    }
}

fn told<T: DeserializeOwned>(asked: Asked) -> &'static [&'static str] {
    T::deserialize(asked).err().map_or(&[], |told| told.0)
}

/// A deserializer that reads nothing. A type passes its field or variant names to it; they are returned as the error.
#[derive(Clone, Copy)]
enum Asked {
    Names,
    Fields(&'static str),
}

#[derive(Debug)]
struct Told(&'static [&'static str]);

impl fmt::Display for Told {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not read, only asked")
    }
}

impl std::error::Error for Told {}

impl de::Error for Told {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self(&[])
    }
}

impl<'de> de::Deserializer<'de> for Asked {
    type Error = Told;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Told> {
        Err(Told(&[]))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Told> {
        Err(Told(fields))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Told> {
        match self {
            Self::Names => Err(Told(variants)),
            Self::Fields(_) => visitor.visit_enum(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Told> {
        visitor.visit_newtype_struct(self)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct seq tuple
        tuple_struct map identifier ignored_any
    }
}

impl<'de> de::EnumAccess<'de> for Asked {
    type Error = Told;
    type Variant = Self;

    fn variant_seed<T: de::DeserializeSeed<'de>>(self, seed: T) -> Result<(T::Value, Self), Told> {
        let Self::Fields(name) = self else {
            return Err(Told(&[]));
        };
        let variant: Result<_, Told> = seed.deserialize(name.into_deserializer());
        Ok((variant?, Self::Names))
    }
}

impl<'de> de::VariantAccess<'de> for Asked {
    type Error = Told;

    fn unit_variant(self) -> Result<(), Told> {
        Err(Told(&[]))
    }

    fn newtype_variant_seed<T: de::DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Told> {
        seed.deserialize(self)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, _: V) -> Result<V::Value, Told> {
        Err(Told(&[]))
    }

    fn struct_variant<V: Visitor<'de>>(self, fields: &'static [&'static str], _: V) -> Result<V::Value, Told> {
        Err(Told(fields))
    }
}
