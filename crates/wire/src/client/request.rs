//! Requests, responses, and redirects.

use bytes::Bytes;
use contract_model::is_secret;
use http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE};
use http::{HeaderMap, HeaderName, Method, StatusCode, Uri};

pub struct Outgoing {
    pub method: Method,
    pub uri: Uri,
    pub headers: HeaderMap,
    pub body: Bytes,
    /// Headers that may contain credentials even though their names do not look sensitive.
    pub confidential: Vec<HeaderName>,
}

/// Rules for following redirects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Redirects {
    /// Maximum number of redirects. If it is 0, a redirect is returned as the response.
    pub most: usize,
    /// True to send headers with credentials to other schemes, hosts, and ports as well.
    pub with_credentials: bool,
}

impl Redirects {
    /// Follows at most `most` redirects. Sends credentials only to the original host.
    pub const fn up_to(most: usize) -> Self {
        Self {
            most,
            with_credentials: false,
        }
    }
}

/// A complete and decompressed response.
pub struct Answer {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Bytes,
}

/// Changes the request as a redirect requires (RFC 9110, section 15.4).
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

/// Removes the headers that must not be sent to another host.
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
