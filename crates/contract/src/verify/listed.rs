//! The interactions that a test runner makes tests of.

use std::collections::HashMap;

use contract_verifier::Selected;
use serde::Serialize;

/// An interaction that a test runner makes a test of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ListedInteraction {
    /// The number of its contract: tests of one contract stand in one group.
    pub contract: usize,
    /// The title of that group.
    pub group: String,
    /// The title of the test. Runners report tests by their titles, so none stands twice in a group.
    pub title: String,
}

/// The interactions in the order in which `Session::verify_one` counts them.
pub(crate) fn listed(selected: &[Selected]) -> Vec<ListedInteraction> {
    let mut seen: HashMap<(usize, String), usize> = HashMap::new();
    let list = selected.iter().map(|selected| {
        let info = &selected.info;
        let states: Vec<_> = info.states.iter().map(|state| state.name.as_str()).collect();
        let given = if states.is_empty() {
            String::new()
        } else {
            format!(", given {}", states.join(" and "))
        };
        let pending = if info.pending { " [pending]" } else { "" };
        let title = format!("{}{given}{pending}", info.description);
        let count = seen.entry((selected.contract(), title.clone())).or_default();
        *count += 1;
        ListedInteraction {
            contract: selected.contract(),
            group: format!("honours the contract with {}", info.consumer),
            title: if *count > 1 {
                format!("{title} ({count})")
            } else {
                title
            },
        }
    });
    list.collect()
}
