//! What a client is told when it is made.

use std::time::Duration;

use contract_wire::{Proxies, Tls};

use crate::{Credentials, Retries, TransportOptions};

/// Where the broker is, who asks, and how.
#[derive(Clone, Debug)]
pub struct BrokerOptions {
    /// The broker's base URL: `http://…` or `https://…`, with a path if it has one. Credentials in it are used unless
    /// `credentials` are given.
    pub url: String,
    /// Who asks.
    pub credentials: Credentials,
    /// Headers for every request to the broker: name and value.
    pub headers: Vec<(String, String)>,
    /// Certificates.
    pub tls: Tls,
    /// Proxies; never used for this machine's own addresses.
    pub proxies: Proxies,
    /// For name look-up, connection and TLS handshake.
    pub connect_timeout: Duration,
    /// For one request and its whole answer.
    pub timeout: Duration,
    /// Whether and when a request is sent again.
    pub retries: Retries,
    /// Most bytes of an answer, before and after decompression.
    pub body_limit: usize,
}

impl Default for BrokerOptions {
    /// No URL yet, nobody in particular; 10 s to connect, a minute for an answer of up to 64 MiB.
    fn default() -> Self {
        let transport = TransportOptions::default();
        Self {
            url: String::new(),
            credentials: Credentials::None,
            headers: Vec::new(),
            tls: transport.tls,
            proxies: transport.proxies,
            connect_timeout: transport.connect_timeout,
            timeout: transport.timeout,
            retries: transport.retries,
            body_limit: transport.body_limit,
        }
    }
}

impl BrokerOptions {
    pub(crate) fn transport(&self) -> TransportOptions {
        TransportOptions {
            who: "broker",
            tls: self.tls.clone(),
            proxies: self.proxies.clone(),
            connect_timeout: self.connect_timeout,
            timeout: self.timeout,
            retries: self.retries,
            body_limit: self.body_limit,
        }
    }
}
