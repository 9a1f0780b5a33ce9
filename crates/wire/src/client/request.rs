//! Requests, responses, and how a request follows a redirect.

use bytes::Bytes;
use contract_model::is_secret;
use http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE};
use http::{HeaderMap, HeaderName, Method, StatusCode, Uri};

pub struct Outgoing {
    pub method: Method,
    pub uri: Uri,
    pub headers: HeaderMap,
    pub body: Bytes,
    /// Names of further headers that may contain credentials, although their names do not look sensitive. They are not
    /// sent to other hosts.
    pub confidential: Vec<HeaderName>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Redirects {
    /// Maximum number of redirects. If it is 0, redirects are not followed but returned as responses.
    pub most: usize,
    /// True if headers with credentials are also sent when a redirect leads to another scheme, host, or port.
    pub with_credentials: bool,
}

impl Redirects {
    /// Follows at most `most` redirects. Headers with credentials are not sent to another scheme, host, or port.
    pub const fn up_to(most: usize) -> Self {
        Self {
            most,
            with_credentials: false,
        }
    }
}

/// A response with its complete, decompressed body.
pub struct Answer {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Bytes,
}

/// Changes a request so that it follows a redirect (RFC 9110, section 15.4).
pub(super) fn redirect(request: &mut Outgoing, status: StatusCode, to: Uri, with_credentials: bool) {
    let becomes_get = match status.as_u16() {
        301 | 302 => request.method == Method::POST,
        303 => request.method != Method::HEAD && request.method != Method::GET,
        _ => false,
    };
    if becomes_get {
        request.method = Method::GET;
        request.body = Bytes::new();
        request.headers.remove(CONTENT_TYPE);
        request.headers.remove(CONTENT_LENGTH);
        request.headers.remove(CONTENT_ENCODING);
    }
    if to.scheme() != request.uri.scheme() || to.authority() != request.uri.authority() {
        request.headers.remove(http::header::HOST);
        if !with_credentials {
            drop_credentials(request);
        }
    }
    request.uri = to;
}

/// Removes the headers that may contain credentials.
fn drop_credentials(request: &mut Outgoing) {
    let connection_headers: Vec<HeaderName> = request
        .headers
        .keys()
        .filter(|name| is_secret(name.as_str()))
        .cloned()
        .collect();
    for name in connection_headers.iter().chain(&request.confidential) {
        request.headers.remove(name);
    }
}
