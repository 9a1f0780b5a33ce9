//! Forms of pages. A form becomes a request of the API, and the response of the API becomes a page or a redirect. So forms have the
//! checks and the access rules of the API.

use contract_broker_core::domain::query;
use contract_broker_core::store::Tx;
use http::HeaderMap;
use serde_json::Value;

use super::access::is_same_origin;
use super::action::Prepared;
use super::reply::{HandlerError, HandlerResult, Reply};
use super::request::Request;
use super::visitor::Visitor;

/// Creates the response to a form.
pub(super) type Answer = fn(&Request, &mut Tx<'_>, Result<&Value, &Problem>) -> HandlerResult;

/// How a page uses the POST of a resource.
#[derive(Clone, Copy)]
pub(super) struct Form {
    /// Creates the body of the request.
    pub(super) body: fn(&Fields) -> Value,
    pub(super) answer: Answer,
}

/// The fields of a form, in their order. A field can occur several times.
#[derive(Clone, Debug, Default)]
pub(super) struct Fields(Vec<(String, String)>);

impl Fields {
    pub(super) fn parse(body: &[u8]) -> Result<Self, Reply> {
        match std::str::from_utf8(body).map(query::pairs) {
            Ok(Ok(fields)) => Ok(Self(fields)),
            _ => Err(Reply::error(400, "The form is not valid UTF-8.")),
        }
    }

    /// Returns the value without white space around it. Empty if the field is missing.
    pub(super) fn text(&self, name: &str) -> &str {
        self.exact(name).trim()
    }

    /// Returns the value as it was entered.
    pub(super) fn exact(&self, name: &str) -> &str {
        query::value(&self.0, name).unwrap_or_default()
    }

    pub(super) fn has(&self, name: &str, value: &str) -> bool {
        self.0.iter().any(|(known, sent)| known == name && sent == value)
    }
}

/// The form of a request.
#[derive(Clone)]
pub(super) struct SentForm {
    pub(super) fields: Fields,
    answer: Answer,
}

/// Why the API rejected the request.
#[derive(Clone, Debug)]
pub(super) struct Problem {
    pub(super) status: u16,
    /// Sentences.
    pub(super) details: Vec<String>,
}

impl Problem {
    fn of(reply: &Reply) -> Self {
        Self {
            status: reply.status,
            details: super::pages::details(&reply.body),
        }
    }

    /// Returns the problem as a page of its own.
    pub(super) fn rejected(&self) -> HandlerError {
        Reply::error(self.status, self.details.join(" ")).into()
    }
}

/// Reads a form that a page of this broker sent. Returns the body of the request with it.
pub(super) fn read(
    form: Form,
    body: &[u8],
    headers: &HeaderMap,
    base: &str,
    visitor: &Visitor,
) -> Result<(Value, SentForm), Reply> {
    let fields = Fields::parse(body)?;
    check_origin(headers, base)?;
    visitor.check_token(fields.exact("token"))?;
    let body = (form.body)(&fields);
    let answer = form.answer;
    Ok((body, SentForm { fields, answer }))
}

pub(super) fn check_origin(headers: &HeaderMap, base: &str) -> Result<(), Reply> {
    if is_same_origin(headers, base) == Some(true) {
        Ok(())
    } else {
        Err(Reply::denied(403, "The form was sent from a page of another site."))
    }
}

/// Adds the response of a form to its work.
pub(super) fn answered(form: &SentForm, prepared: Prepared) -> Prepared {
    let Prepared { mut work, subject } = prepared;
    let answer = form.answer;
    let work = move |rq: &Request, tx: &mut Tx<'_>| match work(rq, tx) {
        Ok(reply) => {
            let body = serde_json::from_str(&reply.body).unwrap_or_default();
            Ok(answer(rq, tx, Ok(&body))?.with_effects_of(reply))
        }
        Err(HandlerError::Rejected(reply)) if reply.denial.is_none() => answer(rq, tx, Err(&Problem::of(&reply))),
        Err(error) => Err(error),
    };
    Prepared {
        work: Box::new(work),
        subject,
    }
}

/// Returns work that reports an error of the preparation in the response of a form.
pub(super) fn rejected(form: &SentForm, error: HandlerError) -> Result<Prepared, HandlerError> {
    match error {
        HandlerError::Rejected(reply) => {
            let (answer, problem) = (form.answer, Problem::of(&reply));
            Ok(Prepared::new(move |rq, tx| answer(rq, tx, Err(&problem))))
        }
        error @ HandlerError::Store(_) => Err(error),
    }
}

/// A form without fields.
pub(super) fn no_fields(_: &Fields) -> Value {
    Value::Null
}

/// Creates the response that leads to another page of the broker.
pub(super) fn see_other(rq: &Request, path: &str) -> Reply {
    Reply::empty(303).with("location", rq.urls.at(path))
}
