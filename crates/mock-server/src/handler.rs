//! Interface for servers that use this crate's HTTP code and limits, but respond without a fixed list of interactions.

use std::fmt;

use bytes::Bytes;
use http_body_util::Full;
use hyper::http::request::Parts;

use crate::plugin::BoxFuture;

pub type Reply = hyper::Response<Full<Bytes>>;

/// Responds to the requests of a server that was started with
/// [`MockServer::start_handler`](crate::MockServer::start_handler).
pub trait Handler: fmt::Debug + Send + Sync {
    /// Responds to a request. `body` is the complete body.
    fn handle(&self, parts: Parts, body: Bytes) -> BoxFuture<'_, Reply>;
}
