use std::collections::HashMap;

use contract_model::{Json, Layout, Object};

use super::Content;
use super::lists::{canonical, is_list};

/// Both contents have an interaction with the same description and provider states, but with different requests.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the interaction {description:?} already exists with a different request; interactions are merged only if their requests are equal"
)]
pub struct MergeConflict {
    pub description: String,
}

impl Content {
    /// Merges `newer` into this content. An interaction of `newer` replaces the one with the same description and
    /// provider states, or is added if there is none.
    pub fn merge(self, newer: &Self) -> Result<Self, MergeConflict> {
        let Some(mut document) = self.document().as_object().cloned() else {
            return Ok(self);
        };
        for (name, list) in newer.document().as_object().into_iter().flat_map(Object::members) {
            match (list.as_array(), document.get_mut(name)) {
                (Some(news), Some(Json::Array(olds))) if is_list(name) => merge_lists(olds, news)?,
                (_, Some(_)) => {}
                (_, None) => drop(document.insert(name.clone(), list.clone())),
            }
        }
        Ok(Self::from_object(document))
    }
}

fn merge_lists(olds: &mut Vec<Json>, news: &[Json]) -> Result<(), MergeConflict> {
    let mut places: HashMap<String, usize> = olds.iter().enumerate().map(|(at, old)| (identity(old), at)).collect();
    for new in news {
        match places.get(&identity(new)) {
            Some(&at) if request_of(&olds[at]) == request_of(new) => olds[at] = new.clone(),
            Some(_) => {
                let description = new
                    .get("description")
                    .map(|text| text.text_form().into_owned())
                    .unwrap_or_default();
                return Err(MergeConflict { description });
            }
            None => {
                places.insert(identity(new), olds.len());
                olds.push(new.clone());
            }
        }
    }
    Ok(())
}

/// Returns the description and provider states as a string, which identifies an interaction within a contract. Supports
/// the members of all specification versions.
fn identity(interaction: &Json) -> String {
    let mut parts = String::new();
    for key in ["description", "providerState", "provider_state", "providerStates"] {
        if let Some(value) = interaction.get(key) {
            value.write_into(Layout::Canonical, 0, &mut parts);
        }
        parts.push('\n');
    }
    parts
}

fn request_of(interaction: &Json) -> Option<String> {
    let request = interaction.get("request")?;
    let member = |key: &str| request.get(key).map(canonical);
    Some(format!(
        "{:?}",
        ["method", "path", "query", "body", "headers"].map(member)
    ))
}
