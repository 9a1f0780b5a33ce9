//! Reads operations from JSON text.

use contract_model::Json;
use serde::{Deserialize, Deserializer, de};

use contract_call::error::{ARGUMENTS, ArgumentError, BODY, GIVEN, JSON, KIND, PART};
use contract_call::message::{message, setting};
use contract_call::read::{self, Document};

/// Deserializes a value so that null becomes `Some(Json::Null)`. Together with a default, only an absent value becomes
/// `None`.
pub(super) fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Json>, D::Error> {
    Document::deserialize(deserializer).map(|document| Some(document.0))
}

/// Reads an object with one member: its name is the operation, and its value contains the arguments.
pub fn read_operation<T: de::DeserializeOwned>(text: &str) -> Result<T, ArgumentError> {
    let mut json = contract_call::json::parse_json(text)?;
    let Some([(name, _)]) = json.as_object().map(contract_model::Object::members) else {
        return Err(ArgumentError::new(
            JSON,
            "an operation must be an object with one member: its name is the operation, and its value is an object that \
             contains the arguments",
        ));
    };
    let name = name.to_string();
    let arguments = json.as_object_mut().and_then(|members| members.get_mut(&name));
    let positional = match arguments.map_or_else(|| Ok(Vec::new()), take_options) {
        Ok(positional) => positional,
        Err(error) => return Err(error.in_operation(name)),
    };
    read::value(json).map_err(|error: read::ReadError| {
        let code = match error.argument() {
            _ if name == "given" => GIVEN,
            Some("kind") => KIND,
            Some("part") => PART,
            Some("match") => BODY,
            _ => ARGUMENTS,
        };
        let is_unknown = error.is_unknown();
        let error = error
            .without_positional(&positional)
            .into_error(code)
            .in_operation(name);
        if is_unknown && code == GIVEN {
            let hint = message!["\n  Pass parameters of the state as ", setting("parameters", "{ … }")];
            return error.append(hint);
        }
        error
    })
}

/// Merges the `options` member into the arguments, because languages without named arguments pass options as an object.
/// Returns the names of the other members, which such languages pass as positional arguments.
fn take_options(arguments: &mut Json) -> Result<Vec<String>, ArgumentError> {
    let Some(members) = arguments.as_object_mut() else {
        return Ok(Vec::new());
    };
    let Some(options) = members.remove("options") else {
        return Ok(Vec::new());
    };
    let positional = read::positional_names(members.remove(read::POSITIONAL).as_ref());
    let Json::Object(options) = options else {
        let message = format!("options must be an object, received {}", read::describe(&options));
        return Err(ArgumentError::new(ARGUMENTS, message).for_argument("options"));
    };
    for (name, value) in options {
        if members.contains_key(&read::snake(&name)) {
            return Err(ArgumentError::new(
                ARGUMENTS,
                format!("{name:?} is an argument, not an option"),
            ));
        }
        members.insert(name, value);
    }
    Ok(positional)
}
