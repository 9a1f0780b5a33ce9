//! Provider states and their parameters.

use contract_model::{Json, Object, ProviderState, is_matcher};

use contract_call::error::{ArgumentError, Done, GIVEN};

/// Returns the parameters of an operation as one object. `name` and `value` define a single parameter, and a string
/// value that is valid JSON is parsed. `parameters` is an object or a string. A string that contains a JSON object is
/// parsed. Any other JSON text becomes `{ value: parsed }`, and other text becomes `{ value: text }`.
fn merged_parameters(
    name: Option<String>,
    value: Option<Json>,
    parameters: Option<Json>,
) -> Result<Object, ArgumentError> {
    let invalid = |message: &str| Err(ArgumentError::new(GIVEN, message));
    match (name, value, parameters) {
        (None, None, None) => Ok(Object::new()),
        (Some(_), None, _) => invalid("name requires value; pass both, or use parameters"),
        (None, Some(_), _) => invalid("value requires name; pass both, or use parameters"),
        (Some(_), Some(_), Some(_)) => invalid("use either name and value, or parameters, not both"),
        (Some(name), Some(value), None) => Ok([(name, parse_json_string(value))].into_iter().collect()),
        (None, None, Some(Json::Object(parameters))) => Ok(parameters),
        (None, None, Some(text @ Json::String(_))) => Ok(match parse_json_string(text) {
            Json::Object(parameters) => parameters,
            other => [("value", other)].into_iter().collect(),
        }),
        (None, None, Some(other)) => invalid(&format!(
            "parameters must be an object or a string, received {}",
            other.kind().with_article()
        )),
    }
}

/// Parses a string if it is valid JSON. Other values are unchanged.
fn parse_json_string(value: Json) -> Json {
    match &value {
        Json::String(text) => Json::parse(text.as_bytes()).unwrap_or(value),
        _ => value,
    }
}

/// Returns true if the value is a matcher or contains one.
fn contains_matcher(value: &Json) -> bool {
    match value {
        Json::Array(items) => items.iter().any(contains_matcher),
        Json::Object(members) => is_matcher(members) || members.iter().any(|(_, member)| contains_matcher(member)),
        _ => false,
    }
}

/// Adds a state. If there is already a state with this name, adds the parameters to it; later values override earlier
/// ones.
pub(super) fn add(
    states: &mut Vec<ProviderState>,
    state: &str,
    (name, value, parameters): (Option<String>, Option<Json>, Option<Json>),
) -> Done {
    if state.trim().is_empty() {
        return Err(ArgumentError::new(GIVEN, "the provider state must have a name"));
    }
    let parameters = merged_parameters(name, value, parameters)?;
    if let Some((name, _)) = parameters.iter().find(|(_, value)| contains_matcher(value)) {
        let message = format!(
            "the parameter {name:?} is a matcher; provider states are set up with concrete values, so pass a value"
        );
        return Err(ArgumentError::new(GIVEN, message));
    }
    match states.iter_mut().find(|known| known.name == state) {
        Some(known) => {
            for (name, value) in parameters {
                known.parameters.insert(name, value);
            }
        }
        None => states.push(ProviderState {
            name: state.into(),
            parameters,
        }),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Json, ProviderState, add};

    fn json(text: &str) -> Json {
        Json::parse(text.as_bytes()).unwrap()
    }

    fn given(
        states: &mut Vec<ProviderState>,
        name: Option<&str>,
        value: Option<&str>,
        parameters: Option<Json>,
    ) -> Result<(), String> {
        let arguments = (name.map(str::to_owned), value.map(Json::from), parameters);
        add(states, "a user", arguments).map_err(|error| error.to_string())
    }

    #[test]
    fn merges_parameters_of_the_same_state() {
        let mut states = Vec::new();
        given(&mut states, None, None, Some(json(r#"{"id":1,"name":"x"}"#))).unwrap();
        given(&mut states, Some("id"), Some("2"), None).unwrap();
        given(&mut states, Some("name"), Some("Alice"), None).unwrap();
        assert_eq!(states.len(), 1);
        assert_eq!(
            Json::from(states[0].parameters.clone()),
            json(r#"{"id":2,"name":"Alice"}"#)
        );
    }

    #[test]
    fn reads_parameters_from_strings() {
        for (text, want) in [
            (r#"{"a":1}"#, r#"{"a":1}"#),
            ("[1]", r#"{"value":[1]}"#),
            ("plain", r#"{"value":"plain"}"#),
        ] {
            let mut states = Vec::new();
            given(&mut states, None, None, Some(Json::from(text))).unwrap();
            assert_eq!(Json::from(states[0].parameters.clone()), json(want));
        }
    }

    #[test]
    fn rejects_conflicting_arguments() {
        for (name, value, parameters) in [
            (Some("a"), None, None),
            (None, Some("1"), None),
            (Some("a"), Some("1"), Some(json("{}"))),
            (None, None, Some(json("[]"))),
        ] {
            assert!(given(&mut Vec::new(), name, value, parameters).is_err());
        }
    }
}
