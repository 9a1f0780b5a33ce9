//! The names of all functions and of their arguments, taken from the enums themselves.

use std::cell::Cell;

use serde::Deserialize;
use serde::de::{self, DeserializeSeed, Deserializer, IntoDeserializer, Visitor, value};
use serde::forward_to_deserialize_any;

use super::generator::Generator;
use super::matcher::Matcher;
use super::xml::Xml;

/// A function that bindings offer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// `match.each_like`
    pub name: String,
    /// Its arguments, the names in snake case.
    pub arguments: &'static [&'static str],
    /// Other names for the same: `match.integer`.
    pub aliases: Vec<&'static str>,
}

/// Other names, and what they stand for.
const ALIASES: [(&str, &str); 13] = [
    ("match.integer", "match.int"),
    ("match.decimal", "match.float"),
    ("match.string", "match.str"),
    ("match.boolean", "match.bool"),
    ("match.timestamp", "match.datetime"),
    ("match.type", "match.like"),
    ("match.none", "match.null"),
    ("generate.integer", "generate.int"),
    ("generate.decimal", "generate.float"),
    ("generate.hexadecimal", "generate.hex"),
    ("generate.string", "generate.str"),
    ("generate.boolean", "generate.bool"),
    ("generate.timestamp", "generate.datetime"),
];

/// Matchers that bindings offer elsewhere than in `match`.
const ELSEWHERE: [(&str, &str); 2] = [
    ("graphql.document", "graphql_document"),
    ("with_bearer_token", "bearer_token"),
];

/// The enum that has a function, and its name there.
pub(super) enum Home<'a> {
    Matcher(&'a str),
    Generator(&'a str),
    Xml(&'a str),
}

/// The one name of a function, in snake case: of `match.eachLike`, `match.integer` and the like.
pub(super) fn canonical(name: &str) -> String {
    let name = crate::read::snake(name);
    match ALIASES.iter().find(|(alias, _)| *alias == name) {
        Some((_, own)) => (*own).to_owned(),
        None => name,
    }
}

/// Where the function of that name is.
pub(super) fn home(name: &str) -> Option<Home<'_>> {
    if let Some((_, own)) = ELSEWHERE.iter().find(|(elsewhere, _)| *elsewhere == name) {
        return Some(Home::Matcher(own));
    }
    let (namespace, function) = name.split_once('.')?;
    let is_elsewhere = ELSEWHERE.iter().any(|(_, own)| *own == function);
    match namespace {
        "match" if !is_elsewhere && variants::<Matcher>().contains(&function) => Some(Home::Matcher(function)),
        "generate" if variants::<Generator>().contains(&function) => Some(Home::Generator(function)),
        "xml" if variants::<Xml>().contains(&function) => Some(Home::Xml(function)),
        _ => None,
    }
}

/// All functions, in the order of the enums.
pub fn functions() -> Vec<Function> {
    let matchers = variants::<Matcher>().iter().map(|function| {
        let elsewhere = ELSEWHERE.iter().find(|(_, own)| own == function);
        let name = elsewhere.map_or_else(|| format!("match.{function}"), |(name, _)| (*name).to_owned());
        (name, fields::<Matcher>(function))
    });
    let generators = variants::<Generator>()
        .iter()
        .map(|function| (format!("generate.{function}"), fields::<Generator>(function)));
    let elements = variants::<Xml>()
        .iter()
        .map(|function| (format!("xml.{function}"), fields::<Xml>(function)));
    let functions = matchers.chain(generators).chain(elements).map(|(name, arguments)| {
        let own = ALIASES.iter().filter(|(_, own)| *own == name);
        Function {
            aliases: own.map(|(alias, _)| *alias).collect(),
            name,
            arguments,
        }
    });
    functions.collect()
}

fn variants<'de, T: Deserialize<'de>>() -> &'static [&'static str] {
    probe::<T>(None)
}

fn fields<'de, T: Deserialize<'de>>(variant: &'static str) -> &'static [&'static str] {
    probe::<T>(Some(variant))
}

/// What serde was made to expect: the names of the variants, or those of the fields of one.
fn probe<'de, T: Deserialize<'de>>(variant: Option<&'static str>) -> &'static [&'static str] {
    let found = Cell::new(&[] as &[_]);
    // It always ends in an error: there is nothing to read.
    let _ = T::deserialize(Probe { variant, found: &found });
    found.get()
}

#[derive(Clone, Copy)]
struct Probe<'a> {
    variant: Option<&'static str>,
    found: &'a Cell<&'static [&'static str]>,
}

impl<'de> Deserializer<'de> for Probe<'_> {
    type Error = value::Error;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, value::Error> {
        Err(end())
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, value::Error> {
        if self.variant.is_some() {
            return visitor.visit_enum(self);
        }
        self.found.set(variants);
        Err(end())
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

impl<'de> de::EnumAccess<'de> for Probe<'_> {
    type Error = value::Error;
    type Variant = Self;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self), value::Error> {
        let name = self.variant.unwrap_or_default();
        Ok((
            seed.deserialize(IntoDeserializer::<value::Error>::into_deserializer(name))?,
            self,
        ))
    }
}

impl<'de> de::VariantAccess<'de> for Probe<'_> {
    type Error = value::Error;

    fn unit_variant(self) -> Result<(), value::Error> {
        Ok(())
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, _: S) -> Result<S::Value, value::Error> {
        Err(end())
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, _: V) -> Result<V::Value, value::Error> {
        Err(end())
    }

    fn struct_variant<V: Visitor<'de>>(self, fields: &'static [&'static str], _: V) -> Result<V::Value, value::Error> {
        self.found.set(fields);
        Err(end())
    }
}

fn end() -> value::Error {
    de::Error::custom("there is nothing to read")
}
