//! A serde serializer whose result is a JSON value.

use std::fmt::Display;

use contract_model::{Json, Number, Object, Text};
use serde::ser::{
    Error as _, Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant, Serializer,
};

/// The struct name that makes `serde_json` pass JSON text through unchanged. [`Number`] uses it to preserve its
/// notation.
const RAW: &str = "$serde_json::private::RawValue";

type Result<T> = std::result::Result<T, serde_json::Error>;

pub(super) struct ToJson;

/// The items of an array. `variant` is the enum variant that contains the array, if any.
pub(super) struct Items {
    variant: Option<&'static str>,
    items: Vec<Json>,
}

/// The members of an object. `variant` is the enum variant that contains the object, if any.
pub(super) struct Members {
    variant: Option<&'static str>,
    object: Object,
    /// The name of a map entry whose value has not been serialized yet.
    name: Text,
    /// The parsed JSON text if the struct is [`RAW`].
    raw: Option<Json>,
}

impl Items {
    fn new(variant: Option<&'static str>, length: usize) -> Self {
        let items = Vec::with_capacity(length.min(1024));
        Self { variant, items }
    }

    fn push(&mut self, value: &(impl Serialize + ?Sized)) -> Result<()> {
        self.items.push(value.serialize(ToJson)?);
        Ok(())
    }

    fn finish(self) -> Json {
        in_variant(self.variant, self.items.into())
    }
}

impl Members {
    fn new(variant: Option<&'static str>) -> Self {
        Self {
            variant,
            object: Object::new(),
            name: Text::default(),
            raw: None,
        }
    }

    fn insert(&mut self, name: &str, value: &(impl Serialize + ?Sized)) -> Result<()> {
        let value = value.serialize(ToJson)?;
        if name == RAW {
            let text = value.as_str().unwrap_or_default();
            self.raw = Some(Json::parse(text.as_bytes()).map_err(serde_json::Error::custom)?);
        } else {
            self.object.insert(name, value);
        }
        Ok(())
    }

    fn finish(self) -> Json {
        match self.raw {
            Some(raw) => raw,
            None => in_variant(self.variant, self.object.into()),
        }
    }
}

fn in_variant(variant: Option<&'static str>, value: Json) -> Json {
    match variant {
        None => value,
        Some(name) => Object::from_iter([(name, value)]).into(),
    }
}

fn number(text: &str) -> Json {
    Number::from_text(text).map_or(Json::Null, Json::Number)
}

impl Serializer for ToJson {
    type Ok = Json;
    type Error = serde_json::Error;
    type SerializeSeq = Items;
    type SerializeTuple = Items;
    type SerializeTupleStruct = Items;
    type SerializeTupleVariant = Items;
    type SerializeMap = Members;
    type SerializeStruct = Members;
    type SerializeStructVariant = Members;

    fn serialize_bool(self, value: bool) -> Result<Json> {
        Ok(value.into())
    }

    fn serialize_i8(self, value: i8) -> Result<Json> {
        Ok(i64::from(value).into())
    }

    fn serialize_i16(self, value: i16) -> Result<Json> {
        Ok(i64::from(value).into())
    }

    fn serialize_i32(self, value: i32) -> Result<Json> {
        Ok(i64::from(value).into())
    }

    fn serialize_i64(self, value: i64) -> Result<Json> {
        Ok(value.into())
    }

    fn serialize_u8(self, value: u8) -> Result<Json> {
        Ok(u64::from(value).into())
    }

    fn serialize_u16(self, value: u16) -> Result<Json> {
        Ok(u64::from(value).into())
    }

    fn serialize_u32(self, value: u32) -> Result<Json> {
        Ok(u64::from(value).into())
    }

    fn serialize_u64(self, value: u64) -> Result<Json> {
        Ok(value.into())
    }

    fn serialize_f32(self, value: f32) -> Result<Json> {
        Ok(number(&serde_json::to_string(&value)?))
    }

    /// Infinity and NaN become null, as in `serde_json`.
    fn serialize_f64(self, value: f64) -> Result<Json> {
        Ok(number(&serde_json::to_string(&value)?))
    }

    fn serialize_char(self, value: char) -> Result<Json> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, value: &str) -> Result<Json> {
        Ok(value.into())
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<Json> {
        value.serialize(self)
    }

    fn serialize_none(self) -> Result<Json> {
        Ok(Json::Null)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<Json> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<Json> {
        Ok(Json::Null)
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<Json> {
        Ok(Json::Null)
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<Json> {
        Ok(variant.into())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Result<Json> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<Json> {
        Ok(in_variant(Some(variant), value.serialize(self)?))
    }

    fn serialize_seq(self, length: Option<usize>) -> Result<Items> {
        Ok(Items::new(None, length.unwrap_or_default()))
    }

    fn serialize_tuple(self, length: usize) -> Result<Items> {
        Ok(Items::new(None, length))
    }

    fn serialize_tuple_struct(self, _: &'static str, length: usize) -> Result<Items> {
        Ok(Items::new(None, length))
    }

    fn serialize_tuple_variant(self, _: &'static str, _: u32, variant: &'static str, length: usize) -> Result<Items> {
        Ok(Items::new(Some(variant), length))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Members> {
        Ok(Members::new(None))
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Members> {
        Ok(Members::new(None))
    }

    fn serialize_struct_variant(self, _: &'static str, _: u32, variant: &'static str, _: usize) -> Result<Members> {
        Ok(Members::new(Some(variant)))
    }

    fn collect_str<T: Display + ?Sized>(self, value: &T) -> Result<Json> {
        Ok(value.to_string().into())
    }
}

/// Implements the serde traits for arrays. They differ only in the names of the trait and the method.
macro_rules! arrays {
    ($($name:ident: $method:ident),*) => {$(
        impl $name for Items {
            type Ok = Json;
            type Error = serde_json::Error;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
                self.push(value)
            }

            fn end(self) -> Result<Json> {
                Ok(self.finish())
            }
        }
    )*};
}

arrays!(
    SerializeSeq: serialize_element,
    SerializeTuple: serialize_element,
    SerializeTupleStruct: serialize_field,
    SerializeTupleVariant: serialize_field
);

macro_rules! structures {
    ($($name:ident),*) => {$(
        impl $name for Members {
            type Ok = Json;
            type Error = serde_json::Error;

            fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<()> {
                self.insert(name, value)
            }

            fn end(self) -> Result<Json> {
                Ok(self.finish())
            }
        }
    )*};
}

structures!(SerializeStruct, SerializeStructVariant);

impl SerializeMap for Members {
    type Ok = Json;
    type Error = serde_json::Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, name: &T) -> Result<()> {
        self.name = match name.serialize(ToJson)? {
            Json::String(name) => name,
            Json::Number(number) => number.to_string().into(),
            _ => return Err(serde_json::Error::custom("the name of a member must be a string")),
        };
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        let name = std::mem::take(&mut self.name);
        self.insert(&name, value)
    }

    fn end(self) -> Result<Json> {
        Ok(self.finish())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use contract_model::Json;
    use serde::Serialize;

    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    enum Kind {
        Unit,
        Wrapped(u8),
        Tuple(i8, f64),
        Fields { first_name: String, none: Option<u16> },
    }

    #[derive(Serialize)]
    struct Unit;

    #[derive(Serialize)]
    struct Pair(char, Unit);

    #[derive(Serialize)]
    struct Whole {
        kinds: Vec<Kind>,
        pair: Pair,
        by_number: BTreeMap<u32, bool>,
        exact: Json,
        large: u64,
        not_a_number: f64,
        some: Option<&'static str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        skipped: Option<()>,
    }

    #[test]
    fn equals_the_parsed_text() {
        let exact = br#"{"price":1.50,"many":[1e400,-0,"\u0000"],"nothing":null,"":{}}"#;
        let whole = Whole {
            kinds: vec![
                Kind::Unit,
                Kind::Wrapped(7),
                Kind::Tuple(-1, 1.0),
                Kind::Fields {
                    first_name: "Ä".to_owned(),
                    none: None,
                },
            ],
            pair: Pair('→', Unit),
            by_number: BTreeMap::from([(7, true)]),
            exact: Json::parse(exact).unwrap(),
            large: u64::MAX,
            not_a_number: f64::NAN,
            some: Some("text"),
            skipped: None,
        };
        let text = crate::json::to_text(&whole);
        assert_eq!(crate::json::to_value(&whole).to_text(), text);
        assert!(text.contains(r#""price":1.50,"many":[1e400,-0,"#), "{text}");
    }

    #[test]
    fn a_list_as_a_name_is_an_error() {
        let invalid = std::collections::HashMap::from([(vec![1], true)]);
        assert_eq!(crate::json::to_value(&invalid), Json::Null);
    }
}
