use std::collections::HashSet;

use contract_model::Json;

use super::lists::canonical;

/// A provider state in a contract. `parameters` is canonical JSON, or `None` if the state has none.
#[derive(Debug, PartialEq, Eq, Hash, Clone)]
pub struct ProviderState {
    pub name: String,
    pub parameters: Option<String>,
}

/// Returns the distinct provider states of a stored contract, in the order of their first occurrence.
pub fn provider_states(document: &str) -> Vec<ProviderState> {
    let Ok(document) = Json::parse(document.as_bytes()) else {
        return Vec::new();
    };
    let mut seen = HashSet::new();
    let mut states = Vec::new();
    let mut add = |state: ProviderState| {
        if seen.insert(state.clone()) {
            states.push(state);
        }
    };
    for list in ["interactions", "messages"] {
        for interaction in document.get(list).and_then(Json::as_array).unwrap_or_default() {
            for key in ["providerState", "provider_state"] {
                if let Some(name) = interaction.get(key).and_then(Json::as_str) {
                    add(ProviderState {
                        name: name.to_owned(),
                        parameters: None,
                    });
                }
            }
            for state in interaction
                .get("providerStates")
                .and_then(Json::as_array)
                .unwrap_or_default()
            {
                let name = state.get("name").or(Some(state)).and_then(Json::as_str);
                let parameters = state.get("params").map(canonical);
                if let Some(name) = name {
                    add(ProviderState {
                        name: name.to_owned(),
                        parameters,
                    });
                }
            }
        }
    }
    states
}

/// Returns the number of interactions and the number of messages in a stored contract.
pub fn sizes(document: &str) -> (usize, usize) {
    let document = Json::parse(document.as_bytes()).unwrap_or(Json::Null);
    let length = |name: &str| document.get(name).and_then(Json::as_array).map_or(0, <[Json]>::len);
    (length("interactions"), length("messages"))
}
