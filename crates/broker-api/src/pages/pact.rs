//! Collects the data for the contract page.

use std::collections::HashMap;

use contract_model::{Contract, Interaction, Json};
use contract_pages::pages::Pages;
use contract_pages::pages::pact::{Pact, ResultEntry};
use contract_pages::{InteractionView, Mismatch, Outcome, Query};

use super::super::pacts::{find_publication, metadata_of, of_content, of_version};
use super::super::params::Param;
use super::super::reply::{HandlerError, HandlerResult, not_found};
use super::super::request::Request;
use super::labels::Labels;
use super::{list_page, status};
use contract_broker_core::cases::integrations::{ContractStatus, failed_interactions};
use contract_broker_core::sql::pacts::{self, PactQuery, Publication};
use contract_broker_core::sql::results::VerificationResult;
use contract_broker_core::sql::{integrations, results, versions};
use contract_broker_core::store::Tx;

/// Maximum number of interactions on a page.
const INTERACTIONS: i64 = 50;
/// Maximum number of verification results on the page.
const RESULTS: i64 = 20;

pub(crate) fn of_number(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let found = of_version(rq, tx)?;
    show(rq, tx, &found)
}

pub(crate) fn latest(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    show_newest(rq, tx, PactQuery::Latest)
}

pub(crate) fn latest_with_tag(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    show_newest(rq, tx, PactQuery::LatestWithTag(rq.param(Param::Tag)))
}

pub(crate) fn latest_untagged(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    show_newest(rq, tx, PactQuery::LatestUntagged)
}

pub(crate) fn latest_on_branch(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    show_newest(rq, tx, PactQuery::LatestOnBranch(rq.param(Param::Branch)))
}

pub(crate) fn latest_on_main_branch(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    show_newest(rq, tx, PactQuery::LatestOnMainBranch)
}

pub(crate) fn content(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let found = of_content(rq, tx, Param::Sha, metadata_of(rq).as_ref())?;
    show(rq, tx, &found)
}

pub(crate) fn previous_distinct(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let newer = of_version(rq, tx)?;
    let found = pacts::previous_distinct(tx, &newer)?.ok_or_else(not_found)?;
    show(rq, tx, &found)
}

fn show_newest(rq: &Request, tx: &mut Tx<'_>, query: PactQuery<'_>) -> HandlerResult {
    let found = find_publication(rq, tx, query)?;
    show(rq, tx, &found)
}

fn show(rq: &Request, tx: &mut Tx<'_>, publication: &Publication) -> HandlerResult {
    let contract = read(tx, publication)?;
    let current = integrations::of_publication(tx, publication.id)?.ok_or_else(not_found)?;
    let found = results::latest_by_version(tx, publication.content_id, RESULTS)?;
    let ids: Vec<i64> = found
        .iter()
        .map(|(version, _)| *version)
        .chain([publication.version_id])
        .collect();
    let labels = Labels::read(tx, &ids)?;
    let version = versions::by_ids(tx, &[publication.version_id])?
        .pop()
        .ok_or_else(not_found)?;
    let history = integrations::content_history(
        tx,
        publication.content_id,
        (publication.consumer_id, publication.provider_id),
    )?;
    let outcomes = found
        .first()
        .map(|(_, result)| Outcomes::new(result))
        .unwrap_or_default();
    let query = Query::new(rq.query.iter().map(|(name, value)| (name.as_str(), value.as_str())));
    let full: usize = query.value("full").parse().unwrap_or(0);
    let pages = Pages {
        number: rq.page()?.map_or(1, |page| page.number),
        size: INTERACTIONS,
        total: i64::try_from(contract.interactions.len()).unwrap_or(i64::MAX),
    };
    let range = pages.range();
    let interactions = contract.interactions[range.clone()]
        .iter()
        .zip(range)
        .map(|(interaction, number)| InteractionView {
            interaction,
            number,
            outcome: outcomes.find(interaction),
            is_full: full == number + 1,
            has_results: true,
        });
    let view = Pact {
        consumer: publication.consumer.clone(),
        provider: publication.provider.clone(),
        version: labels.label(publication.version_id, &publication.consumer, &publication.version),
        status: status(ContractStatus::new(&current)),
        detail: found
            .first()
            .and_then(|(_, result)| failure(result))
            .map(|(failed, all)| format!("{failed} of {all}")),
        published_at: publication.created_at,
        build_url: version.build_url,
        same_since: Some(history.first_version).filter(|first| *first != publication.version),
        specification: contract.specification.name(),
        results: found
            .iter()
            .map(|(id, result)| ResultEntry {
                version: labels.label(*id, &result.provider, &result.provider_version),
                success: result.success,
                detail: detail(result),
                build_url: result.build_url.clone(),
                at: result.created_at,
            })
            .collect(),
        interactions: interactions.collect(),
        query,
        pages,
        versions: history.versions,
        has_changes: pacts::previous_distinct(tx, publication)?.is_some(),
    };
    Ok(list_page(pages, view.page(&rq.shell())))
}

/// Parses the content of a contract. Content that is not a contract has no interactions.
pub(super) fn read(tx: &mut Tx<'_>, publication: &Publication) -> Result<Contract, HandlerError> {
    let text = pacts::document(tx, publication.content_id)?;
    // The API accepts any JSON object. If it is not a contract, it has no interactions.
    Ok(Contract::read(text.as_bytes())
        .map(|reading| reading.contract)
        .unwrap_or_default())
}

/// Returns the number of failed interactions and the total number of interactions. Returns `None` if the verification
/// passed, or if the verifier sent no test results.
fn failure(result: &VerificationResult) -> Option<(usize, usize)> {
    let failed = failed_interactions(result.test_results.as_deref()?)?;
    (!result.success).then_some(failed)
}

fn detail(result: &VerificationResult) -> Option<String> {
    let (failed, all) = failed_interactions(result.test_results.as_deref()?)?;
    Some(if failed > 0 {
        format!("{failed} of {all} interactions failed")
    } else {
        format!("{all} of {all} passed")
    })
}

/// The results of the interactions, by interaction ID and by description.
#[derive(Default)]
pub(super) struct Outcomes {
    by_id: HashMap<String, Outcome>,
    by_description: HashMap<String, Outcome>,
    /// The result of the whole contract. `None` if the verifier sent a result for each interaction.
    all: Option<bool>,
}

impl Outcomes {
    pub(super) fn new(result: &VerificationResult) -> Self {
        let parsed = result
            .test_results
            .as_deref()
            .and_then(|text| Json::parse(text.as_bytes()).ok());
        let tests = parsed
            .as_ref()
            .and_then(|parsed| parsed.as_array().or_else(|| parsed.get("tests")?.as_array()));
        let mut outcomes = Self::default();
        for test in tests.unwrap_or_default() {
            let Some(success) = test.get("success").and_then(Json::as_bool) else {
                continue;
            };
            let outcome = Outcome {
                success,
                mismatches: list(test, "mismatches").iter().map(mismatch).collect(),
                errors: list(test, "exceptions")
                    .iter()
                    .filter_map(|error| text(error, "message"))
                    .collect(),
            };
            if let Some(description) = text(test, "interactionDescription") {
                outcomes.by_description.insert(description, outcome.clone());
            }
            if let Some(id) = text(test, "interactionId") {
                outcomes.by_id.insert(id, outcome);
            }
        }
        if outcomes.by_id.is_empty() && outcomes.by_description.is_empty() {
            outcomes.all = Some(result.success);
        }
        outcomes
    }

    pub(super) fn find(&self, interaction: &Interaction) -> Option<Outcome> {
        let id = interaction.broker_id.as_deref();
        let found = id.and_then(|id| self.by_id.get(id));
        let found = found
            .or_else(|| self.by_description.get(interaction.description.as_str()))
            .cloned();
        // Without test results, it is only known whether the contract passed as a whole.
        found.or_else(|| {
            self.all.filter(|success| *success).map(|success| Outcome {
                success,
                ..Outcome::default()
            })
        })
    }
}

fn list<'a>(object: &'a Json, name: &str) -> &'a [Json] {
    object.get(name).and_then(Json::as_array).unwrap_or_default()
}

fn text(object: &Json, name: &str) -> Option<String> {
    object.get(name)?.as_str().map(str::to_owned)
}

pub(super) fn mismatch(mismatch_json: &Json) -> Mismatch {
    let value = |name: &str| mismatch_json.get(name).map(|value| value.text_form().into_owned());
    Mismatch {
        part: text(mismatch_json, "attribute").unwrap_or_default(),
        place: text(mismatch_json, "identifier").filter(|place| !place.is_empty()),
        description: text(mismatch_json, "description").unwrap_or_default(),
        expected: value("expected"),
        actual: value("actual").filter(|actual| actual != "null"),
    }
}
