//! Collects the data for the page that compares two contracts.

use contract_pages::changes;
use contract_pages::pages::diff::Diff;

use super::super::pacts::{named_version, of_content, of_version};
use super::super::params::Param;
use super::super::reply::{HandlerResult, not_found};
use super::super::request::Request;
use super::pact::read;
use super::{page, status};
use contract_broker_core::cases::integrations::ContractStatus;
use contract_broker_core::sql::integrations;
use contract_broker_core::sql::pacts::{self, Publication};
use contract_broker_core::store::Tx;
use contract_broker_domain::content;

pub(crate) fn previous_distinct(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let newer = of_version(rq, tx)?;
    let older = pacts::previous_distinct(tx, &newer)?.ok_or_else(not_found)?;
    show(rq, tx, &older, &newer)
}

pub(crate) fn with_version(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let (newer, older) = (of_version(rq, tx)?, named_version(rq, tx, Param::Other)?);
    show(rq, tx, &older, &newer)
}

pub(crate) fn between_contents(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let (newer, older) = (
        of_content(rq, tx, Param::Sha, None)?,
        of_content(rq, tx, Param::Other, None)?,
    );
    show(rq, tx, &older, &newer)
}

fn show(rq: &Request, tx: &mut Tx<'_>, older: &Publication, newer: &Publication) -> HandlerResult {
    let current = integrations::of_publication(tx, newer.id)?.ok_or_else(not_found)?;
    let (changed, unchanged) = changes(&read(tx, older)?, &read(tx, newer)?);
    let (before, after) = (
        pacts::document(tx, older.content_id)?,
        pacts::document(tx, newer.content_id)?,
    );
    let view = Diff {
        consumer: newer.consumer.clone(),
        provider: newer.provider.clone(),
        older: older.version.clone(),
        newer: newer.version.clone(),
        status: status(ContractStatus::new(&current)),
        changed,
        unchanged,
        is_same: older.content_id == newer.content_id,
        text: content::text_diff(&before, &after),
    };
    Ok(page(view.page(&rq.shell())))
}
