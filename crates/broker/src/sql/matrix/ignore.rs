use crate::domain::matrix::Query;
use crate::domain::verdict::{Evidence, Row};
use crate::sql::{pacticipants, versions};
use crate::store::{StoreError, Tx};

/// Something that is not to decide.
pub(super) struct Ignore {
    pacticipant: i64,
    version: Option<i64>,
}

impl Ignore {
    pub(super) fn covers(&self, row: &Row) -> bool {
        let is_meant = |pacticipant: i64, version: Option<i64>| {
            pacticipant == self.pacticipant && (self.version.is_none() || self.version == version)
        };
        is_meant(row.consumer, Some(row.consumer_version))
            || is_meant(row.provider, row.verified.map(|verified| verified.version))
    }

    pub(super) fn covers_pair(&self, consumer: i64, provider: i64) -> bool {
        self.version.is_none() && (self.pacticipant == consumer || self.pacticipant == provider)
    }
}

pub(super) fn ignored(tx: &mut Tx<'_>, query: &Query, evidence: &mut Evidence) -> Result<Vec<Ignore>, StoreError> {
    let mut found = Vec::new();
    for one in &query.ignore {
        let Some(known) = pacticipants::find(tx, &one.pacticipant)? else {
            let text = format!(
                "Warning: {} cannot be ignored, there is no such pacticipant.",
                one.pacticipant
            );
            evidence.warnings.push(text);
            continue;
        };
        let version = match &one.version {
            None => None,
            Some(number) => {
                if let Some(version) = versions::find(tx, known.id, number)? {
                    Some(version.id)
                } else {
                    let text = format!(
                        "Warning: {} {number} cannot be ignored, there is no such version.",
                        known.name
                    );
                    evidence.warnings.push(text);
                    continue;
                }
            }
        };
        found.push(Ignore {
            pacticipant: known.id,
            version,
        });
    }
    Ok(found)
}
