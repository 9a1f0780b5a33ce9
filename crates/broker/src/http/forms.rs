//! Converts submitted forms to API requests, and the API responses to pages or redirects. This way, forms have the same
//! checks and access rules as the API.

use bytes::Bytes;
use contract_broker_core::store::Tx;
use http::HeaderMap;
use serde_json::Value;

use super::access::is_same_origin;
use super::action::Prepared;
use super::fields::FormFields;
use super::problem::Problem;
use super::reply::{HandlerError, HandlerResult, Reply};
use super::request::Request;
use super::visitor::Visitor;

/// Creates the response to a submitted form from the body of the API response, or from its error.
pub(super) type Answer = fn(&Request, &mut Tx<'_>, Result<&Value, &Problem>) -> HandlerResult;

/// How a form that a page submits is converted to an API request, and how the API response is converted to a page.
#[derive(Clone, Copy)]
pub(super) struct Form {
    /// Creates the body of the API request.
    pub(super) body: fn(&FormFields) -> Value,
    pub(super) answer: Answer,
}

impl Form {
    /// Parses a submitted form. Returns the body of the API request, and the form's fields. Rejects forms that another
    /// site has sent.
    pub(super) fn read(
        self,
        body: &[u8],
        headers: &HeaderMap,
        base: &str,
        visitor: &Visitor,
    ) -> Result<(Bytes, FormFields), Reply> {
        let fields = FormFields::parse(body)?;
        check_origin(headers, base)?;
        visitor.check_token(fields.exact("token"))?;
        let body = (self.body)(&fields);
        Ok((Bytes::from(body.to_string()), fields))
    }
}

pub(super) fn check_origin(headers: &HeaderMap, base: &str) -> Result<(), Reply> {
    if is_same_origin(headers, base) == Some(true) {
        Ok(())
    } else {
        Err(Reply::denied(403, "The form was sent from a page of another site."))
    }
}

/// Changes the work so that it returns `answer`'s response to the form, even if the API request is rejected.
pub(super) fn answered(answer: Answer, prepared: Result<Prepared, HandlerError>) -> Result<Prepared, HandlerError> {
    let Prepared { mut work, subject } = match prepared {
        Ok(prepared) => prepared,
        Err(HandlerError::Rejected(reply)) => {
            let problem = Problem::from_reply(&reply);
            return Ok(Prepared::new(move |rq, tx| answer(rq, tx, Err(&problem))));
        }
        Err(error @ HandlerError::Store(_)) => return Err(error),
    };
    let work = move |rq: &Request, tx: &mut Tx<'_>| match work(rq, tx) {
        Ok(reply) => {
            let body = serde_json::from_str(&reply.body).unwrap_or_default();
            Ok(answer(rq, tx, Ok(&body))?.with_effects_of(reply))
        }
        Err(HandlerError::Rejected(reply)) if reply.denial.is_none() => {
            answer(rq, tx, Err(&Problem::from_reply(&reply)))
        }
        Err(error) => Err(error),
    };
    Ok(Prepared {
        work: Box::new(work),
        subject,
    })
}
