//! What browsers ask before they let a page read an answer (the Fetch standard, "CORS protocol").

use bytes::Bytes;
use http_body_util::Full;
use hyper::header::{
    ACCESS_CONTROL_ALLOW_CREDENTIALS, ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS,
    ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_REQUEST_HEADERS,
    ACCESS_CONTROL_REQUEST_METHOD, CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderValue, ORIGIN, VARY,
};
use hyper::{Method, StatusCode};

use crate::answer::Reply;

const USUAL: &str = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS";
const METHODS: HeaderValue = HeaderValue::from_static(USUAL);
const ANY: HeaderValue = HeaderValue::from_static("*");

/// Whether a browser asks for permission, rather than a client for its options.
pub(crate) fn is_preflight(method: &Method, headers: &HeaderMap) -> bool {
    *method == Method::OPTIONS && (headers.contains_key(ACCESS_CONTROL_REQUEST_METHOD) || headers.contains_key(ORIGIN))
}

/// Permits what was asked for.
pub(crate) fn preflight(asked: &HeaderMap) -> Reply {
    let mut reply = hyper::Response::new(Full::new(Bytes::new()));
    *reply.status_mut() = StatusCode::NO_CONTENT;
    let headers = reply.headers_mut();
    allow_origin(asked, headers);
    headers.insert(ACCESS_CONTROL_ALLOW_METHODS, METHODS);
    if let Some(method) = asked
        .get(ACCESS_CONTROL_REQUEST_METHOD)
        .filter(|method| !is_usual(method))
    {
        headers.append(ACCESS_CONTROL_ALLOW_METHODS, method.clone());
    }
    // With credentials `*` is a name like any other, so that the names themselves are echoed.
    let wanted = asked.get(ACCESS_CONTROL_REQUEST_HEADERS).cloned().unwrap_or(ANY);
    headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, wanted);
    reply
}

fn is_usual(method: &HeaderValue) -> bool {
    USUAL.split(", ").any(|known| known.as_bytes() == method.as_bytes())
}

/// Lets the page that asked read the answer. A contract that speaks of CORS itself is left alone.
pub(crate) fn expose(asked: &HeaderMap, answer: &mut HeaderMap) {
    if answer.contains_key(ACCESS_CONTROL_ALLOW_ORIGIN) {
        return;
    }
    if asked.contains_key(ORIGIN) && !answer.contains_key(ACCESS_CONTROL_EXPOSE_HEADERS) {
        let names = exposed(answer);
        if let Some(names) = names {
            answer.insert(ACCESS_CONTROL_EXPOSE_HEADERS, names);
        }
    }
    allow_origin(asked, answer);
}

fn allow_origin(asked: &HeaderMap, answer: &mut HeaderMap) {
    match asked.get(ORIGIN) {
        Some(origin) => {
            answer.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
            if !answer.contains_key(ACCESS_CONTROL_ALLOW_CREDENTIALS) {
                answer.insert(ACCESS_CONTROL_ALLOW_CREDENTIALS, HeaderValue::from_static("true"));
            }
            answer.append(VARY, HeaderValue::from_static("Origin"));
        }
        None => {
            answer.insert(ACCESS_CONTROL_ALLOW_ORIGIN, ANY);
        }
    }
}

/// All names of the answer that a page may not read without permission.
fn exposed(answer: &HeaderMap) -> Option<HeaderValue> {
    let names: Vec<&str> = answer
        .keys()
        .filter(|name| **name != CONTENT_TYPE && **name != CONTENT_LENGTH)
        .map(hyper::header::HeaderName::as_str)
        .collect();
    if names.is_empty() {
        return None;
    }
    HeaderValue::from_str(&names.join(", ")).ok()
}
