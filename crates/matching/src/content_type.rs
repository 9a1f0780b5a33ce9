//! Content types: what counts as the same.

use contract_model::ContentType;

/// Whether the expected type accepts the other one, see [`ContentType::accepts`]. The boundary of a multipart body is made
/// afresh for each message and says nothing.
pub(crate) fn accepts(expected: &ContentType, actual: &ContentType) -> bool {
    expected.accepts_with_any(actual, expected.is_multipart().then_some("boundary"))
}
