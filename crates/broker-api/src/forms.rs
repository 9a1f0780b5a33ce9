//! Converts submitted forms to API requests, and the API responses to pages or redirects. This way, forms have the same
//! checks and access rules as the API.

use bytes::Bytes;
use contract_broker_core::store::Tx;
use http::HeaderMap;
use http::header::ORIGIN;
use serde_json::Value;

use super::action::Prepared;
use super::fields::FormFields;
use super::problem::Problem;
use super::reply::{HandlerError, HandlerResult, Reply};
use super::request::Request;
use super::visitor::Visitor;

/// Creates the response to a submitted form from the body of the API response, or from its error.
pub type Answer = fn(&Request, &mut Tx<'_>, Result<&Value, &Problem>) -> HandlerResult;

/// How a form that a page submits is converted to an API request, and how the API response is converted to a page.
#[derive(Clone, Copy)]
pub struct Form {
    /// Creates the body of the API request.
    pub body: fn(&FormFields) -> Value,
    pub answer: Answer,
}

impl Form {
    /// Parses a submitted form. Returns the body of the API request, and the form's fields. Rejects forms that another
    /// site has sent.
    pub fn read(
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

pub fn check_origin(headers: &HeaderMap, base: &str) -> Result<(), Reply> {
    if is_same_origin(headers, base) == Some(true) {
        Ok(())
    } else {
        Err(Reply::denied(403, "The form was sent from a page of another site."))
    }
}

/// Returns true if a page of this broker caused the request, or the user did, for example through the address bar.
/// Returns false if another site caused it. Returns `None` if the request lacks the headers that browsers send.
pub fn is_same_origin(headers: &HeaderMap, base: &str) -> Option<bool> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    if let Some(site) = text("sec-fetch-site") {
        return Some(matches!(site, "same-origin" | "none"));
    }
    let origin = headers.get(ORIGIN)?.to_str().unwrap_or_default();
    let authority = |url: &str| {
        let rest = url.split_once("://").map(|(_, rest)| rest.to_ascii_lowercase());
        rest.map(|rest| rest.split('/').next().unwrap_or_default().to_owned())
    };
    let origin = authority(origin);
    let is_host = origin.as_deref() == text("host").map(str::to_ascii_lowercase).as_deref();
    Some(origin.is_some() && (is_host || origin == authority(base)))
}

/// Changes the work so that it returns `answer`'s response to the form, even if the API request is rejected.
pub fn answered(answer: Answer, prepared: Result<Prepared, HandlerError>) -> Result<Prepared, HandlerError> {
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

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn headers(all: &[(&'static str, &'static str)]) -> HeaderMap {
        let pairs = all.iter().map(|(name, value)| {
            let name = http::HeaderName::from_static(name);
            (name, HeaderValue::from_static(value))
        });
        pairs.collect()
    }

    #[test]
    fn requests_of_other_sites_are_recognized() {
        let base = "https://broker.example.com/tools";
        for (sent, expected) in [
            (&[][..], None),
            (&[("sec-fetch-site", "same-origin")], Some(true)),
            (&[("sec-fetch-site", "none")], Some(true)),
            (&[("sec-fetch-site", "same-site")], Some(false)),
            (
                &[
                    ("sec-fetch-site", "cross-site"),
                    ("origin", "https://broker.example.com"),
                ],
                Some(false),
            ),
            (&[("origin", "https://broker.example.com")], Some(true)),
            (&[("origin", "https://BROKER.example.com")], Some(true)),
            (
                &[("origin", "http://internal:9292"), ("host", "internal:9292")],
                Some(true),
            ),
            (
                &[("origin", "https://evil.example.com"), ("host", "broker.example.com")],
                Some(false),
            ),
            (&[("origin", "https://broker.example.com.evil.com")], Some(false)),
            (&[("origin", "null")], Some(false)),
        ] {
            assert_eq!(is_same_origin(&headers(sent), base), expected, "{sent:?}");
        }
    }
}
