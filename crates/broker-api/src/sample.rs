//! Handlers that load and remove the sample data of an empty broker.

use serde_json::json;

use super::reply::{HandlerError, HandlerResult, Reply};
use super::request::Request;
use contract_broker_core::cases::sample;
use contract_broker_core::store::Tx;

pub(super) fn load(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let applications = sample::load(tx, rq.now)
        .map_err(|error| HandlerError::from_case(error, |rejection| Reply::error(409, rejection.to_string())))?;
    let body = json!({ "applications": applications, "label": sample::LABEL });
    Ok(Reply::created(&body, rq.urls.at("/pacticipants")))
}

pub(super) fn remove(_: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    sample::remove(tx)?;
    Ok(Reply::empty(204))
}
