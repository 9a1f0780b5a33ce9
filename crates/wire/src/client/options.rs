//! What a client is told when it is made.

use std::time::Duration;

use super::proxies::Proxies;
use crate::{HttpVersion, Tls};

/// How connections are made, and how much of an answer is read.
#[derive(Clone, Debug)]
pub struct ClientOptions {
    /// Certificates.
    pub tls: Tls,
    /// Proxies; never used for this machine's own addresses.
    pub proxies: Proxies,
    /// For name look-up, connection and TLS handshake.
    pub connect_timeout: Duration,
    /// Which version of HTTP is spoken.
    pub http: HttpVersion,
    /// Most bytes of a response body, before and after decompression.
    pub body_limit: usize,
}

impl Default for ClientOptions {
    /// No proxies, 5 s to connect, HTTP/2 where TLS negotiates it, bodies up to 64 MiB.
    fn default() -> Self {
        Self {
            tls: Tls::default(),
            proxies: Proxies::default(),
            connect_timeout: Duration::from_secs(5),
            http: HttpVersion::default(),
            body_limit: 64 * 1024 * 1024,
        }
    }
}
