//! Requests, answers, and how redirects are followed.

use bytes::Bytes;
use contract_model::is_secret;
use http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE};
use http::{HeaderMap, HeaderName, Method, StatusCode, Uri};

/// A request to send.
pub struct Outgoing {
    /// The method.
    pub method: Method,
    /// The whole URL.
    pub uri: Uri,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: Bytes,
    /// Headers that may hold credentials although their names do not say so.
    pub confidential: Vec<HeaderName>,
}

/// How redirects are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Redirects {
    /// How many; 0 takes them as answers.
    pub most: usize,
    /// Whether headers that hold credentials are sent to another scheme, host or port.
    pub with_credentials: bool,
}

impl Redirects {
    /// So many; credentials stay with the host that they are for.
    pub const fn up_to(most: usize) -> Self {
        Self {
            most,
            with_credentials: false,
        }
    }
}

/// An answer, read to its end and decompressed.
pub struct Answer {
    /// The status.
    pub status: u16,
    /// The headers, as they came.
    pub headers: HeaderMap,
    /// The body.
    pub body: Bytes,
}

/// The request that a redirect asks for (RFC 9110 section 15.4).
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

/// What tells another host who asks was not meant for it.
fn drop_credentials(request: &mut Outgoing) {
    let named: Vec<HeaderName> = request
        .headers
        .keys()
        .filter(|name| is_secret(name.as_str()))
        .cloned()
        .collect();
    for name in named.iter().chain(&request.confidential) {
        request.headers.remove(name);
    }
}
