//! Responds to CORS preflight requests and adds CORS headers (Fetch standard, "CORS protocol").

use bytes::Bytes;
use http_body_util::Full;
use hyper::header::{
    ACCESS_CONTROL_ALLOW_CREDENTIALS, ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS,
    ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_REQUEST_HEADERS,
    ACCESS_CONTROL_REQUEST_METHOD, CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderValue, ORIGIN, VARY,
};
use hyper::{Method, StatusCode};

use crate::handler::Reply;

const USUAL: &str = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS";
const METHODS: HeaderValue = HeaderValue::from_static(USUAL);
const ANY: HeaderValue = HeaderValue::from_static("*");

/// Returns true for an OPTIONS request with an `Origin` or `Access-Control-Request-Method` header.
pub(crate) fn is_preflight(method: &Method, headers: &HeaderMap) -> bool {
    *method == Method::OPTIONS && (headers.contains_key(ACCESS_CONTROL_REQUEST_METHOD) || headers.contains_key(ORIGIN))
}

/// Creates a response with status 204 that allows the requested origin, method, and headers.
pub(crate) fn preflight(request: &HeaderMap) -> Reply {
    let mut reply = hyper::Response::new(Full::new(Bytes::new()));
    *reply.status_mut() = StatusCode::NO_CONTENT;
    let headers = reply.headers_mut();
    allow_origin(request, headers);
    headers.insert(ACCESS_CONTROL_ALLOW_METHODS, METHODS);
    if let Some(method) = request
        .get(ACCESS_CONTROL_REQUEST_METHOD)
        .filter(|method| !is_usual(method))
    {
        headers.append(ACCESS_CONTROL_ALLOW_METHODS, method.clone());
    }
    // In requests with credentials, `*` is not a wildcard, so the response contains the requested names.
    let requested = request.get(ACCESS_CONTROL_REQUEST_HEADERS).cloned().unwrap_or(ANY);
    headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, requested);
    reply
}

fn is_usual(method: &HeaderValue) -> bool {
    USUAL.split(", ").any(|known| known.as_bytes() == method.as_bytes())
}

/// Adds the headers that allow scripts from other origins to read the response. Does nothing if the contract defines
/// `Access-Control-Allow-Origin`.
pub(crate) fn expose(request: &HeaderMap, answer: &mut HeaderMap) {
    if answer.contains_key(ACCESS_CONTROL_ALLOW_ORIGIN) {
        return;
    }
    if request.contains_key(ORIGIN) && !answer.contains_key(ACCESS_CONTROL_EXPOSE_HEADERS) {
        let names = exposed(answer);
        if let Some(names) = names {
            answer.insert(ACCESS_CONTROL_EXPOSE_HEADERS, names);
        }
    }
    allow_origin(request, answer);
}

/// Allows all origins to read the response, unless the contract defines `Access-Control-Allow-Origin`. Returns true if
/// the header was added.
pub(crate) fn allow_any_origin(answer: &mut HeaderMap) -> bool {
    if answer.contains_key(ACCESS_CONTROL_ALLOW_ORIGIN) {
        return false;
    }
    answer.insert(ACCESS_CONTROL_ALLOW_ORIGIN, ANY);
    true
}

fn allow_origin(request: &HeaderMap, answer: &mut HeaderMap) {
    match request.get(ORIGIN) {
        Some(origin) => {
            answer.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
            if !answer.contains_key(ACCESS_CONTROL_ALLOW_CREDENTIALS) {
                answer.insert(ACCESS_CONTROL_ALLOW_CREDENTIALS, HeaderValue::from_static("true"));
            }
            answer.append(VARY, HeaderValue::from_static("Origin"));
        }
        None => {
            allow_any_origin(answer);
        }
    }
}

/// Returns the value of `Access-Control-Expose-Headers`, or `None` if there are no headers to expose.
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
