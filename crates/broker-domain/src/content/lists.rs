//! Helpers for the lists of interactions and messages in a contract.

use contract_model::{Json, Layout, Object};

pub(super) fn is_list(name: &str) -> bool {
    matches!(name, "interactions" | "messages")
}

pub(super) fn lists_mut(document: &mut Object) -> impl Iterator<Item = (&str, &mut Vec<Json>)> {
    document.iter_mut().filter_map(|(key, value)| match value {
        Json::Array(list) if is_list(key) => Some((key.as_str(), list)),
        _ => None,
    })
}

pub(super) fn without_ids(document: &mut Object) {
    for (_, list) in lists_mut(document) {
        for interaction in list {
            if let Some(members) = interaction.as_object_mut() {
                members.remove("_id");
            }
        }
    }
}

pub(super) fn canonical(value: &Json) -> String {
    value.to_layout(Layout::Canonical)
}
