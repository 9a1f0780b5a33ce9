//! What answers a request.

use super::reply::{Failure, Outcome};
use super::request::Request;
use crate::store::Tx;

pub(super) type Handler = fn(&Request, &mut Tx<'_>) -> Outcome;
/// What is done in a transaction; once more when another one got in its way.
pub(super) type Work = Box<dyn FnMut(&Request, &mut Tx<'_>) -> Outcome + Send>;
/// Takes a body apart before the transaction.
pub(super) type Preparation = fn(&Request) -> Result<Work, Failure>;

/// What answers a request.
#[derive(Clone, Copy)]
pub(super) enum Action {
    Handle(Handler),
    Prepare(Preparation),
}
