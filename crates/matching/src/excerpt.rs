//! Formats bodies for mismatches. Long bodies are truncated and end with their size.

use contract_model::{Content, ContentValue, Json};

use crate::actual::ActualBody;

/// Maximum size in bytes of a body that is not truncated. JSON is never truncated here.
pub(crate) const MAX_SIZE: usize = 64 * 1024;

/// Returns the actual body, formatted for a mismatch.
pub(crate) fn body(actual: &ActualBody) -> Json {
    match actual.json_if_read() {
        Some(value) => value.clone(),
        None => bytes(actual.bytes()),
    }
}

/// Returns the example, formatted for a mismatch.
pub(crate) fn content(content: &Content) -> Json {
    match &content.value {
        ContentValue::Json(value) => (**value).clone(),
        ContentValue::Bytes(content) => bytes(content),
    }
}

pub(crate) fn bytes(bytes: &[u8]) -> Json {
    if bytes.len() <= MAX_SIZE {
        return Json::from(String::from_utf8_lossy(bytes).into_owned());
    }
    // Do not cut in the middle of a character.
    let cut = (MAX_SIZE - 3..=MAX_SIZE).rev().find(|&at| bytes[at] & 0xc0 != 0x80);
    let text = String::from_utf8_lossy(&bytes[..cut.unwrap_or(MAX_SIZE)]);
    Json::from(format!("{text}… ({} bytes)", bytes.len()))
}

/// Returns the original size in bytes of a string that may have been truncated.
pub fn original_size(text: &str) -> usize {
    let before_cut = text.strip_suffix(" bytes)").and_then(|text| text.rsplit_once("… ("));
    before_cut.and_then(|(_, size)| size.parse().ok()).unwrap_or(text.len())
}
