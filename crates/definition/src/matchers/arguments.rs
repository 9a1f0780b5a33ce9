//! Reads the arguments of matcher and generator calls from JSON text.

use std::borrow::Cow;
use std::fmt;

use contract_model::{Json, Object, Text};
use serde::de::{Deserialize, DeserializeOwned, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use contract_call::error::{ArgumentError, Done, JSON, MATCHER};
use contract_call::json::parse_json;
use contract_call::message::{message, option};
use contract_call::read;

/// Arguments that are passed on as text. Their content was checked when it was created. Parsing it again at every level
/// would make deep templates slow.
const OPAQUE: [&str; 5] = ["template", "value", "variants", "element", "children"];
/// The member that contains further arguments as an object.
const OPTIONS: &str = "options";

/// The members of an object and the text of their values.
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

/// A member name, which is borrowed if it contains no escapes.
#[derive(serde::Deserialize)]
#[serde(transparent)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

/// Returns the members of matcher JSON without parsing their values, or `None` if the text is not an object.
pub(super) fn members(text: &str) -> Option<Members<'_>> {
    text.starts_with('{').then(|| serde_json::from_str(text).ok()).flatten()
}

pub(super) fn read<T: DeserializeOwned>(function: &str, arguments: &str) -> Result<T, ArgumentError> {
    let mut collected = Object::new();
    // The names of the positional arguments of the call.
    let mut positional = Vec::new();
    for (name, value) in call(arguments)? {
        match &*name {
            OPTIONS => options(value.get(), &mut collected)?,
            read::POSITIONAL => positional = read::positional_names(Some(&parse_json(value.get())?)),
            name => insert(name, value.get(), &mut collected)?,
        }
    }
    let call: Object = [(Text::from(function), Json::from(collected))].into_iter().collect();
    read::value(call.into()).map_err(|error| error.without_positional(&positional).into_error(MATCHER))
}

fn call(text: &str) -> Result<Vec<(Cow<'_, str>, &RawValue)>, ArgumentError> {
    let problem = "the arguments must be a JSON object with one member per argument";
    let members = serde_json::from_str(text).map(|Members(members)| members);
    members.map_err(|_| ArgumentError::new(JSON, problem))
}

fn options(text: &str, into: &mut Object) -> Done {
    let Some(Members(options)) = members(text) else {
        let message = format!(
            "options must be an object, received {}",
            read::describe(&parse_json(text)?)
        );
        return Err(ArgumentError::new(MATCHER, message).for_argument(OPTIONS));
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
        let message = message![option(own.clone()), " is passed twice"];
        return Err(ArgumentError::new(MATCHER, message).for_argument(own));
    }
    Ok(())
}
