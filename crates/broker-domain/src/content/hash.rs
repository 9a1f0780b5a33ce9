use contract_model::{Json, Object};
use sha1::{Digest, Sha1};

use super::lists::{canonical, lists_mut};

/// Sets the `_id` of each interaction to the hash of its JSON, and returns the hash of the content.
///
/// The hash covers the specification version, the interactions, and the messages. It ignores their order and the order
/// of object members. Two contents have the same hash if and only if they have the same hash in the Pact Broker, so
/// that its data can be imported.
pub(super) fn identify(document: &mut Object) -> String {
    let (mut interactions, mut messages) = (None, None);
    for (name, list) in lists_mut(document) {
        let texts: Vec<String> = list.iter().map(canonical).collect();
        for (interaction, text) in list.iter_mut().zip(&texts) {
            put_id(interaction, hex(Sha1::digest(text.as_bytes()).as_slice()));
        }
        *(if name == "interactions" {
            &mut interactions
        } else {
            &mut messages
        }) = Some(texts);
    }
    let version = specification_version(document).map(canonical);
    let mut hash = Sha1::new();
    match (interactions, messages) {
        (None, None) => hash.update(canonical(&Json::Object(document.clone()))),
        (interactions, messages) => {
            // If a contract has both lists, the Pact Broker sorts only the interactions.
            let are_sorted = interactions.is_none();
            let mut members = [("interactions", interactions, true), ("messages", messages, are_sorted)];
            let mut before = "{";
            for (name, texts, sorted) in &mut members {
                let Some(texts) = texts else { continue };
                if *sorted {
                    texts.sort_unstable();
                }
                hash_list(&mut hash, &format!("{before}\"{name}\":["), texts);
                before = ",";
            }
            if let Some(version) = version {
                hash.update(format!(",\"pact_specification_version\":{version}"));
            }
            hash.update("}");
        }
    }
    hex(hash.finalize().as_slice())
}

fn hash_list(hash: &mut Sha1, before: &str, texts: &[String]) {
    hash.update(before);
    for (at, text) in texts.iter().enumerate() {
        if at > 0 {
            hash.update(",");
        }
        hash.update(text);
    }
    hash.update("]");
}

fn put_id(interaction: &mut Json, id: String) {
    if let Some(members) = interaction.as_object_mut() {
        let rest = std::mem::take(members);
        members.insert("_id", Json::from(id));
        for (key, value) in rest {
            members.insert(key, value);
        }
    }
}

fn specification_version(document: &Object) -> Option<&Json> {
    let metadata = document.get("metadata")?;
    let nested = |name: &str| metadata.get(name).and_then(|value| value.get("version"));
    nested("pactSpecification")
        .or_else(|| nested("pact-specification"))
        .or_else(|| metadata.get("pactSpecificationVersion"))
}

pub fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |half: u8| char::from(DIGITS[usize::from(half)]);
    bytes
        .iter()
        .flat_map(|byte| [digit(byte >> 4), digit(byte & 15)])
        .collect()
}
