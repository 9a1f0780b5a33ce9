//! Lists interactions for test runners.

use std::collections::HashMap;

use contract_broker_client::Secrets;
use contract_verifier::Selected;
use serde::Serialize;

/// An interaction that a test runner verifies as a separate test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ListedInteraction {
    /// Index of the contract, starting with 0. The tests of a contract form a group.
    pub contract: usize,
    /// Title of the group, such as `honors the contract with web`.
    pub group: String,
    /// Title of the test: the description of the interaction and its provider states. It is unique in the group.
    pub title: String,
}

/// Returns the interactions in the order of the indexes that `Session::verify_one` accepts.
pub(crate) fn listed(selected: &[Selected], secrets: &Secrets) -> Vec<ListedInteraction> {
    let mut seen: HashMap<(usize, String), usize> = HashMap::new();
    let list = selected.iter().map(|selected| {
        let info = &selected.info;
        let states: Vec<_> = info.states.iter().map(|state| state.name.as_str()).collect();
        let given_states = if states.is_empty() {
            String::new()
        } else {
            format!(", given {}", states.join(" and "))
        };
        let pending = if info.pending { " [pending]" } else { "" };
        let title = secrets
            .redact(&format!("{}{given_states}", info.description))
            .into_owned()
            + pending;
        let count = seen.entry((selected.contract(), title.clone())).or_default();
        *count += 1;
        ListedInteraction {
            contract: selected.contract(),
            group: format!("honors the contract with {}", secrets.redact(&info.consumer)),
            title: if *count > 1 {
                format!("{title} ({count})")
            } else {
                title
            },
        }
    });
    list.collect()
}
