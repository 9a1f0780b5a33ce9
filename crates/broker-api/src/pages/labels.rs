//! Creates version labels: version numbers with the branch and the environments that pages show next to them.

use contract_pages::VersionLabel;

use contract_broker_core::sql::version_context::{self, VersionContext};
use contract_broker_core::store::{StoreError, Tx};

pub(super) struct Labels(VersionContext);

impl Labels {
    pub(super) fn read(tx: &mut Tx<'_>, ids: &[i64]) -> Result<Self, StoreError> {
        let mut ids = ids.to_vec();
        ids.sort_unstable();
        ids.dedup();
        Ok(Self(version_context::read(tx, &ids)?))
    }

    pub(super) fn label(&self, id: i64, pacticipant: &str, number: &str) -> VersionLabel {
        let branches = self.0.branches.get(&id).map(Vec::as_slice).unwrap_or_default();
        let environments = self.0.environments.get(&id).into_iter().flatten();
        VersionLabel {
            branch: branches.last().map(|branch| branch.name.clone()),
            environments: environments.map(|one| (one.name.clone(), one.production)).collect(),
            ..VersionLabel::new(pacticipant, number)
        }
    }

    /// Returns a label without environments, for tables that have a column for each environment.
    pub(super) fn on_branch(&self, id: i64, pacticipant: &str, number: &str) -> VersionLabel {
        VersionLabel {
            environments: Vec::new(),
            ..self.label(id, pacticipant, number)
        }
    }
}
