//! The kinds of request handlers.

use super::reply::{HandlerError, HandlerResult};
use super::request::Request;
use contract_broker_core::store::Tx;

pub(super) type Handler = fn(&Request, &mut Tx<'_>) -> HandlerResult;
/// Runs in a transaction, and again after a conflict with another transaction.
pub(super) type Work = Box<dyn FnMut(&Request, &mut Tx<'_>) -> HandlerResult + Send>;
/// Parses a request body before the transaction.
pub(super) type Preparation = fn(&Request) -> Result<Work, HandlerError>;

#[derive(Clone, Copy)]
pub(super) enum Action {
    Handle(Handler),
    Prepare(Preparation),
}
