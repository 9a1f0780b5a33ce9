//! The arguments of a call: JSON text to one of the enums.

use std::borrow::Cow;
use std::fmt;

use contract_model::{Json, Object, Text};
use serde::de::{Deserialize, DeserializeOwned, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::error::{ArgumentError, Done, JSON, MATCHER};
use crate::json::parse_json;
use crate::message::{option, told};
use crate::read;

/// Arguments that are handed on as they are written. What stands in them was checked where it was made; reading them again at
/// every level would make deep templates dear.
const OPAQUE: [&str; 5] = ["template", "value", "variants", "element", "children"];
/// The member that holds further arguments in an object of its own.
const OPTIONS: &str = "options";

/// Members of an object with the text of their values.
pub(super) struct Members<'a>(pub(super) Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Collect;
        impl<'de> Visitor<'de> for Collect {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Members<'de>, M::Error> {
                let mut members = Vec::new();
                while let Some((Name(name), value)) = map.next_entry()? {
                    members.push((name, value));
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Collect)
    }
}

/// A name, borrowed where it is written plainly.
#[derive(serde::Deserialize)]
#[serde(transparent)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

/// The members of matcher JSON, the values unread; `None` of what is no object.
pub(super) fn members(text: &str) -> Option<Members<'_>> {
    text.starts_with('{').then(|| serde_json::from_str(text).ok()).flatten()
}

/// Reads the arguments of one function.
pub(super) fn read<T: DeserializeOwned>(function: &str, arguments: &str) -> Result<T, ArgumentError> {
    let mut given = Object::new();
    // The names of what stands in the parentheses of the call beside its options.
    let mut beside = Vec::new();
    for (name, value) in call(arguments)? {
        match &*name {
            OPTIONS => options(value.get(), &mut given)?,
            read::BESIDE => beside = read::names_of(Some(&parse_json(value.get())?)),
            name => insert(name, value.get(), &mut given)?,
        }
    }
    let call: Object = [(Text::from(function), Json::from(given))].into_iter().collect();
    read::value(call.into()).map_err(|refused| refused.beside(&beside).into_error(MATCHER))
}

fn call(text: &str) -> Result<Vec<(Cow<'_, str>, &RawValue)>, ArgumentError> {
    let problem = "the arguments must be a JSON object with a member for each argument";
    let members = serde_json::from_str(text).map(|Members(members)| members);
    members.map_err(|_| ArgumentError::new(JSON, problem))
}

fn options(text: &str, into: &mut Object) -> Done {
    let Some(Members(options)) = members(text) else {
        let message = format!("options must be an object, got {}", read::shown(&parse_json(text)?));
        return Err(ArgumentError::new(MATCHER, message).about(OPTIONS));
    };
    options
        .into_iter()
        .try_for_each(|(name, value)| insert(&name, value.get(), into))
}

fn insert(name: &str, text: &str, into: &mut Object) -> Done {
    let own = read::snake(name);
    let value = if OPAQUE.contains(&own.as_str()) {
        Json::from(text)
    } else {
        parse_json(text)?
    };
    if into.insert(own.as_str(), value).is_some() {
        let message = told![option(own.clone()), " is passed twice"];
        return Err(ArgumentError::new(MATCHER, message).about(own));
    }
    Ok(())
}
