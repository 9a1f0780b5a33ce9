//! Reads the original JSON text of each interaction in a contract file, so that a merge can keep it byte for byte.

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

/// Returns the JSON text of each interaction, in the order of `contract`. It is `None` if the interaction must be
/// written in another form or to another array. All entries are `None` if the texts cannot be assigned to the
/// interactions.
pub(super) fn read<'a>(bytes: &'a [u8], contract: &Contract) -> Vec<Option<&'a str>> {
    let text = std::str::from_utf8(bytes).unwrap_or_default();
    let lists: Lists<'a> = serde_json::from_str(text.trim_start_matches('\u{feff}')).unwrap_or_default();
    // Only V3 has a `messages` array.
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
