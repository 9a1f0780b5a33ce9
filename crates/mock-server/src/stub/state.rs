//! Selects the provider states for which a stub responds.

use contract_model::{Json, Object, ProviderState};
use hyper::header::{COOKIE, HeaderMap, HeaderName, HeaderValue};

/// The header that selects provider states for one request.
pub(crate) const HEADER: HeaderName = HeaderName::from_static("contract-state");
/// The cookie that selects provider states for all requests from a browser.
const COOKIE_NAME: &str = "contract-state";
/// Maximum number of states that can be selected at once.
const MAX_STATES: usize = 100;

/// Reason why a text is not a valid selection of provider states.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidState(String);

/// A selected provider state.
#[derive(Clone, Debug, PartialEq)]
pub struct ChosenState {
    pub name: String,
    /// Parameters, by name, that the state of an interaction must have with equal values. Its other parameters may have
    /// any value.
    pub parameters: Object,
}

impl ChosenState {
    pub fn named(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            parameters: Object::new(),
        }
    }

    /// Parses a state name, or JSON: an object such as `{"name": "user exists", "parameters": {"id": 7}}`, or an array
    /// of names and objects. Returns an empty list for an empty text.
    pub fn parse(text: &str) -> Result<Vec<Self>, InvalidState> {
        parse_text(text).map_err(InvalidState)
    }

    pub(super) fn selects(&self, state: &ProviderState) -> bool {
        state.name == self.name.as_str()
            && self
                .parameters
                .iter()
                .all(|(name, value)| state.parameters.get(name) == Some(value))
    }

    pub(super) fn to_json(&self) -> Json {
        let mut members = Object::new();
        members.insert("name", self.name.as_str());
        if !self.parameters.is_empty() {
            members.insert("parameters", self.parameters.clone());
        }
        members.into()
    }
}

/// Parses the value of a header or a cookie, in the format of [`ChosenState::parse`].
pub(super) fn parse_text(text: &str) -> Result<Vec<ChosenState>, String> {
    let text = text.trim();
    if text.starts_with(['{', '[', '"']) {
        let json = Json::parse(text.as_bytes()).map_err(|error| format!("{text:?} is not valid JSON: {error}"))?;
        return parse_json(&json);
    }
    Ok(if text.is_empty() {
        Vec::new()
    } else {
        vec![ChosenState::named(text)]
    })
}

/// Parses JSON: a name, an object, an array of names and objects, or an object with such an array in `states`. `null`
/// selects no states.
pub(super) fn parse_json(json: &Json) -> Result<Vec<ChosenState>, String> {
    match json {
        Json::Array(items) if items.len() > MAX_STATES => Err(format!("at most {MAX_STATES} states can be selected")),
        Json::Array(items) => items.iter().map(chosen_state).collect(),
        Json::Object(members) if members.get("states").is_some() => {
            parse_json(members.get("states").unwrap_or(&Json::Null))
        }
        Json::Null => Ok(Vec::new()),
        item => chosen_state(item).map(|state| vec![state]),
    }
}

fn chosen_state(json: &Json) -> Result<ChosenState, String> {
    let invalid =
        || "a state must be a name, or an object such as {\"name\": \"user exists\", \"parameters\": {\"id\": 7}}";
    match json {
        Json::String(name) => Ok(ChosenState::named(name.as_str())),
        Json::Object(members) => {
            let name = members.get("name").and_then(Json::as_str).ok_or_else(invalid)?;
            // Contract files call them `params`.
            let parameters = match members.get("parameters").or_else(|| members.get("params")) {
                None | Some(Json::Null) => Object::new(),
                Some(Json::Object(parameters)) => parameters.clone(),
                Some(_) => return Err(invalid().to_owned()),
            };
            Ok(ChosenState {
                name: name.to_owned(),
                parameters,
            })
        }
        _ => Err(invalid().to_owned()),
    }
}

/// Returns the selected states, or `None` if the request has neither the header nor the cookie. The header overrides
/// the cookie. Removes both, so that they are not compared with the contract.
pub(super) fn take(headers: &mut HeaderMap) -> Result<Option<Vec<ChosenState>>, String> {
    let from_cookie = take_cookie(headers);
    if headers.contains_key(HEADER) {
        let mut states = Vec::new();
        for value in headers.get_all(HEADER) {
            let text = std::str::from_utf8(value.as_bytes()).map_err(|_| "the header is not UTF-8".to_owned())?;
            states.extend(parse_text(text)?);
        }
        headers.remove(HEADER);
        if states.len() > MAX_STATES {
            return Err(format!("at most {MAX_STATES} states can be selected"));
        }
        return Ok(Some(states));
    }
    from_cookie
        .map(|value| {
            let text = percent_encoding::percent_decode_str(&value).decode_utf8();
            parse_text(&text.map_err(|_| "the cookie is not UTF-8".to_owned())?)
        })
        .transpose()
}

fn take_cookie(headers: &mut HeaderMap) -> Option<String> {
    let mut found = None;
    let lines: Vec<HeaderValue> = headers.get_all(COOKIE).iter().cloned().collect();
    let is_ours = |pair: &str| pair.split_once('=').is_some_and(|(name, _)| name.trim() == COOKIE_NAME);
    if !lines
        .iter()
        .any(|line| line.to_str().is_ok_and(|text| text.split(';').any(is_ours)))
    {
        return None;
    }
    headers.remove(COOKIE);
    for line in lines {
        let Ok(text) = line.to_str() else {
            headers.append(COOKIE, line);
            continue;
        };
        let mut kept = Vec::new();
        for pair in text.split(';').map(str::trim) {
            match pair.split_once('=') {
                Some((name, value)) if name.trim() == COOKIE_NAME => found = Some(value.trim_matches('"').to_owned()),
                _ => kept.push(pair),
            }
        }
        if let (false, Ok(rest)) = (kept.is_empty(), HeaderValue::from_str(&kept.join("; "))) {
            headers.append(COOKIE, rest);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(states: &[ChosenState]) -> Vec<&str> {
        states.iter().map(|state| state.name.as_str()).collect()
    }

    #[test]
    fn states_are_names_or_json() {
        assert_eq!(names(&parse_text(" user exists ").unwrap()), ["user exists"]);
        let states =
            parse_text(r#"["a", {"name": "b", "parameters": {"id": 7}}, {"name": "c", "params": {"id": 7}}]"#).unwrap();
        assert_eq!(names(&states), ["a", "b", "c"]);
        assert_eq!(states[1].parameters.get("id"), Some(&Json::from(7_u64)));
        assert_eq!(states[1].parameters, states[2].parameters);
        assert!(parse_text("").unwrap().is_empty());
        for wrong in ["{", "[1]", r#"{"params": {}}"#, r#"{"name": "a", "parameters": 1}"#] {
            assert!(parse_text(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_header_overrides_the_cookie_and_both_are_removed() {
        let mut headers = HeaderMap::new();
        headers.append(
            COOKIE,
            HeaderValue::from_static("a=1; contract-state=user%20exists; b=2"),
        );
        let states = take(&mut headers.clone()).unwrap().unwrap();
        assert_eq!(names(&states), ["user exists"]);
        headers.append(HEADER, HeaderValue::from_static("x"));
        headers.append(HEADER, HeaderValue::from_static("y"));
        assert_eq!(names(&take(&mut headers).unwrap().unwrap()), ["x", "y"]);
        assert_eq!(headers.get(COOKIE).unwrap(), "a=1; b=2");
        assert!(!headers.contains_key(HEADER));
        assert_eq!(take(&mut headers), Ok(None));
    }
}
