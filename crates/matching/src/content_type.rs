//! Comparison of content types.

use contract_model::ContentType;

/// Returns whether the expected type accepts the actual type; see [`ContentType::accepts`]. Ignores the boundary of a
/// multipart body, because it is different for each message.
pub(crate) fn accepts(expected: &ContentType, actual: &ContentType) -> bool {
    expected.accepts_with_any(actual, expected.is_multipart().then_some("boundary"))
}
