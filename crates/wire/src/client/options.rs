use std::time::Duration;

use super::proxies::Proxies;
use crate::{HttpVersion, Tls};

/// Options of a [`Client`].
#[derive(Clone, Debug)]
pub struct ClientOptions {
    pub tls: Tls,
    /// The proxies to use. Loopback addresses never use a proxy.
    pub proxies: Proxies,
    /// Timeout for name resolution, connection, and TLS handshake together.
    pub connect_timeout: Duration,
    pub http: HttpVersion,
    /// Maximum size of a response body in bytes, before and after decompression.
    pub body_limit: usize,
}

impl Default for ClientOptions {
    /// Returns options without proxies, with a connect timeout of 5 s, with HTTP/2 if negotiated by TLS, and with
    /// bodies of at most 64 MiB.
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
