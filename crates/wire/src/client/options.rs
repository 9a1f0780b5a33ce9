use std::time::Duration;

use super::proxies::Proxies;
use crate::{HttpVersion, Tls};

#[derive(Clone, Debug)]
pub struct ClientOptions {
    pub tls: Tls,
    /// The proxies to use. Requests to loopback addresses never use a proxy.
    pub proxies: Proxies,
    /// Timeout for name resolution, connection, and TLS handshake together. Must not be zero. Default: 5 s.
    pub connect_timeout: Duration,
    pub http: HttpVersion,
    /// Maximum size of a response body in bytes. It applies before and after decompression. Default: 64 MiB.
    pub body_limit: usize,
}

impl Default for ClientOptions {
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
