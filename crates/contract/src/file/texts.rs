//! The interactions of a contract file as they are written there, so that a merge can leave them byte for byte equal.

use contract_model::{Contract, SpecificationVersion};
use serde_json::value::RawValue;

#[derive(Default, serde::Deserialize)]
#[serde(default)]
struct Lists<'a> {
    #[serde(borrow)]
    interactions: Option<Vec<&'a RawValue>>,
    #[serde(borrow)]
    messages: Option<Vec<&'a RawValue>>,
}

/// The texts of the interactions of the contract, which was read from these bytes, in its order. `None` for an interaction that
/// has to be written in another list or form, and for all if the document contains a list twice.
pub(super) fn read<'a>(bytes: &'a [u8], contract: &Contract) -> Vec<Option<&'a str>> {
    let text = std::str::from_utf8(bytes).unwrap_or_default();
    let lists: Lists<'a> = serde_json::from_str(text.trim_start_matches('\u{feff}')).unwrap_or_default();
    // Only V3 has a list of messages.
    let is_v3 = contract.specification == SpecificationVersion::V3;
    let interactions = lists.interactions.unwrap_or_default().into_iter();
    let messages = lists.messages.unwrap_or_default().into_iter();
    let mut texts: Vec<_> = interactions.map(|text| Some(text.get())).collect();
    texts.extend(messages.map(|text| is_v3.then_some(text.get())));
    if texts.len() != contract.interactions.len() {
        texts = vec![None; contract.interactions.len()];
    }
    texts
}
