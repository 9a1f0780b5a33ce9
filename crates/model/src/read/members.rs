//! Removes known members from objects, so that only the unknown members remain.

use super::error::ReadError;
use crate::Found;
use crate::place::Place;
use crate::{Json, Object, Text};

pub(super) fn wrong(place: &Place, expected: &'static str, found: Option<&Json>) -> ReadError {
    ReadError::Member {
        at: place.to_string(),
        expected,
        found: Found::from_value(found),
    }
}

/// Reads an object. `null` is read as an empty object.
pub(super) fn object(json: Json, place: &Place) -> Result<Object, ReadError> {
    match json {
        Json::Object(object) => Ok(object),
        Json::Null => Ok(Object::new()),
        other => Err(wrong(place, "an object", Some(&other))),
    }
}

/// Reads an array. `null` is read as an empty array.
pub(super) fn list(json: Json, place: &Place) -> Result<Vec<Json>, ReadError> {
    match json {
        Json::Array(items) => Ok(items),
        Json::Null => Ok(Vec::new()),
        other => Err(wrong(place, "an array", Some(&other))),
    }
}

pub(super) fn text(json: Json, place: &Place) -> Result<Text, ReadError> {
    match json {
        Json::String(text) => Ok(text),
        other => Err(wrong(place, "a string", Some(&other))),
    }
}

/// Removes a member. Returns its value, or `None` if the member is missing or `null`.
pub(super) fn take(object: &mut Object, name: &str) -> Option<Json> {
    object.remove(name).filter(|value| !value.is_null())
}

/// Removes a member under all of its spellings. Returns the first spelling with a value, and that value.
pub(super) fn take_any(object: &mut Object, names: &[&'static str]) -> Option<(&'static str, Json)> {
    let mut found: Option<(&'static str, Json)> = None;
    for &name in names {
        if let Some(value) = take(object, name)
            && found.as_ref().is_none_or(|(_, earlier)| is_empty_value(earlier))
        {
            found = Some((name, value));
        }
    }
    found
}

fn is_empty_value(json: &Json) -> bool {
    match json {
        Json::Array(items) => items.is_empty(),
        Json::Object(members) => members.is_empty(),
        Json::String(text) => text.is_empty(),
        _ => false,
    }
}

pub(super) fn take_text(object: &mut Object, name: &str, place: &Place) -> Result<Option<Text>, ReadError> {
    take(object, name)
        .map(|value| text(value, &place.key(name)))
        .transpose()
}

pub(super) fn take_object(object: &mut Object, name: &str, place: &Place) -> Result<Object, ReadError> {
    take(object, name).map_or_else(|| Ok(Object::new()), |value| self::object(value, &place.key(name)))
}

pub(super) fn take_list(object: &mut Object, name: &str, place: &Place) -> Result<Vec<Json>, ReadError> {
    take(object, name).map_or_else(|| Ok(Vec::new()), |value| list(value, &place.key(name)))
}

pub(super) fn take_bool(object: &mut Object, name: &str, place: &Place) -> Result<bool, ReadError> {
    match take(object, name) {
        None => Ok(false),
        Some(Json::Bool(value)) => Ok(value),
        Some(other) => Err(wrong(&place.key(name), "true or false", Some(&other))),
    }
}
