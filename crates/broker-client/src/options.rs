//! What a client is told when it is made.

use crate::{Credentials, TransportOptions};

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
    /// How connections are made, how long they may take, and how much of an answer is read. Proxies are never used for this
    /// machine's own addresses.
    pub transport: TransportOptions,
}

impl Default for BrokerOptions {
    /// No URL yet, nobody in particular; 10 s to connect, a minute for an answer of up to 64 MiB.
    fn default() -> Self {
        Self {
            url: String::new(),
            credentials: Credentials::None,
            headers: Vec::new(),
            transport: TransportOptions {
                who: "broker",
                ..TransportOptions::default()
            },
        }
    }
}
