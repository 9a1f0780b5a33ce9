//! Determines which teams own applications, based on labels.

use std::collections::HashMap;

use contract_broker_core::sql::pacticipants;
use contract_broker_core::store::{StoreError, Tx};

/// The labels of applications, by the application's ID.
pub(super) struct Owners(HashMap<i64, Vec<String>>);

impl Owners {
    pub(super) fn read(tx: &mut Tx<'_>, ids: &[i64]) -> Result<Self, StoreError> {
        let mut labels: HashMap<i64, Vec<String>> = HashMap::new();
        for label in pacticipants::labels_of(tx, ids)? {
            labels.entry(label.pacticipant_id).or_default().push(label.name);
        }
        Ok(Self(labels))
    }

    pub(super) fn labels(&self, id: i64) -> &[String] {
        self.0.get(&id).map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns the owner of an application: the `team:payments` label means `Team payments`. Returns `None` if there is
    /// no such label.
    pub(super) fn team(&self, id: i64) -> Option<String> {
        let team = self.labels(id).iter().find_map(|label| label.strip_prefix("team:"))?;
        Some(format!("Team {team}"))
    }
}
