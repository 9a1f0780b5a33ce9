//! Responses to the forms that load and remove sample data.

use serde_json::Value;

use super::super::problem::Problem;
use super::super::reply::HandlerResult;
use super::super::request::Request;
use super::see_other;
use contract_broker_core::store::Tx;

/// Redirects to the overview page after sample data was loaded or removed.
pub(crate) fn changed(rq: &Request, _: &mut Tx<'_>, result: Result<&Value, &Problem>) -> HandlerResult {
    result.map_err(Problem::rejected)?;
    Ok(see_other(rq, "/"))
}
