//! Content types: what counts as the same.

use contract_model::ContentType;

/// Whether the expected type accepts the other one, see [`ContentType::accepts`]. The boundary of a multipart body is made
/// afresh for each message and says nothing.
pub(crate) fn accepts(expected: &ContentType, actual: &ContentType) -> bool {
    if !expected.is_multipart() {
        return expected.accepts(actual);
    }
    let named = |(name, value): &(contract_model::Text, contract_model::Text)| {
        name == "boundary"
            || actual
                .parameter(name)
                .is_some_and(|other| other.eq_ignore_ascii_case(value))
    };
    expected.essence() == actual.essence() && expected.parameters().iter().all(named)
}
