use super::participants;
use crate::sql::pacticipants;
use crate::store::{StoreError, Tx};
use contract_broker_domain::matrix::Query;
use contract_broker_domain::verdict::{Row, VersionSet};

/// Versions whose results do not affect the verdict.
pub(super) struct Ignored {
    pacticipant: i64,
    versions: VersionSet,
}

impl Ignored {
    pub(super) fn covers(&self, row: &Row) -> bool {
        self.covers_version(row.consumer, Some(row.consumer_version))
            || self.covers_version(row.provider, row.verified.map(|verified| verified.version))
    }

    /// Returns whether all versions of an application are ignored.
    pub(super) fn covers_application(&self, pacticipant: i64) -> bool {
        self.pacticipant == pacticipant && self.versions == VersionSet::Every
    }

    fn covers_version(&self, pacticipant: i64, version: Option<i64>) -> bool {
        self.pacticipant == pacticipant
            && match &self.versions {
                VersionSet::Every => true,
                VersionSet::These(ids) => version.is_some_and(|version| ids.contains(&version)),
            }
    }
}

/// Returns the versions that a query ignores, and a warning for each selector that selects no version.
pub(super) fn find(tx: &mut Tx<'_>, query: &Query) -> Result<(Vec<Ignored>, Vec<String>), StoreError> {
    let (mut ignored, mut warnings) = (Vec::new(), Vec::new());
    for selector in &query.ignore {
        let name = &selector.pacticipant;
        let Some(known) = pacticipants::find(tx, name)? else {
            warnings.push(format!("Warning: nothing to ignore. {name} does not exist."));
            continue;
        };
        let participant = participants::find(tx, &known, &selector.versions)?;
        if participant.is_missing() {
            let absence = &participant.absence;
            warnings.push(format!("Warning: nothing to ignore. {absence}"));
            continue;
        }
        ignored.push(Ignored {
            pacticipant: known.id,
            versions: participant.versions,
        });
    }
    Ok((ignored, warnings))
}
