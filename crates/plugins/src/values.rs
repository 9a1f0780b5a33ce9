//! Converts JSON to and from `google.protobuf.Struct`, in which all numbers are doubles.

use std::collections::BTreeMap;

use contract_model::{Json, Number, NumberKind, Object};
use prost_types::value::Kind;
use prost_types::{ListValue, Struct, Value};

use crate::wire::v2::generate_content_request::TestMode;

/// 2^53. Above this limit, doubles cannot represent all integers.
const EXACT: f64 = 9_007_199_254_740_992.0;
/// Integers below this limit are written without an exponent, as in JavaScript.
const PLAIN: f64 = 1e21;

/// Converts an object. Adds the integers that a double cannot represent to `lossy`, as written in the JSON.
pub(crate) fn to_struct(object: &Object, lossy: &mut Vec<String>) -> Struct {
    let fields: BTreeMap<_, _> = object
        .iter()
        .map(|(name, value)| (name.to_string(), to_value(value, lossy)))
        .collect();
    Struct { fields }
}

/// Like [`to_struct`], for objects created by this library, in which integers are never too large.
pub(crate) fn as_struct(object: &Object) -> Struct {
    to_struct(object, &mut Vec::new())
}

pub(crate) fn to_value(json: &Json, lossy: &mut Vec<String>) -> Value {
    let kind = match json {
        Json::Null => Kind::NullValue(0),
        Json::Bool(value) => Kind::BoolValue(*value),
        Json::Number(number) => {
            let value = number.as_f64();
            if number.kind() == NumberKind::Integer && value.abs() >= EXACT && format!("{value:.0}") != number.as_str()
            {
                lossy.push(number.as_str().to_owned());
            }
            Kind::NumberValue(value)
        }
        Json::String(text) => Kind::StringValue(text.to_string()),
        Json::Array(items) => Kind::ListValue(ListValue {
            values: items.iter().map(|item| to_value(item, lossy)).collect(),
        }),
        Json::Object(object) => Kind::StructValue(to_struct(object, lossy)),
    };
    Value { kind: Some(kind) }
}

/// Converts an object. Numbers without a fraction become integers.
pub(crate) fn from_struct(fields: Struct) -> Object {
    let members = fields.fields.into_iter();
    members.map(|(name, value)| (name, from_value(value))).collect()
}

pub(crate) fn from_value(value: Value) -> Json {
    match value.kind {
        None | Some(Kind::NullValue(_)) => Json::Null,
        Some(Kind::BoolValue(value)) => Json::Bool(value),
        Some(Kind::NumberValue(value)) => from_number(value),
        Some(Kind::StringValue(text)) => text.into(),
        Some(Kind::ListValue(list)) => Json::Array(list.values.into_iter().map(from_value).collect()),
        Some(Kind::StructValue(fields)) => from_struct(fields).into(),
    }
}

/// Converts a number. NaN and infinities become null.
pub(crate) fn from_number(value: f64) -> Json {
    let text = if value.fract() == 0.0 && value.abs() < PLAIN {
        // Adding zero converts `-0` to `0`.
        format!("{:.0}", value + 0.0)
    } else {
        format!("{value:?}")
    };
    Number::from_text(&text).map_or(Json::Null, Json::Number)
}

pub(crate) fn test_mode(is_provider: bool) -> i32 {
    let mode = if is_provider {
        TestMode::Provider
    } else {
        TestMode::Consumer
    };
    mode.into()
}

pub(crate) fn is_provider(mode: i32) -> bool {
    mode == test_mode(true)
}

#[cfg(test)]
mod tests {
    use contract_model::Json;

    use super::{from_struct, to_struct};

    #[track_caller]
    fn check(text: &str, want: &str, want_lossy: &[&str]) {
        let json = Json::parse(text.as_bytes()).unwrap();
        let mut lossy = Vec::new();
        let converted = to_struct(json.as_object().unwrap(), &mut lossy);
        assert_eq!(Json::from(from_struct(converted)).to_text(), want);
        assert_eq!(lossy, want_lossy);
    }

    #[test]
    fn keeps_integers() {
        check(
            r#"{"a":3,"b":3.5,"c":-0,"d":1e2}"#,
            r#"{"a":3,"b":3.5,"c":0,"d":100}"#,
            &[],
        );
        check(r#"{"a":9007199254740992}"#, r#"{"a":9007199254740992}"#, &[]);
    }

    #[test]
    fn reports_inexact_integers() {
        check(
            r#"{"a":[9007199254740993]}"#,
            r#"{"a":[9007199254740992]}"#,
            &["9007199254740993"],
        );
        check(r#"{"a":1e300}"#, r#"{"a":1e300}"#, &[]);
    }

    #[test]
    fn keeps_other_values() {
        let all = r#"{"a":null,"b":true,"c":"text","d":[1,{"e":false}],"f":{}}"#;
        check(all, all, &[]);
    }
}
