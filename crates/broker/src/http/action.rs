//! The kinds of request handlers.

use super::reply::{HandlerError, HandlerResult};
use super::request::Request;
use contract_broker_core::store::Tx;

pub(super) type Handler = fn(&Request, &mut Tx<'_>) -> HandlerResult;
/// A handler that runs in a transaction, and runs again after a conflict with another transaction.
pub(super) type Work = Box<dyn FnMut(&Request, &mut Tx<'_>) -> HandlerResult + Send>;
/// A function that parses a request body before the transaction.
pub(super) type Preparation = fn(&Request) -> Result<Prepared, HandlerError>;

/// A parsed request.
pub(super) struct Prepared {
    pub(super) work: Work,
    /// The application in the body, which access rules check.
    pub(super) subject: Option<String>,
}

impl Prepared {
    pub(super) fn new(work: impl FnMut(&Request, &mut Tx<'_>) -> HandlerResult + Send + 'static) -> Self {
        Self {
            work: Box::new(work),
            subject: None,
        }
    }

    pub(super) fn with_subject(self, subject: String) -> Self {
        Self {
            subject: Some(subject),
            ..self
        }
    }
}

/// The handler for an HTTP method of a resource.
#[derive(Clone, Copy)]
pub(super) enum Operation {
    Transaction(Action),
    Session(SessionAction),
}

/// Work in a transaction.
#[derive(Clone, Copy)]
pub(super) enum Action {
    Handle(Handler),
    Prepare(Preparation),
    /// A preparation that takes many milliseconds, such as hashing a password.
    PrepareSlowly(Preparation),
}

/// An operation on the session of a user. Passwords are hashed between transactions, not within them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum SessionAction {
    Show,
    SignIn,
    SignOut,
    /// Stores the theme of the pages in a cookie.
    SetTheme,
    /// Redirects the browser to the identity provider.
    StartAtProvider,
    /// Receives the response of the identity provider.
    FinishAtProvider,
}
