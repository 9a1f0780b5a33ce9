//! The `contentType` rule: the bytes have a given content type.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use contract_model::{ContentType, Json};

use super::sniff;
use super::verdict::Verdict;
use crate::mismatch::MismatchKind;

/// Checks the content type that is detected from the bytes. If the expected type cannot be detected, such as CSV, the
/// bytes must have the type on which it is based, such as text.
pub(crate) fn bytes(expected: &ContentType, actual: &[u8]) -> Verdict {
    let found = sniff::content_type(actual);
    if sniff::satisfies(expected, &found, actual) {
        return Ok(());
    }
    Err(MismatchKind::ContentType {
        expected: expected.essence().into(),
        actual: found.essence().into(),
    })
}

/// Returns true if the value is a string with the base64 encoding of bytes of this type. Binary data in JSON is always
/// encoded.
pub(super) fn is_encoded(expected: &ContentType, actual: &Json) -> bool {
    let decoded = actual.as_str().and_then(|text| STANDARD.decode(text).ok());
    decoded.is_some_and(|decoded| bytes(expected, &decoded).is_ok())
}

pub(crate) fn describe(expected: &str, actual: &str) -> String {
    format!("Expected binary contents to have content type '{expected}' but detected contents was '{actual}'")
}
