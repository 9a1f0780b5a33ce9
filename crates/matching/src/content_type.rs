//! Comparison of content types.

use contract_model::ContentType;

/// Returns whether the expected type accepts the actual one; see [`ContentType::accepts`]. The boundary of a multipart
/// body is ignored, because it differs in each message.
pub(crate) fn accepts(expected: &ContentType, actual: &ContentType) -> bool {
    expected.accepts_with_any(actual, expected.is_multipart().then_some("boundary"))
}
