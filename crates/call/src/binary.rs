//! Represents bytes in JSON: as a string if they are UTF-8, otherwise as an object `{ base64 }`.

use base64::engine::general_purpose::STANDARD;
use base64::{DecodeError, Engine};
use bytes::Bytes;
use contract_model::{Json, Object};

pub fn to_json(bytes: &Bytes) -> Json {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return text.into();
    }
    let members: Object = [("base64", STANDARD.encode(bytes))].into_iter().collect();
    members.into()
}

#[derive(Debug, thiserror::Error)]
pub enum BinaryError {
    #[error("the body is not valid base64: {0}")]
    Base64(#[from] DecodeError),
    #[error("the body must be a string, or an object with the string \"base64\"")]
    NotBytes,
}

pub fn from_json(value: &Json) -> Result<Bytes, BinaryError> {
    match value {
        Json::Null => Ok(Bytes::new()),
        Json::String(text) => Ok(text.to_string().into()),
        other => match other.get("base64").and_then(Json::as_str) {
            Some(text) => Ok(STANDARD.decode(text)?.into()),
            None => Err(BinaryError::NotBytes),
        },
    }
}
