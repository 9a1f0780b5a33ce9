//! JSON to typed values by serde, with refusals of our own: what is wrong, where, what there is, and which name is near.
//!
//! Names of fields and of words are snake case here and may come in the case of any language: `contentType`,
//! `content_type`. A [`Document`] takes a value as it is, numbers with their text; serde's own buffers (`flatten`, `untagged`,
//! inner tags) would lose that, so the types read here do without.

use std::cell::Cell;
use std::fmt;
use std::time::Duration;

use contract_model::{Json, Text};
use serde::de::{self, DeserializeOwned, IntoDeserializer, Visitor};

use crate::error::ArgumentError;
use crate::message::{Message, listed, option, told};

/// A JSON value that is taken as it is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Document(pub Json);

impl From<Json> for Document {
    fn from(json: Json) -> Self {
        Self(json)
    }
}

/// The name by which [`Document`] asks for the value itself.
const DOCUMENT: &str = "contract::Document";

thread_local! {
    /// Between a reader that gives a value away and the [`Document`] that takes it: serde has no way of its own.
    static HANDED: Cell<Option<Json>> = const { Cell::new(None) };
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

/// Reads options: an object whose members are refused with `code` when they make no sense. Null stands for absent.
pub(crate) fn options<T: DeserializeOwned>(code: &'static str, json: Json) -> Result<T, ArgumentError> {
    if !matches!(json, Json::Object(_)) {
        let message = format!("options must be an object, got {}", json.kind());
        return Err(ArgumentError::new(code, message));
    }
    value(json).map_err(|refused| refused.into_error(code))
}

/// Reads any value that serde knows how to make.
pub(crate) fn value<T: DeserializeOwned>(json: Json) -> Result<T, Refused> {
    T::deserialize(Reader(json))
}

/// Names as the core has them: `contentType`, `ContentType` and `content_type` are one.
pub(crate) fn snake(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 4);
    let mut before = ' ';
    for character in name.chars() {
        if character.is_uppercase() {
            if before.is_lowercase() || before.is_ascii_digit() {
                out.push('_');
            }
            out.extend(character.to_lowercase());
        } else {
            out.push(character);
        }
        before = character;
    }
    out
}

/// Why a value was not read, and where in it.
#[derive(Debug)]
pub(crate) struct Refused {
    /// The outermost name.
    argument: Option<String>,
    /// Steps to it, outermost last.
    path: Vec<String>,
    message: Message,
    /// Whether the message begins with what is at the place: `must be …`.
    is_predicate: bool,
}

impl Refused {
    fn new(message: impl Into<Message>) -> Self {
        Self {
            argument: None,
            path: Vec::new(),
            message: message.into(),
            is_predicate: false,
        }
    }

    /// As the member of an object: its name as it was given, and as the core has it.
    fn below(mut self, name: &str) -> Self {
        let separator = if self.path.is_empty() || self.path.last().is_some_and(|step| step.starts_with('[')) {
            ""
        } else {
            "."
        };
        self.path.push(format!("{name}{separator}"));
        self.argument = Some(name.to_owned());
        self
    }

    fn item(mut self, index: usize) -> Self {
        let separator = if self.path.is_empty() || self.path.last().is_some_and(|step| step.starts_with('[')) {
            ""
        } else {
            "."
        };
        self.path.push(format!("[{index}]{separator}"));
        self
    }

    pub(crate) fn into_error(self, code: &'static str) -> ArgumentError {
        let place: String = self.path.iter().rev().map(String::as_str).collect();
        let message = match (self.is_predicate, place.as_str()) {
            (true, "") => told!["this ", self.message],
            (true, place) => told![option(place.to_owned()), " ", self.message],
            (false, _) => self.message,
        };
        let mut error = ArgumentError::new(code, message);
        if !self.is_predicate && !place.is_empty() {
            error = error.within(place.clone());
        }
        if let Some(argument) = self.argument {
            error = error.about(snake(&argument));
        }
        error
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.message.fmt(f)
    }
}

impl std::error::Error for Refused {}

impl de::Error for Refused {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self {
            is_predicate: true,
            ..Self::new(message.to_string())
        }
    }

    fn invalid_type(_: de::Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        Self::custom(format!("must be {expected}"))
    }

    fn invalid_length(_: usize, expected: &dyn de::Expected) -> Self {
        Self::custom(format!("must be {expected}"))
    }

    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> Self {
        let message = told!["must be ", listed(expected, ", ", " or "), format!(", got {variant:?}")];
        Self {
            is_predicate: true,
            ..Self::new(message)
        }
    }

    fn unknown_field(field: &str, expected: &'static [&'static str]) -> Self {
        let mut message = told![format!("there is no option {field}; ")];
        if let Some(near) = near(field, expected) {
            message.push(told!["did you mean ", option(near), "? "]);
        }
        message.push(match expected {
            [] => "there are none".into(),
            [only] => told!["the only option is ", option(*only)],
            known => told!["options are ", listed(known, ", ", ", ")],
        });
        Self::new(message)
    }

    fn missing_field(field: &'static str) -> Self {
        Self {
            argument: Some(field.to_owned()),
            ..Self::new(told![option(field), " is missing"])
        }
    }
}

/// The known name that was probably meant.
pub(crate) fn near(name: &str, known: &[&'static str]) -> Option<&'static str> {
    let wanted = snake(name);
    let scored = known
        .iter()
        .map(|known| (strsim::normalized_damerau_levenshtein(&wanted, known), *known));
    let best = scored.max_by(|(a, _), (b, _)| a.total_cmp(b));
    best.filter(|(likeness, _)| *likeness > 0.6).map(|(_, known)| known)
}

/// Reads one value.
struct Reader(Json);

impl Reader {
    /// What was expected of it, and what it is.
    fn wrong(&self, expected: impl fmt::Display) -> Refused {
        de::Error::custom(format!("must be {expected}, got {}", shown(&self.0)))
    }
}

/// A value in a message: short.
pub(crate) fn shown(json: &Json) -> String {
    const LONGEST: usize = 80;
    if let Some(foreign) = crate::value::shown(json) {
        return foreign;
    }
    match json {
        Json::Object(_) => "an object".to_owned(),
        Json::Array(_) => "a list".to_owned(),
        other => {
            let text = other.to_text();
            match text.char_indices().nth(LONGEST) {
                Some((end, _)) => format!("{}…", &text[..end]),
                None => text,
            }
        }
    }
}

/// Words have the case of any language, too; `HTTP` is one word.
fn word(name: &str) -> String {
    if name.chars().all(char::is_uppercase) {
        name.to_lowercase()
    } else {
        snake(name)
    }
}

macro_rules! numbers {
    ($($method:ident $visit:ident $type:ty),+ $(,)?) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
            let number = self.0.as_i64().map(i128::from).or(self.0.as_u64().map(i128::from));
            match number.and_then(|number| <$type>::try_from(number).ok()) {
                Some(number) => visitor.$visit(number),
                None => Err(self.wrong(format_args!("a whole number from {} to {}", <$type>::MIN, <$type>::MAX))),
            }
        }
    )+};
}

impl<'de> de::Deserializer<'de> for Reader {
    type Error = Refused;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        match self.0 {
            Json::Null => visitor.visit_unit(),
            Json::Bool(value) => visitor.visit_bool(value),
            Json::Number(_) => self.deserialize_f64(visitor),
            Json::String(_) => self.deserialize_string(visitor),
            Json::Array(_) => self.deserialize_seq(visitor),
            Json::Object(_) => self.deserialize_map(visitor),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        match self.0 {
            Json::Bool(value) => visitor.visit_bool(value),
            _ => Err(self.wrong("true or false")),
        }
    }

    numbers! {
        deserialize_u8 visit_u8 u8, deserialize_u16 visit_u16 u16, deserialize_u32 visit_u32 u32, deserialize_u64 visit_u64 u64,
        deserialize_i8 visit_i8 i8, deserialize_i16 visit_i16 i16, deserialize_i32 visit_i32 i32, deserialize_i64 visit_i64 i64,
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        self.deserialize_f64(visitor)
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        let number = match &self.0 {
            Json::Number(number) => number.to_string().parse().ok(),
            _ => None,
        };
        match number {
            Some(number) => visitor.visit_f64(number),
            None => Err(self.wrong("a number")),
        }
    }

    fn deserialize_char<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        self.deserialize_string(visitor)
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        self.deserialize_string(visitor)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        match self.0 {
            Json::String(text) => visitor.visit_string(text.into()),
            _ => Err(self.wrong("text")),
        }
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        self.deserialize_byte_buf(visitor)
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        match crate::binary::from_json(&self.0) {
            Ok(bytes) => visitor.visit_byte_buf(bytes.into()),
            Err(_) => Err(self.wrong("bytes, as text or { base64 }")),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        match self.0 {
            Json::Null => visitor.visit_none(),
            undefined if crate::value::is_undefined(&undefined) => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        match self.0 {
            Json::Null => visitor.visit_unit(),
            _ => Err(self.wrong("null")),
        }
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Refused> {
        self.deserialize_unit(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value, Refused> {
        if name != DOCUMENT {
            return visitor.visit_newtype_struct(self);
        }
        HANDED.set(Some(self.0));
        visitor.visit_unit()
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        match self.0 {
            Json::Array(items) => visitor.visit_seq(Items(items.into_iter().enumerate())),
            _ => Err(self.wrong("a list")),
        }
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Refused> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, Refused> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        self.members(visitor, None)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Refused> {
        self.members(visitor, Some(fields))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Refused> {
        match self.0 {
            Json::String(name) => visitor.visit_enum(Chosen {
                name: name.into(),
                variants,
                content: Json::Null,
            }),
            Json::Object(members) if members.len() == 1 => {
                let (name, content) = members.into_iter().next().unwrap_or_default();
                visitor.visit_enum(Chosen {
                    name: name.into(),
                    variants,
                    content,
                })
            }
            _ => {
                let message = told![
                    "must be ",
                    listed(variants, ", ", " or "),
                    format!(", got {}", shown(&self.0))
                ];
                Err(Refused {
                    is_predicate: true,
                    ..Refused::new(message)
                })
            }
        }
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        self.deserialize_string(visitor)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        visitor.visit_unit()
    }
}

impl Reader {
    fn members<'de, V: Visitor<'de>>(
        self,
        visitor: V,
        fields: Option<&'static [&'static str]>,
    ) -> Result<V::Value, Refused> {
        match self.0 {
            Json::Object(members) => visitor.visit_map(Members {
                rest: members.into_iter(),
                fields,
                value: None,
            }),
            _ => Err(self.wrong("an object")),
        }
    }
}

struct Items(std::iter::Enumerate<std::vec::IntoIter<Json>>);

impl<'de> de::SeqAccess<'de> for Items {
    type Error = Refused;

    fn next_element_seed<T: de::DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Refused> {
        let Some((index, item)) = self.0.next() else {
            return Ok(None);
        };
        seed.deserialize(Reader(item))
            .map(Some)
            .map_err(|refused| refused.item(index))
    }
}

struct Members<I> {
    rest: I,
    /// Those of a struct; the keys of a map are taken as they are.
    fields: Option<&'static [&'static str]>,
    value: Option<(String, Json)>,
}

impl<'de, I: Iterator<Item = (Text, Json)>> de::MapAccess<'de> for Members<I> {
    type Error = Refused;

    fn next_key_seed<K: de::DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Refused> {
        // To a struct null is the same as absent, unless the field is a document, which may be null.
        let is_struct = self.fields.is_some();
        let given = |(_, value): &(Text, Json)| !(is_struct && crate::value::is_undefined(value));
        let Some((name, value)) = self.rest.find(given) else {
            return Ok(None);
        };
        let own = match self.fields {
            None => name.to_string(),
            Some(fields) => {
                let own = snake(&name);
                if fields.contains(&own.as_str()) {
                    own
                } else {
                    name.to_string()
                }
            }
        };
        self.value = Some((name.into(), value));
        seed.deserialize(own.into_deserializer()).map(Some)
    }

    fn next_value_seed<T: de::DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, Refused> {
        let (name, value) = self.value.take().unwrap_or_default();
        seed.deserialize(Reader(value)).map_err(|refused| refused.below(&name))
    }
}

/// A variant by its name, with its content.
struct Chosen {
    name: String,
    variants: &'static [&'static str],
    content: Json,
}

impl<'de> de::EnumAccess<'de> for Chosen {
    type Error = Refused;
    type Variant = Reader;

    fn variant_seed<T: de::DeserializeSeed<'de>>(self, seed: T) -> Result<(T::Value, Reader), Refused> {
        let own = word(&self.name);
        let name = if self.variants.contains(&own.as_str()) {
            own
        } else {
            self.name
        };
        let chosen: Result<_, Refused> = seed.deserialize(name.into_deserializer());
        Ok((chosen?, Reader(self.content)))
    }
}

impl<'de> de::VariantAccess<'de> for Reader {
    type Error = Refused;

    fn unit_variant(self) -> Result<(), Refused> {
        match self.0 {
            Json::Null => Ok(()),
            _ => Err(self.wrong("a word")),
        }
    }

    fn newtype_variant_seed<T: de::DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Refused> {
        seed.deserialize(self)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Refused> {
        de::Deserializer::deserialize_seq(self, visitor)
    }

    fn struct_variant<V: Visitor<'de>>(self, fields: &'static [&'static str], visitor: V) -> Result<V::Value, Refused> {
        self.members(visitor, Some(fields))
    }
}

/// What a day has: nothing waits longer, and sums of such times stay far from overflow.
const DAY: u64 = 24 * 60 * 60 * 1000;
/// The largest whole number that every language's numbers hold.
const LARGEST: u64 = 1 << 53;

/// A whole number within bounds, both of them allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Whole<const MIN: u64, const MAX: u64>(pub u64);

/// A size or a count of at least so much.
pub type Size<const MIN: u64> = Whole<MIN, LARGEST>;
/// What determines generated values.
pub type Seed = Whole<0, LARGEST>;

impl<'de, const MIN: u64, const MAX: u64> de::Deserialize<'de> for Whole<MIN, MAX> {
    fn deserialize<D: de::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Document(json) = Document::deserialize(deserializer)?;
        let number = json.as_u64().filter(|number| (MIN..=MAX).contains(number));
        let wrong = || format!("must be a whole number from {MIN} to {MAX}, got {}", shown(&json));
        number.map(Self).ok_or_else(|| de::Error::custom(wrong()))
    }
}

impl<const MIN: u64, const MAX: u64> Whole<MIN, MAX> {
    /// On a machine of any size.
    pub(crate) fn size(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }
}

/// A time in milliseconds of at least so much and at most a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Milliseconds<const MIN: u64>(pub Duration);

impl<'de, const MIN: u64> de::Deserialize<'de> for Milliseconds<MIN> {
    fn deserialize<D: de::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Document(json) = Document::deserialize(deserializer)?;
        let number = json.as_u64().filter(|number| (MIN..=DAY).contains(number));
        let wrong = || {
            format!(
                "must be a whole number of milliseconds from {MIN} to {DAY} (one day), got {}",
                shown(&json)
            )
        };
        let number = number.ok_or_else(|| de::Error::custom(wrong()))?;
        Ok(Self(Duration::from_millis(number)))
    }
}

#[cfg(test)]
mod tests {
    use contract_model::Json;
    use serde::Deserialize;

    use super::{Document, Milliseconds, Seed, Whole, options, snake};
    use crate::error::OPTIONS;

    #[derive(Debug, Default, Deserialize, PartialEq)]
    #[serde(deny_unknown_fields, default)]
    struct Options {
        port: Option<Whole<0, 65535>>,
        keep_alive: Option<bool>,
        mode: Option<Mode>,
        wait: Option<Milliseconds<1>>,
        seed: Option<Seed>,
        body: Option<Document>,
        limits: Limits,
        names: Vec<String>,
    }

    #[derive(Debug, Deserialize, PartialEq)]
    #[serde(rename_all = "snake_case")]
    enum Mode {
        Ignore,
        Error,
        ContentType,
    }

    #[derive(Debug, Default, Deserialize, PartialEq)]
    #[serde(deny_unknown_fields, default)]
    struct Limits {
        body_size: Option<u32>,
    }

    fn read(text: &str) -> Result<Options, String> {
        options(OPTIONS, Json::parse(text.as_bytes()).unwrap()).map_err(|error| error.to_string())
    }

    #[test]
    fn names_of_every_language_are_the_same() {
        for text in [
            r#"{"keepAlive":true,"mode":"contentType","limits":{"bodySize":5},"port":null}"#,
            r#"{"keep_alive":true,"mode":"content_type","limits":{"body_size":5}}"#,
        ] {
            let read = read(text).unwrap();
            assert_eq!(read.keep_alive, Some(true));
            assert_eq!(read.mode, Some(Mode::ContentType));
            assert_eq!(read.limits.body_size, Some(5));
        }
        assert_eq!(snake("testName"), "test_name");
        assert_eq!(snake("test_name"), "test_name");
        assert_eq!(snake("withGraphQL"), "with_graph_ql");
    }

    #[test]
    fn a_document_is_taken_as_it_is() {
        let body = read(r#"{"body":{"a":1.0,"keepAlive":[1e400]}}"#).unwrap().body.unwrap();
        assert_eq!(body.0.to_text(), r#"{"a":1.0,"keepAlive":[1e400]}"#);
    }

    #[test]
    fn each_mistake_is_named() {
        for (text, want) in [
            (
                r#"{"prot":80}"#,
                "there is no option prot; did you mean port? options are port, keep_alive, mode, wait, seed, body, limits, names",
            ),
            (
                r#"{"limits":{"size":80}}"#,
                "limits: there is no option size; the only option is body_size",
            ),
            (
                r#"{"port":70000}"#,
                "port must be a whole number from 0 to 65535, got 70000",
            ),
            (
                r#"{"limits":{"bodySize":-1}}"#,
                "limits.bodySize must be a whole number from 0 to 4294967295, got -1",
            ),
            (r#"{"keepAlive":"yes"}"#, "keepAlive must be true or false, got \"yes\""),
            (
                r#"{"mode":"warn"}"#,
                "mode must be ignore, error or content_type, got \"warn\"",
            ),
            (r#"{"mode":5}"#, "mode must be ignore, error or content_type, got 5"),
            (
                r#"{"wait":0.5}"#,
                "wait must be a whole number of milliseconds from 1 to 86400000 (one day), got 0.5",
            ),
            (r#"{"names":["a",1]}"#, "names[1] must be text, got 1"),
            (r#"{"limits":[]}"#, "limits must be an object, got a list"),
            ("[]", "options must be an object, got array"),
        ] {
            assert_eq!(read(text).unwrap_err(), want, "{text}");
        }
    }

    #[test]
    fn what_is_wrong_is_data_too() {
        let json = Json::parse(br#"{"limits":{"bodySize":-1}}"#).unwrap();
        let error = options::<Options>(OPTIONS, json).unwrap_err();
        assert_eq!((error.code, error.argument.as_deref()), (OPTIONS, Some("limits")));
    }
}
