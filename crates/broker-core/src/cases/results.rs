//! Publishes verification results.

use super::webhooks::{self, EventSettings};
use crate::sql::deliveries::KnownResult;
use crate::sql::pacts::{self, Publication};
use crate::sql::results::{self, Report, VerificationResult};
use crate::sql::versions;
use crate::store::{StoreError, Tx};

pub struct ResultToPublish<'a> {
    pub contract: &'a Publication,
    /// The IDs of the consumer versions whose contracts were selected for verification.
    pub selected: &'a [i64],
    /// The number of the provider version.
    pub number: &'a str,
    pub report: Report<'a>,
}

/// Adds a result. Triggers webhooks for each selected consumer version that published the verified content, or for the
/// version of `contract` if there is none.
pub fn publish(
    tx: &mut Tx<'_>,
    settings: EventSettings<'_>,
    publishing: &ResultToPublish<'_>,
) -> Result<VerificationResult, StoreError> {
    /// Maximum number of selected consumer versions for which webhooks are triggered.
    const MAX_VERSIONS: usize = 100;
    let verified = publishing.contract;
    let provider = (verified.provider_id, verified.provider.as_str());
    let (version, _) = versions::find_or_create(tx, provider, publishing.number, settings.now)?;
    let (id, result) = results::add(tx, verified.content_id, &version, &publishing.report, settings.now)?;
    let selected = &publishing.selected[..publishing.selected.len().min(MAX_VERSIONS)];
    let mut contracts = if selected.len() > 1 {
        pacts::of_versions(tx, selected)?
    } else {
        Vec::new()
    };
    contracts.retain(|contract| contract.content_id == verified.content_id);
    if contracts.is_empty() {
        contracts.push(verified.clone());
    }
    let known = KnownResult {
        id,
        success: result.success,
        build_url: result.build_url.clone(),
        version_id: version.id,
        version: version.number.clone(),
    };
    webhooks::result_published(tx, settings, &contracts, &known)?;
    Ok(result)
}
