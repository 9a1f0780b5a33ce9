//! What a request does: work in a transaction, or an operation on the user's session.

use super::reply::{HandlerError, HandlerResult, Reply};
use super::request::Request;
use contract_broker_core::store::Tx;

pub type Handler = fn(&Request, &mut Tx<'_>) -> HandlerResult;
/// Work in a transaction. It runs again if the transaction conflicts with another one.
pub type Work = Box<dyn FnMut(&Request, &mut Tx<'_>) -> HandlerResult + Send>;
/// Parses a request body before the transaction starts.
pub type Preparation = fn(&Request) -> Result<Prepared, HandlerError>;

/// The result of parsing a request body.
pub struct Prepared {
    pub work: Work,
    /// The application's name in the body, which the access rule checks. `None` if the rule does not depend on the
    /// body.
    pub subject: Option<String>,
}

impl Prepared {
    pub fn new(work: impl FnMut(&Request, &mut Tx<'_>) -> HandlerResult + Send + 'static) -> Self {
        Self {
            work: Box::new(work),
            subject: None,
        }
    }

    pub(crate) fn with_subject(self, subject: String) -> Self {
        Self {
            subject: Some(subject),
            ..self
        }
    }
}

/// The handler for an HTTP method of a resource.
#[derive(Clone, Copy)]
pub enum Operation {
    Transaction(Action),
    Session(SessionAction),
}

/// How the work in a transaction is created.
#[derive(Clone, Copy)]
pub enum Action {
    /// Responds without a transaction, even if the database is not available.
    Respond(fn(&Request) -> Reply),
    Handle(Handler),
    Prepare(Preparation),
    /// Like `Prepare`, but always runs on a blocking thread, because it takes many milliseconds, for example to hash a
    /// password.
    PrepareSlowly(Preparation),
}

/// An operation on a user's session. Passwords are hashed between transactions, not within them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum SessionAction {
    Show,
    SignIn,
    SignOut,
    /// Stores the color theme of the pages in a cookie.
    SetTheme,
    /// Redirects the browser to the identity provider's sign-in page.
    StartAtProvider,
    /// Receives the identity provider's response, and starts a session.
    FinishAtProvider,
}
