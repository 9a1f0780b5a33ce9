//! Bytes in JSON: a string if they are UTF-8, otherwise `{ base64 }`.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use contract_model::{Json, Object};

pub fn to_json(bytes: &Bytes) -> Json {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return text.into();
    }
    let members: Object = [("base64", STANDARD.encode(bytes))].into_iter().collect();
    members.into()
}

pub fn from_json(value: &Json) -> Result<Bytes, String> {
    match value {
        Json::Null => Ok(Bytes::new()),
        Json::String(text) => Ok(text.to_string().into()),
        other => match other.get("base64").and_then(Json::as_str) {
            Some(text) => STANDARD
                .decode(text)
                .map(Bytes::from)
                .map_err(|error| format!("the body is not base64: {error}")),
            None => Err("the body must be a string or { base64 }".to_owned()),
        },
    }
}
