//! Collects what a new broker has, for the page with the first steps.

use contract_pages::pages::first_steps::{FirstSteps, Progress};

use super::super::live;
use super::super::reply::{HandlerResult, Reply};
use super::super::request::Request;
use super::page;
use contract_broker_core::cases::sample;
use contract_broker_core::sql::{overview, pacticipants};
use contract_broker_core::store::{StoreError, Tx};

pub(crate) fn show(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    Ok(reply(rq, tx)?)
}

/// Returns the page. The overview also shows it while there are no contracts.
pub(super) fn reply(rq: &Request, tx: &mut Tx<'_>) -> Result<Reply, StoreError> {
    let names = pacticipants::names(tx)?;
    let view = FirstSteps {
        is_empty: names.is_empty(),
        can_load_sample: names.is_empty() && sample::is_empty(tx)?,
        has_sample: !names.is_empty() && !sample::applications(tx)?.is_empty(),
        progress: progress(tx)?,
    };
    Ok(page(view.page(&rq.shell())))
}

/// Notifies the page when a step is done.
pub(crate) fn events(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let progress = progress(tx)?;
    let Progress {
        has_contract,
        has_result,
        has_deployment,
    } = progress;
    let counts = [has_contract, has_result, has_deployment, false].map(usize::from);
    let seen = rq.query_value("done").unwrap_or_default();
    Ok(live::event(seen, &progress.to_string(), counts))
}

fn progress(tx: &mut Tx<'_>) -> Result<Progress, StoreError> {
    Ok(Progress {
        has_contract: overview::has_rows(tx, "publication")?,
        has_result: overview::has_rows(tx, "result")?,
        has_deployment: overview::has_rows(tx, "deployment")?,
    })
}
