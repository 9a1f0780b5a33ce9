//! Selects interactions by provider states.

use contract_model::{Interaction, Object, ProviderState};
use serde::Deserialize;

/// A provider state that the user selected. Parameters that are not listed may have any value.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SelectedState {
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) parameters: serde_json::Map<String, serde_json::Value>,
}

/// The selected provider states, or `None` to allow all interactions.
#[derive(Debug, Default)]
pub(crate) struct Selection(Option<Vec<(String, Object)>>);

impl Selection {
    pub(crate) fn new(selected: Option<Vec<SelectedState>>) -> Self {
        Self(selected.map(|states| {
            states
                .into_iter()
                .map(|state| (state.name, object(state.parameters)))
                .collect()
        }))
    }

    /// Returns whether all provider states of the interaction are selected. Always true if no selection was made.
    pub(crate) fn allows(&self, interaction: &Interaction) -> bool {
        self.0
            .as_ref()
            .is_none_or(|selected| interaction.states.iter().all(|state| is_selected(selected, state)))
    }

    /// Returns the rank of an allowed interaction. Among the matching interactions, the one with the lowest rank
    /// responds.
    pub(crate) fn rank(&self, interaction: &Interaction) -> usize {
        match self.0 {
            Some(_) => usize::MAX - interaction.states.len(),
            None => 0,
        }
    }

    /// Describes the selection as part of a sentence, such as `no provider state is selected`.
    pub(crate) fn describe(&self) -> String {
        let names = self.0.iter().flatten().map(|(name, _)| format!("{name:?}"));
        let names: Vec<_> = names.collect();
        if names.is_empty() {
            "no provider state is selected".to_owned()
        } else {
            format!("the selected provider states are {}", names.join(", "))
        }
    }
}

fn is_selected(selected: &[(String, Object)], state: &ProviderState) -> bool {
    selected.iter().any(|(name, parameters)| {
        *name == state.name
            && parameters
                .iter()
                .all(|(name, value)| state.parameters.get(name) == Some(value))
    })
}

fn object(members: serde_json::Map<String, serde_json::Value>) -> Object {
    let text = serde_json::Value::Object(members).to_string();
    let value = contract_model::Json::parse(text.as_bytes()).ok();
    value.and_then(|value| value.as_object().cloned()).unwrap_or_default()
}
